"""The view of a release that says what every cell can be, on every target, by a small release made
by hand."""

import duckdb
import pytest

from anonsql.engines.base import Column
from anonsql.errors import PolicyError
from anonsql.jobs import pipeline
from anonsql.policy.policy import Policy
from anonsql.release import recoding
from anonsql.release.recoding import ExpandedColumn, InBuckets
from anonsql.release.staging import ABOUT, COLUMNS

from .engines import policy_on
from .support import in_file, job, make_source, policy_data, released_rows

ROWS = [
    Column("record_id", "BIGINT"),
    Column("it's", "VARCHAR"),
    Column("age", "VARCHAR"),
    Column("age_bucket", "BIGINT"),
]
BUCKETS = [Column("age_bucket", "BIGINT"), Column("age", "INTEGER"), Column("count", "BIGINT")]
RECORDS = [(1, "a*", "[20,30]", None), (2, "b", None, 7), (3, None, None, 7), (4, "b", None, 7)]
CONTENTS = [(7, 25, 2), (7, None, 1)]
EXPECTED = {
    *((record, "it's", label, 1.0) for record, label, _, _ in RECORDS),
    (1, "age", "[20,30]", 1.0),
    *(
        (record, "age", value, share)
        for record in (2, 3, 4)
        for value, share in (("25", 2 / 3), (None, 1 / 3))
    ),
}
ALL = {"r", "r__about", "r__columns", "r__sensitive_1", "r__expanded"}


@pytest.fixture
def parts(monkeypatch):
    """Sets the parts of all releases."""

    def put(*names):
        monkeypatch.setattr(Policy, "release_parts", names)

    put("sensitive_1", "expanded")
    return put


def stage(target, part, columns, rows):
    facts = [(*row, place) for place, row in enumerate(rows)]
    target.stage(
        part,
        "release/facts",
        columns,
        facts=facts,
        typed=[(column.name, column.type) for column in columns],
        ordering="ordering",
    )


def release(policy, extras=("sensitive_1", "expanded"), records=RECORDS):
    """Make and publish a release by hand; what of it can be read when it is built."""
    with job(policy, policy.origin.folder, pipeline.OPEN) as done:
        done.target.guard()
        stage(done.target, "rows", ROWS, records)
        extra_tables = ", ".join(f"__{part}" for part in extras)
        stage(
            done.target,
            "about",
            ABOUT,
            [("anonsql", "1"), *([("extra_tables", extra_tables)] if extra_tables else [])],
        )
        stage(done.target, "columns", COLUMNS, [("age", "semi-sensitive", 0, "value", "as it is")])
        if "sensitive_1" in extras:
            stage(done.target, "sensitive_1", BUCKETS, CONTENTS)
        if "expanded" in extras:
            columns = [
                ExpandedColumn(ROWS[1]),
                ExpandedColumn(Column("age", "VARCHAR"), "age_bucket"),
            ]
            recoding.stage_expanded(
                done.target,
                "record_id",
                columns,
                [InBuckets(BUCKETS[1], "age_bucket", "sensitive_1")],
            )
        located, _ = done.target.build()
        assert located.unexpected_objects == ()
        seen = {}
        for part, table in located.extras.items():
            names = [column.name for column in located.engine.columns(table)]
            seen[part] = {
                tuple(row)
                for row in located.engine.query("verification/facts", table=table, columns=names)
            }
        done.target.publish()
        return seen


def own(engine):
    """What the release's place holds, as it shows it."""
    if engine.name == "spark":
        return {
            row.viewName
            for row in engine.spark.sql(f"SHOW VIEWS IN {engine.release}").collect()
            if "__v" not in row.viewName
        }
    if engine.name == "postgres":
        return {
            row[0]
            for row in engine.connection.execute(
                "SELECT viewname FROM pg_views WHERE schemaname = %s", [engine.release]
            )
        } | engine.parts()
    return engine.parts() | {
        row[0]
        for row in released_rows(
            engine.folder, "SELECT view_name FROM duckdb_views() WHERE NOT internal"
        )
    }


def close_to(rows):
    return {(record, name, value, round(float(share), 9)) for record, name, value, share in rows}


def test_a_view_on_every_target(engine, parts):
    """It is there before and after the release is published, is replaced with it, and goes with
    it."""
    engine.make({"a": "INTEGER"}, [(1,)] * 4)
    policy = policy_on(engine, policy_data({"a": {"type": "suppression"}}, k=2))
    assert close_to(release(policy)["expanded"]) == close_to(EXPECTED)
    assert close_to(engine.read("r__expanded")) == close_to(EXPECTED) and own(engine) == ALL
    release(policy, records=RECORDS[1:])
    assert {row[0] for row in engine.read("r__expanded")} == {2, 3, 4} and own(engine) == ALL
    with job(policy, engine.folder, pipeline.OPEN) as done, done.target.published() as located:
        assert {"sensitive_1", "expanded"} == set(
            located.extras
        ) and located.unexpected_objects == ()
    parts()
    release(policy, extras=())
    assert own(engine) == {"r", "r__about", "r__columns"}
    if engine.name == "spark":
        names = {
            row.tableName for row in engine.spark.sql(f"SHOW TABLES IN {engine.release}").collect()
        }
        assert len(names) == 6  # nothing of earlier versions is left behind the views


def made(folder, file=None):
    make_source(folder, {"a": "INTEGER"}, [(1,)] * 4)
    data = policy_data({"a": {"type": "suppression"}}, k=2)
    if file:
        data["release"] = {"file": file, "table": "r", "completed": 0}
    return Policy.parse(data, folder)


def test_a_file_may_be_called_anything(tmp_path, parts):
    """The view names tables alone, and finds them wherever the file is attached."""
    release(made(tmp_path))
    path = (tmp_path / "release.duckdb").rename(tmp_path / "other.duckdb")
    with duckdb.connect() as connection:
        connection.execute(
            f"CREATE TABLE r AS SELECT 1 AS record_id; ATTACH '{path}' AS elsewhere (READ_ONLY)"
        )
        found = connection.execute("SELECT * FROM elsewhere.r__expanded").fetchall()
        assert close_to(found) == close_to(EXPECTED)
        (text,) = connection.execute(
            "SELECT sql FROM duckdb_views() WHERE view_name = 'r__expanded'"
        ).fetchone()
        version = connection.execute(
            "SELECT tags['storage_version'] FROM duckdb_databases() WHERE database_name ="
            " 'elsewhere'"
        ).fetchone()[0]
    assert "release" not in text and "source" not in text and "[20" not in text
    assert version.startswith("v1.0.0")


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW other AS SELECT 1",
        "COMMENT ON VIEW r__expanded IS 'told'",
        "CREATE SCHEMA s; CREATE VIEW s.r__expanded AS SELECT 1",
        "DROP VIEW r__expanded; CREATE TABLE r__expanded AS SELECT 1 AS precious",
    ],
)
def test_other_views_are_strangers(tmp_path, parts, statement):
    policy = made(tmp_path)
    release(policy)
    in_file(tmp_path / "release.duckdb", statement)
    with pytest.raises(PolicyError, match="contains something else"):
        release(policy)


def test_a_view_that_no_release_told_of_is_not_replaced(tmp_path, parts):
    policy = made(tmp_path)
    parts("sensitive_1")
    release(policy, extras=("sensitive_1",))
    in_file(tmp_path / "release.duckdb", "CREATE VIEW r__expanded AS SELECT 1 AS precious")
    with pytest.raises(PolicyError, match="view r__expanded"):
        release(policy)


def test_a_folder_of_parquet_files_holds_no_view(tmp_path, parts):
    policy = made(tmp_path, file="out/")
    assert set(release(policy)) == {"sensitive_1"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        f"{name}.parquet" for name in ALL - {"r__expanded"}
    }
    release(policy)


def test_on_a_server(tmp_path, parts):
    """Readers may look at the view, views of others stand in the way, and a table of its name is
    not replaced."""
    from .engines import Postgres

    server = Postgres(tmp_path)
    try:
        server.make({"a": "INTEGER"}, [(1,)] * 4)
        data = policy_data({"a": {"type": "suppression"}}, k=2)
        server.connection.execute(f"CREATE ROLE {server.release}_reader")
        data["release"]["grant"] = [f"{server.release}_reader"]
        policy = policy_on(server, data)
        release(policy)
        server.connection.execute(f"SET ROLE {server.release}_reader")
        assert close_to(server.read("r__expanded")) == close_to(EXPECTED)
        server.connection.execute("RESET ROLE")
        server.connection.execute(
            f"CREATE VIEW {server.release}.mine AS SELECT * FROM {server.release}.r__expanded"
        )
        with pytest.raises(PolicyError, match=r"views read .*mine"):
            release(policy)
        server.connection.execute(
            f"DROP VIEW {server.release}.mine; DROP VIEW {server.release}.r__expanded"
        )
        server.put("r__expanded")
        with pytest.raises(PolicyError, match="not a release of anonsql"):
            release(policy)
        assert server.read("r__expanded") == [(1,)]
    finally:
        server.connection.execute(
            f"DROP SCHEMA IF EXISTS {server.release} CASCADE; DROP OWNED BY {server.release}_reader"
        )
        server.connection.execute(f"DROP ROLE {server.release}_reader")
        server.close()
