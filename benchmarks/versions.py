"""Whole jobs of two versions in turn, beside what DuckDB takes to read and to write their tables.

    git worktree add ../before COMMIT
    python -m benchmarks.versions ../before --repeat 3

Four tables: Adult and FARS (of $ANONSQL_DATA), `survey` (69,000 generated rows of five columns) and
`gifts` (63,000 generated rows of eight columns with many values), by generalization, k=10, 5 % may
be suppressed. Each job is a process of its own (`python -m anonsql run`), with and without a
completed table, and so is the floor: `CREATE TABLE AS` and a `GROUP BY` over the quasi-identifying
columns in one process. Medians: CPU seconds (user and system, children included), in brackets those
of the clock; then statements.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
import yaml

from benchmarks.full_domain import ADULT
from benchmarks.search import gifts

_FLOOR = """
import duckdb, sys
connection = duckdb.connect("floor.duckdb")
connection.execute("ATTACH 'source.duckdb' AS s (READ_ONLY)")
connection.execute("CREATE TABLE whole AS FROM s.source")
connection.execute(f"CREATE TABLE grouped AS SELECT {sys.argv[1]}, COUNT(*) FROM s.source GROUP BY ALL")
"""
_SURVEY = """
SELECT 17 + (hash(r * 5) % 77)::INT AS age, (hash(r * 5 + 1) % 500)::INT * 400 AS income,
    'job ' || (hash(r * 5 + 2) % 24) AS occupation, 1 + (hash(r * 5 + 3) % 5)::INT AS marital,
    ['f', 'm'][1 + (hash(r * 5 + 4) % 2)::INT] AS sex
FROM range(69000) AS t(r)
"""
_SURVEYED: dict[str, object] = {
    "age": {"type": "interval", "widths": [5, 10, 20, 40]},
    "income": {"type": "interval", "widths": [5000, 20000, 100000]},
    "occupation": {"type": "mask", "length": 6},
    "marital": {"type": "suppression"},
    "sex": {"type": "suppression"},
}


def of_files(name: str, columns: list[str]) -> tuple[str, dict[str, object]]:
    """Return the statement and the hierarchies of a table of $ANONSQL_DATA."""
    data = Path(os.environ["ANONSQL_DATA"]).resolve() / name
    quoted = ", ".join(f'"{column}"' for column in columns)
    files = {
        column: {"type": "file", "path": str(data / "hierarchies" / f"{column}.csv")}
        for column in columns
    }
    return f"SELECT {quoted} FROM read_csv('{data / name}.csv')", dict(files)


def make(folder: Path, name: str) -> list[str]:
    """Write a table and its two policies; return its columns."""
    if name == "gifts":
        asked = argparse.Namespace(k=10, suppression=0.05, minimize="loss")
        policy = gifts(folder, asked).model_dump(mode="json", exclude_unset=True, by_alias=True)
    else:
        if name == "survey":
            statement, columns = _SURVEY, _SURVEYED
        else:
            listed = sorted(
                file.stem
                for file in (Path(os.environ["ANONSQL_DATA"]) / name / "hierarchies").glob("*.csv")
            )
            statement, columns = of_files(name, ADULT if name == "adult" else listed)
        with duckdb.connect(str(folder / "source.duckdb")) as connection:
            connection.execute(f"CREATE TABLE source AS {statement}")
        policy = {
            "source": {"database": "source.duckdb", "table": "source"},
            "columns": {
                column: {"role": "quasi-identifying", "hierarchy": hierarchy}
                for column, hierarchy in columns.items()
            },
            "privacy": {"k": 10, "suppression_limit": 0.05},
            "method": {"type": "full-domain"},
        }
    for completed in (0, 1):
        policy["release"] = {
            "database": f"release{completed}.duckdb",
            "table": "released",
            "completed": completed,
        }
        (folder / f"{completed}.yaml").write_text(yaml.safe_dump(policy))
    return list(policy["columns"])


def measured(order: list[str], folder: Path, code: Path) -> tuple[float, float, str]:
    """Run a command in a folder; return its CPU seconds, those of the clock, and what it printed."""
    for path in [*folder.glob("floor*"), *folder.glob("release*")]:
        path.unlink()
    before, started = sum(os.times()[2:4]), time.perf_counter()
    environment = {**os.environ, "PYTHONPATH": str(code)}
    done = subprocess.run(
        [sys.executable, *order],
        cwd=folder,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    seconds = time.perf_counter() - started
    return sum(os.times()[2:4]) - before, seconds, done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", type=Path, help="a checkout of the version to compare with")
    parser.add_argument("--tables", nargs="+", default=["adult", "survey", "gifts", "fars"])
    parser.add_argument("--repeat", type=int, default=3)
    asked = parser.parse_args()
    codes = {"before": asked.before.resolve(), "now": Path(__file__).parents[1]}
    for name in asked.tables:
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            columns = ", ".join(f'"{column}"' for column in make(folder, name))
            jobs: dict[str, tuple[list[str], Path]] = {
                "floor": (["-c", _FLOOR, columns], codes["now"])
            }
            for completed in (0, 1):
                order = ["-m", "anonsql", "run", f"{completed}.yaml", "--json"]
                jobs |= {f"{when} {completed}": (order, code) for when, code in codes.items()}
            taken: dict[str, list[tuple[float, float, str]]] = {job: [] for job in jobs}
            for _ in range(asked.repeat + 1):
                for job, (order, code) in jobs.items():
                    taken[job].append(measured(order, folder, code))
            for job, all_of_it in taken.items():
                of_one = all_of_it[1:]  # the first compiles and reads files
                cpu, wall = (statistics.median(one[i] for one in of_one) for i in (0, 1))
                found: dict[str, Any] = json.loads(of_one[-1][2] or "{}")
                said = (
                    f"{found['statements']:>6} statements, loss {found['metrics']['loss']:.6f},"
                    f" {found['suppressed']} suppressed"
                    if found
                    else ""
                )
                print(f"{name:8}{job:10}{cpu:8.2f} ({wall:.2f}) {said}", flush=True)


if __name__ == "__main__":
    main()
