"""Published frequencies of single values: what the table has, against plain Python; that classes
still hide everybody, by enumerating all sources; that drawn rows keep to them; and that a wrong
table is refused."""

import shutil
import uuid
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.completion import raking
from anonsql.completion.weights import Labels
from anonsql.errors import PolicyError, PrivacyError, VerificationError
from anonsql.policy.policy import Policy

from .engines import policy_on
from .support import edit, make_source, policy_data, policy_over, rows_of
from .test_seams import planted

TYPES = {"a": "INTEGER", "b": "VARCHAR", "s": "VARCHAR", "who": "INTEGER"}
TOWNS = {"west": ["Bonn", "Köln"], "east": ["Jena", "Görlitz"], "north": ["Kiel"]}
COLUMNS = {
    "a": {"type": "interval", "widths": [5, 10]},
    "b": {"type": "taxonomy", "tree": TOWNS},
    "s": "sensitive",
    "who": {"role": "identifying"},
}
SHOWN = {"completed": 1, "marginals": True}


def fresh(folder):
    """A new folder in another."""
    (made := folder / uuid.uuid4().hex).mkdir()
    return made


def expected(rows, k):
    """The frequencies of released rows (a, b, s, who), by plain Python."""
    made = Counter()
    for place, name in enumerate(("a", "b")):
        having = {}
        for row in rows:
            having.setdefault(row[place], []).append(row)

        hidden = {value for value in having if len(having[value]) < k}
        rest = [row for value in hidden for row in having[value]]
        shown = having.keys() - hidden
        if hidden and shown and (len(hidden) < 2 or len(rest) < k):
            rarest = min(
                shown,
                key=lambda value: (
                    len(having[value]),
                    value is not None,
                    str(value),
                ),
            )
            hidden.add(rarest)
        for value, some in having.items():
            kind = "others" if value in hidden else "null" if value is None else "value"
            made[name, kind, str(value) if kind == "value" else None] += len(some)
    return made


def published(folder):
    """The frequencies that a release in a folder has."""
    rows = rows_of(folder / "release.duckdb", "SELECT * FROM r__marginals")
    assert len({row[:3] for row in rows}) == len(rows)
    return {row[:3]: row[3] for row in rows}


@st.composite
def tables(draw):
    """Small tables with frequent and rare values, and NULLs."""
    towns = [None, "Bonn", "Bonn", "Köln", "Jena", "Görlitz", "Kiel"]
    row = st.tuples(
        st.sampled_from([None, 1, 1, 1, 2, 2, 3, 4, 7, 12]),
        st.sampled_from(towns[draw(st.integers(0, 4)) :]),
        st.sampled_from("xyz"),
        st.integers(0, draw(st.integers(4, 40))),
    )
    return draw(st.lists(row, min_size=6, max_size=40))


@pytest.mark.parametrize("method", ["full-domain", "mondrian"])
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=tables(), k=st.integers(2, 4))
def test_the_table_is_that_of_plain_python(tmp_path, method, rows, k):
    leveled = method == "full-domain"
    settings_of = {"type": method, **({"levels": {"a": 0, "b": 2}} if leveled else {})}
    counts = Counter(row[0] for row in rows)
    released = [row for row in rows if counts[row[0]] >= k] if leveled else rows
    assume(released and len(rows) >= k)
    policy = policy_over(
        folder := fresh(tmp_path),
        TYPES,
        rows,
        COLUMNS,
        k=k,
        limit=0.99 if leveled else 0.0,
        method=settings_of,
        release=SHOWN,
    )
    anonsql.run(policy)
    assert published(folder) == expected(released, k)
    anonsql.verify(policy, against_source=True)


def frequencies_of(folder, rows):
    """The frequencies of rows that are released in a new folder."""
    folder = fresh(folder)
    anonsql.run(policy_over(folder, TYPES, rows, COLUMNS, k=3, release=SHOWN))
    return published(folder)


def test_one_value_and_too_few_rows(tmp_path):
    rows = [(5, None, "x", n) for n in range(6)]
    assert frequencies_of(tmp_path, rows) == {("a", "value", "5"): 6, ("b", "null", None): 6}
    rows = [(n, "Bonn", "x", n) for n in range(6)]
    assert frequencies_of(tmp_path, rows)["a", "others", None] == 6, "no value is shown"
    rows = [(n % 2, "Bonn" if n else "Kiel", "x", n) for n in range(8)]
    found = frequencies_of(tmp_path, rows)
    assert {key for key in found if key[0] == "b"} == {("b", "others", None)}


# attacks


def candidates(labels, frequencies):
    """For each value the numbers of rows that may have it, in some table that fits the labels (a
    set of values for each row) and the frequencies (by value; those of others have none)."""
    found = {}
    for values in product(*labels):
        counts = Counter(values)
        if all(counts[value] == rows for value, rows in frequencies.items()):
            for number, value in enumerate(values):
                found.setdefault(value, set()).add(number)
    return found


@pytest.mark.parametrize(
    "method",
    [
        "mondrian",
        "cell-generalization",
        pytest.param("full-subtree", marks=pytest.mark.long),
        pytest.param("hilbert", marks=pytest.mark.long),
    ],
)
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from([1, 1, 1, 2, 3]), st.sampled_from(["Bonn", "Bonn", "Köln", "Jena"])
        ),
        min_size=6,
        max_size=8,
    )
)
def test_everybody_has_k_candidates_in_all_sources_that_fit(tmp_path, method, rows):
    """Columns are independent: a row may be somebody's where it may have each value of hers."""
    k, number = 2, range(len(rows))
    whole = [(a, b, "x", n) for (a, b), n in zip(rows, number, strict=True)]
    columns = {**COLUMNS, "a": {"type": "suppression"}}
    policy = policy_over(
        folder := fresh(tmp_path),
        TYPES,
        whole,
        columns,
        k=k,
        method={"type": method},
        release=SHOWN,
    )
    anonsql.run(policy)
    shown = published(folder)
    released = rows_of(folder / "release.duckdb", "SELECT a, b, a_lo, a_hi FROM r")
    possible = {}
    for place, name in enumerate(("a", "b")):
        domain = sorted({row[place] for row in rows})
        labels = [
            {
                value
                for value in domain
                if label[0] == "*"
                or (
                    low <= value <= high
                    if place == 0 and low is not None
                    else in_label(label[place], value)
                )
            }
            for label, low, high in ((row[:2], *row[2:]) for row in released)
        ]
        own = {key[2]: rows for key, rows in shown.items() if key[:2] == (name, "value")}
        frequencies = {value: own[str(value)] for value in domain if str(value) in own}
        possible[name] = candidates(labels, frequencies)
    for a, b in rows:
        assert len(possible["a"][a] & possible["b"][b]) >= k


def in_label(label, value):
    """Whether a label of a column stands for a value."""
    below = {town: {town, area, "*"} for area, some in TOWNS.items() for town in some}
    names = below.get(value, {str(value), "*"})
    return label in names or str(value) in label.strip("{}").split(", ")


def test_rows_of_no_class_could_be_told_apart():
    """The attack finds what it looks for: the rows of a ring are no class."""
    ring = [{1, 2}, {2, 3}, {3, 1}]
    assert min(map(len, candidates(ring, {}).values())) == 2
    assert candidates(ring, {2: 2, 3: 1})[3] == {2}


# draws


def rows_for(count):
    """Rows whose values are not even: most are 34, and in Bonn."""
    return [
        (
            34 if n % 3 else 20 + n * 7 % 40 // 4 * 4 if n % 19 else None,
            ["Bonn", "Bonn", "Bonn", "Köln", "Jena", "Bonn", "Kiel", "Görlitz"][
                n * 5 % 8 if n % 3 else 3
            ],
            "xyz"[n % 3],
            n,
        )
        for n in range(count)
    ]


def distance(folder, rows):
    """The share of drawn values that lie elsewhere than the rows' do, of each column."""
    found = {}
    for place, name in enumerate(("a", "b")):
        drawn = rows_of(folder / "release.duckdb", f"SELECT {name} FROM r__completed")
        counts, source = Counter(value for (value,) in drawn), Counter(row[place] for row in rows)
        parts = len(drawn) / len(rows)
        found[name] = sum(
            abs(counts[value] / parts - source[value]) for value in {*counts, *source}
        ) / (2 * len(rows))
    return found


METHODS = {
    "full-domain": {"levels": {"a": 2, "b": 2}},
    "mondrian": {},
    "cell-generalization": {},
    "full-subtree": {},
    "hilbert": {},
    "attribute-suppression": {},
}


FIRST = ("full-domain", "mondrian", "cell-generalization")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in FIRST else pytest.mark.long) for n in METHODS]
)
def test_draws_keep_to_the_frequencies(tmp_path, name):
    rows, off = rows_for(600), {}
    for shown in (False, True):
        (folder := tmp_path / str(shown)).mkdir()
        policy = policy_over(
            folder,
            TYPES,
            rows,
            COLUMNS,
            k=6,
            method={"type": name, **METHODS[name]},
            release={"completed": 4, "marginals": shown},
        )
        anonsql.run(policy)
        anonsql.verify(policy, against_source=True)
        off[shown] = distance(folder, rows)
    assert off[True]["a"] <= min(off[False]["a"], 0.08)
    assert off[True]["b"] <= max(off[False]["b"] * 0.9, 0.01)


def test_what_is_expected_is_what_is_drawn(tmp_path):
    policy = policy_over(
        tmp_path,
        TYPES,
        rows_for(300),
        COLUMNS,
        k=6,
        method={"type": "mondrian"},
        release={"completed": 1, "marginals": True},
    )
    anonsql.run(policy)
    expected = anonsql.read(policy, draws=1).expected()
    shown = published(tmp_path)
    for title in expected.columns:
        name, _, value = title.partition("=")
        if name == "b":
            assert expected[title].sum() == pytest.approx(shown["b", "value", value], abs=1.5)


@st.composite
def groups_to_rake(draw):
    """Labels over a few atoms, whose true values are known, and weights in two components."""
    atoms = draw(st.integers(2, 6))
    ranges = st.tuples(st.integers(0, atoms - 1), st.integers(1, atoms)).filter(
        lambda pair: pair[0] < pair[1]
    )
    labels = sorted(draw(st.sets(ranges, min_size=1, max_size=5)) | {(0, atoms)})
    rows = draw(st.lists(st.integers(5, 60), min_size=len(labels), max_size=len(labels)))
    weights = draw(
        st.lists(st.floats(0.05, 1), min_size=2 * atoms, max_size=2 * atoms).map(np.asarray)
    )
    truth = np.zeros(atoms)
    for (first, end), count in zip(labels, rows, strict=True):
        truth[first:end] += count / (end - first)
    group = np.asarray(draw(st.lists(st.integers(0, 2), min_size=atoms, max_size=atoms)))
    return labels, rows, weights.reshape(2, atoms), truth, group


@settings(max_examples=60)
@given(groups_to_rake())
def test_raking_reaches_frequencies_that_labels_allow(case):
    labels, rows, weights, truth, group = case
    of = Labels.of([(one,) for one in labels], rows)
    groups = raking.Groups(group, np.bincount(group, truth, 3))
    shares = np.asarray([0.3, 0.7])[:, None] * np.asarray(rows, dtype=float)[None, :]
    made = raking.raked(weights, of, groups, shares)
    assert made.shape == weights.shape
    drawn = np.zeros(len(truth))  # by the definition, label by label
    for share, own in zip(shares, made, strict=True):
        for (first, end), count in zip(labels, share, strict=True):
            drawn[first:end] += count * own[first:end] / own[first:end].sum()
    assert np.bincount(group, drawn, 3) == pytest.approx(groups.wanted, abs=0.02 * sum(rows))
    inside = [own[group == g] / own[group == g].sum() for own in made for g in set(group)]
    before = [own[group == g] / own[group == g].sum() for own in weights for g in set(group)]
    assert all(np.allclose(one, other) for one, other in zip(inside, before, strict=True))


# engines, faults and refusals


def test_every_engine_publishes_the_same(everywhere, tmp_path):
    engine, rows = everywhere, rows_for(120)
    method = {"type": "cell-generalization"}
    columns = {**COLUMNS, "b": {"type": "suppression"}}
    data = policy_data(columns, k=4, limit=0.1, release=SHOWN, method=method)
    engine.make(TYPES, rows)
    policy = policy_on(engine, data)
    anonsql.run(policy)
    anonsql.verify(policy, against_source=True)
    (own := tmp_path / "own").mkdir()
    make_source(own, TYPES, rows)
    anonsql.run(Policy.parse(data, own))
    for part in ("r__marginals", "r__completed"):
        here = rows_of(own / "release.duckdb", f"SELECT * FROM {part}")
        assert Counter(map(str, engine.read(part))) == Counter(map(str, here))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of a release with frequencies."""
    folder = tmp_path_factory.mktemp("made")
    policy_over(folder, TYPES, rows_for(200), COLUMNS, k=4)
    anonsql.run(policy_in_it(folder))
    return folder


def policy_in_it(folder):
    """The policy of this release."""
    method = {"levels": {"a": 2, "b": 1}}
    return Policy.parse(policy_data(COLUMNS, k=4, method=method, release=SHOWN), folder)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("DROP TABLE r__marginals", "there is no __marginals"),
        ("ALTER TABLE r__marginals DROP kind", "other columns than"),
        ("ALTER TABLE r__marginals ADD note VARCHAR", "other columns than"),
        ("UPDATE r__marginals SET rows = rows + 1 WHERE value = '34'", "do not add up"),
        ("DELETE FROM r__marginals WHERE column_name = 'b'", "do not add up"),
        ("INSERT INTO r__marginals SELECT * FROM r__marginals", "more than once"),
        ("INSERT INTO r__marginals VALUES ('s', 'value', 'x', 200)", "have no such column"),
        ("UPDATE r__marginals SET kind = 'rest' WHERE kind = 'others'", "have no such column"),
        ("INSERT INTO r__marginals VALUES ('a', 'value', '99', 0)", "fewer than k=4 rows"),
        (
            "UPDATE r__marginals SET value = '99' WHERE value = '34'",
            "frequencies of 'a' in __marginals contradict the labels",
        ),
        (
            "UPDATE r__marginals SET rows = CASE value WHEN '34' THEN 5 ELSE rows + (SELECT rows"
            " FROM r__marginals WHERE value = '34') - 5 END"
            " WHERE value = '34' OR (column_name, kind) = ('a', 'others')",
            "differ from the rows that the release draws|contradict the labels",
        ),
    ],
)
def test_another_table_is_refused(made, tmp_path, statement, message):
    shutil.copytree(made, own := tmp_path / "own")
    edit(own / "release.duckdb", statement)
    with pytest.raises(VerificationError, match=message):
        anonsql.verify(policy_in_it(own))


def test_the_source_shows_what_the_release_does_not(made, tmp_path):
    """Frequencies that fit the labels, and draws of them, but are not the source's."""
    shutil.copytree(made, own := tmp_path / "own")
    rows = rows_for(200)
    towns = {"Köln": "Bonn"}
    moved = [(a, towns.get(b, b) if n < 90 else b, s, n) for a, b, s, n in rows]
    anonsql.verify(policy_in_it(own), against_source=True)
    (own / "source.duckdb").unlink()
    make_source(own, TYPES, moved)
    with pytest.raises(
        VerificationError, match="frequencies of 'b' differ from those of the source"
    ):
        anonsql.verify(policy_in_it(own), against_source=True)


@pytest.mark.parametrize(
    ("template", "columns"),
    [
        ("release/marginals/shown", '"rows" + 1 AS "rows"'),
        ("release/marginals/shown", "CASE value WHEN '34' THEN '35' ELSE value END AS value"),
        (
            "release/marginals/shown",
            "CASE value WHEN 'Kiel' THEN 'Jena' WHEN 'Jena' THEN 'Kiel' ELSE value END AS value",
        ),
    ],
)
@pytest.mark.parametrize("method", ["full-domain", "mondrian"])
def test_a_fault_of_the_writer_is_found(tmp_path, monkeypatch, template, columns, method):
    """Frequencies of values that are exchanged fit the labels of one region."""
    data = policy_data(COLUMNS, k=4, limit=0.2, method={"type": method}, release=SHOWN)
    make_source(tmp_path, TYPES, rows_for(200))
    with monkeypatch.context() as patch:
        planted(patch, template, columns)
        with pytest.raises(VerificationError):
            anonsql.run(Policy.parse(data, tmp_path))
    assert not (tmp_path / "release.duckdb").exists()


def test_too_rare_values_that_the_writer_shows_are_found(tmp_path, monkeypatch):
    """A remainder that should have one more value, and a value that should be in it."""
    data = policy_data(COLUMNS, k=4, method={"type": "mondrian"}, release=SHOWN)
    rows = [row for row in rows_for(200) if row[1] != "Kiel"]
    make_source(tmp_path, TYPES, [*rows, *((34, "Kiel", "x", n) for n in range(2))])
    from anonsql.release import marginals

    with monkeypatch.context() as patch:
        stage = marginals.stage

        def wrong(engine, target, source, recoding):
            from dataclasses import replace

            one_less = replace(recoding.promise, k=2)
            stage(engine, target, source, replace(recoding, promise=one_less))

        patch.setattr(marginals, "stage", wrong)
        with pytest.raises(
            VerificationError, match=r"fewer than k=4|differ from those of the source"
        ):
            anonsql.run(Policy.parse(data, tmp_path))


def test_a_release_with_other_frequencies_is_not_replaced(tmp_path):
    """One age changes inside of a class, so the rows stay; the frequencies would reveal it."""
    rows = [(30 + n % 3, "Bonn", "xy"[n % 2], n) for n in range(30)]

    def run(changed, **release):
        (tmp_path / "source.duckdb").unlink(missing_ok=True)
        policy = policy_over(tmp_path, TYPES, changed, COLUMNS, k=3, release={**SHOWN, **release})
        return anonsql.run(policy)

    run(rows)
    before = published(tmp_path)
    assert run(rows).status == "published"  # the same frequencies reveal nothing more
    other = [(31, *rows[0][1:]), *rows[1:]]
    with pytest.raises(PrivacyError, match="2 frequencies of `__marginals` differ from those"):
        run(other)
    assert published(tmp_path) == before
    assert run(other, marginals=False).status == "published"
    assert run(other).status == "published"  # what it replaces has none


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"privacy": {"entity": "who"}}, "would reveal which people have a value"),
        (
            {"release": {**SHOWN, "suppressed": "mask"}},
            "would reveal the values of masked rows",
        ),
    ],
)
def test_policies_whose_people_frequencies_would_reveal_are_refused(more, message):
    with pytest.raises(PolicyError, match=message):
        Policy.parse(policy_data(COLUMNS, **{"release": SHOWN, **more}))


def test_new_rows_get_no_frequencies(tmp_path):
    rows = [(30 + n % 3, "Bonn", "xy"[n % 2], n) for n in range(30)]
    policy = policy_over(tmp_path, TYPES, rows, COLUMNS, k=3, release=SHOWN)
    anonsql.run(policy)
    with pytest.raises(PolicyError, match="`apply` writes no frequencies of single values"):
        anonsql.apply(policy, 1)


def test_single_files_are_refused():
    data = policy_data(COLUMNS, k=4, release={"file": "r.parquet", "marginals": True})
    with pytest.raises(PolicyError, match=r"release.marginals: a single file holds only one table"):
        Policy.parse(data)


def test_folders_and_tables_alone(tmp_path):
    make_source(tmp_path, TYPES, rows_for(100))
    for place in ({"file": "released"}, {}):
        data = policy_data(COLUMNS, k=4, release={**place, "completed": 0, "marginals": True})
        data["release"]["completed"] = 0
        policy = Policy.parse(data, tmp_path)
        anonsql.run(policy)
        anonsql.verify(policy, against_source=True)
    assert published(tmp_path)
