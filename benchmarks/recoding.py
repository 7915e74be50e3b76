"""Methods that assign cells to groups: loss by two definitions, seconds, statements and groups.

    ANONSQL_DATA=/path/to/data python -m benchmarks.recoding --adult        # the 30,162 training
    rows without unknowns python -m benchmarks.recoding --rows 1000000                            #
    independent columns of the same domains python -m benchmarks.recoding --near independent --near
    correlated      # nearly every row its own cell

The normalized certainty penalty of a release is measured on the release itself, as the mean over
cells: an interval counts its length by that of the domain; a set or a node counts its values by
those of the domain ("values/|A|", 0 for one value), and in a second figure "(values-1)/(|A|-1)".

With ``--near`` the whole job's CPU seconds (user and system) are also given as multiples of a
CREATE TABLE AS of the table and of a GROUP BY of its quasi-identifying columns, in the same run;
the loss is the report's.
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import sys
import tempfile
from pathlib import Path

import duckdb

import anonsql
from anonsql.policy.policy import Policy

from . import near_distinct
from .full_domain import ADULT

DOMAINS = (74, 2, 5, 7, 16, 41, 7, 14, 2)
METHODS: dict[str, dict[str, str]] = {
    "full-domain": {"type": "full-domain"},
    "ring": {"type": "ring"},
    "ring, ancestor": {"type": "ring", "representation": "ancestor"},
    "homogeneous": {"type": "homogeneous"},
    "mondrian": {"type": "mondrian"},
    "mondrian, hierarchy": {"type": "mondrian", "values": "hierarchy"},
    "full-subgraph": {"type": "full-subgraph"},
    "cell-generalization": {"type": "cell-generalization"},
    "cell-suppression": {"type": "cell-suppression"},
}
Domains = dict[str, dict[str, int]]
"""By column, how many values a released value that is no interval and no set stands for; its own
values count 1."""


def main() -> None:
    asked = arguments()
    if asked.near:
        near(asked)
        return
    methods = asked.method or list(METHODS)
    print(
        f"{'method':22}{'values/|A|':>12}{'(v-1)/(|A|-1)':>15}{'recode s':>10}{'whole s':>9}{'statements':>12}{'groups':>9}"
    )
    with tempfile.TemporaryDirectory(dir=asked.folder) as name:
        folder = Path(name)
        columns, domains = adult(folder) if asked.adult else independent(folder, asked.rows)
        for method in methods:
            report = anonsql.run(policy(folder, columns, asked.k, METHODS[method]))
            first, second = penalties(folder / "release.duckdb", domains)
            whole, recode = sum(report.seconds.values()), report.seconds["choose"]
            print(
                f"{method:22}{first:12.4f}{second:15.4f}{recode:10.2f}{whole:9.2f}{report.statements:12,}{report.classes:9,}",
                flush=True,
            )


def near(asked: argparse.Namespace) -> None:
    """Jobs on tables of near-distinct rows, beside what their bytes cost."""
    print(
        f"{'table':13}{'method':22}{'rows':>12}{'loss':>8}{'classes':>9}{'statements':>12}{'choose s':>10}{'CPU s':>8}{'/CTAS':>7}{'/GROUP BY':>11}{'MiB':>7}"
    )
    for kind in dict.fromkeys(asked.near):
        with tempfile.TemporaryDirectory(dir=asked.folder) as name:
            folder = Path(name)
            near_distinct.make(folder / "source.duckdb", asked.rows, kind)
            copied, grouped, _ = near_distinct.physical(
                folder / "source.duckdb", folder / "copy.duckdb"
            )
            for method in asked.method or ["full-domain", "cell-generalization", "mondrian"]:
                made = policy(
                    folder, near_distinct.COLUMNS, asked.k, METHODS[method], asked.memory_limit
                )
                before = near_distinct.cpu_seconds()
                report = anonsql.run(made)
                spent = near_distinct.cpu_seconds() - before
                peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
                print(
                    f"{kind:13}{method:22}{asked.rows:12,}{report.metrics['loss']:8.4f}{report.classes:9,}{report.statements:12,}{report.seconds['choose']:10.1f}{spent:8.1f}{spent / copied:7.1f}{spent / grouped:11.1f}{peak:7,}",
                    flush=True,
                )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--adult", action="store_true", help="the real table of $ANONSQL_DATA")
    parser.add_argument(
        "--near",
        action="append",
        choices=near_distinct.KINDS,
        help="tables of near-distinct rows instead; again for the other",
    )
    parser.add_argument("--memory-limit", default=None, help="e.g. 4GB, with --near")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument(
        "--method",
        action="append",
        choices=list(METHODS),
        help="one of them, again for more; all when left out",
    )
    parser.add_argument("--folder", default=None, help="where to put the files")
    return parser.parse_args()


def policy(
    folder: Path,
    columns: dict[str, object],
    k: int,
    method: dict[str, str],
    memory_limit: str | None = None,
) -> Policy:
    return Policy.parse(
        {
            "source": {"database": "source.duckdb", "table": "t"},
            "release": {"database": "release.duckdb", "table": "r", "completed": 0},
            "columns": columns,
            "privacy": {"k": k},
            "method": method,
            **({"engine": {"memory_limit": memory_limit}} if memory_limit else {}),
        },
        folder,
    )


def adult(folder: Path) -> tuple[dict[str, object], Domains]:
    if not os.environ.get("ANONSQL_DATA"):
        sys.exit("set ANONSQL_DATA to the folder that holds adult/")
    data = Path(os.environ["ANONSQL_DATA"]) / "adult"
    names = ", ".join(f'"{name}"' for name in ADULT)
    known = """split = 'train' AND '?' NOT IN (workclass, occupation, "native-country")"""
    connection = duckdb.connect(str(folder / "source.duckdb"))
    connection.execute(
        f"CREATE TABLE t AS SELECT {names} FROM read_csv(?) WHERE {known}",
        [str(data / "adult_with_unknowns.csv")],
    )
    connection.close()
    columns: dict[str, object] = {}
    domains: Domains = {}
    for name in ADULT:
        file = data / "hierarchies" / f"{name}.csv"
        columns[name] = {
            "role": "quasi-identifying",
            "hierarchy": {"type": "file", "path": str(file)},
        }
        leaves: dict[str, set[str]] = {}
        for row in csv.reader(file.open(encoding="utf-8"), delimiter=";"):
            for label in row:
                leaves.setdefault(label, set()).add(row[0])
        domains[name] = {label: len(under) for label, under in leaves.items()}
    return columns, domains


def independent(folder: Path, rows: int) -> tuple[dict[str, object], Domains]:
    """Columns that know nothing of each other: the first of numbers, the others of words."""
    parts = ["CAST(floor(random() * 74) AS INTEGER) AS c1"]
    parts += [
        f"'v' || lpad(CAST(CAST(floor(random() * {size}) AS INTEGER) AS VARCHAR), 2, '0') AS c{n}"
        for n, size in enumerate(DOMAINS[1:], 2)
    ]
    connection = duckdb.connect(str(folder / "source.duckdb"))
    connection.execute("SELECT setseed(0.5)")
    connection.execute(f"CREATE TABLE t AS SELECT {', '.join(parts)} FROM range({rows})")
    connection.close()
    tens = {f"v{ten}_": [f"v{ten}{one}" for one in range(10)] for ten in range(5)}
    columns: dict[str, object] = {
        "c1": {"role": "qi", "hierarchy": {"type": "interval", "widths": [5, 10, 20, 40]}}
    }
    widths = (5, 10, 20, 40)
    intervals = {
        f"[{low},{low + width})": min(width, 74 - low)
        for width in widths
        for low in range(0, 74, width)
    }
    domains: Domains = {"c1": {"*": 74, **intervals}}
    for n, size in enumerate(DOMAINS[1:], 2):
        words = {f"v{value:02}" for value in range(size)}
        groups = {label: [word for word in under if word in words] for label, under in tens.items()}
        tree = {label: under for label, under in groups.items() if under}
        columns[f"c{n}"] = {"role": "qi", "hierarchy": {"type": "taxonomy", "tree": tree}}
        domains[f"c{n}"] = {"*": size} | {label: len(under) for label, under in tree.items()}
    return columns, domains


def penalties(release: Path, domains: Domains) -> tuple[float, float]:
    """The mean over cells of both penalties."""
    connection = duckdb.connect(str(release), read_only=True)
    first = second = 0.0
    for name, known in domains.items():
        size = max(known.values())
        counted = connection.execute(f'SELECT "{name}", count(*) FROM r GROUP BY ALL').fetchall()
        rows = sum(copies for _, copies in counted)
        for label, copies in counted:
            if label not in known and label.startswith("["):
                low, high = (int(end) for end in label[1:-1].split(","))
                by_size = by_others = (high - low) / (size - 1)
            else:
                values = known.get(label, len(label.split(", ")) if label.startswith("{") else 1)
                by_size, by_others = values / size if values > 1 else 0.0, (values - 1) / (size - 1)
            first, second = first + by_size * copies / rows, second + by_others * copies / rows
    connection.close()
    return first / len(domains), second / len(domains)


if __name__ == "__main__":
    main()
