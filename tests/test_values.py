"""Every type of DuckDB, to every kind of release file: a released value has the text that it has in
the source."""

from decimal import Decimal

import duckdb
import pytest

import anonsql
from anonsql.engines import column_types
from anonsql.engines.base import Column
from anonsql.engines.duckdb.target import FileTarget
from anonsql.errors import PolicyError, VerificationError

from .methods import CHANGING
from .support import in_file, opened, policy_data, policy_in, write_data

# type: values, and what a Parquet file and a DuckDB file have it as where that is another type
TYPES = {
    "BOOLEAN": ("true", "false", "NULL"),
    "TINYINT": ("-128", "127"),
    "SMALLINT": ("-32768",),
    "INTEGER": ("-2147483648",),
    "BIGINT": ("9223372036854775807",),
    "HUGEINT": ("99999999999999999999999999999999999999", "-100000000000000000000"),
    "UTINYINT": ("255",),
    "USMALLINT": ("65535",),
    "UINTEGER": ("4294967295",),
    "UBIGINT": ("18446744073709551615",),
    "UHUGEINT": ("340282366920938463463374607431768211455", "1"),
    "BIGNUM": ("'123456789012345678901234567890123456789012345678901234567890'", "'-5'"),
    "FLOAT": ("'nan'", "'inf'", "'-inf'", "'-0.0'", "0.1", "1e20"),
    "DOUBLE": ("'nan'", "'-inf'", "'-0.0'", "0.0", "0.1", "1e300", "5e-324"),
    "DECIMAL(4,2)": ("1.50", "-0.05"),
    "DECIMAL(18,18)": ("0.1",),
    "DECIMAL(38,0)": ("-99999999999999999999999999999999999999",),
    "VARCHAR": ("''", "'NULL'", "'a, \"b\" ''c'''", "chr(0) || 'é\n'", "'A'", "'a'"),
    "BLOB": ("'\\x00\\xFF'::BLOB", "''::BLOB"),
    "BIT": ("'0101'", "'1'"),
    "UUID": ("'00000000-0000-0000-0000-00000000000a'",),
    "DATE": ("'0044-03-15 (BC)'", "'infinity'", "'-infinity'", "'99999-12-31'"),
    "TIME": ("'12:00:00.123456'", "'24:00:00'"),
    "TIMETZ": ("'12:00:00+01'", "'11:00:00+00'", "'12:00:00.5-15:59:59'"),
    "TIME_NS": ("'12:00:00.123456789'",),
    "TIMESTAMP": ("'0044-03-15 (BC) 12:00:00'", "'infinity'", "'2020-01-01 00:00:00.000001'"),
    "TIMESTAMP_S": ("'0044-03-15 (BC) 12:00:00'", "'infinity'", "'2020-01-01 00:00:01'"),
    "TIMESTAMP_MS": ("'2020-01-01 00:00:00.001'", "'-infinity'"),
    "TIMESTAMP_NS": ("'2020-01-01 00:00:00.000000001'", "'infinity'"),
    "TIMESTAMPTZ": ("'2020-01-01 00:00:00+05'", "'infinity'", "'0044-03-15 (BC) 12:00:00+00'"),
    "INTERVAL": ("'1 month'", "'30 days'", "'720 hours'", "'-1 year 2 days 3 microseconds'"),
    "ENUM('a', 'b, c')": ("'a'", "'b, c'"),
    "JSON": ("'{\"a\": 1.0}'", "'null'"),
    "INTEGER[]": ("[1, NULL]", "[]"),
    "VARCHAR[]": ("['a, b', 'NULL', NULL, '', '\"''']",),
    "DOUBLE[]": ("['-0.0'::DOUBLE, 'nan'::DOUBLE]", "[0.0]"),
    "HUGEINT[]": ("[(1::HUGEINT << 120), NULL]",),
    "UHUGEINT[][]": ("[[340282366920938463463374607431768211455]]", "[[1], NULL]"),
    "INTEGER[3]": ("[1, 2, 3]",),
    "INTERVAL[]": ("[INTERVAL '1 month']", "[INTERVAL '30 days']"),
    "BIT[]": ("['01'::BIT]",),
    "STRUCT(a INTEGER, b VARCHAR)": ("{'a': 1, 'b': 'x, ''b'': y'}",),
    'STRUCT(a HUGEINT, "b (c" STRUCT(c VARCHAR[]))': (
        "{'a': (1::HUGEINT << 90) + 1, 'b (c': {'c': ['q''', '\"']}}",
    ),
    "STRUCT(a ENUM('x', 'y'))": ("{'a': 'x'}",),
    "MAP(VARCHAR, INTEGER)": ("MAP {'a': 1, 'b': NULL}", "MAP {}"),
    "MAP(HUGEINT, DOUBLE)": ("MAP {(1::HUGEINT << 70): '-0.0'::DOUBLE}",),
    "UNION(num INTEGER, str VARCHAR)": ("union_value(num := 1)", "union_value(str := 'x')"),
    "VARIANT": ("1", "'x'", "{'a': [1]}"),
    "GEOMETRY": ("'POINT (1 2)'",),
}
CARRIED = {  # where the type is another one
    "duckdb": {
        **dict.fromkeys(("BIGNUM", "TIME_NS", "VARIANT", "GEOMETRY"), "VARCHAR"),
        **{kind: "VARCHAR" for kind in TYPES if kind.startswith(("ENUM", "STRUCT"))},
        "UNION(num INTEGER, str VARCHAR)": "VARCHAR",
    },
    "parquet": {
        "HUGEINT": "DECIMAL(38,0)",
        "UHUGEINT": "VARCHAR",  # one of its values has 39 digits
        "UHUGEINT[][]": "VARCHAR",
        "HUGEINT[]": "DECIMAL(38,0)[]",
        "MAP(HUGEINT, DOUBLE)": "MAP(DECIMAL(38,0), DOUBLE)",
        "TIMESTAMP_S": "TIMESTAMP",
        "TIMESTAMP_MS": "TIMESTAMP",
        "INTEGER[3]": "INTEGER[]",
        **dict.fromkeys(("BIT", "BIT[]", "TIMETZ", "INTERVAL", "INTERVAL[]"), "VARCHAR"),
    },
}
SPELLED = {"TIMETZ": "TIME WITH TIME ZONE", "TIMESTAMPTZ": "TIMESTAMP WITH TIME ZONE"}
COMPARABLE = [item for item in TYPES if Column("x", SPELLED.get(item, item)).kind != "other"]
PLACES = {
    "duckdb": {"database": "release.duckdb", "table": "r"},
    "parquet": {"file": "r.parquet", "table": "r"},
    "folder": {"file": "out", "table": "r"},
}
READ = {"duckdb": "f.r", "parquet": "'{}/r.parquet'", "folder": "'{}/out/r.parquet'"}


def make_source(folder, types):
    """A table with a column of each type, in which every row occurs twice; the columns' names by
    type."""
    connection = duckdb.connect(
        str(folder / "source.duckdb"), config={"storage_compatibility_version": "latest"}
    )
    connection.execute("SET TimeZone = 'UTC'")
    names = {kind: f"c{number}" for number, kind in enumerate(types)}
    connection.execute(
        f"CREATE TABLE t (q INTEGER, {', '.join(f'{name} {kind}' for kind, name in names.items())})"
    )
    for row in range(max(map(len, types.values()))):
        definitions = [
            f"CAST({values[row % len(values)]} AS {kind})" if row < len(values) else "NULL"
            for kind, values in types.items()
        ]
        for _ in range(2):
            connection.execute(f"INSERT INTO t SELECT {row}, {', '.join(definitions)}")
    connection.close()
    return names


def texts(path, relation, name, text=True):
    """The texts of a column, sorted; NULL as None."""
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    if path.suffix == ".duckdb":
        connection.execute(f"ATTACH '{path}' AS f (READ_ONLY)")
    rows = connection.execute(f'SELECT CAST("{name}" AS VARCHAR) FROM {relation}').fetchall()
    kind = connection.execute(f'DESCRIBE SELECT "{name}" FROM {relation}').fetchall()[0][1]
    connection.close()
    return sorted((row[0] for row in rows), key=lambda item: (item is None, item)), kind


def run(folder, columns, place, **more):
    data = policy_data(columns, **more) | {"release": PLACES[place]}
    path = write_data(folder, data)
    return anonsql.run(path)


def released(folder, place, name):
    path = folder / "release.duckdb" if place == "duckdb" else folder
    return texts(path, READ[place].format(folder), name)


@pytest.mark.parametrize("place", PLACES)
def test_values_of_every_type_keep_their_text(tmp_path, place):
    names = make_source(tmp_path, TYPES)
    roles = {name: ("sensitive", "insensitive")[n % 2] for n, name in enumerate(names.values())}
    run(tmp_path, {"q": {"type": "suppression"}, **roles}, place)
    kinds = CARRIED["duckdb" if place == "duckdb" else "parquet"]
    kinds = {**(CARRIED["duckdb"] if place != "duckdb" else {}), **kinds}
    for kind, name in names.items():
        wanted, _ = texts(tmp_path / "source.duckdb", "f.t", name)
        found, carried = released(tmp_path, place, name)
        assert found == wanted, kind
        assert carried == kinds.get(kind, SPELLED.get(kind, kind)), kind


def numbers(labels):
    """Labels as the numbers that they are, minus zero being zero."""
    return sorted("" if label is None else repr(float(label) + 0.0) for label in labels)


@pytest.mark.parametrize("place", PLACES)
def test_labels_and_bounds_of_every_type_that_can_be_compared_are_its_text(tmp_path, place):
    types = {kind: TYPES[kind] for kind in COMPARABLE} | {"UHUGEINT": ("1", "1" + 37 * "0")}
    names = make_source(tmp_path, types)
    asked = {
        "role": "quasi-identifying",
        "hierarchy": {"type": "suppression"},
        "min_level": 0,
        "max_level": 0,
    }
    run(tmp_path, {"q": "insensitive", **dict.fromkeys(names.values(), asked)}, place)
    for kind, name in names.items():
        wanted, _ = texts(tmp_path / "source.duckdb", "f.t", name)
        labels, carried = released(tmp_path, place, name)
        assert carried == "VARCHAR"
        if kind in ("FLOAT", "DOUBLE"):  # labels of numbers are written alike on all engines
            assert numbers(labels) == numbers(wanted), kind
        elif not kind.startswith("TIMESTAMP") or kind == "TIMESTAMP":  # others are labels in UTC
            assert labels == wanted, kind
        if Column("x", SPELLED.get(kind, kind)).kind in ("integer", "decimal", "date"):
            for end in ("lo", "hi"):
                bounds, _ = released(tmp_path, place, f"{name}_{end}")
                assert [bound and bound.lstrip("0") for bound in bounds] == [  # '.1' beside '0.1'
                    label and label.lstrip("0") for label in labels
                ], kind


def test_bounds_of_sums_are_exact_in_parquet(tmp_path):
    in_file(
        tmp_path / "source.duckdb",
        "CREATE TABLE t AS SELECT g AS q, sum(9007199254740993 + g * 2) AS total FROM range(40)"
        " r(n), range(8) s(g) GROUP BY n % 5, g",
    )
    widths = {"type": "interval", "widths": [10]}
    run(tmp_path, {"q": {"type": "suppression"}, "total": widths}, "parquet", limit=0.9)
    with duckdb.connect() as connection:
        found = connection.sql(f"SELECT total, total_lo, total_hi FROM '{tmp_path}/r.parquet'")
        rows = found.fetchall()
    for label, low, high in rows:
        if "," in label:
            assert label == f"[{low},{high + 1})" and isinstance(low, Decimal | int)


WEAK = {  # type: two values that DuckDB finds equal
    "INTERVAL": ("INTERVAL '30 days'", "INTERVAL '1 month'"),
    "DOUBLE": ("'-0.0'::DOUBLE", "0.0::DOUBLE"),
    "DOUBLE[]": ("['-0.0'::DOUBLE]", "[0.0::DOUBLE]"),
    "INTERVAL[]": ("[INTERVAL '24 hours']", "[INTERVAL '1 day']"),
}
METHODS = {
    "full-domain": {"type": "full-domain"},
    "groups": {"type": "mondrian"},
    "split": {"type": "hilbert"},
    "anatomy": {"type": "anatomy"},
    "local": {"type": "local"},
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", WEAK)
def test_the_gate_finds_values_that_are_only_equal(tmp_path, monkeypatch, method, kind):
    was, becomes = WEAK[kind]
    connection = duckdb.connect(str(tmp_path / "source.duckdb"))
    connection.execute(f"CREATE TABLE t (q INTEGER, s VARCHAR, x {kind})")
    connection.execute(f"INSERT INTO t SELECT n // 4, 's' || n % 4, {was} FROM range(16) r(n)")
    connection.close()
    diverse = {"privacy": {"k": 2, "suppression_limit": 0, "l_diversity": {"s": 2}}}
    columns = {"q": {"type": "suppression"}, "s": "sensitive", "x": "insensitive"}
    more = {"method": METHODS[method]} | (diverse if method in ("anatomy", "local") else {})
    write = FileTarget._write

    def written(self, statements):
        write(self, statements)
        with opened(self._built) as built:
            built.execute(f"CREATE OR REPLACE TABLE r AS SELECT * REPLACE ({becomes} AS x) FROM r")

    monkeypatch.setattr(FileTarget, "_write", written)
    with pytest.raises(VerificationError):
        run(tmp_path, columns, "duckdb", **more)


def test_bounds_of_more_digits_than_parquet_has_are_refused(tmp_path):
    make_source(tmp_path, {"HUGEINT": ("170141183460469231731687303715884105727",)})
    columns = {"q": "insensitive", "c0": {"type": "suppression"}}
    with pytest.raises(
        PolicyError, match=r"columns.c0: .* do not fit DECIMAL\(38,0\).*bounds: false"
    ):
        run(tmp_path, columns, "parquet")
    run(tmp_path, columns, "duckdb")
    assert released(tmp_path, "duckdb", "c0_lo")[1] == "HUGEINT"


def test_the_gate_finds_a_type_that_changes_values(tmp_path, monkeypatch):
    make_source(tmp_path, {"HUGEINT": TYPES["HUGEINT"]})
    monkeypatch.setitem(column_types._FILE_TYPES["parquet"], "HUGEINT", "DOUBLE")
    monkeypatch.setattr(
        "anonsql.engines.duckdb.target.with_safe_types", lambda _reader, export: export
    )
    with pytest.raises(VerificationError, match="differ from the generalized source"):
        run(tmp_path, {"q": {"type": "suppression"}, "c0": "insensitive"}, "parquet")


def test_text_of_another_collation_keeps_its_case(tmp_path):
    connection = duckdb.connect(str(tmp_path / "source.duckdb"))
    connection.execute("CREATE TABLE t (q INTEGER, x VARCHAR COLLATE NOCASE)")
    connection.execute("INSERT INTO t VALUES (1, 'a'), (1, 'A'), (1, 'A')")
    connection.close()
    run(tmp_path, {"q": {"type": "suppression"}, "x": "sensitive"}, "parquet")
    assert released(tmp_path, "parquet", "x")[0] == ["A", "A", "a"]


def test_types_are_told_without_what_their_owner_called_things():
    for spelling, shown in {
        "STRUCT(ssn INTEGER, \"a\nb\" ENUM('x'))": "a STRUCT with an enumeration",
        'STRUCT("a\nprivacy: {k: 1}" INTEGER)': "STRUCT(INTEGER)",
        "MAP(VARCHAR, DECIMAL(3,1)[])": "MAP(VARCHAR, DECIMAL(3,1)[])",
        "ENUM('flu')": "an enumeration",
        '"evil\nprivacy: {k: 1}"': "a user-defined type",
        "TIMESTAMP WITH TIME ZONE": "TIMESTAMP WITH TIME ZONE",
    }.items():
        assert column_types.parse(spelling).family == shown
        assert Column("x", spelling).family == shown


METHODS_COMPARED = {"full-domain": METHODS["full-domain"], **CHANGING}


@pytest.mark.parametrize("kind", ["HUGEINT", "INTERVAL", "DOUBLE", "TIMETZ", "ENUM('a', 'b, c')"])
@pytest.mark.parametrize("method", METHODS_COMPARED)
def test_verify_against_the_source_reads_what_a_file_has_another_type_for(tmp_path, kind, method):
    make_source(tmp_path, {kind: TYPES[kind] * 3})
    columns = {"q": {"type": "interval", "widths": [2, 4, 8]}, "c0": "sensitive"}
    run(tmp_path, columns, "parquet", limit=0.5, method=METHODS_COMPARED[method])
    report = anonsql.verify(tmp_path / "policy.yaml", against_source=True)
    assert report.status == "verified"


def test_a_union_is_warned_of(tmp_path):
    """Its text does not tell 1 from '1'."""
    with opened(tmp_path / "source.duckdb") as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT i % 2 AS a, [union_value(num := i)] AS u, "
            "CAST('12:00:00+01' AS TIMETZ) AS z FROM range(8) AS x (i)"
        )
    columns = {"a": {"type": "suppression"}, "u": "insensitive", "z": "insensitive"}
    policy = policy_in(tmp_path, columns, k=2)
    for report in (anonsql.check(policy), anonsql.run(policy)):
        places = [warning.where for warning in report.warnings if "the member" in str(warning)]
        assert places == ["columns.u"]
