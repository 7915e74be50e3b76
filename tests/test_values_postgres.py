"""Every type of PostgreSQL, to its own schema and to every kind of release file: a released value
has the text that it has there."""

import re
from collections import Counter

import duckdb
import pytest
import yaml

import anonsql
from anonsql.errors import PolicyError
from anonsql.features.init import command as profile
from anonsql.policy.policy import Policy

from .engines import Postgres
from .support import policy_data

# type: values as PostgreSQL reads them, then the type in a release file where it is not text
TYPES = {
    "smallint": (["-32768"], "SMALLINT"),
    "integer": (["2147483647"], "INTEGER"),
    "bigint": (["-9223372036854775808"], "BIGINT"),
    "numeric": (["1.0", "1.00", "NaN", "Infinity", "1" + 200 * "0" + ".5"], None),
    "numeric(10,2)": (["1.50", "-0.05"], "DECIMAL(10,2)"),
    "numeric(12,3)": (["1.5", "NaN"], None),
    "numeric(3,-2)": (["12300"], None),
    "real": (["NaN", "-Infinity", "-0", "0.1", "1e20", "100"], "FLOAT"),
    "double precision": (
        ["NaN", "Infinity", "-0", "0", "1e15", "123456789012345680", "5e-324", "0.0001", "0.00001"],
        "DOUBLE",
    ),
    "money": (["-1234.50"], None),
    "boolean": (["true", "false"], "BOOLEAN"),
    "text": (["", "NULL", "\\N", "a,\"b\"\n'c'", "é"], "VARCHAR"),
    "varchar(10)": (["a "], "VARCHAR"),
    "character(4)": (["ab"], None),
    "bpchar": (["ab  ", "ab"], None),
    '"char"': (["x"], None),
    "name": (["n"], "VARCHAR"),
    "bytea": (["\\x00ff61", ""], "BLOB"),
    "bit(4)": (["0101"], None),
    "bit varying": (["1", "0101"], None),
    "date": (["0044-03-15 BC", "infinity", "-infinity", "4713-01-01 BC", "5874897-12-31"], "DATE"),
    "timestamp": (
        ["0044-03-15 12:00:00.5 BC", "infinity", "2020-01-01 00:00:00.000001"],
        "TIMESTAMP",
    ),
    "timestamp(3)": (["294276-01-01 00:00:00", "2020-01-01"], None),
    "timestamptz": (
        ["0044-03-15 12:00:00+00 BC", "-infinity", "2020-01-01 00:00:00+05"],
        "TIMESTAMP WITH TIME ZONE",
    ),
    "time": (["24:00:00", "12:00:00.000001"], "TIME"),
    "timetz": (["12:00:00+01", "11:00:00+00", "12:00:00-15:59:59"], None),
    "interval": (["1 month", "30 days", "720 hours", "-1 year 2 days"], None),
    "uuid": (["00000000-0000-0000-0000-00000000000A"], "UUID"),
    "json": (['{"a": 1,  "a": 2}', "1.0", "null"], None),
    "jsonb": (['{"a": 1.0}', '{"a": 1.00}'], None),
    "integer[]": (["{1,NULL}", "{{1,2},{3,4}}", "[0:1]={1,2}"], None),
    "text[]": (['{"a, b",NULL,"NULL",""}'], None),
    "date[]": (["{0044-03-15 BC,infinity}"], None),
    "numeric[]": (["{1.0}", "{1.00}"], None),
    "OWN.pair": (['(1,"a, b")', "(,)"], None),
    "OWN.mood": (["sad", "happy"], None),
    "OWN.posint": (["5"], "INTEGER"),
    "int4range": (["[1,5)", "empty"], None),
    "numrange": (["[1.0,2]", "[1.00,2]"], None),
    "datemultirange": (["{[2020-01-01,2020-02-01)}"], None),
    "inet": (["192.168.0.1", "192.168.0.1/24"], None),
    "cidr": (["10.0.0.0/8"], None),
    "macaddr": (["08:00:2b:01:02:03"], None),
    "point": (["(1,-0)"], None),
    "box": (["(1,1),(0,0)"], None),
    "polygon": (["((0,0),(1,0),(1,1))"], None),
    "tsvector": (["'a':1 'b':2A"], None),
    "oid": (["4294967295"], None),
    "regclass": (["pg_class"], None),
    "pg_lsn": (["16/B374D848"], None),
    "jsonpath": (['$."a"'], None),
}
OWN = """CREATE TYPE {0}.pair AS (a integer, b text);
CREATE TYPE {0}.mood AS ENUM ('sad', 'happy');
CREATE DOMAIN {0}.posint AS integer CHECK (VALUE > 0)"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A table with a column of each type, in which every row occurs twice."""
    made = Postgres(tmp_path_factory.mktemp("postgres"))
    made.connection.execute("SET TimeZone = 'UTC'")
    made.connection.execute(OWN.format(made.source))
    kinds = [kind.replace("OWN", made.source) for kind in TYPES]
    columns = ", ".join(f"c{number} {kind}" for number, kind in enumerate(kinds))
    made.connection.execute(f"CREATE TABLE {made.source}.t (q integer, {columns})")
    for row in range(max(len(values) for values, _ in TYPES.values())):
        definitions = [
            (
                f"'{values[row].replace(chr(39), chr(39) * 2)}'::{kind}"
                if row < len(values)
                else "NULL"
            )
            for kind, (values, _) in zip(kinds, TYPES.values(), strict=True)
        ]
        for _ in range(2):
            made.connection.execute(
                f"INSERT INTO {made.source}.t VALUES ({row}, {', '.join(definitions)})"
            )
    yield made
    made.close()


def outputs(server, table, name):
    """The texts of a column, as COPY writes them."""
    rows = server.connection.execute(
        f"SELECT CASE WHEN {name} IS DISTINCT FROM NULL THEN concat({name}) END FROM {table}"
    ).fetchall()
    return [row[0] for row in rows]


def policy(server, folder, release, columns, table="t", **more):
    data = policy_data(columns, **more)
    source = {"database": server.url, "table": f"{server.source}.{table}"}
    return Policy.parse({**data, "source": source, "release": {"completed": 0, **release}}, folder)


FILES = {
    "duckdb": ({"database": "r.duckdb", "table": "r"}, "f.r"),
    "parquet": ({"file": "r.parquet", "table": "r"}, "'{}/r.parquet'"),
}
COLUMNS = {
    "q": {"type": "suppression"},
    **{f"c{n}": ("sensitive", "insensitive")[n % 2] for n in range(len(TYPES))},
}


@pytest.mark.parametrize("place", FILES)
def test_values_of_every_type_keep_their_text_in_a_file(server, tmp_path, place):
    release, relation = FILES[place]
    anonsql.run(policy(server, tmp_path, release, COLUMNS))
    reader = duckdb.connect()
    reader.execute("SET TimeZone = 'UTC'")
    if place == "duckdb":
        reader.execute(f"ATTACH '{tmp_path}/r.duckdb' AS f (READ_ONLY)")
    relation = relation.format(tmp_path)
    for number, (kind, (_, carried)) in enumerate(TYPES.items()):
        name = f"c{number}"
        wanted = outputs(server, f"{server.source}.t", name)
        found = reader.execute(f"SELECT {name}, CAST({name} AS VARCHAR) FROM {relation}").fetchall()
        type_text = reader.execute(f"DESCRIBE SELECT {name} FROM {relation}").fetchone()[1]
        assert type_text == (carried or "VARCHAR"), kind
        texts = [spelled(carried, value, text) for value, text in found]
        if carried in (
            "FLOAT",
            "DOUBLE",
        ):  # their texts differ by form alone: 1e15 and 1000000000000000.0
            texts, wanted = (
                [item and repr(float(item)) for item in side] for side in (texts, wanted)
            )
        assert Counter(texts) == Counter(wanted), kind


def spelled(kind, value, text):
    """A value of a file as PostgreSQL writes it."""
    if value is None or text is None:
        return None
    if kind == "BLOB":
        return "\\x" + value.hex()
    if kind == "BOOLEAN":
        return text[0]
    if "(BC)" in text:
        return text.replace(" (BC)", "") + " BC"
    return text


def test_values_of_every_type_keep_their_text_in_a_schema(server, tmp_path):
    release = {"database": server.url, "table": f"{server.release}.r"}
    anonsql.run(policy(server, tmp_path, release, COLUMNS))
    for number, kind in enumerate(TYPES):
        wanted = outputs(server, f"{server.source}.t", f"c{number}")
        assert Counter(outputs(server, f"{server.release}.r", f"c{number}")) == Counter(wanted), (
            kind
        )


def make(server, columns, rows):
    """Another table of the same schema; its name."""
    server.connection.execute(f"DROP TABLE IF EXISTS {server.source}.u")
    server.connection.execute(f"CREATE TABLE {server.source}.u ({columns})")
    for row in rows:
        server.connection.execute(f"INSERT INTO {server.source}.u VALUES ({row})")
    return "u"


@pytest.mark.parametrize("kind", ["json", "jsonb", "point", "interval", "timetz", "integer[]"])
def test_quasi_identifying_columns_that_cannot_be_compared_are_named(server, tmp_path, kind):
    make(server, f"q integer, x {kind}", ["1, NULL"] * 4)
    columns = {"q": {"type": "suppression"}, "x": {"type": "suppression"}}
    asked = policy(server, tmp_path, FILES["duckdb"][0], columns, table="u")
    found = anonsql.check(asked)
    assert [problem.where for problem in found.problems] == ["columns.x"]
    assert "cannot be generalized" in found.problems[0].message
    with pytest.raises(
        PolicyError, match=r"columns\.x: .* cannot be generalized\. Cast it to text"
    ):
        anonsql.run(asked)


@pytest.mark.parametrize("kind", ["date", "timestamp", "timestamptz"])
@pytest.mark.parametrize("place", [*FILES, "server"])
@pytest.mark.parametrize(
    "hierarchy", [{"type": "suppression"}, {"type": "date", "levels": ["year"]}]
)
def test_quasi_identifying_dates_may_be_infinite_or_bc(server, tmp_path, kind, place, hierarchy):
    days = ["'infinity'", "'-infinity'", "'0044-03-15 BC'", "'2020-01-01'", "NULL"]
    make(server, f"x {kind}, s text", [f"{day}, 'a'" for day in days for _ in range(2)])
    release = {"database": server.url, "table": f"{server.release}.u"}
    release = FILES[place][0] if place in FILES else release
    asked = {"role": "quasi-identifying", "hierarchy": hierarchy, "min_level": 0, "max_level": 0}
    given = policy(server, tmp_path, release, {"x": asked, "s": "sensitive"}, table="u")
    if hierarchy["type"] == "date":
        with pytest.raises(
            PolicyError, match=r"columns\.x\.hierarchy: 3 distinct values .* infinite"
        ):
            anonsql.run(given)
        return
    anonsql.run(given)
    if place == "server":
        source, name = f"{server.source}.u", f"{server.release}.u"
        own = outputs(server, source, "x::timestamp" if kind == "timestamptz" else "x")
        for column in ("x_lo", "x_hi"):
            assert Counter(outputs(server, name, column)) == Counter(own)
        # labels are texts of the workbench, which marks such years as DuckDB does
        labels = [item and re.sub(r"^(\S+)(.*) BC$", r"\1 (BC)\2", item) for item in own]
        assert Counter(outputs(server, name, "x")) == Counter(labels)


@pytest.mark.parametrize("where", ["auto", "embedded"])
def test_numbers_that_duckdb_cannot_hold_stay_in_place(server, tmp_path, where):
    make(server, "x numeric(6,2), s text", [f"{word}, 'a'" for word in ("'NaN'", "1.5") * 2])
    release = {"database": server.url, "table": f"{server.release}.u"}
    columns = {"x": {"type": "suppression"}, "s": "sensitive"}
    data = policy(server, tmp_path, release, columns, table="u").model_dump(
        mode="json", exclude_unset=True
    )
    given = Policy.parse(data | {"engine": {"workbench": where}}, tmp_path)
    if where == "embedded":
        with pytest.raises(PolicyError, match=r"engine\.workbench: .* Set it to auto or in-place"):
            anonsql.run(given)
    else:
        assert anonsql.run(given).released == 4


@pytest.mark.parametrize("place", [*FILES, "server"])
def test_columns_that_differ_in_case_alone(server, tmp_path, place):
    make(server, '"Age" integer, age integer', ["1, 2"] * 4)
    release = {"database": server.url, "table": f"{server.release}.v"}
    columns = {"Age": {"type": "suppression"}, "age": "insensitive"}
    release = FILES[place][0] if place in FILES else release
    given = policy(server, tmp_path, release, columns, table="u")
    if place == "server":
        assert anonsql.run(given).released == 4
        return
    message = (
        r"columns\.age: the names of this column and of 'Age' differ only in case.* Rename one"
    )
    with pytest.raises(PolicyError, match=message):
        anonsql.run(given)
    assert [problem.where for problem in anonsql.check(given).problems] == ["columns.age"]


def test_init_reads_every_type_and_writes_no_name_of_one(server, tmp_path):
    evil = f'{server.source}."e\nprivacy: {{k: 1}}"'
    server.connection.execute(f"CREATE TYPE {evil} AS (a integer)")
    server.connection.execute(f"CREATE TABLE {server.source}.w AS SELECT * FROM {server.source}.t")
    server.connection.execute(f"ALTER TABLE {server.source}.w ADD COLUMN evil {evil}")
    profile.init(server.url, f"{server.source}.w", tmp_path / "new.yaml")
    written = yaml.safe_load((tmp_path / "new.yaml").read_text(encoding="utf-8"))
    assert written["privacy"]["k"] == 3 and len(written["columns"]) == len(TYPES) + 2
