"""How long `anonsql risk` takes on a table, beside what it consists of: one GROUP BY of its
quasi-identifying columns and, for special uniques, GROUPING SETS of all the sets of columns that
are looked at.

    python -m benchmarks.risks --rows 10000000 --special 4
"""

from __future__ import annotations

import argparse
import tempfile
import time
from itertools import chain, combinations
from pathlib import Path

import duckdb

import anonsql
from anonsql.features.risk.command import RiskSettings
from anonsql.policy.policy import Policy
from benchmarks.near_distinct import cpu_seconds

_COLUMNS = {
    "age": "CAST(17 + (a + random()) * 37 AS INTEGER)",
    "sex": "CASE WHEN random() < 0.5 THEN 'F' ELSE 'M' END",
    "zip": "CAST(CAST(10000 + floor(z * 9000) * 7 AS INTEGER) AS VARCHAR)",
    "occupation": "'occ' || CAST((0.7 * a + 0.3 * random()) * 39 AS INTEGER)",
    "education": "'edu' || CAST((0.5 * z + 0.5 * random()) * 15 AS INTEGER)",
    "marital": "'m' || CAST(random() * (1 + a) * 3 AS INTEGER)",
    "country": "'c' || CAST(pow(random(), 6) * 40 AS INTEGER)",
    "children": "CAST(pow(random(), 3) * 9 AS INTEGER)",
}
"""Of correlated and skewed columns, as tables of people have them."""
_SUPPRESSED = {"role": "qi", "hierarchy": {"type": "suppression"}}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--special", type=int, default=4, help="sets of up to so many columns")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _make(folder / "source.duckdb", asked.rows)
        policy = Policy.parse(
            {
                "source": {"database": "source.duckdb", "table": "t"},
                "release": {"database": "release.duckdb", "table": "r"},
                "columns": dict.fromkeys(_COLUMNS, _SUPPRESSED),
                "privacy": {"k": 5},
            },
            folder,
        )
        grouped = _sql(folder / "source.duckdb", [tuple(_COLUMNS)])
        print(f"GROUP BY                    {grouped:8.2f} CPU s", flush=True)
        _risk("classes and populations", policy, grouped, RiskSettings(True, asked.rows * 20))
        sets = [combinations(_COLUMNS, size) for size in range(1, asked.special + 1)]
        wanted = list(chain.from_iterable(sets))
        grouped = _sql(folder / "source.duckdb", wanted)
        print(f"GROUPING SETS ({len(wanted):3} sets)    {grouped:8.2f} CPU s", flush=True)
        _risk(
            f"special uniques to {asked.special}",
            policy,
            grouped,
            RiskSettings(True, special=asked.special),
        )


def _make(file: Path, rows: int) -> None:
    """Write the table ``t`` to a new DuckDB file."""
    with duckdb.connect(str(file)) as connection:
        connection.execute("SET threads = 1")  # the same rows every time
        connection.execute("SELECT setseed(0.3)")
        columns = ", ".join(f"{text} AS {name}" for name, text in _COLUMNS.items())
        connection.execute(
            f"CREATE TABLE t AS SELECT {columns} FROM"
            f" (SELECT random() AS a, random() * random() AS z FROM range({rows}))"
        )


def _sql(file: Path, sets: list[tuple[str, ...]]) -> float:
    """CPU seconds of counting the rows that are alone in each of some sets of columns."""
    with duckdb.connect(str(file), read_only=True) as connection:
        connection.execute("SET threads = 2")
        before = cpu_seconds()
        text = ", ".join(f"({', '.join(names)})" for names in sets)
        connection.execute(
            "SELECT n, count(*) FROM (SELECT count(*) AS n FROM t"
            f" GROUP BY GROUPING SETS ({text})) GROUP BY n"
        ).fetchall()
        return cpu_seconds() - before


def _risk(title: str, policy: Policy, beside: float, settings: RiskSettings) -> None:
    """Print how long `anonsql risk` takes on the source."""
    before, started = cpu_seconds(), time.perf_counter()
    report = anonsql.risk(policy, settings)
    cpu, seconds = cpu_seconds() - before, time.perf_counter() - started
    found = f"{report.unique:,} rows alone in all columns"
    if report.specials is not None:
        found = f"{report.specials.rows:,} special uniques"
    print(
        f"{title:28}{cpu:8.2f} CPU s {cpu / beside:6.2f} times ({seconds:.1f} s,"
        f" {report.statements} statements): {found}",
        flush=True,
    )


if __name__ == "__main__":
    main()
