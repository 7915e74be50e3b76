"""Rows held back so that all releases together keep the promise: against what the promise says,
naively, and the proof against planted faults."""

import hmac
import secrets
from collections import Counter, defaultdict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anonsql.engines.base import Column, PlainColumn
from anonsql.jobs import pipeline
from anonsql.over_time import traces
from anonsql.over_time.ledger import NEXT, ROWS, Book, columns, load_secret
from anonsql.over_time.traces import FOLLOWED, Rows
from anonsql.policy.policy import Policy
from anonsql.privacy.promise import Promise
from anonsql.verification import traces as proof
from anonsql.verification.traces import Claim

from .support import job, make_source, policy_data, policy_over

COLUMNS = {
    "id": "identifying",
    "place": {"type": "suppression"},
    "ill": "sensitive",
}
TYPES = {"id": "INTEGER", "place": "VARCHAR", "ill": "VARCHAR"}
SECRET = secrets.token_hex(32)
STAGES = (*pipeline.OPEN_SOURCE, *pipeline.FIT)


def name(text):
    """A name as the ledger has it, by Python's own HMAC."""
    if text is None:
        return None
    return hmac.new(bytes.fromhex(SECRET), str(text).encode(), "sha256").hexdigest()[:32]


class Decided:
    """What is decided of a table of (id, place, ill), given a ledger {id: (trace, ill)}."""

    def __init__(self, folder, rows, ledger, *, k=2, l_diversity=0, protect=True):
        self.rows, self.ledger, self.k, self.protect = rows, ledger, k, protect
        self.folder = folder
        self.l_diversity = l_diversity
        (folder / "source.duckdb").unlink(missing_ok=True)
        make_source(folder, TYPES, rows)
        data = policy_data(COLUMNS, k=k)
        if l_diversity:
            data["privacy"]["l_diversity"] = {"ill": l_diversity}
        data["privacy"]["over_time"] = {"key": "id"}
        self.policy = Policy.parse(data, folder)

    def __enter__(self):
        self._job = job(self.policy, self.folder, STAGES)
        made = self._job.__enter__()
        self.engine, coded = made.engine, made.counted.coded
        load_secret(self.engine, Book("id", [item.name for item in coded], secret=SECRET))
        rows = [
            (name(key), trace, True, *([name(ill)] if coded else []))
            for key, (trace, ill) in self.ledger.items()
        ]
        given = columns(len(coded))
        if rows:
            self.engine.load(ROWS, [(entry.name, entry.type) for entry in given], rows)
        else:
            self.engine.run("over_time/no_rows", table=ROWS, columns=given)
        key = PlainColumn(Column("id", "INTEGER"))
        promise = Promise.of(self.policy.privacy, coded)
        levels = {attribute.index: 0 for attribute in made.counted.attributes}
        self.given = Rows(made.opened.source, key, made.counted.attributes, levels, coded, promise)
        traces.follow(self.engine, self.given)
        self.sizes = traces.hold_back(self.engine, self.given, protect=self.protect)
        return self

    def __exit__(self, *error):
        return self._job.__exit__(*error)

    def asked(self, sql):
        return self.engine._connection.execute(sql).fetchall()

    @property
    def held(self):
        return {key for (key,) in self.asked("SELECT k FROM held")}

    @property
    def next(self):
        return self.asked(f"SELECT h, trace, released FROM {NEXT}")

    def faults(self):
        claim = Claim(
            self.given.source,
            (FOLLOWED,),
            self.given.key,
            self.given.attributes,
            self.given.levels,
            self.given.coded,
            self.given.promise,
            self.protect,
        )
        return proof.offences(self.engine, claim)


def new_traces(decided):
    """Every row that was ever released, by (trace so far, class now or None): with its value."""
    found = defaultdict(list)
    source = {key: (place, ill) for key, place, ill in decided.rows}
    for key, (place, ill) in source.items():
        then = decided.ledger.get(key, (0, None))[0]
        if key not in decided.held:
            found[then, place or ""].append(ill)
        elif then:
            found[then, None].append(decided.ledger[key][1])
    for key, (then, ill) in decided.ledger.items():
        if key not in source:
            found[then, None].append(ill)
    return found


def keeps(decided, values):
    return len(values) >= decided.k and len(set(values)) >= decided.l_diversity


def require_promise(decided):
    before = Counter(trace for trace, _ in decided.ledger.values())
    for (then, place), values in new_traces(decided).items():
        whole = place is None and len(values) == before[then]
        if place is not None or decided.protect:
            assert whole or keeps(decided, values), (then, place, values)


def require_no_waste(decided):
    """What nobody's absence touches and what keeps the promise by itself is released."""
    gone = {trace for key, (trace, _) in decided.ledger.items()} and {
        trace
        for key, (trace, _) in decided.ledger.items()
        if key not in {row[0] for row in decided.rows}
    }
    parts, changed = defaultdict(list), set()
    for key, place, ill in decided.rows:
        then, was = decided.ledger.get(key, (0, ill))
        if decided.l_diversity and was != ill:
            changed.add(then)
        else:
            parts[then, place].append((key, ill))
    failing = {
        then for (then, _), rows in parts.items() if not keeps(decided, [ill for _, ill in rows])
    }
    for (then, _), rows in parts.items():
        fine = keeps(decided, [ill for _, ill in rows])
        untouched = not then or then not in gone | changed | failing or not decided.protect
        if fine and untouched:
            assert not {key for key, _ in rows} & decided.held


def require_ledger(decided):
    """The coming ledger has every row that was ever released, once, and one number for each trace
    that there is now."""
    source = {key: place for key, place, _ in decided.rows}
    expected = {}
    for key in decided.ledger.keys() | (source.keys() - decided.held):
        shown = key in source and key not in decided.held
        then = decided.ledger.get(key, (0, None))[0]
        expected[name(key)] = (then, (source[key] or "") if shown else None, shown)
    found = {h: (trace, released) for h, trace, released in decided.next}
    assert len(decided.next) == len(found) and found.keys() == expected.keys()
    assert all(found[h][1] == shown for h, (_, _, shown) in expected.items())
    pairs = {(expected[h][:2], trace) for h, (trace, _) in found.items()}
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


ILLS = st.sampled_from(["flu", "gout", None])
TABLES = st.lists(st.tuples(st.sampled_from(["a", "b", None]), ILLS), min_size=4, max_size=24)


@settings(
    deadline=None,
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    table=TABLES,
    ledger=st.lists(st.tuples(st.integers(0, 30), st.integers(1, 3), ILLS), max_size=24),
    k=st.integers(2, 4),
    l_diversity=st.sampled_from([0, 2]),
    protect=st.booleans(),
)
def test_what_is_held_back_keeps_the_promise(tmp_path, table, ledger, k, l_diversity, protect):
    rows = [(number, place, ill) for number, (place, ill) in enumerate(table)]
    known = {key: (trace, ill) for key, trace, ill in ledger}
    asked = {"k": k, "l_diversity": l_diversity, "protect": protect}
    if len(rows) < k or len({ill for *_, ill in rows}) < l_diversity:
        return  # no release at all
    with Decided(tmp_path, rows, known, **asked) as decided:
        require_promise(decided)
        require_no_waste(decided)
        require_ledger(decided)
        assert decided.faults() == []


def test_nothing_changed_and_nothing_is_held_back(tmp_path):
    rows = [(n, "ab"[n % 2], "flu") for n in range(8)]
    ledger = {n: (1 + n % 2, "flu") for n in range(8)}
    with Decided(tmp_path, rows, ledger, k=4) as decided:
        assert decided.sizes.held_back == 0 and decided.sizes.smallest == 4


def test_the_rows_that_are_lacking_are_drawn(tmp_path):
    """One of ten rows is gone: k - 1 others go with it, and no more."""
    rows = [(n, "a", "flu") for n in range(1, 10)]
    ledger = dict.fromkeys(range(10), (1, "flu"))
    with Decided(tmp_path, rows, ledger, k=4) as decided:
        assert (decided.sizes.gone, decided.sizes.held_back, decided.sizes.smallest) == (1, 3, 4)


def test_a_part_that_cannot_spare_them_is_held_back_whole(tmp_path):
    rows = [(n, "a", "flu") for n in range(1, 7)] + [(9, "b", "flu"), (8, "b", "flu")]
    with Decided(tmp_path, rows, dict.fromkeys(range(7), (1, "flu")), k=4) as decided:
        assert decided.held == {1, 2, 3, 4, 5, 6, 8, 9}


def test_deletions_may_be_told_instead(tmp_path):
    rows = [(n, "a", "flu") for n in range(1, 10)]
    ledger = dict.fromkeys(range(10), (1, "flu"))
    with Decided(tmp_path, rows, ledger, k=4, protect=False) as decided:
        assert (decided.sizes.held_back, decided.sizes.exposed, decided.sizes.smallest) == (0, 1, 1)
        assert decided.faults() == []


def test_a_changed_sensitive_value_is_no_part_of_its_class(tmp_path):
    rows = [(n, "a", "flu" if n % 2 else "gout") for n in range(20)]
    ledger = {n: (1, "flu" if n % 2 else "gout") for n in range(20)}
    ledger[3] = (1, "gout")
    with Decided(tmp_path, rows, ledger, k=4, l_diversity=2) as decided:
        assert 3 in decided.held and len(decided.held) >= 4


FAULTS = {
    "a row is said to be absent": (
        "UPDATE ledger_next SET released = FALSE"
        " WHERE h = (SELECT MIN(h) FROM ledger_next WHERE released)",
        "not in the ledger",
    ),
    "a row is forgotten": ("DELETE FROM ledger_next WHERE NOT released", "released before"),
    "a row is there twice": (
        "INSERT INTO ledger_next FROM ledger_next WHERE released LIMIT 1",
        "more than once",
    ),
    "two traces are one": ("UPDATE ledger_next SET trace = 1", "released with different values"),
    "a trace is too small": (
        "UPDATE ledger_next SET trace = 99 WHERE h = (SELECT MIN(h) FROM ledger_next)",
        "smaller than k",
    ),
    "a stranger is said to be released": (
        "INSERT INTO ledger_next SELECT 'stranger', trace, TRUE FROM ledger_next"
        " WHERE released LIMIT 1",
        "not in the release",
    ),
    "a row that is held back is released": (
        "DELETE FROM held WHERE k = (SELECT MIN(k) FROM held)",
        "not in the ledger",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_proof_catches(tmp_path, fault):
    rows = [(n, "ab"[n % 2], "flu") for n in range(2, 24)]
    with Decided(tmp_path, rows, {n: (1 + n % 2, "flu") for n in range(24)}, k=4) as decided:
        assert decided.faults() == []
        sql, words = FAULTS[fault]
        decided.asked(sql)
        assert any(words in item for item in decided.faults())


def test_the_proof_catches_other_values(tmp_path):
    rows = [(n, "a", "flu" if n % 2 else "gout") for n in range(12)]
    with Decided(tmp_path, rows, {}, k=4, l_diversity=2) as decided:
        assert decided.faults() == []
        decided.asked("UPDATE ledger_next SET y1 = (SELECT MAX(y1) FROM ledger_next)")
        found = " ".join(decided.faults())
        assert "other values" in found and "do not keep the promises" in found


@pytest.mark.parametrize("text", ["7", "", "Übergröße", "a'b\"c;--", "x" * 200, "👋", "a\nb"])
def test_names_are_hashed_as_python_does(tmp_path, text):
    folder = tmp_path
    policy = policy_over(
        folder,
        {"id": "VARCHAR", "place": "VARCHAR", "ill": "VARCHAR"},
        [(text, "a", "flu"), ("other", "a", "flu")],
        COLUMNS,
        k=2,
    )
    with job(policy, folder, STAGES) as made:
        load_secret(made.engine, Book("id", (), secret=SECRET))
        made.engine.run("over_time/no_rows", table=ROWS, columns=columns(0))
        levels = {attribute.index: 0 for attribute in made.counted.attributes}
        promise = Promise.of(policy.privacy)
        key = PlainColumn(Column("id", "VARCHAR"))
        given = Rows(made.opened.source, key, made.counted.attributes, levels, (), promise)
        traces.follow(made.engine, given)
        connection = made.engine._connection
        found = dict(connection.execute("SELECT k, h FROM traced").fetchall())
    assert found[text] == name(text)
