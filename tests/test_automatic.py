"""Hierarchies that are made from the data: partitions against all others, files that are written
once and used, new values, and columns of which little can be made."""

import itertools
import random
import stat

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError
from anonsql.hierarchies import automatic, partitions
from anonsql.policy.policy import Policy

from .engines import policy_on
from .examples import whole_jobs
from .support import make_source, make_table, opened, policy_data, released_rows

COUNTS = st.lists(st.integers(1, 9), min_size=1, max_size=8)


def loss(rows, starts):
    ends = [*starts[1:], len(rows)]
    return sum(
        sum(rows[low:high]) * (high - low - 1) for low, high in zip(starts, ends, strict=True)
    )


@given(COUNTS, st.integers(1, 5))
def test_a_partition_loses_least(rows, groups):
    """Against all partitions of the values."""
    found = partitions.partition(rows, [1] * len(rows), groups)
    least = sum(rows) / (4 * groups)

    def allowed(starts):
        ends = [*starts[1:], len(rows)]
        return all(sum(rows[a:b]) >= least for a, b in zip(starts, ends, strict=True))

    others = [
        [0, *inner]
        for many in range(min(groups, len(rows)))
        for inner in itertools.combinations(range(1, len(rows)), many)
    ]
    possible = [starts for starts in others if allowed(starts)]
    most = max(map(len, possible))
    assert allowed(found) and len(found) == most
    assert loss(rows, found) == min(loss(rows, s) for s in possible if len(s) == most)


@given(st.lists(st.integers(1, 50), min_size=2, max_size=60), st.integers(2, 5))
def test_partitions_nest(rows, levels):
    groups = partitions.sizes(levels, len(rows))
    found = partitions.nested(rows, [1] * len(rows), groups)
    assert all(level[0] == 0 and level == sorted(set(level)) for level in found)
    for fine, coarse in itertools.pairwise(found):
        assert set(coarse) < set(fine)


def test_what_goes_with_the_same_is_alike():
    """Values drawn from three sources are parted by these."""
    rnd = np.random.default_rng(3)
    sources = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
    counts = np.array([rnd.multinomial(200, sources[value % 3]) for value in range(30)], float)
    two, three = None, None
    three, two = partitions.alike(counts, [3, 2])
    for group in set(three):
        assert len({value % 3 for value in range(30) if three[value] == group}) == 1
    assert len(set(three)) == 3 and len(set(two)) == 2
    for group in set(three):
        assert len({two[value] for value in range(30) if three[value] == group}) == 1


def test_rare_values_join_their_like():
    many = partitions._MERGED + 50
    counts = np.array([[9.0, 1.0] if value % 2 else [1.0, 9.0] for value in range(many)])
    (level,) = partitions.alike(counts, [2])
    assert len(level) == many
    assert all(level[value] == level[value % 2] for value in range(many))


@given(st.lists(st.text("ab", min_size=1, max_size=5), min_size=2, max_size=30, unique=True))
def test_beginnings_nest(words):
    lengths = partitions.prefixes(words, partitions.sizes(4, len(words)))
    assert lengths == sorted(set(lengths), reverse=True)
    rows = [[automatic._beginning(word, length) for length in lengths] for word in words]
    for level in range(len(lengths) - 1):
        parents = {}
        for row in rows:
            assert parents.setdefault(row[level], row[level + 1]) == row[level + 1]


SKEWED = {"n": "INTEGER", "day": "DATE", "word": "VARCHAR", "other": "VARCHAR", "x": "DOUBLE"}
WORDS = [
    "Köln",
    "Kassel",
    "L'Aquila",
    'B"onn',
    "Berlin;",
    "Bern",
    "back\\slash",
    "*",
    "ünï",
    "NULL",
]


def skewed(count=400, words=WORDS):
    rnd = random.Random(8)
    made = []
    for _ in range(count):
        word = rnd.choice([*words, None])
        number = int(rnd.paretovariate(0.7)) if rnd.random() < 0.9 else None
        day = f"20{rnd.randrange(10, 24)}-{rnd.randrange(1, 13):02}-{rnd.randrange(1, 29):02}"
        made.append((number, day, word, "even" if len(word or "") % 2 else "odd", rnd.random()))
    return made


AUTOMATIC = {
    "n": {"type": "automatic"},
    "day": {"type": "automatic", "levels": 3},
    "word": {"type": "automatic", "like": "other", "levels": 3},
    "other": "insensitive",
    "x": {"type": "automatic"},
}


def test_each_engine_makes_uses_and_verifies_them(everywhere):
    engine = everywhere
    engine.make(SKEWED, skewed())
    data = policy_data(AUTOMATIC, k=3, limit=0.9)
    policy = policy_on(engine, data)
    report = anonsql.run(policy)
    assert report.verified
    folder = engine.folder / "hierarchies"
    made = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert set(made) == {"n.yaml", "day.yaml", "word.csv", "x.yaml"}
    again = policy_on(engine, data)
    assert anonsql.verify(again, against_source=True).status == "verified"
    assert made == {file.name: file.read_bytes() for file in folder.iterdir()}
    assert not engine.parts() & {"r__labels"}


def policy_of(folder, hierarchy, kind, values, **more):
    make_source(folder, {"c": kind, "o": "INTEGER"}, [(value, 1) for value in values])
    columns = {"c": {"type": "automatic", **hierarchy}, "o": "insensitive"}
    return Policy.parse(policy_data(columns, k=2, limit=0.9, **more), folder)


def test_the_file_is_its_owners_and_says_what_it_is(tmp_path):
    report = anonsql.check(policy_of(tmp_path, {}, "VARCHAR", ["ab", "ac", "b"] * 3))
    (warning,) = [w for w in report.warnings if w.where == "columns.c.hierarchy"]
    assert "lists all values" in warning.message and "not released" in warning.remedy
    file = tmp_path / "hierarchies" / "c.csv"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text().splitlines()[-1].endswith('"*"')


@given(st.lists(st.integers(-40, 40) | st.sampled_from([1000, 10**12]), min_size=1, max_size=40))
@whole_jobs
def test_breaks_part_every_number(tmp_path_factory, values):
    folder = tmp_path_factory.mktemp("a")
    anonsql.check(policy_of(folder, {}, "BIGINT", values * 2))
    made = yaml.safe_load((folder / "hierarchies" / "c.yaml").read_text())
    distinct = sorted(set(values))
    inside = [point for point in made["at"] if point > distinct[0]]
    assert len(inside) >= (len(distinct) > 1)
    for level in made.get("then", []):
        assert level


def test_an_owner_edits_the_file(tmp_path):
    policy = policy_of(tmp_path, {}, "INTEGER", [1, 2, 3, 40, 50, 60] * 3)
    anonsql.check(policy)
    file = tmp_path / "hierarchies" / "c.yaml"
    file.write_text("type: breaks\nat: [2, 45]\n")
    anonsql.run(
        Policy.parse(
            {
                **policy_data({"c": {"type": "automatic"}, "o": "insensitive"}),
                "method": {"type": "full-domain", "levels": {"c": 1}},
            },
            tmp_path,
        )
    )
    found = {row[0] for row in released_rows(tmp_path, "SELECT c FROM r")}
    assert found == {"<2", "[2,45)", ">=45"}
    file.write_text("type: breaks\nat: [45, 2]\n")
    with pytest.raises(PolicyError, match=r"at\[1\]: 2 does not come after 45"):
        anonsql.run(policy)
    file.write_text("type: interval\nwidths: [5]\n")
    with pytest.raises(PolicyError, match="not contain a hierarchy of breaks"):
        anonsql.run(policy)


def test_new_values_find_a_group(tmp_path):
    words = [f"{a}{b}{c}" for a in "abcd" for b in "xy" for c in "12"]
    policy = policy_of(tmp_path, {"levels": 3}, "VARCHAR", words * 2)
    anonsql.run(policy)
    file = tmp_path / "hierarchies" / "c.csv"
    before = file.read_text()
    (tmp_path / "source.duckdb").unlink()
    make_source(
        tmp_path, {"c": "VARCHAR", "o": "INTEGER"}, [(w, 1) for w in ["ax3", 'é;"', *words]]
    )
    report = anonsql.run(policy)
    assert any(
        "2 values of the column that were missing in it were added" in w.message
        for w in report.warnings
    )
    assert file.read_text().startswith(before)
    added = file.read_text()[len(before) :].splitlines()
    assert added[0].startswith('"ax3";"ax*"') and added[1].startswith('"é;""";"(new)"')
    assert anonsql.verify(policy, against_source=True).status == "verified"


@pytest.mark.parametrize(
    ("kind", "values", "words"),
    [
        ("INTEGER", [None, None], "has only NULL values"),
        ("VARCHAR", [None, None], "has only NULL values"),
        ("VARCHAR", ["", "a"], "empty text"),
        ("INTEGER", [1, 2], None),
        ("INTEGER", [7, 7, None], None),
        ("VARCHAR", ["a", "a", None], None),
        ("BOOLEAN", [True, False], None),
        ("DATE", ["2020-01-01", "2020-01-01"], None),
        ("HUGEINT", [10**30, 10**31], "18 digits"),
    ],
)
def test_columns_of_which_little_can_be_made(tmp_path, kind, values, words):
    policy = policy_of(tmp_path, {}, kind, values * 3)
    if words:
        with pytest.raises(PolicyError, match=words):
            anonsql.run(policy)
        assert not (tmp_path / "release.duckdb").exists()
    else:
        assert anonsql.run(policy).verified


@pytest.mark.parametrize(
    ("spec", "kind", "words"),
    [
        ({"like": "p"}, "VARCHAR", "no other column 'p'"),
        ({"like": "c"}, "VARCHAR", "no other column 'c'"),
        ({"like": "o"}, "INTEGER", "`like` is only for text"),
        ({"path": "/dev/null/x"}, "VARCHAR", "cannot be written"),
    ],
)
def test_settings_that_do_not_fit(tmp_path, spec, kind, words):
    with pytest.raises(PolicyError, match=words):
        anonsql.run(policy_of(tmp_path, spec, kind, [1, 2] * 3))


def test_two_files_for_one_hierarchy(tmp_path):
    policy = policy_of(tmp_path, {}, "INTEGER", [1, 2, 3] * 2)
    anonsql.check(policy)
    (tmp_path / "hierarchies" / "c.csv").write_text("1;*\n")
    with pytest.raises(PolicyError, match="there are both"):
        anonsql.run(policy)


def test_a_file_that_is_gone_is_missed(tmp_path):
    policy = policy_of(tmp_path, {}, "INTEGER", [1, 2, 3] * 2)
    anonsql.run(policy)
    (tmp_path / "hierarchies" / "c.yaml").unlink()
    with pytest.raises(PolicyError, match="does not exist yet"):
        anonsql.verify(policy)


def test_a_million_numbers_are_parted(tmp_path):
    path = tmp_path / "source.duckdb"
    make_table(path, {"c": "BIGINT"}, [])

    with opened(path) as connection:
        connection.execute("INSERT INTO t SELECT range * range FROM range(1000000)")
    columns = {"c": {"type": "automatic"}}
    anonsql.check(Policy.parse(policy_data(columns, k=2, limit=0.5), tmp_path))
    made = yaml.safe_load((tmp_path / "hierarchies" / "c.yaml").read_text())
    shares = np.diff(np.sqrt([*made["at"], 10**12])) / 10**6
    assert len(made["at"]) == 16 and shares.min() > 1 / 64
