"""Releases of several tables: time and memory by the rows that others may know of somebody, beside
the plain GROUP BY of the joined tables.

    python -m benchmarks.relational --people 100000 --known 1 2

A clinic of ``--people`` patients, four visits and five prescriptions each on average (a few have
very many), nobody with more than ``--max-rows`` of each; k=10, 5 % of the people may be suppressed.
Each run is a process of its own. seconds: of the whole job, and of its search; judged: the
generalizations that were counted, of 144.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

import anonsql
from tests import clinic

JOINED = """
SELECT COUNT(*) FROM (
    SELECT p.born, p.sex, v.day, r.drug, COUNT(*) AS n
    FROM patients AS p
    JOIN visits AS v ON v.patient_id = p.patient_id
    JOIN prescriptions AS r ON r.visit_id = v.visit_id
    GROUP BY ALL
)"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--known", nargs="+", default=["1", "2"])
    parser.add_argument("--max-rows", type=int, default=10)
    parser.add_argument("--memory", default="8GB", help="of each DuckDB (engine.memory_limit)")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(one(Path(given.one), given.known[0], given.max_rows, given.memory)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clinic.duckdb"
        clinic.large(path, given.people, 4 * given.people, 5 * given.people)
        plain = grouped(path)
        print(f"{given.people:,} people, GROUP BY of the join: {plain:.1f} s")
        for known in given.known:
            command = [sys.executable, "-m", "benchmarks.relational", "--one", str(path)]
            command += ["--known", known, "--max-rows", str(given.max_rows)]
            command += ["--memory", given.memory]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            found = json.loads(done.stdout)
            ratio = found["seconds"] / plain
            print(f"known rows {known}: {found} ({ratio:.0f} times the GROUP BY)", flush=True)


def grouped(path: Path) -> float:
    """The seconds of the GROUP BY."""
    with duckdb.connect(str(path), read_only=True) as connection:
        connection.execute(f"SET threads = {os.cpu_count()}")
        started = time.perf_counter()
        connection.execute(JOINED).fetchall()
        return time.perf_counter() - started


def one(path: Path, known: str, max_rows: int, memory: str) -> dict[str, object]:
    """The figures of one run."""
    rows = known if known == "all" else int(known)
    limits = {"suppression_limit": {"patients": 0.05}}
    policy = clinic.large_policy(
        path, path.with_name("out.duckdb"), k=10, known_rows=rows, **limits
    )
    for name in ("visits", "prescriptions"):
        policy["tables"][name]["max_rows"] = max_rows
    policy["engine"] = {"memory_limit": memory}
    started = time.perf_counter()
    try:
        report = anonsql.run(policy)
    except anonsql.AnonsqlError as error:
        return {"seconds": round(time.perf_counter() - started, 1), "refused": str(error)}
    return {
        "seconds": round(time.perf_counter() - started, 1),
        "search": round(report.seconds["search"], 1),
        "verify": round(report.seconds["verify_release"], 1),
        "judged": report.judged,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "loss": round(report.loss, 3),
        "suppressed": report.people - report.released_people,
    }


if __name__ == "__main__":
    main()
