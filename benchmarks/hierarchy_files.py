"""Hierarchies in files, at two sizes: a table of donors with eight of them (117,000 lines in all),
and a column of a million distinct values with a file of a million lines.

Both tables are made up. Beside each job stands, in the same run, what the engine takes to write
table and hierarchies out and in again (COPY), and a copy of the table (CREATE TABLE AS).

    python -m benchmarks.hierarchy_files [--case donors|million] [--k 10]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from anonsql.policy.policy import Policy
from benchmarks import whole_jobs

_COPIES = 3  # the median of so many is told


@dataclass(frozen=True)
class Case:
    """A table as DuckDB makes it (``rows``, a SELECT), the hierarchy of each column (a SELECT in
    the order of its lines), and the policy's further parts."""

    rows: str
    hierarchies: dict[str, str]
    privacy: dict[str, Any]
    sensitive: tuple[str, ...] = ()


def _draw(salt: int, most: int) -> str:
    """A number from 0 below ``most`` for row ``i``, as if drawn."""
    return f"CAST(hash(i * 16 + {salt}) % {most} AS INTEGER)"


def _skewed(salt: int, most: int) -> str:
    """As ``_draw``, small numbers far more often than great ones."""
    return f"CAST(floor({most} * pow((hash(i * 16 + {salt}) % 1000003) / 1000003.0, 3)) AS INTEGER)"


def _postcode(number: str) -> str:
    return f"lpad(CAST({number} AS VARCHAR), 5, '0')"


def _listed(values: str) -> str:
    return f"SELECT v AS v0, '*' AS v1 FROM (SELECT unnest([{values}]) AS v)"


_DAY = "DATE '1950-01-01' + CAST(n AS INTEGER)"
_DONORS = Case(
    f"""SELECT
        {_postcode(_skewed(1, 52_000))} AS postcode,
        DATE '1950-01-01' + {_skewed(2, 25_000)} AS donated,
        CAST({_skewed(3, 39_743)} / 4.0 AS DECIMAL(9, 2)) AS amount,
        18 + {_skewed(4, 80)} AS age,
        ['F', 'M', 'U'][1 + {_skewed(5, 3)}] AS gender,
        {_skewed(6, 7)} AS income,
        {_skewed(7, 10)} AS wealth,
        'S' || {_skewed(8, 57)} AS region
    FROM range(63441) AS r (i)""",
    {
        "postcode": f"""SELECT {_postcode("n")} AS v0, left({_postcode("n")}, 4) || '*' AS v1,
            left({_postcode("n")}, 3) || '**' AS v2, left({_postcode("n")}, 2) || '***' AS v3,
            left({_postcode("n")}, 1) || '****' AS v4, '*' AS v5 FROM range(52000) AS r (n)""",
        "donated": f"""SELECT CAST({_DAY} AS VARCHAR) AS v0, strftime({_DAY}, '%Y-%m') AS v1,
            strftime({_DAY}, '%Y') AS v2, left(strftime({_DAY}, '%Y'), 3) || '0s' AS v3, '*' AS v4
            FROM range(25000) AS r (n)""",
        "amount": """SELECT CAST(CAST(n / 4.0 AS DECIMAL(9, 2)) AS VARCHAR) AS v0,
            '[' || n // 40 * 10 || ',' || (n // 40 + 1) * 10 || ')' AS v1,
            '[' || n // 400 * 100 || ',' || (n // 400 + 1) * 100 || ')' AS v2,
            '[' || n // 4000 * 1000 || ',' || (n // 4000 + 1) * 1000 || ')' AS v3, '*' AS v4
            FROM range(39800) AS r (n)""",
        "age": """SELECT CAST(n AS VARCHAR) AS v0, n // 10 * 10 || '-' || (n // 10 * 10 + 9) AS v1,
            '*' AS v2 FROM range(18, 118) AS r (n)""",
        "gender": _listed("'F', 'M', 'U'"),
        "income": """SELECT CAST(n AS VARCHAR) AS v0, 'part ' || n // 4 AS v1, '*' AS v2
            FROM range(10) AS r (n)""",
        "wealth": """SELECT CAST(n AS VARCHAR) AS v0, 'part ' || n // 5 AS v1, '*' AS v2
            FROM range(10) AS r (n)""",
        "region": """SELECT 'S' || n AS v0, 'zone ' || n // 10 AS v1, '*' AS v2
            FROM range(77) AS r (n)""",
    },
    {"suppression_limit": 0.05},
)
_CUSTOMER = "lpad(CAST(n AS VARCHAR), 7, '0')"
_MILLION = Case(
    f"""SELECT
        lpad(CAST(CASE WHEN i < 1000000 THEN i ELSE {_draw(1, 1_000_000)} END AS VARCHAR), 7, '0')
            AS code,
        ['F', 'M'][1 + {_draw(2, 2)}] AS gender
    FROM range(1200000) AS r (i)""",
    {
        "code": f"""SELECT {_CUSTOMER} AS v0, left({_CUSTOMER}, 5) || '**' AS v1,
            left({_CUSTOMER}, 3) || '****' AS v2, '*' AS v3 FROM range(1000000) AS r (n)""",
        "gender": _listed("'F', 'M'"),
    },
    {"suppression_limit": 0.05},
)
CASES = {"donors": _DONORS, "million": _MILLION}


def make(case: Case, folder: Path) -> None:
    """Write the table (``source.duckdb``) and the hierarchy files (``;``, no header)."""
    with duckdb.connect(str(folder / "source.duckdb")) as made:
        made.execute(f"CREATE TABLE t AS {case.rows}")
        for name, select in case.hierarchies.items():
            file = folder / f"{name}.csv"
            made.execute(f"COPY ({select}) TO '{file}' (FORMAT CSV, DELIMITER ';', HEADER FALSE)")


def policy_of(case: Case, folder: Path, k: int, **more: Any) -> Policy:
    """The policy of a case, with its files in a folder."""
    columns = {
        name: {"role": "quasi-identifying", "hierarchy": {"type": "file", "path": f"{name}.csv"}}
        for name in case.hierarchies
    }
    data = {
        "source": {"database": "source.duckdb", "table": "t"},
        "release": {"database": "release.duckdb", "table": "released", "completed": 0},
        "columns": columns,
        "privacy": {"k": k, **case.privacy},
        "engine": {"memory_limit": "4GB"},
        **more,
    }
    return Policy.parse(data, folder)


def _timed(work: Callable[[], object]) -> float:
    times = []
    for _ in range(_COPIES):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return sorted(times)[len(times) // 2]


def copies(case: Case, folder: Path) -> dict[str, float]:
    """Seconds of COPY of table and hierarchies, out and in, and of CREATE TABLE AS."""
    with duckdb.connect(str(folder / "copied.duckdb")) as made:
        made.execute(f"ATTACH '{folder / 'source.duckdb'}' AS source (READ_ONLY)")

        def copy() -> None:
            out = folder / "copied.csv"
            made.execute(f"COPY source.t TO '{out}' (FORMAT CSV)")
            made.execute(f"CREATE OR REPLACE TABLE c AS FROM read_csv('{out}', all_varchar = TRUE)")
            for name in case.hierarchies:
                held = folder / f"{name}.csv"
                select = f"FROM read_csv('{held}', all_varchar = TRUE, header = FALSE)"
                made.execute(f"CREATE OR REPLACE TABLE h AS {select}")
                made.execute(f"COPY h TO '{out}' (FORMAT CSV, DELIMITER ';', HEADER FALSE)")

        def create() -> None:
            made.execute("CREATE OR REPLACE TABLE d AS FROM source.t")

        found = {"copy": _timed(copy), "create": _timed(create)}
    (folder / "copied.duckdb").unlink()
    (folder / "copied.csv").unlink()
    return found


def main() -> None:
    """Print the figures of each case."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", choices=list(CASES))
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--part")
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    if asked.part:
        name, k = asked.part.split("-")
        print(whole_jobs.measured(policy_of(CASES[name], asked.folder, int(k))))
        return
    for name in [asked.case] if asked.case else CASES:
        with tempfile.TemporaryDirectory() as folder:
            make(CASES[name], Path(folder))
            beside = copies(CASES[name], Path(folder))
            job = whole_jobs.apart("benchmarks.hierarchy_files", f"{name}-{asked.k}", folder)
        ratios = {f"times {what}": job["seconds"] / taken for what, taken in beside.items()}
        print(name, json.dumps({**beside, **job, **ratios}, indent=1))


if __name__ == "__main__":
    main()
