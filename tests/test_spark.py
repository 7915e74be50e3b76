"""What only Spark has: views that are switched, scratch that outlives a killed run, and Spark
Connect."""

import contextlib
import datetime as dt
import json
import re
import socket
import subprocess
import sys
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest

import anonsql
from anonsql.engines import open_engine
from anonsql.engines.base import Column, Context
from anonsql.engines.spark.session import PAGE_SIZE, divide_shuffles
from anonsql.errors import BusyError, PolicyError, VerificationError
from anonsql.jobs import pipeline
from anonsql.policy.locations import JobLocations
from anonsql.policy.policy import Policy
from anonsql.system.journal import Journal

from .engines import SPARK_SETTINGS, Spark, java, policy_on
from .support import before_stage, cli, flat, in_python, policy_data, rows_of, updated, write_data

TYPES = {"age": "INTEGER", "name": "VARCHAR"}
ROWS = [(n % 3, f"N{n}") for n in range(30)]
COLUMNS = {"age": {"type": "suppression"}, "name": "identifying"}
LEVELS = {"method": {"levels": {"age": 0}}}


@pytest.fixture
def spark(tmp_path):
    made = Spark(tmp_path)
    made.make(TYPES, ROWS)
    yield made
    made.close()


def tables(spark):
    return sorted(
        row.tableName for row in spark.spark.sql(f"SHOW TABLES IN {spark.release}").collect()
    )


def scratch(spark):
    return [row.namespace for row in spark.spark.sql("SHOW DATABASES LIKE 'anonsql*'").collect()]


def temporary(spark):
    return sorted(
        row.viewName
        for row in spark.spark.sql("SHOW VIEWS IN default").collect()
        if row.isTemporary
    )


def test_views_over_new_tables_and_nothing_left(spark):
    """Nor is a file in the folder of a table overlooked, which no statement shows."""
    policy = policy_on(spark, policy_data(COLUMNS, k=5, **LEVELS))
    before = scratch(spark), temporary(spark)
    anonsql.run(policy)
    first = tables(spark)
    anonsql.run(policy)
    second = tables(spark)
    assert len(first) == len(second) == 6 and set(first) & set(second) == {
        "r",
        "r__about",
        "r__columns",
    }
    assert (scratch(spark), temporary(spark)) == before
    facts = spark.spark.sql(f"DESCRIBE DATABASE EXTENDED {spark.release}").collect()
    (folder,) = [row[1].removeprefix("file:") for row in facts if row[0] == "Location"]
    (table,) = (each for each in Path(folder).glob("r__v*") if each.name in second)
    (table / "_names.txt").write_text("Ann")
    with pytest.raises(VerificationError, match="file _names"):
        anonsql.verify(policy)


def test_a_killed_run_is_swept_by_the_next(spark, monkeypatch):
    from anonsql.engines.spark.engine import SparkEngine
    from anonsql.engines.spark.target import SparkTarget

    policy = policy_on(spark, policy_data(COLUMNS, k=5, **LEVELS))
    before = scratch(spark)

    class KilledError(BaseException):
        pass

    def killed(job):
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "RELEASE", (*pipeline.RELEASE[:-1], killed))
        patch.setattr(SparkEngine, "close", lambda engine: None)
        patch.setattr(SparkTarget, "close", lambda target: None)
        with pytest.raises(KilledError):
            anonsql.run(policy)
    assert (
        len(scratch(spark)) == len(before) + 1 and len(tables(spark)) == 3 and not spark.released()
    )
    anonsql.run(policy)
    assert scratch(spark) == before and len(tables(spark)) == 6


def test_ended_between_two_views(spark, monkeypatch):
    """What the views show stays; the next run mends, and may end there, too."""
    from anonsql.engines.spark.engine import SparkEngine

    policy = policy_on(spark, policy_data(COLUMNS, k=5, **LEVELS))
    anonsql.run(policy)
    query = SparkEngine.query
    for swaps in (1, 2):
        done = []

        def interrupted(engine, template, *, swaps=swaps, done=done, **parameters):
            if template == "engines/spark/swap":
                done.append(template)
                if len(done) > swaps:
                    raise KeyboardInterrupt
            return query(engine, template, **parameters)

        with monkeypatch.context() as patch:
            patch.setattr(SparkEngine, "query", interrupted)
            with pytest.raises(KeyboardInterrupt):
                anonsql.run(policy)
        assert len(spark.read()) == 30 and spark.read("r__about")
    anonsql.run(policy)
    assert anonsql.verify(policy).status == "verified" and len(tables(spark)) == 6


def test_what_stands_in_the_way_is_not_replaced(spark):
    spark.spark.sql(f"CREATE DATABASE {spark.release}")
    spark.spark.sql(f"CREATE TABLE {spark.release}.r AS SELECT 1 AS precious")
    with pytest.raises(PolicyError, match="already exists and is not a release of anonsql"):
        anonsql.run(policy_on(spark, policy_data(COLUMNS, k=5, **LEVELS)))
    assert spark.spark.sql(f"SELECT * FROM {spark.release}.r").collect()[0].precious == 1


def test_names_that_cannot_be(spark):
    policy = policy_on(spark, policy_data(COLUMNS, k=5, **LEVELS))
    for name, text in (
        ("r", "names no schema"),
        (f"{spark.release}.it's", "not a name that every"),
        (f"{spark.source}.r", "the source's schema"),
    ):
        with pytest.raises(PolicyError, match=text):
            anonsql.run(updated(policy, release={"table": name}))
    with pytest.raises(PolicyError, match="only PostgreSQL has roles"):
        anonsql.run(updated(policy, release={"grant": ["me"]}))


def test_a_source_that_changes_during_the_run(spark, monkeypatch):
    def meddle(job):
        spark.spark.sql(f"INSERT INTO {spark.source}.t VALUES (9, 'late')")

    before_stage(monkeypatch, pipeline.publish_release, meddle)
    with pytest.raises(BusyError, match="The source changed during the run"):
        anonsql.run(policy_on(spark, policy_data(COLUMNS, k=5, **LEVELS)))
    assert not spark.released() and tables(spark) == []


def test_parquet_files_as_the_source(spark, tmp_path):
    spark.spark.table(f"{spark.source}.t").write.parquet(str(tmp_path / "people.parquet"))
    data = policy_data(COLUMNS, k=5, **LEVELS)
    data["source"] = {"database": "local[2]", "file": "people.parquet"}
    data["release"] = {"database": "out.duckdb", "table": "r", "completed": 0}
    assert anonsql.run(Policy.parse(data, tmp_path)).released == 30
    data["source"]["file"] = "missing.parquet"
    with pytest.raises(anonsql.AnonsqlError, match="exist"):
        anonsql.run(Policy.parse(data, tmp_path))
    data["source"]["file"] = "people.csv"
    with pytest.raises(PolicyError, match="Spark can read only Parquet files"):
        anonsql.run(Policy.parse(data, tmp_path))


@pytest.mark.parametrize("there", [True, pytest.param(False, marks=pytest.mark.long)])
def test_nested_columns_are_kept(spark, there):
    spark.spark.sql(f"DROP TABLE {spark.source}.t")
    spark.spark.sql(
        f"CREATE TABLE {spark.source}.t AS SELECT CAST(id % 2 AS INT) AS age, map('a', id) AS m,"
        " array(id) AS l, struct(id, 'x' AS y) AS s, unhex('00ff') AS b, CAST('2020-01-01"
        " 00:00:00' AS TIMESTAMP) AS t FROM range(12)"
    )
    data = policy_data(
        {"age": {"type": "suppression"}, **dict.fromkeys("mlsbt", "sensitive")}, k=5, **LEVELS
    )
    if there:
        anonsql.run(policy_on(spark, data))
        assert sorted(row[-5]["a"] for row in spark.read()) == list(range(12))
        return
    policy = policy_on(spark, data).model_copy(
        update={
            "release": anonsql.policy.policy.Release(database="o.duckdb", table="r", completed=0)
        }
    )
    anonsql.run(policy)
    rows = rows_of(spark.folder / "o.duckdb", "SELECT m, l, s, b, t FROM r ORDER BY m LIMIT 1")
    assert rows[0][3] == b"\x00\xff" and rows[0][1] == "[0]"


def test_unreachable(tmp_path):
    if not java():
        pytest.skip("Spark needs Java 17 or newer, which is not there")
    data = policy_data(COLUMNS, k=5)
    data["source"] = {"database": "sc://127.0.0.1:1/;token=geheim", "table": "s.t"}
    write_data(tmp_path, data, "p.yaml")
    order = [sys.executable, "-m", "anonsql", "run", str(tmp_path / "p.yaml"), "--quiet"]
    done = subprocess.run(order, capture_output=True, text=True, check=False, timeout=120)
    assert (
        done.returncode == 3
        and "cannot be reached" in flat(done.stderr)
        and "geheim" not in flat(done.stderr)
    )


SERVER = """
import json, sys
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[2]")
settings = {**json.loads(sys.argv[3]), "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
            "spark.connect.grpc.binding.port": sys.argv[1], "spark.sql.warehouse.dir": sys.argv[2]}
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.sql("CREATE DATABASE src")
spark.sql("CREATE TABLE src.t USING PARQUET AS SELECT CAST(id % 3 AS INT) AS age, concat('N', id) AS name FROM range(30)")
print("ready", flush=True)
sys.stdin.read()
"""


def test_spark_connect(tmp_path):
    """A server of its own; the client has no Java. The release goes to the server, and to a
    file."""
    if not java():
        pytest.skip("Spark needs Java 17 or newer, which is not there")
    pytest.importorskip("grpc", reason="Spark Connect needs pyspark[connect]")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [
            sys.executable,
            "-c",
            SERVER,
            str(port),
            str(tmp_path / "warehouse"),
            json.dumps(SPARK_SETTINGS),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stdout.readline() == "ready\n"
        url = f"sc://127.0.0.1:{port}"
        data = policy_data(COLUMNS, k=5, **LEVELS)
        data["source"] = {"database": url, "table": "src.t"}
        data["engine"] = {"spark": {"spark.sql.shuffle.partitions": "2"}}
        for number, release in enumerate(
            ({"database": url, "table": "released.r"}, {"file": "out.parquet", "table": "r"})
        ):
            path = write_data(tmp_path, {**data, "release": release}, f"p{number}.yaml")
            for command in ("run", "verify"):
                done = in_python("-m", "anonsql", command, path, "--json", timeout=300)
                assert done.returncode == 0, done.stderr
                assert json.loads(done.stdout)["min_class"] == 10
        with duckdb.connect() as connection:
            assert connection.execute(
                f"SELECT count(*) FROM '{tmp_path / 'out.parquet'}'"
            ).fetchall() == [(30,)]
    finally:
        server.stdin.close()
        server.wait(timeout=60)


def test_init_on_spark(spark, tmp_path):
    result = cli("init", "local[2]", f"{spark.source}.t", "-o", tmp_path / "new.yaml")
    assert result.exit_code == 0, result.output
    assert "age" in (tmp_path / "new.yaml").read_text()


class Catalog:
    """What a Spark target sees of a schema, without Spark: names and whether each is a view. Every
    ``__about`` is a release's."""

    forgets = False

    def too_long(self, names):
        return ""

    def __init__(self, tables, views):
        self.tables, self.views = set(tables), set(views)

    def find(self, table, where):
        return ("in", "t")

    def names_in(self, schema):
        return sorted(self.tables | self.views)

    def is_view(self, relation):
        return relation[-1] in self.views

    def columns(self, relation):
        return (
            [Column("property", "VARCHAR"), Column("value", "VARCHAR")]
            if relation[-1] in self.views
            else []
        )

    def require_unchanged(self):
        pass

    def run(self, template, **parameters):
        self.tables.add(parameters["table"][-1])

    def stage(self, table, _template, _names, **_parameters):
        self.tables.add(table[-1])

    def query(self, template, **parameters):
        if template == "verification/facts":
            return [("anonsql", "1")]
        if template == "engines/spark/swap":
            self.views.add(parameters["view"][-1])
        elif template == "engines/spark/drop_view":
            self.views.remove(parameters["view"][-1])
        elif template == "engines/spark/drop":
            self.tables.remove(parameters["table"][-1])
        return []


BASE = ["r", "r__about", "r__columns"]
OLD = "__v0123456789abcdef"


def parts_after(catalog, extras):
    """The schema after a run whose release has these parts besides the three."""
    from anonsql.engines.spark.target import SparkTarget

    release = SimpleNamespace(name="out.r")
    target = SparkTarget(
        catalog,
        SimpleNamespace(
            release=release, source=SimpleNamespace(table="in.t"), release_parts=extras
        ),
        SimpleNamespace(exclusive=True),
    )
    target.guard()
    for part in ("rows", "about", "columns", *extras):
        target.stage(part, "release/facts", [])
    target.publish()
    assert all(name + target._version in catalog.tables for name in BASE)
    return catalog.views, {name for name in catalog.tables if not name.endswith(target._version)}


@pytest.mark.parametrize("extras", [(), ("sensitive",)])
@pytest.mark.parametrize(
    ("tables", "views", "kept"),
    [
        (BASE, BASE, []),
        ([*BASE, "r__sensitive"], [*BASE, "r__sensitive"], []),  # a release with one more
        ([*BASE, "r__sensitive"], BASE, []),  # a run that died before it showed its tables
        (["r__sensitive"], ["r__sensitive"], []),  # and one that died between two views
        ([*BASE, "r__sensitive_2"], [*BASE, "r__sensitive_2"], []),
        ([*BASE, "r__other"], [*BASE, "r__other"], ["r__other"]),  # somebody else's
    ],
)
def test_tables_of_earlier_releases_go_and_others_stay(extras, tables, views, kept):
    catalog = Catalog([name + OLD for name in tables], views)
    shown, others = parts_after(catalog, extras)
    assert shown == {*BASE, *(f"r__{part}" for part in extras), *kept} and others == {
        name + OLD for name in kept
    }


def test_a_release_of_its_own_is_no_part_of_another():
    """r__sensitive is a release too, by another policy."""
    names = [*BASE, "r__sensitive", "r__sensitive__about", "r__sensitive__columns"]
    catalog = Catalog([name + OLD for name in names], names)
    shown, others = parts_after(catalog, ())
    assert shown == set(names) and others == {name + OLD for name in names[3:]}
    with pytest.raises(PolicyError, match=r"out\.r__sensitive already exists"):
        parts_after(catalog, ("sensitive",))


@pytest.mark.parametrize(("tables", "views"), [(["r__sensitive"], []), ([], ["r__sensitive"])])
def test_what_runs_did_not_make_stays(tables, views):
    catalog = Catalog([*(name + OLD for name in BASE), *tables], [*BASE, *views])
    assert {"r__sensitive"} <= set().union(*parts_after(catalog, ()))
    with pytest.raises(PolicyError, match=r"out\.r__sensitive already exists"):
        parts_after(catalog, ("sensitive",))


def engine_views(engine):
    """What Python gave an engine's session, by name."""
    found = engine._spark.sql("SHOW VIEWS").collect()
    return sorted(row.viewName for row in found if row.isTemporary)


def test_small_tables_travel_as_data(spark, tmp_path, monkeypatch):
    """What Python has comes to Spark as it is, and stands in no statement and no plan."""
    typed = [
        ("t", "VARCHAR", ["secret-1", "", " é'\\\"\n{}[]", "null", None]),
        ("i", "BIGINT", [2**63 - 1, -(2**63), 0, 7, None]),
        ("d", "DECIMAL(38,3)", [Decimal("1e3"), Decimal("-0.125"), Decimal(10**34), 0, None]),
        ("f", "DOUBLE", [0.1, 1e300, -5e-324, 3.0, None]),
        ("b", "BOOLEAN", [True, False, True, False, None]),
        (
            "day",
            "DATE",
            [dt.date(44, 3, 15), dt.date(9999, 12, 31), *[dt.date(2020, 2, 29)] * 2, None],
        ),
        (
            "at",
            "TIMESTAMP",
            [dt.datetime(1900, 1, 1, 2, 3, 4, 500), *[dt.datetime(2020, 1, 1)] * 3, None],
        ),
    ]
    rows = list(zip(*(values for *_, values in typed), strict=True))
    session_class = type(spark.spark)
    texts, ask = [], session_class.sql

    def sql(session, text, *given):
        found = ask(session, text, *given)
        texts.append(text + found._jdf.queryExecution().toString())
        return found

    monkeypatch.setattr(session_class, "sql", sql)
    policy = policy_on(spark, policy_data(COLUMNS, k=5))
    context = Context(tmp_path, policy.engine, Journal())
    with closing(open_engine(JobLocations.of(policy).source, context)) as engine:
        engine.load("marks", [(name, kind) for name, kind, _ in typed], rows)
        found = engine.query(
            "verification/facts", table=("marks",), columns=[item[0] for item in typed]
        )
        assert found == rows and engine_views(engine) == ["marks", "marks_given"]
        engine.drop("marks")
        assert engine_views(engine) == []
    assert len(texts) > 1 and not [
        text for text in texts if "secret-1" in text or "9223372" in text
    ]


# what a release holds besides rows


MADE_AGAIN = (
    "CREATE OR REPLACE TEMPORARY VIEW made AS SELECT * FROM {{r}}.{{v}};"
    "CREATE TABLE {{s}}.x USING parquet AS SELECT a, a_lo, a_hi, {} AS b FROM made;"
    "DROP TABLE {{r}}.{{v}}; CREATE TABLE {{r}}.{{v}} USING parquet AS SELECT * FROM {{s}}.x;"
    "DROP TABLE {{s}}.x"
)
PLANTED = {
    "a comment on a view": "ALTER VIEW {r}.r SET TBLPROPERTIES ('comment' = 'Ann')",
    "a comment on a table": "COMMENT ON TABLE {r}.{v} IS 'Ann'",
    "a comment on a column": "ALTER TABLE {r}.{v} ALTER COLUMN b COMMENT 'Ann'",
    "a comment on the schema": "COMMENT ON DATABASE {r} IS 'Ann'",
    "a property of the schema": "ALTER DATABASE {r} SET DBPROPERTIES ('who' = 'Ann')",
    "a property of a view": "ALTER VIEW {r}.r__about SET TBLPROPERTIES ('who' = 'Ann')",
    "a property of a table": "ALTER TABLE {r}.{v} SET TBLPROPERTIES ('who' = 'Ann')",
    "a table": "CREATE TABLE {r}.r__names USING parquet AS SELECT 'Ann' AS name",
    "a view": "CREATE VIEW {r}.ann AS SELECT 'Ann' AS name",
    "a function": "CREATE FUNCTION {r}.ann() RETURNS STRING RETURN 'Ann'",
    "another text of a view": "ALTER VIEW {r}.r AS SELECT a, b, 'x' AS c FROM {r}.{v} -- Ann",
    # their view shows text
    "a field of a structure": MADE_AGAIN.format("NAMED_STRUCT('Ann', b)"),
    "a field in a list": MADE_AGAIN.format("ARRAY(NAMED_STRUCT('Ann', b))"),
}


def test_what_is_no_part_of_a_release_is_refused(spark):
    """Each by itself, in a release that is verified before that."""
    spark.make({"a": "INTEGER", "b": "VARCHAR"}, [(n % 2, "xy"[n % 2]) for n in range(20)])
    policy = policy_on(spark, policy_data({"a": {"type": "suppression"}, "b": "sensitive"}, k=5))
    refused = {}
    for kind, statement in PLANTED.items():
        anonsql.run(policy)
        if not refused:
            anonsql.verify(policy)
        tables = spark.spark.sql(f"SHOW TABLES IN {spark.release}").collect()
        (version,) = [row[1] for row in tables if re.fullmatch("r__v[0-9a-f]{16}", row[1])]
        for one in statement.split(";"):
            spark.spark.sql(one.format(r=spark.release, v=version, s=spark.source))
        refused[kind] = True
        with contextlib.suppress(VerificationError):
            anonsql.verify(policy)
            refused[kind] = False
        spark.spark.sql(f"DROP DATABASE {spark.release} CASCADE")
    assert all(refused.values()), refused


def test_metadata_of_a_column_is_refused(spark):
    """DESCRIBE shows none of it but comments."""
    spark.make({"a": "INTEGER", "b": "VARCHAR"}, [(n % 2, "xy"[n % 2]) for n in range(20)])
    policy = policy_on(spark, policy_data({"a": {"type": "suppression"}, "b": "sensitive"}, k=5))
    anonsql.run(policy)
    rows = spark.spark.sql(f"SHOW TABLES IN {spark.release}").collect()
    (version,) = [row[1] for row in rows if re.fullmatch("r__v[0-9a-f]{16}", row[1])]
    table = spark.spark.table(f"{spark.release}.{version}").withMetadata("b", {"who": "Ann"})
    table.write.saveAsTable(f"{spark.source}.x")
    spark.spark.sql(f"DROP TABLE {spark.release}.{version}")
    spark.spark.table(f"{spark.source}.x").write.saveAsTable(f"{spark.release}.{version}")
    with pytest.raises(VerificationError, match=r"part of a release: .*other metadata of b of r"):
        anonsql.verify(policy)


def test_structures_are_released_as_text(spark):
    """The names of fields are words of the source's owner, wherever they stand in a type."""
    spark.spark.sql(f"DROP TABLE {spark.source}.t")
    spark.spark.sql(
        f"CREATE TABLE {spark.source}.t USING parquet AS SELECT CAST(id % 2 AS INT) AS a,"
        " NAMED_STRUCT('Ann', id) AS b, ARRAY(NAMED_STRUCT('Ann', id)) AS c,"
        " MAP('k', NAMED_STRUCT('Ann', id)) AS d, MAP('k', ARRAY(id)) AS e, ARRAY(id) AS f,"
        " CAST('x' AS STRING COLLATE UNICODE_CI) AS g FROM range(20)"
    )
    columns = {"a": {"type": "suppression"}, **dict.fromkeys("bcdefg", "insensitive")}
    policy = policy_on(spark, policy_data(columns, k=5))
    anonsql.run(policy)
    for against_source in (False, True):
        assert anonsql.verify(policy, against_source=against_source).status == "verified"
    rows = spark.spark.sql(f"DESCRIBE {spark.release}.r").collect()
    kinds = {row[0]: row[1] for row in rows if row[0] in {*"bcdefg"}}
    assert kinds == {
        **dict.fromkeys("bcdg", "string"),
        **{"e": "map<string,array<bigint>>", "f": "array<bigint>"},
    }


def test_comments_and_lengths_of_the_source_are_not_released(spark):
    spark.spark.sql(f"DROP TABLE {spark.source}.t")
    spark.spark.sql(
        f"CREATE TABLE {spark.source}.t (a INT COMMENT 'Ann', b VARCHAR(24) COMMENT 'Ann',"
        " c CHAR(9), d DECIMAL(7, 2) COMMENT 'Ann', e ARRAY<STRING> COMMENT 'Ann') USING parquet"
    )
    spark.spark.sql(
        f"INSERT INTO {spark.source}.t SELECT id % 2, 'x', 'y', 1.5, ARRAY('z') FROM range(20)"
    )
    kept = dict.fromkeys("cde", "insensitive")
    columns = {"a": {"type": "suppression"}, "b": "sensitive", **kept}
    policy = policy_on(spark, policy_data(columns, k=5))
    anonsql.run(policy)
    anonsql.verify(policy, against_source=True)
    rows = spark.spark.sql(f"DESCRIBE {spark.release}.r").collect()
    assert [(row[0], row[1]) for row in rows if not row[2]] == [
        *(("a", "string"), ("a_lo", "bigint"), ("a_hi", "bigint")),
        *(("b", "string"), ("c", "string")),
        *(("d", "decimal(7,2)"), ("e", "array<string>")),
    ]


@pytest.mark.parametrize(
    ("size", "own", "parts"),
    [
        (10 << 20, {}, None),
        (510 << 20, {}, "31"),
        (1 << 50, {}, "4096"),
        (510 << 20, {"spark.sql.shuffle.partitions": "2"}, None),
    ],
)
def test_large_sources_have_shuffles_of_more_parts(size, own, parts):
    """So that the combinations of a part fit into a task's share of the memory."""
    conf = {"spark.sql.shuffle.partitions": "2"}
    session = SimpleNamespace(conf=SimpleNamespace(get=conf.get, set=conf.__setitem__))
    divide_shuffles(session, SimpleNamespace(settings=SimpleNamespace(spark=own)), size)
    assert conf.get("spark.sql.adaptive.coalescePartitions.initialPartitionNum") == parts


def test_a_page_with_its_header_fits_into_half_a_region_of_java():
    """Java gives what is larger than half of a region, 8 MiB with 16 GB, regions of its own."""
    assert int(PAGE_SIZE) + 16 <= 4 << 20
