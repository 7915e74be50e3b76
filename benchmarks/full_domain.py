"""Full-domain generalization beside the physical limit: a plain GROUP BY over the same columns.

    python -m benchmarks.full_domain --rows 1000000 --k 10 --suppression 0.01 python -m
    benchmarks.full_domain --adult --k 10 --suppression 0.05 --anjana /path/to/other/venv/bin/python

Prints one line a stage: seconds, and how many times the GROUP BY that is; then statements and peak
memory.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

import anonsql
from anonsql.features.demo import command as demo
from anonsql.policy.policy import Policy

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
STAGES = {
    "star + cells": ("open_source", "count_combinations", "build_hierarchies", "build_star"),
    "search": ("search",),
    "choose": ("choose",),
    "recode + verify + publish": ("stage", "verify_release", "publish_release"),
}


def main() -> None:
    asked = arguments()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        policy = adult(Path(folder), asked) if asked.adult else generated(Path(folder), asked)
        names = list(policy.quasi_identifiers)
        group_by = plain_group_by(policy, names, asked.repeat)
        started = time.perf_counter()
        report = anonsql.run(policy)
        total = time.perf_counter() - started
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        limit = f"suppression {asked.suppression}, {os.cpu_count()} CPUs"
        print(
            f"{report.records:,} rows, {len(names)} quasi-identifiers, k={asked.k}, {limit}, DuckDB"
            f" {duckdb.__version__}"
        )
        print(f"{'plain GROUP BY':28}{group_by:10.3f} s{1:10.1f} x")
        for title, stages in STAGES.items():
            seconds = sum(report.seconds[stage] for stage in stages)
            print(f"{title:28}{seconds:10.3f} s{seconds / group_by:10.1f} x")
        print(f"{'whole job':28}{total:10.3f} s{total / group_by:10.1f} x")
        print(f"{report.statements} statements; peak memory {memory:,.0f} MiB")
        print(
            f"levels {report.levels}; loss {report.metrics['loss']:.4f}; {report.suppressed:,}"
            f" suppressed; {report.classes:,} classes"
        )
        if asked.anjana:
            anjana(Path(folder), policy, asked)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--suppression", type=float, default=0.0)
    parser.add_argument(
        "--columns", type=int, default=9, help="how many quasi-identifiers, the first ones"
    )
    parser.add_argument(
        "--adult", action="store_true", help="the real Adult table of $ANONSQL_DATA"
    )
    parser.add_argument(
        "--anjana",
        metavar="PYTHON",
        help="also time anjana on the same Adult table, with a Python that has it",
    )
    parser.add_argument("--anjana-limit", type=int, default=300, metavar="SECONDS")
    parser.add_argument("--algorithm", choices=["auto", "incognito"], default="auto")
    parser.add_argument("--repeat", type=int, default=5, help="of the GROUP BY; the median counts")
    parser.add_argument("--folder", default=None, help="where to put the files")
    return parser.parse_args()


def policy_of(
    folder: Path, asked: argparse.Namespace, source: dict[str, str], columns: dict[str, object]
) -> Policy:
    settings = dict(columns)
    quasi = [
        name
        for name, column in settings.items()
        if isinstance(column, dict) and column["role"] == "quasi-identifying"
    ]
    for name in quasi[asked.columns :]:
        settings[name] = {"role": "insensitive"}
    return Policy.parse(
        {
            "source": source,
            "release": {"database": "release.duckdb", "table": "released"},
            "columns": settings,
            "privacy": {"k": asked.k, "suppression_limit": asked.suppression},
            "method": {"algorithm": asked.algorithm},
        },
        folder,
    )


def generated(folder: Path, asked: argparse.Namespace) -> Policy:
    """The demo's people: the same policy, as many of them as asked for."""
    there = folder / "policy.yaml"
    written = Policy.load(there if there.exists() else demo.write(folder, asked.rows, seed=1))
    columns = {
        name: column.model_dump(exclude_unset=True, by_alias=True)
        for name, column in written.columns.items()
    }
    return policy_of(folder, asked, {"database": "people.duckdb", "table": "people"}, columns)


def adult(folder: Path, asked: argparse.Namespace) -> Policy:
    """The real table, from a DuckDB file so that reading a CSV is not what is measured."""
    if not os.environ.get("ANONSQL_DATA"):
        sys.exit("set ANONSQL_DATA to the folder that holds adult/")
    data = Path(os.environ["ANONSQL_DATA"]) / "adult"
    connection = duckdb.connect(str(folder / "adult.duckdb"))
    connection.execute(
        "CREATE TABLE IF NOT EXISTS adult AS SELECT * FROM read_csv(?)", [str(data / "adult.csv")]
    )
    connection.close()
    files = {
        name: {"type": "file", "path": str(data / "hierarchies" / f"{name}.csv")} for name in ADULT
    }
    columns: dict[str, object] = {
        name: {"role": "quasi-identifying", "hierarchy": file} for name, file in files.items()
    }
    return policy_of(folder, asked, {"database": "adult.duckdb", "table": "adult"}, columns)


def plain_group_by(policy: Policy, names: list[str], repeat: int) -> float:
    """Median seconds of SELECT …, count(*) GROUP BY … materialized, on the file as it lies."""
    columns = ", ".join('"' + name + '"' for name in names)
    seconds = []
    for _ in range(repeat):
        connection = duckdb.connect()
        connection.execute("SET enable_progress_bar = false")
        connection.execute(f"ATTACH '{policy.path(policy.source.database or '')}' AS s (READ_ONLY)")
        started = time.perf_counter()
        connection.execute(
            f"CREATE TABLE g AS SELECT {columns}, count(*) AS n FROM s.{policy.source.table} GROUP"
            f" BY {columns}"
        )
        seconds.append(time.perf_counter() - started)
        connection.close()
    return statistics.median(seconds)


ANJANA = """
import sys, time, pandas
from anjana.anonymity import k_anonymity
frame = pandas.read_csv(sys.argv[1])
names = list(frame.columns)[: int(sys.argv[5])]
hierarchies = {}
for name in names:
    lines = [line.rstrip("\\n").split(";") for line in open(f"{sys.argv[2]}/{name}.csv")]
    by_value = {line[0]: line for line in lines}
    column = frame[name].astype(str)
    hierarchies[name] = {level: [by_value[v][level] for v in column] for level in range(len(lines[0]))}
    hierarchies[name][0] = list(frame[name])
started = time.perf_counter()
made = k_anonymity(frame, [], names, int(sys.argv[3]), float(sys.argv[4]) * 100, hierarchies)
print(f"{'anjana k_anonymity':28}{time.perf_counter() - started:10.3f} s   (one generalization, {len(made):,} rows kept)")
"""


def anjana(folder: Path, policy: Policy, asked: argparse.Namespace) -> None:
    """anjana on the same table in a process of its own; it finds one generalization."""
    data = Path(os.environ["ANONSQL_DATA"]) / "adult"
    script = folder / "anjana_run.py"
    script.write_text(ANJANA, encoding="utf-8")
    order = [
        asked.anjana,
        str(script),
        str(data / "adult.csv"),
        str(data / "hierarchies"),
        str(asked.k),
        str(asked.suppression),
        str(asked.columns),
    ]
    try:
        done = subprocess.run(
            order, capture_output=True, text=True, check=False, timeout=asked.anjana_limit
        )
    except subprocess.TimeoutExpired:
        print(f"{'anjana k_anonymity':28}not finished after {asked.anjana_limit} s")
        return
    print(done.stdout.strip() or f"anjana failed: {done.stderr.strip().splitlines()[-1:]}")


if __name__ == "__main__":
    main()
