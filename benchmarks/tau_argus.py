"""Tables of counts of Adult by tau-Argus, a second judge of suppression:

    ANONSQL_DATA=/path/to/data python -m benchmarks.tau_argus [SECONDS]

It needs `pytauargus` of PyPI, which nothing else needs. The method is MOD, and a cell of fewer than
11 people must seem to be twice as large: FREQ(11,100). Each table is a process of its own, which
ends after SECONDS (900). *Amount* is the share of the people in the finest cells that is hidden,
and, in the next column, the share of the sum of all cells, totals included.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import os
import resource
import subprocess
import sys
import tempfile
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

TABLES = (
    ("sex", "race", "workclass"),
    ("education", "marital-status", "race"),
    ("education", "occupation", "native-country"),
    ("sex", "marital-status", "education", "workclass"),
)
"""The dimensions of each table."""
_SECONDS = 900.0


def hide(names: tuple[str, ...]) -> str:
    """Return a row of figures: cells, primary, hidden, two shares of the amount, CPU seconds."""
    from pytauargus import protect

    with (Path(os.environ["ANONSQL_DATA"]) / "adult" / "adult.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    people: dict[str, list[str] | list[int]] = {name: [row[name] for row in rows] for name in names}
    people["people"] = [1] * len(rows)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    with tempfile.TemporaryDirectory() as folder, chdir(folder), redirect_stdout(io.StringIO()):
        made = protect(
            people,
            list(names),
            response="people",
            safety_rules="FREQ(11,100)",
            suppress="MOD(1)",
            workdir=folder,
        )
    seconds = resource.getrusage(resource.RUSAGE_SELF).ru_utime - before
    cells = [cell for cell in made.tables[0].rows if cell["status"] != "E"]
    primary = sum(cell["status"] == "U" for cell in cells)
    hidden = sum(cell["status"] in "UM" for cell in cells)
    finest = [cell for cell in cells if "Total" not in (cell[name] for name in names)]
    shares = f"{_hidden_share(finest):.1%} | {_hidden_share(cells):.1%}"
    return f"{len(cells):,} | {primary:,} | {hidden:,} | {shares} | {seconds:.1f} s"


def _hidden_share(cells: list[dict[str, Any]]) -> float:
    hidden = sum(cell["people"] for cell in cells if cell["status"] in "UM")
    return hidden / sum(cell["people"] for cell in cells)


def main() -> None:
    """Print a row for each table, or for the dimensions of one in this process."""
    if importlib.util.find_spec("pytauargus") is None:
        sys.exit("install pytauargus, which this benchmark alone needs")
    if not os.environ.get("ANONSQL_DATA"):
        sys.exit("set ANONSQL_DATA to the folder that holds adult/")
    if len(sys.argv) > 2:
        print(hide(tuple(sys.argv[1:])))
        return
    limit = float(sys.argv[1]) if len(sys.argv) > 1 else _SECONDS
    print("| table | cells | primary | hidden | amount | of all cells | user CPU |")
    print("|---|---|---|---|---|---|---|")
    for names in TABLES:
        command = [sys.executable, "-m", "benchmarks.tau_argus", *names]
        try:
            result = subprocess.run(
                command, capture_output=True, text=True, check=True, timeout=limit
            )
            figures = result.stdout.strip().splitlines()[-1]
        except subprocess.TimeoutExpired:
            figures = f"not in {limit:.0f} s | | | | |"
        print(f"| {' × '.join(names)} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
