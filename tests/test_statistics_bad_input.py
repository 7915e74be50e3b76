"""Policies of statistics and sources that cannot be: each is refused by its place, and nothing is
published; and small and odd ones that can."""

import copy
import math

import pytest

import anonsql
from anonsql.errors import PolicyError
from anonsql.policy.policy import Policy
from anonsql.policy.statistics import StatisticsPolicy

from . import tables_of_numbers
from .engines import DuckDB
from .support import in_file, policy_data, rows_of, tree_file
from .tables_of_numbers import COLUMNS, settings

ROWS = tables_of_numbers.rows(60, people=40)
MANY = {f"c{number}": {} for number in range(30)}


def one(by=("kind",), of=None, tables=None, **protect):
    """A change of the policy to one table."""
    return {
        "statistics": {
            "by": {name: {} for name in by},
            "of": of or {"n": "count"},
            "tables": tables or [list(by)],
        },
        "protect": {"entity": "who", "threshold": 3, **protect},
    }


def policy(engine, **sections):
    """A policy over the engine's table with some of its sections changed."""
    source, release = engine.places()
    del release["table"]
    data = {**copy.deepcopy(settings()), "source": source, "release": release, **sections}
    return StatisticsPolicy.parse(data, engine.folder)


def shifted(**columns):
    """The rows with other values in the first one."""
    first = [columns.get(name, value) for name, value in zip(COLUMNS, ROWS[0])]
    return [tuple(first), *ROWS[1:]]


def level(of):
    return {
        **settings()["statistics"],
        "tables": [["kind"], {"by": ["age", "region"], "levels": of}],
    }


def half_a_tree():
    found = copy.deepcopy(settings()["statistics"])
    del found["by"]["region"]["hierarchy"]["tree"]["two"]
    return found


REFUSED = {
    # by its place: what is changed of the policy, rows, columns of the source
    "no such dimension": ("statistics.by.kin", one(["kin"])),
    "no such column": ("statistics.of.x.sum", one(of={"x": {"sum": "costs"}})),
    "no such person": ("protect.entity", one(entity="whom")),
    "a table by what is no dimension": ("statistics.tables[0]", one(tables=[["age"]])),
    "a dimension twice": ("statistics.tables[0]", one(tables=[["kind", "kind"]])),
    "a sum of text": ("statistics.of.x.sum", one(of={"x": {"sum": "kind"}})),
    "months without a threshold": (
        "protect.over_time",
        one(of={"x": {"sum": "days"}}, threshold=None, p_percent=0.1, over_time="added"),
    ),
    "twice as large without a threshold": (
        "protect.uncertain",
        one(of={"x": {"sum": "days"}}, threshold=None, p_percent=0.1, uncertain="double"),
    ),
    "twice as large where values change": (
        "protect.uncertain",
        {"protect": {"entity": "who", "by": "cell-key", "uncertain": "double"}},
    ),
    "a rule of sums without sums": ("protect.p_percent", one(p_percent=0.1)),
    "no rule": ("protect", one(threshold=None)),
    "rows of nobody": ("protect.entity", {}, shifted(who=None)),
    "a level that is the top": (
        "statistics.tables[1].levels.age",
        {"statistics": level({"age": 2})},
    ),
    "values without a group": (
        "statistics.by.region.hierarchy",
        {"statistics": half_a_tree()},
    ),
    "no such measure": ("statistics.of.x", one(of={"x": {"mean": "days"}}), "{sum: column}"),
    "a measure that is mistyped": ("statistics.of.x", one(of={"x": "counts"}), "Write `count`"),
    "a measure that is a list": ("statistics.of.x", one(of={"x": ["n"]}), "Write `count`"),
    "a measure of two kinds": (
        "statistics.of.x",
        one(of={"x": {"sum": "days", "count": "who"}}),
        "Write `count`",
    ),
    "a measure that is no text": ("statistics.of.x", one(of={"x": 3}), "Write `count`"),
    "a setting of no sum": (
        "statistics.of.x.decimal",
        one(of={"x": {"sum": "days", "decimal": 2}}),
        "'decimals'?",
    ),
    "a ratio of one": ("statistics.of.x.ratio", one(of={"x": {"ratio": ["n"]}}), "at least 2"),
    "people by another column": (
        "statistics.of.x.count",
        one(of={"x": {"count": "days"}}),
        "{sum: column}",
    ),
    "a measure called as a dimension": ("statistics.of", one(of={"KIND": "count"})),
    "a measure called as a level": ("statistics.of", one(of={"kind_level": "count"})),
    "two tables of one name": (
        "statistics.tables[1]",
        one(tables=[{"by": ["kind"], "name": "A"}, {"by": ["kind"], "name": "a"}]),
    ),
    "a table called as a part": (
        "statistics.tables[0]",
        one(tables=[{"by": ["kind"], "name": "x__about"}]),
    ),
    "a table of two lines": (
        "statistics.tables[0]",
        one(tables=[{"by": ["kind"], "name": "x\ny"}]),
    ),
    "more combinations of levels than can be": (
        "statistics.tables",
        one(MANY),
        [("p", *range(30))],
        {"who": "VARCHAR", **dict.fromkeys(MANY, "INTEGER")},
    ),
    "no number": ("statistics.of.score.sum", {}, shifted(score=math.nan)),
    "an infinite number": ("statistics.of.score.sum", {}, shifted(score=-math.inf)),
    "a number that is too large": ("statistics.of.score.sum", {}, shifted(score=1e300)),
    "numbers that are too large together": (
        "statistics.of.days.sum",
        {},
        [(*row[:5], 2**52, row[6]) for row in ROWS],
        {**COLUMNS, "days": "BIGINT"},
    ),
    "the release is the source": ("release.database", {"release": {"database": "source.duckdb"}}),
    "a single file": ("release.file", {"release": {"file": "tables.parquet"}}),
    "a CSV file": ("release.file", {"release": {"file": "tables.csv"}}),
}


@pytest.mark.parametrize("what", REFUSED)
def test_it_is_refused_by_place(tmp_path, what):
    where, sections, *given = REFUSED[what]
    hint = given.pop(0) if given and isinstance(given[0], str) else ""
    rows, columns = (*given, *(ROWS, COLUMNS)[len(given) :])
    engine = DuckDB(tmp_path)
    engine.make(columns, rows)
    with pytest.raises(PolicyError) as refused:
        anonsql.tabulate(policy(engine, **sections))
    problems = {problem.where: problem for problem in refused.value.problems}
    assert where in problems, problems
    assert hint in str(refused.value) and (not hint or len(problems) == 1)
    left = {path.name for path in tmp_path.iterdir()}
    assert left <= {"source.duckdb", "release.anonsql.duckdb"}


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_too_few_people_are_all_hidden_and_it_is_said(tmp_path, rows):
    engine = DuckDB(tmp_path)
    engine.make(COLUMNS, ROWS[:rows])
    settings = policy(engine, protect={"entity": "who", "threshold": 5})
    report = anonsql.tabulate(settings)
    assert report.warnings[0].where == "protect.threshold"
    assert anonsql.verify(settings, against_source=True).status == "verified"
    assert report.cells >= rows
    for table in settings.tables:
        assert set(engine.read(table)) == {row for row in engine.read(table) if "hidden" in row}


@pytest.mark.parametrize("controlled", [True, False])
@pytest.mark.parametrize("rows", [0, 1])
def test_next_to_nothing_is_rounded(tmp_path, rows, controlled):
    engine = DuckDB(tmp_path)
    engine.make(COLUMNS, ROWS[:rows])
    bases = {name: 100 for name, of in settings()["statistics"]["of"].items() if "sum" in of}
    rounding = {"base": 5, "bases": bases, "controlled": controlled}
    rounded = policy(engine, protect={"entity": "who", "by": "rounding", "rounding": rounding})
    anonsql.tabulate(rounded)
    assert anonsql.verify(rounded, against_source=True).status == "verified"


def test_nothing_to_protect_hides_nothing(tmp_path):
    engine = DuckDB(tmp_path)
    engine.make(COLUMNS, [(f"p{n}", "north", 3, "+a", n, n % 3, n / 3) for n in range(9)])
    report = anonsql.tabulate(policy(engine))
    assert not report.warnings and all(
        measure.hidden == measure.primary == 0
        for table in report.tables
        for measure in table.measures
    )


def test_names_that_need_quoting(tmp_path):
    odd = ["select", "it's", 'say "x"', "a;b", "new\nline", "ü {{ x }}", "100%"]
    columns = {
        "who": "VARCHAR",
        **dict.fromkeys(odd[:4], "VARCHAR"),
        **dict.fromkeys(odd[4:], "INTEGER"),
    }
    rows = [
        (f"p{n}", "ab"[n % 2], "x", ["", None, "*", "u;'\"\n"][n % 4], "w", n % 5, 1, n)
        for n in range(60)
    ]
    engine = DuckDB(tmp_path)
    engine.make(columns, rows)
    made = one(
        odd[:4],
        {"ß;": "count", **{f'"{name}': {"sum": name} for name in odd[4:]}},
        [["select", "it's"], {"by": ['say "x"', "a;b"], "name": 'of; "it\'s"'}],
    )
    anonsql.tabulate(settings := policy(engine, **made))
    assert anonsql.verify(settings, against_source=True).status == "verified"
    labels = {(row[0], row[1]) for row in engine.read('of; "it\'s"')}
    assert labels == {("", 0), (None, 0), ("*", 0), ("u;'\"\n", 0), ("*", 1)}


def test_tables_and_rows_take_no_others_place(tmp_path):
    """A release is replaced by one of the same name; another one is refused, and stays."""
    engine = DuckDB(tmp_path)
    engine.make(COLUMNS, ROWS)
    columns = {name: {"role": "insensitive"} for name in COLUMNS}
    columns |= {
        "who": {"role": "identifying"},
        "region": {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}},
    }
    rows = policy_data(columns, release={"database": "release.duckdb"})
    rows["source"] = {"database": "source.duckdb", "table": "t"}

    def of_rows(table):
        rows["release"]["table"] = table
        return Policy.parse(rows, tmp_path)

    tables = policy(engine)
    anonsql.tabulate(tables)
    before = engine.parts()
    with pytest.raises(PolicyError, match="is the release of another table"):
        anonsql.run(of_rows("kinds"))
    assert engine.parts() == before
    anonsql.run(of_rows("region_age"))
    assert "kinds" not in engine.parts()
    with pytest.raises(PolicyError, match="has no kinds"):
        anonsql.verify(tables)
    anonsql.tabulate(tables)
    assert engine.parts() == before
    in_file(tmp_path / "release.duckdb", "CREATE TABLE precious AS SELECT 1 AS x")
    with pytest.raises(PolicyError, match="precious"):
        anonsql.tabulate(tables)


def test_whatever_changed_is_tabulated_anew(tmp_path):
    engine = DuckDB(tmp_path)
    engine.make(COLUMNS, [(*row[:1], row[1] or "north", *row[2:]) for row in ROWS])
    source = tmp_path / "source.duckdb"
    in_file(source, "CREATE TABLE regions AS SELECT DISTINCT region, LEFT(region, 1) AS l FROM t")
    ages = tree_file(tmp_path / "ages.csv", [(str(n), str(n // 20), "*") for n in range(61)])
    of_table = {"type": "table", "table": "regions", "key": "region", "levels": ["l"]}
    made = settings()
    made["statistics"]["by"] = {
        "region": {"hierarchy": of_table},
        "age": {"hierarchy": ages},
        "kind": {},
    }

    def again(**protect):
        made["protect"] |= protect
        return anonsql.tabulate(policy(engine, **made), if_changed=True).status

    changes = [
        lambda: None,
        lambda: made["protect"].update(threshold=4),
        lambda: in_file(source, "UPDATE regions SET l = 'x' WHERE region = 'north'"),
        lambda: tree_file(tmp_path / "ages.csv", [(str(n), str(n // 30), "*") for n in range(61)]),
        lambda: in_file(source, "UPDATE t SET days = days + 1"),
    ]
    for change in changes:
        change()
        assert [again(), again()] == ["published", "unchanged"]


def test_the_catalog_tells_no_values(tmp_path, caplog):
    engine = DuckDB(tmp_path)
    engine.make(COLUMNS, [("Zaphod", "north", 5, "Trillian", 42, 1, 43218765.0), *ROWS])
    with caplog.at_level("DEBUG"):
        anonsql.tabulate(policy(engine))
    catalog = tmp_path / "release.anonsql.duckdb"
    names = rows_of(catalog, "SELECT schema_name, table_name FROM duckdb_tables()")
    texts = [str(rows_of(catalog, f'FROM "{schema}"."{table}"')) for schema, table in names]
    for word in ("Zaphod", "Trillian", "43218765"):
        assert word not in caplog.text and not any(word in text for text in texts)
