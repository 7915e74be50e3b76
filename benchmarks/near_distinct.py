"""Tables in which nearly every row is a cell of its own, as where postcode and date stand: what
cells compress least. One of five columns drawn independently of each other; one of the same columns
that depend on each other, with skewed values."""

from __future__ import annotations

import os
import statistics
from pathlib import Path

import duckdb

QI = ("age", "sex", "zip", "occupation", "visited")
COLUMNS: dict[str, object] = {
    "age": {"role": "qi", "hierarchy": {"type": "interval", "widths": [5, 10, 20, 40]}},
    "sex": {"role": "qi", "hierarchy": {"type": "suppression"}},
    "zip": {"role": "qi", "hierarchy": {"type": "mask", "length": 5}},
    "occupation": {"role": "qi", "hierarchy": {"type": "mask", "length": 5}},
    "visited": {
        "role": "qi",
        "hierarchy": {"type": "date", "levels": ["month", "quarter", "year"]},
    },
    "outcome": {"role": "sensitive"},
}
_DRAWN = {
    "independent": """
        SELECT random() AS a, random() AS s, random() AS z, random() AS o, random() AS v
        FROM range({rows})
    """,
    "correlated": """
        SELECT
            a, z,
            CASE WHEN floor(o * 39) % 2 = 0 THEN u * 0.6 ELSE 1 - u * 0.6 END AS s,
            o,
            0.6 * z + 0.4 * u AS v
        FROM (
            SELECT *, 0.7 * a + 0.3 * random() AS o, random() AS u
            FROM (
                SELECT (random() + random()) / 2 AS a, random() * random() AS z
                FROM range({rows})
            )
        )
    """,
}
KINDS = tuple(_DRAWN)


def cpu_seconds() -> float:
    """CPU seconds (user and system) of this process and of those that it has run."""
    return sum(os.times()[:4])


def make(file: Path, rows: int, kind: str) -> None:
    """Write the table ``t`` to a new DuckDB file."""
    connection = duckdb.connect(str(file))
    connection.execute("SET threads = 1")  # the same rows every time
    connection.execute("SELECT setseed(0.3)")
    connection.execute(
        f"""
        CREATE TABLE t AS
        SELECT
            CAST(17 + a * 74 AS INTEGER) AS age,
            CASE WHEN s < 0.5 THEN 'F' ELSE 'M' END AS sex,
            CAST(CAST(10000 + floor(z * 9000) * 7 AS INTEGER) AS VARCHAR) AS zip,
            'occ' || lpad(CAST(CAST(o * 39 AS INTEGER) AS VARCHAR), 2, '0') AS occupation,
            DATE '2020-01-01' + CAST(v * 1460 AS INTEGER) AS visited,
            CAST(random() * 5 AS INTEGER) AS outcome
        FROM ({_DRAWN[kind].format(rows=rows)})
        """
    )
    connection.close()


def physical(file: Path, copy: Path) -> tuple[float, float, int]:
    """CPU seconds of a CREATE TABLE AS of the table into a file, and of a GROUP BY of its
    quasi-identifying columns, each a median of three; how many cells there are."""
    names = ", ".join(QI)
    connection = duckdb.connect()
    connection.execute(f"ATTACH '{file}' AS source (READ_ONLY)")
    written, grouped, cells = [], [], 0
    for _ in range(3):
        before = cpu_seconds()
        connection.execute(f"ATTACH '{copy}' AS copy")
        connection.execute("CREATE TABLE copy.t AS FROM source.t")
        connection.execute("DETACH copy")
        written.append(cpu_seconds() - before)
        copy.unlink()
        before = cpu_seconds()
        found = connection.execute(
            f"SELECT count(*) FROM (SELECT count(*) AS n FROM source.t GROUP BY {names})"
        ).fetchone()
        grouped.append(cpu_seconds() - before)
        cells = found[0] if found else 0
    connection.close()
    return statistics.median(written), statistics.median(grouped), cells
