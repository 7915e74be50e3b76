"""`trim`, `missing` and `case` on every kind of source: the same values are read, the release is
proved from them, and what a column's type has no use for is refused."""

import datetime as dt
from decimal import Decimal

import pytest

import anonsql
from anonsql.engines.base import Column
from anonsql.engines.mending import mended
from anonsql.errors import PolicyError, VerificationError
from anonsql.policy.policy import Policy
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.source import Source

from . import clinic
from .engines import DuckDB
from .support import insert, opened, policy_data, rows_of

TYPES = {
    "sex": "VARCHAR",
    "town": "VARCHAR",
    "age": "INTEGER",
    "pay": "DOUBLE",
    "fee": "DECIMAL(8, 2)",
    "born": "DATE",
    "seen": "TIMESTAMP",
}
SPELLED = ("m", "M ", " m", "\tM\u00a0", "f", "F", "f ", "n/a ")
ROWS = [
    (
        SPELLED[n % 8],
        ("Köln ", "köln", "n/a", " ")[n % 4],
        -1 if n % 5 == 0 else 30 + n % 2,
        999.5 if n % 5 == 1 else 0.25 * (n % 3),
        Decimal("-9.90") if n % 5 == 2 else Decimal("12.50"),
        dt.date(1900, 1, 1) if n % 5 == 3 else dt.date(1980, 5, 1 + n % 2),
        dt.datetime(1900, 1, 1) if n % 5 == 4 else dt.datetime(2020, 1, 1, 12, n % 2, 3),
    )
    for n in range(80)
]
MENDED = {
    "trim": True,
    "missing": ["N/A", "-1", "-9.9", "999.5", "1900-01-01"],
    "columns": {"sex": {"case": "lower"}, "town": {"case": "upper"}},
}


def expected(row):
    """A row as it is to be read."""
    sex, town, age, pay, fee, born, seen = row
    sex, town = sex.strip(" \t\u00a0").lower(), town.strip()
    return (
        None if sex == "n/a" else sex,
        None if town in ("n/a", "") else town.upper(),
        None if age == -1 else age,
        None if pay == 999.5 else pay,
        None if fee == Decimal("-9.9") else fee,
        None if born == dt.date(1900, 1, 1) else born,
        None if seen == dt.datetime(1900, 1, 1) else seen,
    )


def plain(rows):
    return sorted(
        repr([float(item) if isinstance(item, Decimal) else item for item in row]) for row in rows
    )


def kept(source, release, folder):
    """A policy that keeps all but one column, at the level of its values."""
    columns = dict.fromkeys(TYPES, "insensitive") | {"sex": {"type": "suppression"}}
    data = policy_data(columns, k=2) | {"source": source}
    data["privacy"]["kept"] = {"max_unique": 1.0}
    data["release"] |= release
    return Policy.parse(data, folder)


def test_on_every_engine(everywhere):
    everywhere.make(TYPES, ROWS)
    source, release = everywhere.places()
    policy = kept(source | MENDED, release, everywhere.folder)
    assert anonsql.check(policy).problems == []
    assert anonsql.run(policy).released == len(ROWS)
    assert plain(everywhere.read()) == plain(map(expected, ROWS))
    anonsql.verify(policy)
    anonsql.verify(policy, against_source=True)
    with pytest.raises(VerificationError):  # the proof reads the source as it is told
        anonsql.verify(kept(source, release, everywhere.folder), against_source=True)


def columns_of(types):
    return [Column(name, kind) for name, kind in types.items()]


@pytest.mark.parametrize(
    ("source", "where", "words"),
    [
        (
            {"columns": {"sexx": {"trim": True}}},
            "columns.sexx",
            "no such column. Did you mean 'sex'",
        ),
        ({"columns": {"age": {"trim": True}}}, "columns.age.trim", "is for text only"),
        ({"columns": {"born": {"case": "upper"}}}, "columns.born.case", "is for text only"),
        (
            {"columns": {"age": {"missing": ["N/A", 1.5]}}},
            "columns.age.missing",
            "Write the values",
        ),
        ({"columns": {"born": {"missing": [99]}}}, "columns.born.missing", "the column is DATE"),
        ({"columns": {"tags": {"missing": ["x"]}}}, "columns.tags.missing", "Write the values"),
    ],
)
def test_what_can_change_no_value_is_refused(source, where, words):
    columns = columns_of({**TYPES, "tags": "VARCHAR[]"})
    with pytest.raises(PolicyError) as refused:
        mended(columns, Source(database="a.duckdb", table="t", **source), "source")
    (problem,) = refused.value.problems
    assert problem.where == f"source.{where}"
    assert words in str(problem)


NO_VALUES = (
    "1_0",
    "١",
    "inf",
    "NaN",
    " 3",
    "20200102",
    "2020-W01-1",
    "2020-01-02T00:00Z",
    "2020-13-01",
)
"""Texts that Python reads as numbers or dates, in part, and people do not."""


def test_what_is_said_of_all_columns_holds_where_it_suits():
    source = Source(
        database="a.duckdb",
        table="t",
        trim=True,
        case="upper",
        missing=["N/A", -1, "1e400", 0.5, "2020-01-01", "2020-01-01 10:00", "true", *NO_VALUES],
    )
    types = {**TYPES, "flag": "BOOLEAN", "tags": "VARCHAR[]", "key": "UUID"}
    found = {column.name: column for column in mended(columns_of(types), source, "source")}
    assert (found["sex"].trim, found["sex"].case) == (True, "upper")
    assert len(found["sex"].missing) == 7 + len(NO_VALUES) + 1  # and the empty text
    assert found["age"].missing == [-1, 20200102]
    numbers = [-1, Decimal("0.5"), 20200102]
    assert found["pay"].missing == found["fee"].missing == numbers
    assert found["born"].missing == [dt.date(2020, 1, 1)]
    assert found["seen"].missing == [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 10)]
    assert found["flag"].missing == [True]
    assert not found["tags"].changes
    assert not found["key"].changes
    assert not any(found[name].trim or found[name].case for name in ("age", "born", "flag"))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("encoding", "latin-1"),
        ("decimal", ","),
        ("dates", "%d.%m.%Y"),
        ("skip", 2),
        ("header", False),
        ("columns", {"age": {"type": "integer"}}),
        ("columns", {"age": {"decimal": ","}}),
        ("columns", {"born": {"dates": "%d.%m.%Y"}}),
    ],
)
def test_how_a_file_is_written_is_refused_of_a_database(tmp_path, field, value):
    data = policy_data({"age": "insensitive", "sex": {"type": "suppression"}})
    data["source"][field] = value
    with pytest.raises(PolicyError) as refused:
        Policy.parse(data, tmp_path)
    (problem,) = refused.value.problems
    inner = (
        f".{next(iter(value))}.{next(iter(next(iter(value.values()))))}"
        if field == "columns"
        else ""
    )
    assert problem.where == f"source.{field}{inner}"
    assert "view" in problem.found


def test_numbers_of_every_type_and_far_ones(tmp_path):
    """No number is too large for the column that it is compared with."""
    kinds = ("TINYINT", "SMALLINT", "BIGINT", "UTINYINT", "HUGEINT", "FLOAT", "DECIMAL(4, 1)")
    with opened(tmp_path / "source.duckdb") as connection:
        names = ", ".join(f"c{n} {kind}" for n, kind in enumerate(kinds))
        connection.execute(f"CREATE TABLE t (sex VARCHAR, {names}, e ENUM ('a', 'b '))")
        insert(connection, "t", [("m", *[99] * 5, 99.9, Decimal("99.9"), "b ")] * 4)
        insert(connection, "t", [("m", *[1] * 5, 1.5, Decimal("1.5"), "a")] * 4)
    missing = [99, 99.9, 9999999, -(10**30), "b"]
    columns = {f"c{n}": "insensitive" for n in range(len(kinds))} | {"e": "insensitive"}
    data = policy_data({"sex": {"type": "suppression"}, **columns}, k=2)
    data["source"] |= {"missing": missing, "trim": True}
    policy = Policy.parse(data, tmp_path)
    assert anonsql.run(policy).released == 8
    found = rows_of(tmp_path / "release.duckdb", "SELECT DISTINCT * FROM r")
    assert sorted(map(repr, found)) == sorted(
        map(repr, [("m", *[1] * 5, 1.5, Decimal("1.5"), "a"), ("m", *[None] * 8)])
    )
    anonsql.verify(policy, against_source=True)


def test_parquet_is_mended_before_it_gets_types(tmp_path):
    with opened(tmp_path / "x.duckdb") as connection:
        connection.execute("CREATE TABLE t (sex VARCHAR, bmi VARCHAR)")
        insert(connection, "t", [("m", " 20.5"), ("M ", "N/A"), ("m", "21.5")] * 4)
        connection.execute(f"COPY t TO '{tmp_path / 'people.parquet'}'")
    columns = {"sex": {"case": "lower"}, "bmi": {"type": "double", "missing": ["N/A"]}}
    data = policy_data({"sex": {"type": "suppression"}, "bmi": "insensitive"}, k=12)
    data["source"] = {"file": "people.parquet", "trim": True, "columns": columns}
    policy = Policy.parse(data, tmp_path)
    assert anonsql.run(policy).released == 12
    found = rows_of(tmp_path / "release.duckdb", "SELECT DISTINCT sex, bmi FROM r ORDER BY bmi")
    assert found == [("m", 20.5), ("m", 21.5), ("m", None)]
    anonsql.verify(policy, against_source=True)


def frames():
    rows = {"sex": ["m", "M ", " m", "f", "F", "f "] * 4, "age": [-1, 30, 31] * 8}

    def pandas():
        return pytest.importorskip("pandas").DataFrame(rows)

    def polars():
        return pytest.importorskip("polars").DataFrame(rows)

    def arrow():
        return pytest.importorskip("pyarrow").table(rows)

    return [pandas, polars, arrow]


@pytest.mark.parametrize("frame", frames(), ids=lambda made: made.__name__)
def test_frames(frame):
    settings = {
        "columns": {
            "sex": {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}},
            "age": {"role": "insensitive"},
        },
        "privacy": {"k": 12},
    }
    how = {"trim": True, "columns": {"sex": {"case": "lower"}, "age": {"missing": [-1]}}}
    places = {"file": "people.csv", "encoding": "latin-1"}
    for source in (how, how | places | {"columns": {**how["columns"], "age": {"missing": [-1]}}}):
        made = anonsql.anonymize(frame(), settings | {"source": source})
        assert made.report.released == 24
        found = made.relation.project("sex, age").distinct().fetchall()
        assert sorted(found, key=repr) == sorted(
            [(sex, age) for sex in "mf" for age in (None, 30, 31)], key=repr
        )
    with pytest.raises(PolicyError, match=r"source\.trimm"):
        anonsql.anonymize(frame(), settings | {"source": {"trimm": True}})


def test_a_population_is_read_as_it_says(tmp_path):
    with opened(tmp_path / "source.duckdb") as connection:
        connection.execute("CREATE TABLE t (sex VARCHAR)")
        connection.execute("CREATE TABLE everyone (sex VARCHAR)")
        insert(connection, "t", [("m",)] * 4)
        insert(connection, "everyone", [("M ",)] * 9)
    data = policy_data({"sex": {"type": "suppression"}}, k=2)
    there = {"database": "source.duckdb", "table": "everyone"}
    data["privacy"] |= {"population": there, "k_map": 9}
    assert anonsql.run(Policy.parse(data, tmp_path)).levels == {"sex": 1}
    data["privacy"]["population"] = there | {"trim": True, "case": "lower"}
    assert anonsql.run(Policy.parse(data, tmp_path)).levels == {"sex": 0}


def test_compiled_statements_need_a_view_that_mends(tmp_path):
    DuckDB(tmp_path).make({"sex": "VARCHAR"}, [("m",), ("M",)] * 4)
    data = policy_data({"sex": {"type": "suppression"}}, k=8)
    data["source"]["case"] = "lower"
    policy = Policy.parse(data, tmp_path)
    with pytest.raises(PolicyError, match="--source: the policy corrects values"):
        anonsql.compile(policy, "postgres", tmp_path / "sql")
    made = anonsql.compile(policy, "postgres", tmp_path / "sql", source="mended")
    assert made.levels == {"sex": 0}


def test_several_tables_have_the_same_keys_when_they_are_mended(tmp_path):
    """Keys that differ in blanks alone lead to each other; declared keys are still known."""
    mixed = clinic.rows()
    mixed["visits"] = [(n, f"{who} ", *rest) for n, who, *rest in mixed["visits"]]
    mixed["patients"] = [
        (*row[:-1], (row[-1].lower(), row[-1])[n % 2]) for n, row in enumerate(mixed["patients"])
    ]
    _, data = clinic.in_a_file(tmp_path, mixed)
    data |= clinic.AT_LEVELS
    with pytest.raises(PolicyError, match=r"visits\.references\.patient_id"):
        anonsql.run(RelationalPolicy.parse(data, tmp_path))
    data["source"] |= {"trim": True, "columns": {"patients.sex": {"case": "upper"}}}
    policy = RelationalPolicy.parse(data, tmp_path)
    assert anonsql.check(policy).problems == []
    assert anonsql.run(policy).status == "published"
    found = rows_of(tmp_path / "released.duckdb", "SELECT DISTINCT sex FROM patients ORDER BY sex")
    assert found == [("F",), ("M",)]
    anonsql.verify(policy, against_source=True)


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("patients.sexx", "source.columns.patients.sexx"),
        ("visits.sex", "source.columns.visits.sex"),
        ("people.sex", "source.columns.people.sex"),
    ],
)
def test_columns_of_several_tables_that_are_not_there(tmp_path, name, where):
    _, data = clinic.in_a_file(tmp_path)
    data["source"]["columns"] = {name: {"case": "upper"}}
    with pytest.raises(PolicyError) as refused:
        anonsql.run(RelationalPolicy.parse(data, tmp_path))
    assert where in [problem.where for problem in refused.value.problems]


def test_policies_that_read_a_source_differently_are_not_compared(tmp_path):
    DuckDB(tmp_path).make({"sex": "VARCHAR"}, [("m",), ("M",)] * 4)
    one = policy_data({"sex": {"type": "suppression"}}, k=2)
    other = one | {"source": one["source"] | {"case": "lower"}}
    policies = [Policy.parse(one, tmp_path), Policy.parse(other, tmp_path)]
    with pytest.raises(PolicyError, match="read values of the source in different ways"):
        anonsql.compare(policies)
