"""The columns of a release: in the order of the source's, and of the types that a run gives
them."""

from datetime import date
from decimal import Decimal

import pytest

import anonsql
from anonsql.errors import PolicyError, VerificationError

from . import clinic, tables_of_numbers
from .engines import ENGINES, policy_on
from .support import policy_data, rows_of, written_anew
from .test_databases import DATABASES

COLUMNS = {"age": "INTEGER", "sex": "VARCHAR", "n": "BIGINT", "ill": "VARCHAR"}
POLICY = {
    "age": {"type": "interval", "widths": [10]},
    "sex": {"type": "suppression"},
    "n": "insensitive",
    "ill": "sensitive",
}
ROWS = [(20 + i % 30, "mf"[i % 2], i % 7, "xyz"[i % 3]) for i in range(120)]
EVERY = "age, age_lo, age_hi, sex, n, ill"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A release in a DuckDB file that is proved, and its policy."""
    place = ENGINES["duckdb"](tmp_path_factory.mktemp("made"))
    place.make(COLUMNS, ROWS)
    policy = policy_on(place, policy_data(POLICY, k=3))
    anonsql.run(policy)
    anonsql.verify(policy, against_source=True)
    return policy, place.folder / "release.duckdb"


@pytest.fixture
def released(made):
    """The policy of the release, and what writes it anew by another SELECT, with the rows of
    ``__columns`` in another order where one is given. It is as it was made in the end."""
    policy, file = made
    before = file.read_bytes()

    def write(select, order=""):
        facts = f"FROM old.r__columns ORDER BY list_position([{order}], column_name)"
        selects = {"r": f"SELECT {select} FROM old.r ORDER BY ALL NULLS FIRST"}
        written_anew(file, selects | ({"r__columns": facts} if order else {}))

    yield policy, write
    file.write_bytes(before)


@pytest.mark.parametrize(
    ("select", "message"),
    [
        (EVERY.replace("age_lo", "age_lo::SMALLINT AS age_lo"), "'age_lo' is SMALLINT"),
        (EVERY.replace("age_hi", "age_hi::DOUBLE AS age_hi"), "'age_hi' is DOUBLE"),
        ("age, age_hi, age_lo, sex, n, ill", "bounds of 'age' are not right after it"),
        ("age, sex, age_lo, age_hi, n, ill", "bounds of 'age' are not right after it"),
        (EVERY.replace(" n,", " n::INTEGER AS n,"), "'n' is INTEGER in the release, BIGINT"),
    ],
)
def test_other_columns_are_refused(released, select, message):
    policy, write = released
    write(EVERY)
    anonsql.verify(policy, against_source=True)
    write(select)
    with pytest.raises(VerificationError, match=message):
        anonsql.verify(policy, against_source=True)


def test_bounds_are_refused_without_the_source(released):
    policy, write = released
    write(EVERY.replace("age_lo", "age_lo::SMALLINT AS age_lo"))
    with pytest.raises(VerificationError, match="'age_lo' is SMALLINT, which bounds never are"):
        anonsql.verify(policy)


MOOD = "ENUM('x', 'y', 'z', 'Ann')"
FOREIGN = {
    "an enumeration": f"ill::{MOOD}",
    "a list of an enumeration": f"[ill]::{MOOD}[]",
    "a structure": "{'Ann': ill}",
    "a list of structures": "[{'Ann': ill}]",
    "a map of structures": "MAP {ill: {'Ann': 1}}",
    "a union": "union_value(Ann := ill)",
}


@pytest.mark.parametrize("what", FOREIGN)
def test_types_with_names_or_values_are_refused(released, what):
    """A recipient reads them although no row has them. The file is written as a run writes it."""
    policy, write = released
    write(EVERY.replace(" ill", f" {FOREIGN[what]} AS ill"))
    for against_source in (False, True):
        with pytest.raises(
            VerificationError, match=r"'ill' of rows is .*, a type that no column of a release"
        ):
            anonsql.verify(policy, against_source=against_source)


def one_table(folder):
    """A release with a completed table and hierarchies, and its policy."""
    place = ENGINES["duckdb"](folder)
    place.make(COLUMNS, ROWS)
    (folder / "sex.csv").write_text("m;all\nf;all\n", encoding="utf-8")
    data = policy_data({**POLICY, "sex": {"type": "file", "path": "sex.csv"}}, k=3)
    policy = policy_on(place, data)
    release = policy.release.model_copy(update={"completed": 2})
    return policy.model_copy(update={"release": release}), folder / "release.duckdb"


def with_anatomy(folder):
    place = ENGINES["duckdb"](folder)
    place.make(COLUMNS, ROWS)
    data = policy_data(POLICY, k=3)
    data["method"] = {"type": "anatomy"}
    data["privacy"]["l_diversity"] = {"ill": 2}
    return policy_on(place, data), folder / "release.duckdb"


def several_tables(folder):
    _, policy = clinic.in_a_file(folder)
    policy["release"]["completed"] = 1
    return policy | clinic.AT_LEVELS, folder / "released.duckdb"


def statistics(folder):
    place = ENGINES["duckdb"](folder)
    place.make(tables_of_numbers.COLUMNS, tables_of_numbers.rows())
    return tables_of_numbers.policy_on(place), folder / "release.duckdb"


@pytest.mark.parametrize("made", [one_table, with_anatomy, several_tables, statistics])
def test_every_table_of_a_release_has_types_without_values(tmp_path, made):
    """Each by itself, with the values of its last column of text and another one as a type."""
    policy, file = made(tmp_path)
    (anonsql.tabulate if made is statistics else anonsql.run)(policy)
    assert anonsql.verify(policy).status == "verified"
    before = file.read_bytes()
    described = "SELECT table_name, LAST(column_name) FROM duckdb_columns() WHERE NOT internal"
    texts = f"{described} AND data_type = 'VARCHAR' GROUP BY table_name ORDER BY table_name"
    for table, column in rows_of(file, texts):
        values = rows_of(file, f'SELECT DISTINCT "{column}" FROM "{table}"')
        words = sorted({"Ann"} | {word for (word,) in values if word is not None})
        spelled = ", ".join("'" + word.replace("'", "''") + "'" for word in words)
        cast = f'CAST("{column}" AS ENUM({spelled})) AS "{column}"'
        written_anew(file, {table: f'SELECT * REPLACE ({cast}) FROM old."{table}"'})
        with pytest.raises((VerificationError, PolicyError)) as refused:
            anonsql.verify(policy)
        assert "an enumeration" in str(refused.value) or "other columns" in str(refused.value)
        file.write_bytes(before)


@pytest.mark.parametrize(
    "select", ["sex, age, age_lo, age_hi, n, ill", "age, age_lo, age_hi, sex, ill, n"]
)
def test_another_order_is_refused_by_the_facts_and_by_the_source(released, select):
    policy, write = released
    write(select)
    with pytest.raises(VerificationError, match=f"than in __columns: {select}"):
        anonsql.verify(policy)
    write(select, order=", ".join(f"'{name}'" for name in select.split(", ")))
    anonsql.verify(policy)
    with pytest.raises(VerificationError, match="another order than the source's"):
        anonsql.verify(policy, against_source=True)


@pytest.mark.parametrize("name", [*ENGINES, *DATABASES])
def test_columns_of_every_type_pass_on_every_engine(tmp_path, name):
    place = {**ENGINES, **DATABASES}[name](tmp_path)
    try:
        types = {"a": "SMALLINT", "b": "DECIMAL(9,2)", "c": "DOUBLE", "d": "DATE", "e": "BIGINT"}
        rows = [
            (i % 9, Decimal(i % 5) / 4, i % 4 / 8, date(2024, 1, 1 + i % 9), i % 6)
            for i in range(90)
        ]
        place.make(types, rows)
        wide = {"type": "interval", "widths": [5]}
        columns = {"a": wide, "b": wide, "c": {"type": "suppression"}}
        columns |= {"d": {"type": "date", "levels": ["month"]}, "e": wide}
        policy = policy_on(place, policy_data(columns, k=2, limit=0.2))
        anonsql.run(policy)
        anonsql.verify(policy)
        anonsql.verify(policy, against_source=True)
    finally:
        if hasattr(place, "close"):
            place.close()
