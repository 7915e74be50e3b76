"""Mondrian makes its groups within traces: releases of small tables that change, held against what
the promise says, naively, from the released rows alone."""

from collections import defaultdict

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError, PrivacyError, VerificationError
from anonsql.over_time import traces

from .support import make_source, policy_data, released_rows

TYPES = {
    "id": "INTEGER",
    "link": "INTEGER",
    "age": "INTEGER",
    "region": "VARCHAR",
    "ill": "VARCHAR",
}
LABELS = ["age_lo", "age_hi", "age", "region"]
ILLS = ["cold", "flu", "gout"]


class Releases:
    """Releases of a table {id: (age, region, ill)} into a folder, as they are seen by somebody who
    can tell rows apart by a kept column."""

    def __init__(self, folder, *, k=2, max_level=1, method=None, over_time=(), **promises):
        self.folder, self.k = folder, k
        for path in folder.iterdir():
            if path.is_file():
                path.unlink()
        region = {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}}
        columns = {
            "id": "identifying",
            "link": "insensitive",
            "age": {"type": "interval", "widths": [2, 4]},
            "region": region | {"max_level": max_level},
            "ill": "sensitive",
        }
        data = policy_data(columns, k=k, method={"type": "mondrian", **(method or {})})
        data["privacy"] |= promises
        if over_time is not None:
            data["privacy"]["over_time"] = {"key": "id", **dict(over_time)}
        self.data, self.seen, self.sources = data, [], []
        self.path = folder / "policy.yaml"

    def make(self, table):
        """Make a release; return what it shows: {id: labels}."""
        self.path.write_text(yaml.safe_dump(self.data))
        (self.folder / "source.duckdb").unlink(missing_ok=True)
        rows = [(item, item, *values) for item, values in table.items()]
        make_source(self.folder, TYPES, rows)
        anonsql.run(self.path)
        labels = ", ".join(f'"{entry}"' for entry in LABELS)
        found = released_rows(self.folder, f"SELECT link, {labels} FROM r")
        self.seen.append({link: tuple(label) for link, *label in found})
        self.sources.append(dict(table))
        return self.seen[-1]

    @property
    def facts(self):
        return dict(released_rows(self.folder, "SELECT * FROM r__about"))

    def traces(self, count=None):
        """Everybody who was ever released, by trace: how each of the releases has the row."""
        seen, found = self.seen[:count], defaultdict(list)
        for item in set().union(*seen) if seen else ():
            found[tuple(shown.get(item) for shown in seen)].append(item)
        return found

    def last_values(self, some):
        """The sensitive values that rows were last released with."""
        return {
            next(
                source[item][2]
                for source, shown in zip(self.sources[::-1], self.seen[::-1], strict=True)
                if item in shown
            )
            for item in some
        }


def of_age(ages, first=0, region="n"):
    return {first + n: (age, region, ILLS[n % 3]) for n, age in enumerate(ages)}


ROW = st.tuples(
    st.sampled_from([None, 1, 2, 3, 5, 8]), st.sampled_from(["n", "s", None]), st.sampled_from(ILLS)
)
CHANGE = st.fixed_dictionaries(
    {
        "gone": st.sets(st.integers(0, 29), max_size=4),
        "corrected": st.dictionaries(st.integers(0, 29), ROW, max_size=4),
        "new": st.lists(ROW, max_size=8),
    }
)


@settings(
    deadline=None,
    max_examples=3,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    first=st.lists(ROW, min_size=12, max_size=30),
    changes=st.lists(CHANGE, min_size=1, max_size=2),
    k=st.integers(2, 3),
    l_diversity=st.sampled_from([0, 2]),
    max_level=st.integers(0, 1),
    values=st.sampled_from(["range", "hierarchy"]),
)
def test_rows_of_one_trace_are_none_or_k(
    tmp_path, first, changes, k, l_diversity, max_level, values
):
    promises = {"l_diversity": {"ill": l_diversity}} if l_diversity else {}
    made = Releases(tmp_path, k=k, max_level=max_level, method={"values": values}, **promises)
    table, born = dict(enumerate(first)), len(first)
    for change in [None, *changes]:
        if change is not None:
            table = {item: row for item, row in table.items() if item not in change["gone"]}
            table |= {entry: row for entry, row in change["corrected"].items() if entry in table}
            table |= dict(enumerate(change["new"], born))
            born += len(change["new"])
        try:
            shown = made.make(table)
        except PrivacyError:
            continue  # nothing can be released, and nothing was
        for some in made.traces().values():
            assert len(some) >= k and len(made.last_values(some)) >= l_diversity
        if max_level and not l_diversity:
            require_no_waste(made, table, shown)
    if made.seen:
        anonsql.verify(made.path)


def require_no_waste(made, table, shown):
    """Traces of which no row is gone are released, and new rows where they are k at least."""
    before = made.traces(-1)
    known = {item for some in before.values() for item in some}
    for some in [*before.values(), [entry for entry in table if entry not in known]]:
        if len(some) >= made.k and set(some) <= set(table):
            assert set(some) <= set(shown)


CHANGED = [
    of_age([20, 21, 22, 40, 41, 42, 60, 61, 62]),
    of_age([20, 21, 29, 40, 41, 42, 60, 61, 62, 23, 43, 44]),
]


def test_without_it_rows_are_told_apart(tmp_path):
    """The positive control: each release has groups of three, and both together groups of one."""
    made = Releases(tmp_path, k=3, over_time=None)
    for table in CHANGED:
        made.make(table)
    assert min(map(len, made.traces(1).values())) == 3
    assert min(map(len, made.traces().values())) < 3


def test_with_it_they_are_not(tmp_path):
    made = Releases(tmp_path, k=3)
    for table in CHANGED:
        made.make(table)
        anonsql.verify(made.path, against_source=True)
    assert sorted(map(len, made.traces().values())) == [3, 3, 3, 3]
    assert made.seen[1][2] == (20, 29, "[20,29]", "n"), "the group of a row that was corrected"
    columns = released_rows(tmp_path, "SELECT column_name FROM r__columns")
    assert {name for (name,) in columns} == {"link", "ill", *LABELS}
    assert made.facts["held_back"] == "0" and made.facts["over_time"] == "release 2"


def test_rows_go_with_those_that_are_gone(tmp_path):
    """One row of a group of three is gone: the others are held back, or told to be exposed."""
    table = CHANGED[0]
    less = {item: row for item, row in table.items() if item != 4}
    made = Releases(tmp_path, k=3)
    made.make(table)
    assert made.make(less).keys() == table.keys() - {3, 4, 5}
    assert made.facts["held_back"] == "2"
    assert made.make(table).keys() == table.keys(), "they come back together"


def test_or_are_told_to_be_exposed(tmp_path):
    made = Releases(tmp_path, k=3, over_time={"deletions": "tell"})
    table = of_age([20, 21, 22, 40, 41, 42, 43, 60, 61, 62])
    made.make(table)
    del table[4]
    assert made.make(table).keys() == table.keys()
    exposed = sum(len(some) for some in made.traces().values() if len(some) < 3)
    assert (made.facts["exposed"], exposed) == ("1", 1)
    anonsql.verify(made.path)


@pytest.mark.parametrize("promise", [{"l_diversity": {"ill": 3}}, {"t_closeness": {"ill": 0.4}}])
def test_other_promises_hold_within_traces(tmp_path, promise):
    made = Releases(tmp_path, k=2, **promise)
    table = of_age([20 + n // 2 for n in range(24)])
    made.make(table)
    table = {item: row for item, row in table.items() if item not in {1, 7}}
    assert len(made.make(table | of_age([21, 24, 27, 30], first=100))) > 10
    anonsql.verify(made.path, against_source=True)
    least = 3 if "l_diversity" in promise else 2
    for some in made.traces().values():
        assert len(made.last_values(some)) >= least


def test_the_method_may_change(tmp_path):
    made = Releases(tmp_path, k=3)
    table = of_age([20, 21, 22, 40, 41, 42, 60, 61, 62])
    for method in ("mondrian", "full-domain", "mondrian"):
        made.data["method"] = {"type": method}
        assert made.make(table).keys() == table.keys()
        table |= of_age([30, 31, 32], first=10 * len(table))
    assert min(map(len, made.traces().values())) >= 3


def one_trace(engine, rows, name, give=traces.give):
    """Say that all rows were released alike so far."""
    give(engine, rows, name)
    engine._connection.execute("UPDATE named_rows SET trace = 1")


def no_groups(engine, rows, sizes, grouped):
    """Let the ledger know nothing of groups."""
    return sizes


@pytest.mark.parametrize(
    ("place", "fault", "words"),
    [
        ("give", one_trace, "smaller than k"),
        ("place_in_groups", no_groups, "released with different values"),
    ],
)
def test_the_proof_catches(tmp_path, monkeypatch, place, fault, words):
    made = Releases(tmp_path, k=3)
    made.make(CHANGED[0])
    before = (tmp_path / "release.duckdb").read_bytes()
    monkeypatch.setattr(traces, place, fault)
    with pytest.raises(VerificationError, match=words):
        made.make(CHANGED[1] | of_age([70, 71, 72], first=50))
    assert (tmp_path / "release.duckdb").read_bytes() == before


@pytest.mark.parametrize(
    ("method", "over_time", "place"),
    [
        ({"mode": "relaxed"}, {}, "method.mode"),
        ({}, {"levels": "search"}, "privacy.over_time.levels"),
        ({}, {"levels": "keep"}, "privacy.over_time.levels"),
    ],
)
def test_what_it_cannot_do_is_refused(tmp_path, method, over_time, place):
    made = Releases(tmp_path, method=method, over_time=over_time)
    with pytest.raises(PolicyError, match=place):
        made.make(CHANGED[0])
