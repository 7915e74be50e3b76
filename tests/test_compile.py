"""Compiled SQL gives the release that a run gives, on the engines that are here; elsewhere it at
least parses."""

import json
from collections import Counter
from pathlib import Path

import duckdb
import pytest
import sqlglot
from sqlglot import exp

import anonsql
from anonsql.errors import PolicyError

from .engines import DuckDB, policy_on
from .support import cli, flat, policy_data, released_to, updated, write_data
from .test_engines import ALL_LEVELS, WIDE_TYPES, wide_policy, wide_rows

OTHERS = ["snowflake", "bigquery", "trino", "redshift", "databricks"]


def compiled(policy, dialect, folder, **options):
    """The files of a compilation: what the manifest tells of each, with its statements."""
    report = anonsql.compile(policy, dialect, folder, **options)
    assert json.loads((Path(folder) / "manifest.json").read_text()) == report.model_dump(
        mode="json"
    )
    files = []
    for entry in report.files:
        text = (Path(folder) / entry.file).read_text(encoding="utf-8")
        assert text.endswith(";\n")
        statements = text[:-2].split(";\n") if "clean_up" in entry.file else [text[:-2]]
        files.append((entry, statements))
    return report, files


def execute(engine, sql):
    if engine.name == "spark":
        return [tuple(row) for row in engine.spark.sql(sql).collect()]
    if engine.name == "postgres":
        done = engine.connection.execute(sql)
        return done.fetchall() if done.description else []
    return engine.open.execute(sql).fetchall()


def prepare(engine):
    """Names without a schema mean tables of the source's schema."""
    if engine.name == "spark":
        engine.spark.sql(f"USE {engine.source}")
    elif engine.name == "postgres":
        engine.connection.execute(f"SET search_path TO {engine.source}")
    else:
        engine.open = duckdb.connect(str(engine.folder / "source.duckdb"))


def tables(engine):
    if engine.name == "spark":
        return [
            row.tableName for row in engine.spark.sql(f"SHOW TABLES IN {engine.source}").collect()
        ]
    if engine.name == "postgres":
        return [
            row[0]
            for row in execute(
                engine, f"SELECT tablename FROM pg_tables WHERE schemaname = '{engine.source}'"
            )
        ]
    return [row[0] for row in execute(engine, "SELECT table_name FROM duckdb_tables()")]


@pytest.mark.parametrize("number", [0, 1, 4])
def test_the_compiled_release_is_the_published_one(engine, number):
    rows = wide_rows() * 3 + wide_rows(12, seed=9)
    engine.make(WIDE_TYPES, rows)
    data = wide_policy(engine.folder, {"levels": ALL_LEVELS[number]}, k=3, limit=0.2)
    policy = policy_on(engine, data)
    publisher = engine
    if engine.name == "spark":  # where a run publishes the same, more slowly: test_engines
        publisher = DuckDB(engine.folder)
        publisher.make(WIDE_TYPES, rows)
    anonsql.run(policy_on(publisher, data))
    published = publisher.read()
    on_engine = updated(policy, release={"table": "compiled"})
    if engine.name != "duckdb":  # the files say where the release goes, the policy where it may
        on_engine = on_engine.model_copy(
            update={
                "release": policy.release.model_copy(
                    update={"table": f"{engine.source}_x.compiled"}
                )
            }
        )
    _, files = compiled(on_engine, engine.name, engine.folder / "sql")
    prepare(engine)
    try:
        for _ in range(
            1 if engine.name == "spark" else 2
        ):  # a second time the first file clears what is there
            for entry, statements in files:
                for sql in statements:
                    found = execute(
                        engine,
                        (
                            sql.replace(f"{engine.source}_x", engine.source)
                            if engine.name != "duckdb"
                            else sql
                        ),
                    )
                    assert not (entry.offenders and found), entry.file
        assert not [name for name in tables(engine) if name.startswith("anonsql_")]
        released = execute(
            engine,
            "SELECT * FROM"
            f" {'compiled' if engine.name == 'duckdb' else engine.source + '.compiled'}",
        )
        assert Counter(map(repr, released)) == Counter(map(repr, published))
    finally:
        if engine.name == "duckdb":
            engine.open.close()


def test_offenders_are_returned(tmp_path):
    """Each verification query finds what it is for, once the table has changed."""
    engine = DuckDB(tmp_path)
    engine.make(WIDE_TYPES, wide_rows() * 3)
    policy = policy_on(engine, wide_policy(tmp_path, {"levels": ALL_LEVELS[0]}, k=3))
    _, files = compiled(policy, "duckdb", tmp_path / "sql")
    engine.make(
        WIDE_TYPES,
        [*wide_rows() * 3, *[(99, 1, 1, 1.5, True, None, None, "a new word", "12345", None)]],
    )
    prepare(engine)
    found = {}
    for entry, statements in files:
        for sql in statements:
            found[entry.file[3:]] = execute(engine, sql)
    engine.open.execute(
        "CREATE TABLE copy AS SELECT * FROM r; DROP TABLE r; CREATE TABLE r AS SELECT DISTINCT *"
        " FROM copy"
    )
    assert [row[1:] for row in found["verify_hierarchies.sql"]] == [("missing", 0, 1)]
    assert found["verify_suppression.sql"] == [(1, 181)]
    assert execute(engine, files[-2][1][0])
    engine.open.close()


@pytest.mark.parametrize("dialect", OTHERS)
def test_other_dialects_parse(tmp_path, dialect):
    engine = DuckDB(tmp_path)
    engine.make(WIDE_TYPES, wide_rows() * 3)
    policy = policy_on(engine, wide_policy(tmp_path, {"levels": ALL_LEVELS[1]}, k=3))
    report, files = compiled(policy, dialect, tmp_path / "sql", source="raw.people")
    assert report.dialect == dialect and report.source == "raw.people"
    for _, statements in files:
        for sql in statements:
            (parsed,) = sqlglot.parse(sql, read=dialect)
            assert not isinstance(parsed, exp.Command)
            for table in parsed.find_all(exp.Table):
                assert table.name not in ("combinations", "cells") and not table.name.startswith(
                    "dim_"
                )


def test_the_search_chooses_or_a_scheme_does(tmp_path):
    engine = DuckDB(tmp_path)
    engine.make({"a": "INTEGER", "b": "VARCHAR"}, [(n % 10, "xy"[n % 2]) for n in range(60)])
    data = data_of_two_columns()
    policy = policy_on(engine, data)
    searched = anonsql.compile(policy, "trino", tmp_path / "one")
    assert searched.levels == anonsql.run(policy).levels
    other = policy_on(engine, {**data, "method": {"levels": {"a": 2}}})
    other = released_to(other, database="other.duckdb", table="r")
    anonsql.run(other)
    assert anonsql.compile(policy, "trino", tmp_path / "one", levels_of="other.duckdb").levels == {
        "a": 2
    }


def data_of_two_columns():
    return policy_data({"a": {"type": "interval", "widths": [5]}, "b": "sensitive"}, k=5)


def test_folders_that_hold_something_else(tmp_path):
    engine = DuckDB(tmp_path)
    engine.make({"a": "INTEGER", "b": "VARCHAR"}, [(n % 10, "x") for n in range(60)])
    policy = policy_on(engine, data_of_two_columns())
    with pytest.raises(PolicyError, match="contains something else"):
        anonsql.compile(policy, "duckdb", tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "01_precious.sql").write_text("SELECT 1")
    with pytest.raises(PolicyError, match="contains something else"):
        anonsql.compile(policy, "duckdb", tmp_path / "mine")
    assert not (tmp_path / "release.duckdb").exists()
    data = data_of_two_columns()
    data["release"]["suppressed"] = "mask"
    with pytest.raises(PolicyError, match=r"release\.suppressed"):
        anonsql.compile(policy_on(engine, data), "duckdb", tmp_path / "sql")


def test_the_command(tmp_path):
    engine = DuckDB(tmp_path)
    engine.make({"a": "INTEGER", "b": "VARCHAR"}, [(n % 10, "x") for n in range(60)])
    write_data(tmp_path, data_of_two_columns(), "p.yaml")
    result = cli("compile", tmp_path / "p.yaml", "--dialect", "bigquery", "-o", tmp_path / "sql")
    assert result.exit_code == 0 and "01_clean_up.sql" in flat(result.output)
    assert (
        cli("compile", tmp_path / "p.yaml", "--dialect", "cobol", "-o", tmp_path / "sql").exit_code
        == 2
    )


def test_the_source_is_never_dropped(tmp_path):
    engine = DuckDB(tmp_path)
    engine.make({"a": "INTEGER", "b": "VARCHAR"}, [(n % 10, "x") for n in range(60)])
    policy = policy_on(engine, data_of_two_columns())
    for source in ("R", "raw.r"):
        with pytest.raises(PolicyError, match="can be the same table"):
            anonsql.compile(policy, "duckdb", tmp_path / "sql", source=source)
    with pytest.raises(PolicyError, match="is also the name of a table that the files create"):
        anonsql.compile(policy, "duckdb", tmp_path / "sql", source="cells")


def test_nulls_that_come_later_are_generalized(tmp_path):
    engine = DuckDB(tmp_path)
    engine.make({"a": "INTEGER", "b": "VARCHAR"}, [(n % 10, "x") for n in range(60)])
    policy = policy_on(engine, {**data_of_two_columns(), "method": {"levels": {"a": 2}}})
    _, files = compiled(policy, "duckdb", tmp_path / "sql")
    engine.make(
        {"a": "INTEGER", "b": "VARCHAR"}, [(n % 10, "x") for n in range(60)] + [(None, "y")] * 3
    )
    prepare(engine)
    for _, statements in files:
        for sql in statements:
            execute(engine, sql)
    assert Counter(execute(engine, "SELECT a, b FROM r")) == {("*", "x"): 60, ("*", "y"): 3}
    engine.open.close()
