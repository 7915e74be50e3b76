"""Several releases of one table together: the sets of rows that they leave, compared with all
worlds that a naive attacker can imagine, and the releases that are refused."""

import itertools
import random
import shutil
from collections import Counter
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.attacks.composition import Composition
from anonsql.attacks.sides import Sides
from anonsql.engines.base import ReleaseTables
from anonsql.errors import PolicyError
from anonsql.features.attack.command import KINDS
from anonsql.jobs import pipeline
from anonsql.policy.envelope import Release
from anonsql.policy.policy import Policy

from .engines import policy_on
from .support import (
    cli,
    flat,
    in_file,
    job,
    make_source,
    make_table,
    opened,
    policy_data,
    policy_over,
    tree_file,
    write_data,
)
from .test_cli import document

# the naive attacker

DIMENSIONS = (*pipeline.DIMENSIONS,)
TYPES = {"age": "INTEGER", "zip": "VARCHAR", "ill": "VARCHAR"}
COLUMNS = {
    "age": {"type": "interval", "widths": [10]},
    "zip": {"type": "mask", "length": 2},
    "ill": "sensitive",
}
LOOKS = {
    "age": [("value", "as it is"), ("interval", "[a,b), 10 wide"), ("star", "*")],
    "zip": [("value", "as it is"), ("mask-right", "last 1 of 2 characters hidden"), ("star", "*")],
}


AGES = [20, 21, 30, 31, None]
ZIPS = ["aa", "ab", "ba", "bb", None]


def label(column, value, level):
    """A value as full-domain releases it."""
    if level == 2:
        return "*"
    if value is None or level == 0:
        return None if value is None else str(value)
    return f"[{value // 10 * 10},{value // 10 * 10 + 10})" if column == "age" else f"{value[0]}*"


def labels(row, levels):
    return tuple(label(name, row[at], levels[at]) for at, name in enumerate(("age", "zip")))


def shown(rows, levels):
    """The rows of a full-domain release."""
    return [(*labels(row, levels), row[2]) for row in rows]


def described(levels):
    """What ``__columns`` says of such a release."""
    return [
        ("age", "quasi-identifying", levels[0], *LOOKS["age"][levels[0]]),
        ("zip", "quasi-identifying", levels[1], *LOOKS["zip"][levels[1]]),
        ("ill", "sensitive", None, "value", "as it is"),
    ]


ABOUT = [("property", "VARCHAR"), ("value", "VARCHAR")]
LINES = [("column_name", "VARCHAR"), ("role", "VARCHAR"), ("level", "INTEGER")]
LINES += [("form", "VARCHAR"), ("looks_like", "VARCHAR")]


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """A job whose dimension tables have every value that the rows below may have."""
    folder = tmp_path_factory.mktemp("bench")
    every = [(*pair, "x") for pair in itertools.product(AGES, ZIPS)]
    with job(policy_over(folder, TYPES, every, COLUMNS), folder, DIMENSIONS) as opened:
        yield opened


def together(policy, *others, k=True):
    """What a release and others leave together; of those that do not keep ``k``, how."""
    report = anonsql.attack(policy, kinds=["linkability"], attempts=1, with_releases=others)
    assert bool(report.together_short) != k
    return report.together if k else report.together_short


def compared(bench, source, releases, k, *, entity=None):
    """The sets that releases [(numbers of rows, levels)] of a source leave."""
    engine, made = bench.engine, []

    def load(name, columns, rows):
        engine.load(name, columns, rows)
        made.append(name)
        return (name,)

    comparison = Composition(engine, load("people", list(TYPES.items()), source))
    try:
        placed = []
        for number, (chosen, levels) in enumerate(releases):
            name = f"r{number}"
            texts = [(item, "VARCHAR") for item in TYPES]
            tables = ReleaseTables(
                engine,
                load(name, texts, shown([source[entry] for entry in chosen], levels)),
                load(f"{name}__about", ABOUT, [("method", "full-domain")]),
                load(f"{name}__columns", LINES, described(levels)),
            )
            attributes = bench.counted.attributes
            sides = Sides(engine, tables, bench.policy, ("people",), attributes)
            try:
                sides.make(("people",), None)
                placed.append(comparison.place(name, sides, sides.labels))
            finally:
                sides.close()
        return comparison.sets(placed, k, entity)
    finally:
        comparison.drop()
        for name in made:
            engine.drop(name)


def worlds(source, releases):
    """All that may have been: for each release every set of rows of the source that is released as
    the release is, labels and kept values."""
    possible = []
    for chosen, levels in releases:
        shown = Counter((*labels(source[entry], levels), source[entry][2]) for entry in chosen)
        keys = [(*labels(item, levels), item[2]) for item in source]
        by_key = [
            itertools.combinations([at for at, key in enumerate(keys) if key == wanted], count)
            for wanted, count in shown.items()
        ]
        possible.append([set(itertools.chain(*parts)) for parts in itertools.product(*by_key)])
    return itertools.product(*possible)


def sets_of(source, releases, world):
    """The sizes of the sets of rows with one trace, those aside that nothing was released of."""
    traces = Counter(
        tuple(
            labels(row, levels) if at in chosen else None
            for chosen, (_, levels) in zip(world, releases, strict=True)
        )
        for at, row in enumerate(source)
    )
    return [count for trace, count in traces.items() if any(item is not None for item in trace)]


ROWS = st.tuples(
    st.sampled_from(AGES),
    st.sampled_from(ZIPS),
    st.sampled_from(["x", "y", None]),
)
RELEASES = st.tuples(
    st.lists(st.booleans(), min_size=8, max_size=8),
    st.tuples(st.integers(0, 2), st.integers(0, 2)),
)


def chosen_of(source, drawn):
    """Releases as numbers of rows and levels; one row at least."""
    return [
        ([at for at in range(len(source)) if chosen[at]] or [0], levels) for chosen, levels in drawn
    ]


@settings(
    deadline=None, max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(ROWS, min_size=1, max_size=8),
    st.lists(RELEASES, min_size=2, max_size=3),
    st.sampled_from([2, 3]),
)
@example([(20, "aa", "x")] * 6, [([True] * 4 + [False] * 4, (0, 0)), ([True] * 8, (1, 1))], 2)
@example(
    [(20, "aa", "x")] * 3 + [(20, "ab", "x")] * 5,
    [([True, True, False, True, True, True, False, False], (0, 1)), ([True] * 8, (0, 0))],
    2,
)
def test_all_worlds_that_may_have_been(bench, source, drawn, k):
    releases = chosen_of(source, drawn)
    found = compared(bench, source, releases, k)
    all_sizes = [sets_of(source, releases, world) for world in worlds(source, releases)]
    if not found.small_rows and not found.undetermined:
        assert all(min(sizes, default=k) >= k for sizes in all_sizes)
    if not found.undetermined:
        assert all((min(sizes, default=k) < k) == bool(found.small_rows) for sizes in all_sizes)
    if len(all_sizes) == 1 and not found.undetermined:
        (sizes,) = all_sizes
        assert found.rows == min(sizes, default=0) and found.sets == len(sizes)
        assert found.released == sum(sizes)
        assert found.small_rows == sum(size for size in sizes if size < k)


@settings(
    deadline=None, max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(ROWS, min_size=1, max_size=8), st.lists(RELEASES, min_size=2, max_size=4))
def test_rows_that_a_kept_value_names_are_followed(bench, drawn_rows, drawn):
    """Whatever was released of them: the traces are known, and so is everything."""
    source = [(*row[:2], f"p{at}") for at, row in enumerate(drawn_rows)]
    releases = chosen_of(source, drawn)
    found = compared(bench, source, releases, 2)
    sizes = sets_of(source, releases, [set(chosen) for chosen, _ in releases])
    assert found.undetermined == 0
    assert (found.sets, found.rows, found.released, found.small_rows) == (
        len(sizes),
        min(sizes, default=0),
        sum(sizes),
        sum(size for size in sizes if size < 2),
    )


# whole releases


PEOPLE = [
    (str(number), 20 + 10 * (number % 2) + number % 3, f"{'ab'[number // 2 % 2]}{number % 2}", "x")
    for number in range(48)
]
WHOLE = {"id": "VARCHAR", "age": "INTEGER", "zip": "VARCHAR", "ill": "VARCHAR"}


def hospital(folder, name, levels, *, k=4, **more):
    """The policy of one of several releases of ``source.duckdb``, by full-domain at given levels,
    published."""
    columns = {
        "id": more.pop("id", "identifying"),
        "age": {"type": "interval", "widths": [10]},
        "zip": {"type": "mask", "length": 2},
        "ill": "sensitive",
    }
    data = policy_data(columns, k=k, limit=0.5, **more)
    if levels is not None:
        data["method"] = {"levels": dict(zip(("age", "zip"), levels, strict=True))}
    data["release"] = {"database": f"{name}.duckdb", "table": "r", "completed": 0}
    path = write_data(folder, data, f"{name}.yaml")
    anonsql.run(path)
    return path


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """The people with two releases that cut across each other: 6 classes of 8, and 4 of 12."""
    folder = tmp_path_factory.mktemp("published")
    make_source(folder, WHOLE, PEOPLE)
    hospital(folder, "one", (0, 2))
    hospital(folder, "two", (1, 1))
    return folder


@pytest.fixture
def people(published, tmp_path):
    return Path(shutil.copytree(published, tmp_path, dirs_exist_ok=True))


def change(folder, *statements):
    in_file(folder / "source.duckdb", *statements)


GANTA = [  # both hospitals have the patient: 28 years old, from 13012
    ("1", 28, "13012", "AIDS"),
    ("2", 25, "13012", "heart disease"),
    ("3", 21, "13013", "viral infection"),
    ("4", 29, "14850", "AIDS"),
    ("5", 27, "14851", "viral infection"),
    ("6", 22, "14852", "flu"),
    ("7", 36, "13014", "cancer"),
    ("8", 34, "13015", "cancer"),
    ("9", 38, "14853", "flu"),
]


def test_two_hospitals(tmp_path):
    """The composition attack of Ganta, Kasiviswanathan and Smith: classes of three and more, that
    cut across each other."""
    make_source(tmp_path, WHOLE, GANTA)
    columns = {"id": "identifying", "ill": "sensitive"}
    columns |= {"age": {"type": "interval", "widths": [10]}, "zip": {"type": "mask", "length": 5}}
    for name, levels in (("one", (1, 5)), ("two", (2, 3))):
        data = policy_data(columns, k=3)
        data["method"] = {"levels": dict(zip(("age", "zip"), levels, strict=True))}
        data["release"]["database"] = f"{name}.duckdb"
        write_data(tmp_path, data, f"{name}.yaml")
        assert anonsql.run(tmp_path / f"{name}.yaml").min_class >= 3
        assert anonsql.verify(tmp_path / f"{name}.yaml").min_class >= 3
    # twenty and 13: 3; twenty and 14: 3; thirty and 13: 2; thirty and 14: 1
    assert together(tmp_path / "one.yaml", tmp_path / "two.duckdb", k=False) == [
        "the 2 releases together leave 3 rows of the source among fewer than k=3 rows, at least 1,"
        " in 2 sets"
    ]


def test_the_command(people):
    one = people / "one.yaml"
    hospital(people, "three", (0, 0), k=2)
    code, report = document("attack", one, "--with", people / "two.duckdb")
    assert code == 0 and not report["together_short"]
    found = report["together"]
    assert (found["k"], found["columns"], found["originals"]) == (4, ["age", "zip"], 48)
    assert (found["sets"], found["smallest"], found["small_rows"]) == (12, 4, 0)
    assert [
        (release["k"], release["classes"], release["smallest_class"])
        for release in found["releases"]
    ] == [
        (4, 6, 8),
        (4, 4, 12),
    ]
    assert found["releases"][1]["release"] == str(people / "two.duckdb")
    assert found["releases"][1]["levels"] == {"age": 1, "zip": 1}
    shown = flat(cli("attack", one, "--with", people / "two.yaml").stdout)
    assert (
        "With 1 other release: 48 rows of the source in 12 sets whose rows an attacker cannot distinguish"
        in (shown)
    )
    assert "the smallest of 4 rows (k=4)" in shown
    asked = ("--with", people / "two.duckdb", "--with", people / "three.duckdb")
    code, report = document("attack", one, *asked)
    assert code == 0 and not report["together_short"]  # sets of four again
    change(people, "DELETE FROM t WHERE id IN ('0', '12')")
    shown = cli("attack", one, *asked)
    assert shown.exit_code == 0
    assert "2 rows of the source among fewer than k=4 rows, at least 2, in 1 set" in (
        flat(shown.stdout)
    )
    assert "2 released rows match no row of the source" in flat(shown.stdout)
    code, report = document("attack", one, *asked)
    assert report["beyond"] and report["to_do"].startswith("Do not publish these releases together")
    assert cli("verify", one, *asked).exit_code == 2


def test_the_same_release_counts_once(people, monkeypatch):
    one = people / "one.yaml"
    (people / "copy.duckdb").write_bytes((people / "one.duckdb").read_bytes())
    monkeypatch.chdir(people)
    for others in (["one.duckdb"], [one], ["copy.duckdb", "one.duckdb"], ["two/../one.duckdb"]):
        (people / "two").mkdir(exist_ok=True)
        found = together(one, *others)
        assert len(found.releases) == 1 and found.sets == 6 and found.smallest == 8


def test_who_came_later_is_seen(people):
    """Ten yesterday, eleven today."""
    two = people / "two.yaml"
    change(people, "INSERT INTO t VALUES ('late', 21, 'a0', 'y')")
    three = hospital(people, "three", (1, 1))
    for one, other in ((three, "two.duckdb"), (two, "three.duckdb")):
        (short,) = together(one, people / other, k=False)
        assert "leave 1 rows of the source among fewer than k=4" in short
    # with the one release that he is not in nobody can compare him
    assert together(two, two).released == 48


def test_what_cannot_be_told_is_not_taken_for_kept(people):
    """Three releases of a growing table without a kept value that tells who came when."""
    names = ["two", "three", "four"]
    for number, name in enumerate(names):
        if number:
            hospital(people, name, (1, 1))
        more = ", ".join(f"('l{number}{item}', 21, 'a0', 'x')" for item in range(5))
        change(people, f"INSERT INTO t VALUES {more}")
    others = [people / f"{name}.duckdb" for name in names[:2]]
    (short,) = together(people / "four.yaml", *others, k=False)
    assert "may leave 27 rows" in short and "not known" in short


def test_kept_values_tell_who_came_when(people):
    for number, name in enumerate(("one", "two", "three")):
        hospital(people, name, (1, 1), id="insensitive")
        more = ", ".join(f"('l{number}{item}', 21, 'a0', 'x')" for item in range(5))
        change(people, f"INSERT INTO t VALUES {more}")
    others = [people / f"{name}.duckdb" for name in ("one", "two")]
    found = together(people / "three.yaml", *others)
    # 12 in all three, 5 in two, 5 in the last; the last five in none
    assert (found.smallest, found.sets, found.released) == (5, 6, 58)
    assert [release.left_out for release in found.releases] == [5, 15, 10]


def test_with_a_ledger(tmp_path):
    rnd = random.Random(2)

    def some(first, count):
        return [
            (str(first + n), rnd.randint(20, 49), rnd.choice(["a0", "b0"]), "x")
            for n in range(count)
        ]

    make_source(tmp_path, WHOLE, some(0, 60))
    over_time = {"k": 4, "suppression_limit": 0.5, "over_time": {"key": "id"}}
    policy, copies = None, []
    for number in range(3):
        policy = hospital_over_time(tmp_path, over_time)
        anonsql.run(policy)
        copies.append(tmp_path / f"copy{number}.duckdb")
        copies[-1].write_bytes((tmp_path / "ledger.duckdb").read_bytes())
        with opened(tmp_path / "source.duckdb") as connection:
            connection.executemany(
                "INSERT INTO t VALUES (?, ?, ?, ?)", some(1000 * (number + 1), 7)
            )
    found = together(policy, *copies)
    assert len(found.releases) == 3 and found.smallest >= 4 and not found.undetermined
    assert any(release.left_out for release in found.releases)


def hospital_over_time(folder, privacy):
    data = policy_data(
        {
            "id": "insensitive",
            "age": {"type": "interval", "widths": [10]},
            "zip": {"type": "mask", "length": 2},
            "ill": "sensitive",
        }
    )
    data["privacy"] = privacy
    data["release"]["database"] = "ledger.duckdb"
    write_data(folder, data, "ledger.yaml")
    return folder / "ledger.yaml"


def test_rows_that_are_gone_are_told(people):
    one = people / "one.yaml"
    change(people, "DELETE FROM t WHERE age = 20 AND zip = 'a0'")
    found = together(one, people / "two.duckdb")
    assert [release.unseen for release in found.releases] == [4, 4]
    assert found.originals == 44


def test_other_columns(people):
    one = people / "one.yaml"
    data = yaml.safe_load(one.read_text())
    data["release"]["database"] = "fewer.duckdb"
    data["columns"]["zip"] = {"role": "identifying"}
    data["method"] = {"levels": {"age": 0}}
    anonsql.run(Policy.parse(data, people))
    found = together(one, people / "fewer.duckdb")
    assert found.sets == found.releases[1].classes == 6
    data["release"]["database"] = "as_it_is.duckdb"
    data["columns"]["zip"] = {"role": "qi", "hierarchy": {"type": "mask", "length": 2}}
    data["columns"]["age"] = {"role": "insensitive"}
    data["method"] = {"levels": {"zip": 2}}
    anonsql.run(Policy.parse(data, people))
    found = together(one, people / "as_it_is.duckdb")
    assert found.sets == 6 and found.smallest == 8  # what one of them keeps, the other one shows
    in_file(people / "as_it_is.duckdb", "ALTER TABLE r ALTER age TYPE BOOLEAN USING age > 25")
    with pytest.raises(PolicyError, match="its values of 'age' cannot be compared"):
        together(one, people / "as_it_is.duckdb")
    data["release"]["database"] = "more.duckdb"
    data["columns"] |= {"ill": {"role": "qi", "hierarchy": {"type": "suppression"}}}
    data["columns"] |= {"age": {"role": "identifying"}, "zip": {"role": "identifying"}}
    data["method"] = {"levels": {"ill": 0}}
    anonsql.run(Policy.parse(data, people))
    found = together(one, people / "more.duckdb")
    assert found.columns == ["age", "zip", "ill"] and found.sets == 6


def test_other_hierarchies(people):
    one = people / "one.yaml"
    data = yaml.safe_load(one.read_text())
    data["release"]["database"] = "two.duckdb"
    data["columns"]["age"]["hierarchy"]["widths"] = [5]
    data["method"] = {"levels": {"age": 1, "zip": 2}}
    write_data(people, data, "two.yaml")
    anonsql.run(people / "two.yaml")
    with pytest.raises(PolicyError, match=r"none of its 2 labels of 'age' .* Name the policy that"):
        together(one, people / "two.duckdb")
    found = together(one, people / "two.yaml")
    assert found.sets == 6 and found.releases[1].classes == 2
    words = [["a0", "low", "*"], ["a1", "low", "*"], ["b0", "high", "*"], ["b1", "high", "*"]]
    data["columns"]["zip"]["hierarchy"] = tree_file(people / "zip.csv", words)
    data["method"] = {"levels": {"age": 2, "zip": 1}}
    (people / "two.yaml").write_text(yaml.safe_dump(data))
    anonsql.run(people / "two.yaml")
    others = [["a0", "left", "*"], ["a1", "left", "*"], ["b0", "right", "*"], ["b1", "right", "*"]]
    tree_file(people / "zip.csv", others)
    with pytest.raises(
        PolicyError, match=r"none of its 2 labels of 'zip' covers a value of the source"
    ):
        together(one, people / "two.yaml")


def test_methods(people):
    """Which tell a row's class by its values, and which do not."""
    one, said = people / "one.yaml", {}
    data = yaml.safe_load(one.read_text())
    for method in ("attribute-suppression", "mondrian", "ring"):
        data["release"]["database"] = f"{method}.duckdb"
        data["method"] = {"type": method}
        data["privacy"] = {"k": 8}
        anonsql.run(Policy.parse(data, people))
        try:
            found = together(one, people / f"{method}.duckdb")
            said[method] = found.sets
        except PolicyError as error:
            said[method] = str(error)
    assert (said["attribute-suppression"], said["mondrian"]) == (6, 12)
    assert "ring.duckdb: it was made by ring" in said["ring"]
    with pytest.raises(PolicyError, match="release: it was made by ring"):
        together(Policy.parse(data, people), people / "one.duckdb")


def test_rows_of_several_classes_are_refused(people):
    """Cells suppressed one by one: a row may be in many classes."""
    one = people / "one.yaml"
    other = people / "cells.duckdb"
    other.write_bytes((people / "one.duckdb").read_bytes())
    in_file(
        other,
        "UPDATE r__about SET value = 'cell-suppression' WHERE value = 'full-domain'",
        "UPDATE r__about SET value = 'x' WHERE property = 'release'",
        "UPDATE r__columns SET level = NULL, form = 'value-or-star', looks_like = 'unchanged, or *'"
        " WHERE column_name IN ('age', 'zip')",
        "UPDATE r SET age = '*', age_lo = NULL, age_hi = NULL"
        " WHERE rowid IN (SELECT MIN(rowid) FROM r WHERE age = '20')",
    )
    with pytest.raises(
        PolicyError, match=r"cells.duckdb: .* rows of the source match several of its"
    ):
        together(one, other)


def test_kinds_of_releases(people):
    one = people / "one.yaml"
    data = yaml.safe_load(one.read_text())
    data["method"] = {"levels": {"age": 1, "zip": 1}}
    for name in ("two.parquet", "two.csv", "folder"):
        data["release"] = {
            "file": name,
            "completed": 0,
            **({"table": "r"} if name == "folder" else {}),
        }
        anonsql.run(Policy.parse(data, people))
        found = together(one, people / name)
        assert (found.sets, found.smallest) == (12, 4)
    # and the other way: a release that is read beside a CSV file
    found = together(Policy.parse(data, people), one)
    assert (found.sets, found.smallest) == (12, 4)


def test_masked_and_empty_releases(people):
    one = people / "one.yaml"
    data = yaml.safe_load(one.read_text())
    data["release"] = {
        "database": "masked.duckdb",
        "table": "r",
        "completed": 0,
        "suppressed": "mask",
    }
    data["method"] = {"levels": {"age": 0, "zip": 1}}
    change(people, "INSERT INTO t VALUES ('rare', 49, 'a0', 'x')")
    assert anonsql.run(Policy.parse(data, people)).suppressed == 1
    found = together(one, people / "masked.duckdb")
    assert (found.released, found.smallest, found.releases[1].absent) == (48, 4, 1)
    empty = people / "empty.duckdb"
    empty.write_bytes((people / "masked.duckdb").read_bytes())
    in_file(empty, "DELETE FROM r", "UPDATE r__about SET value = 'none' WHERE property = 'release'")
    found = together(one, empty)
    assert (found.sets, found.releases[1].classes, found.releases[1].absent) == (6, 0, 49)


def test_nulls(people):
    change(
        people, "UPDATE t SET age = NULL WHERE age = 20", "UPDATE t SET zip = NULL WHERE id < '2'"
    )
    one = hospital(people, "one", (0, 2))
    hospital(people, "two", (1, 2))
    found = together(one, people / "two.duckdb")
    assert (found.released, found.sets, found.undetermined) == (48, 6, 0)


def test_people(people):
    """k counts people: four rows of two of them are too few."""
    change(people, "UPDATE t SET id = CAST(CAST(id AS INTEGER) % 24 AS VARCHAR)")
    privacy = {"k": 2, "suppression_limit": 0.5, "entity": "id"}
    for name, levels in (("one", {"age": 0, "zip": 2}), ("two", {"age": 1, "zip": 1})):
        data = policy_data(
            {
                "id": "identifying",
                "age": {"type": "interval", "widths": [10]},
                "zip": {"type": "mask", "length": 2},
                "ill": "sensitive",
            }
        )
        data |= {"privacy": privacy, "method": {"levels": levels}}
        data["release"]["database"] = f"{name}.duckdb"
        write_data(people, data, f"{name}.yaml")
        anonsql.run(people / f"{name}.yaml")
    one, other = people / "one.yaml", people / "two.duckdb"
    report = anonsql.attack(one, with_releases=[other])
    assert (report.together.smallest, report.together.smallest_people) == (4, 2)
    assert not report.together_short
    assert {each.kind for each in report.attacks} == {*KINDS}
    stricter = yaml.safe_load(one.read_text())
    stricter["privacy"]["k"] = 3
    (short,) = anonsql.attack(Policy.parse(stricter, people), with_releases=[other]).together_short
    assert "fewer than k=3 people, at least 2" in short


def test_several_combinations(people):
    one = people / "one.yaml"
    data = yaml.safe_load(one.read_text())
    data["privacy"] = {"k": 4, "quasi_identifiers": [["age"], ["zip"]]}
    data["method"] = {"type": "full-domain"}
    for name in ("age", "zip"):
        data["columns"][name] |= {"max_level": 0}
    data["release"]["database"] = "several.duckdb"
    anonsql.run(policy := Policy.parse(data, people))
    found = together(policy, people / "two.duckdb")
    assert found.columns in (["age"], ["zip"]) and found.smallest == 8
    other = people / "other.duckdb"
    other.write_bytes((people / "two.duckdb").read_bytes())
    with opened(other) as connection:
        connection.execute("UPDATE r__about SET value = 'x' WHERE property = 'release'")
        connection.execute(
            "DELETE FROM r WHERE rowid IN (SELECT MIN(rowid) FROM r WHERE age = '[20,30)')"
        )
    short = together(policy, people / "two.duckdb", other, k=False)
    assert [text.split("on (")[1] for text in short] == ["age)", "zip)"]


def test_what_is_no_release_is_said(people):
    one = people / "one.yaml"
    make_table(people / "plain.duckdb", {"a": "INTEGER"}, [(1,)])
    for other, said in (
        ("plain.duckdb", "is not a release of anonsql"),
        ("nowhere.duckdb", "there is no file"),
        ("source.duckdb", "is not a release of anonsql"),
    ):
        with pytest.raises(PolicyError, match=f"--with .*{other}.*{said}"):
            together(one, people / other)
    other = people / "foreign.duckdb"
    other.write_bytes((people / "one.duckdb").read_bytes())
    with opened(other) as connection:
        connection.execute("UPDATE r__about SET value = 'x' WHERE property = 'release'")
        connection.execute("ALTER TABLE r RENAME COLUMN zip TO postcode")
        connection.execute(
            "UPDATE r__columns SET column_name = 'postcode' WHERE column_name = 'zip'"
        )
    with pytest.raises(PolicyError, match="generalizes 'postcode', which the source does not have"):
        together(one, other)
    (people / "source.duckdb").unlink()
    with pytest.raises(PolicyError, match="source"):
        together(one, people / "one.duckdb")


def test_engines(engine):
    """The source on every engine; another release there, and an earlier one in a file, whose kept
    values tell which rows it has."""
    data = policy_data(
        {
            "id": "insensitive",
            "age": {"type": "interval", "widths": [10]},
            "zip": {"type": "mask", "length": 2},
            "ill": "sensitive",
        },
        k=4,
        limit=0.5,
    )
    rows = [*PEOPLE, *((f"none{n}", None, "a0", None) for n in range(4))]
    engine.make(WHOLE, rows)
    levels = {"earlier": {"age": 1, "zip": 1}, "other": {"age": 2, "zip": 1}}
    earlier = policy_on(engine, {**data, "method": {"levels": levels["earlier"]}})
    file = {"file": str(engine.folder / "earlier.csv")}
    earlier = earlier.model_copy(update={"release": Release.model_validate(file)})
    anonsql.run(earlier)
    engine.make(WHOLE, [*rows, *((f"late{n}", 21, "a0", "x") for n in range(5))])
    source, release = engine.places()
    place = {name: text.replace("release.", "other.") for name, text in release.items()}
    if place == release:
        place["table"] = release["table"].removesuffix("r") + "other"
    other = {
        **data,
        "method": {"levels": levels["other"]},
        "source": source,
        "release": {"completed": 0, **place},
    }
    anonsql.run(other := Policy.parse(other, engine.folder))
    policy = policy_on(engine, {**data, "method": {"levels": levels["earlier"]}})
    anonsql.run(policy)
    found = together(policy, other, engine.folder / "earlier.csv")
    # of those of the twenties 12 were in the earlier release, and 5 came later
    assert (found.undetermined, found.sets, found.smallest, found.released) == (0, 6, 4, 57)
    assert [item.left_out for item in found.releases] == [0, 0, 5]
