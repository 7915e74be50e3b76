"""What a small job costs, as ratios to ``import duckdb``: ``python -m benchmarks.small_jobs``.

A table of 1,000 rows whose five quasi-identifiers are drawn independently, so that nearly every row
is a combination of its own; k=10 by generalization. Each command is a process of its own, and so is
``import duckdb`` beside it; CPU seconds (user and system) of it and of the processes that it
starts, medians of five pairs. Then the same job again and again in one process, where nothing is
loaded or compiled any more: what a test, a notebook or a service pays for each.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import yaml

_TIMES = 5
_ROWS = """
CREATE TABLE people AS
SELECT CAST(18 + RANDOM() * 72 AS INTEGER) AS age, CASE WHEN RANDOM() < 0.5 THEN 'f' ELSE 'm' END
    AS sex, LPAD(CAST(CAST(RANDOM() * 8999 AS INTEGER) AS VARCHAR), 5, '1') AS zip,
    'job' || LPAD(CAST(CAST(RANDOM() * 39 AS INTEGER) AS VARCHAR), 2, '0') AS occupation,
    DATE '2020-01-01' + CAST(RANDOM() * 1460 AS INTEGER) AS visited,
    'outcome ' || CAST(RANDOM() * 9 AS INTEGER) AS outcome
FROM RANGE(1000)
"""
_MASK = {"role": "quasi-identifying", "hierarchy": {"type": "mask", "length": 5}}
_POLICY = {
    "source": {"database": "people.duckdb", "table": "people"},
    "release": {"database": "released.duckdb", "table": "released", "completed": 0},
    "columns": {
        "age": {
            "role": "quasi-identifying",
            "hierarchy": {"type": "interval", "widths": [5, 10, 20, 40]},
        },
        "sex": {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}},
        "zip": _MASK,
        "occupation": _MASK,
        "visited": {
            "role": "quasi-identifying",
            "hierarchy": {"type": "date", "levels": ["month", "quarter", "year"]},
        },
        "outcome": {"role": "sensitive"},
    },
    "privacy": {"k": 10, "suppression_limit": 0.05},
    "method": {"type": "full-domain"},
}
_COMMANDS = (
    ("--version",),
    ("check", "policy.yaml"),
    ("run", "policy.yaml"),
    ("run", "policy.yaml", "--if-changed"),
    ("verify", "policy.yaml"),
    ("run", "completed.yaml"),
    ("verify", "completed.yaml"),
    ("search", "policy.yaml"),
    ("query", "released.duckdb", "SELECT COUNT(*) FROM released WHERE age < 40"),
)
_AGAIN = """
import time, anonsql
anonsql.run("policy.yaml")
for _ in range(5):
    began = time.process_time()
    report = anonsql.run("policy.yaml")
    print(time.process_time() - began, report.statements)
"""


def _cost(order: list[str], folder: Path) -> float:
    """Return the CPU seconds of a process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(order, cwd=folder, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the table of costs."""
    python = [sys.executable]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with duckdb.connect(str(folder / "people.duckdb")) as connection:
            connection.execute("SELECT SETSEED(0.5)")
            connection.execute(_ROWS)
        (folder / "policy.yaml").write_text(yaml.safe_dump(_POLICY))
        drawn = {**_POLICY, "release": {**_POLICY["release"], "database": "drawn.duckdb"}}
        drawn["release"]["completed"] = 1
        (folder / "completed.yaml").write_text(yaml.safe_dump(drawn))
        time.sleep(0.1)
        _cost([*python, "-m", "anonsql", "run", "policy.yaml"], folder)  # templates are compiled
        print(f"{'command':<40}{'CPU s':>8}{'import duckdb':>15}{'ratio':>7}")
        for words in _COMMANDS:
            pairs = [
                (
                    _cost([*python, "-m", "anonsql", *words], folder),
                    _cost([*python, "-c", "import duckdb"], folder),
                )
                for _ in range(_TIMES)
            ]
            own, base = (statistics.median(values) for values in zip(*pairs, strict=True))
            print(f"{' '.join(words)[:38]:<40}{own:>8.2f}{base:>15.2f}{own / base:>7.1f}")
        done = subprocess.run(
            [*python, "-c", _AGAIN], cwd=folder, check=True, capture_output=True, text=True
        )
        seconds, statements = zip(*(line.split() for line in done.stdout.splitlines()), strict=True)
        again = statistics.median(map(float, seconds))
        print(f"run again in one process: {again:.2f} CPU s, {statements[0]} statements")


if __name__ == "__main__":
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what is compiled is kept, as installed
    main()
