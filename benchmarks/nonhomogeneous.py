"""The experiments of Wong, Mamoulis, Cheung (SIGMOD 2010, section 7) again: information loss (GCP)
and seconds of

NH (`ring`), HP (`homogeneous`), HS and HR (`hilbert` by sets and by ranges) and AT (`anatomy`,
l-diversity alone), while the rows n, the quasi-identifiers d, k and l vary.

    ANONSQL_DATA=/path/to/data python -m benchmarks.nonhomogeneous --plots benchmarks/figures
    # needs matplotlib ANONSQL_DATA=/path/to/data python -m benchmarks.nonhomogeneous --only
    census-k --rows 20000 ANONSQL_DATA=/path/to/data python -m benchmarks.nonhomogeneous speed

CENSUS is a synthetic table of the paper's domains: methods may be compared on it with each other,
never with the paper's figures. Seconds are those of the method: from the scan of the table to what
every row is released as; writing and proving the release come on top. Checked at the end of every
experiment: NH loses no more than HP (Lemma 2 of the paper), and, as the paper found, less than the
others; where l is near what the table allows, HS may lose less.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import duckdb

import anonsql
from anonsql.errors import PrivacyError
from anonsql.policy.policy import Policy

METHODS: dict[str, dict[str, str]] = {
    "NH": {"type": "ring"},
    "HP": {"type": "homogeneous"},
    "HS": {"type": "hilbert", "representation": "set"},
    "HR": {"type": "hilbert", "representation": "range"},
    "AT": {"type": "anatomy"},
}
CENSUS = [
    "age",
    "gender",
    "education",
    "marital",
    "race",
    "workclass",
    "country",
    "occupation",
    "salary",
]
METHOD_STAGES = ("count_combinations", "build_hierarchies", "code_values", "build_star", "choose")


@dataclass(frozen=True)
class Point:
    """One setting: rows of the table, quasi-identifiers, k, and l of the sensitive column (0:
    none)."""

    n: int
    d: int
    k: int
    l: int = 0  # noqa: E741 - the paper's name


@dataclass(frozen=True)
class Experiment:
    """What is varied, and where."""

    table: str
    varied: str
    points: tuple[Point, ...]
    methods: tuple[str, ...]


PLAIN, DIVERSE = ("NH", "HP", "HS", "HR"), ("NH", "HS", "AT")
EXPERIMENTS = {
    "census-n": Experiment(
        "census", "n", tuple(Point(n * 1000, 3, 10) for n in (100, 200, 300, 400, 500)), PLAIN
    ),
    "census-d": Experiment("census", "d", tuple(Point(100_000, d, 10) for d in range(2, 8)), PLAIN),
    "census-k": Experiment(
        "census",
        "k",
        tuple(Point(100_000, 3, k) for k in (2, 4, 6, 8, 10, 20, 40, 60, 80, 100)),
        PLAIN,
    ),
    "census-l": Experiment(
        "census", "l", tuple(Point(100_000, 3, 2, number) for number in range(2, 10)), DIVERSE
    ),
    "census-d-l": Experiment(
        "census", "d", tuple(Point(100_000, d, 2, 5) for d in range(2, 8)), DIVERSE
    ),
    "adult-d": Experiment("adult", "d", tuple(Point(0, d, 10) for d in range(2, 10)), PLAIN),
    "adult-k": Experiment("adult", "k", tuple(Point(0, 4, k) for k in range(10, 101, 10)), PLAIN),
}
Curves = dict[str, dict[int, tuple[float, float]]]
"""By method and value of what is varied: GCP and seconds."""


def main() -> None:
    asked = arguments()
    if asked.what == "speed":
        speed(asked)
        return
    drawn = {}
    for name in asked.only or list(EXPERIMENTS):
        drawn[name] = run(name, EXPERIMENTS[name], asked)
    if asked.plots:
        draw(Path(asked.plots), drawn)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=["experiments", "speed"], default="experiments")
    parser.add_argument(
        "--only",
        action="append",
        choices=list(EXPERIMENTS),
        help="one of them, again for more; all when left out",
    )
    parser.add_argument("--method", action="append", choices=list(METHODS))
    parser.add_argument("--rows", type=int, help="at most so many rows")
    parser.add_argument("--plots", help="folder for the figures")
    parser.add_argument("--folder", default=None, help="where to put the files")
    asked = parser.parse_args()
    if not os.environ.get("ANONSQL_DATA"):
        sys.exit("set ANONSQL_DATA to the folder that holds adult/ and census/")
    return asked


def run(name: str, experiment: Experiment, asked: argparse.Namespace) -> Curves:
    """Measure all points of an experiment, printing them."""
    methods = [item for item in experiment.methods if item in (asked.method or METHODS)]
    curves: Curves = {method: {} for method in methods}
    print(
        f"\n{name}: GCP, seconds\n{experiment.varied:>8}"
        + "".join(f"{method:>22}" for method in methods),
        flush=True,
    )
    for point in experiment.points:
        with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
            names = table(Path(folder), experiment.table, min(point.n, asked.rows or point.n))
            at = getattr(point, experiment.varied)
            print(f"{at:8,}", end="", flush=True)
            for method in methods:
                found = measured(policy(Path(folder), names, point, METHODS[method]))
                print(
                    f"{found[0]:13.6f} {found[1]:6.2f} s" if found else f"{'not possible':>22}",
                    end="",
                    flush=True,
                )
                if found:
                    curves[method][at] = found
            print()
    check(curves)
    return curves


def check(curves: Curves) -> None:
    """Say where the method of the paper is not the best."""
    for at, (loss, _) in curves.get("NH", {}).items():
        for other in ("HP", "HS", "HR", "AT"):
            theirs = curves.get(other, {}).get(at)
            if (
                theirs
                and (loss > theirs[0] if other == "HP" else loss >= theirs[0])
                and not loss == theirs[0] == 0
            ):
                print(f"  at {at:,} NH loses {loss:.6f} and {other} {theirs[0]:.6f}")


def table(folder: Path, name: str, rows: int) -> list[str]:
    """The table in a database file; its columns, quasi-identifying ones first."""
    data = Path(os.environ["ANONSQL_DATA"])
    connection = duckdb.connect(str(folder / "source.duckdb"))
    if name == "adult":
        connection.execute(
            "CREATE TABLE t AS SELECT * FROM read_csv(?)", [str(data / "adult" / "adult.csv")]
        )
    else:
        file = str(data / "census" / "census_synth.parquet")
        connection.execute(
            f"CREATE TABLE t AS SELECT * FROM read_parquet(?) USING SAMPLE {rows} ROWS"
            " (reservoir, 7)",
            [file],
        )
    found = [row[0] for row in connection.execute("DESCRIBE t").fetchall()]
    connection.close()
    return found if name == "adult" else CENSUS


def policy(folder: Path, names: list[str], point: Point, method: dict[str, str]) -> Policy:
    sensitive = "occupation" if point.l else None
    roles = {
        name: "quasi-identifying" if place < point.d else "insensitive"
        for place, name in enumerate(names)
    }
    columns: dict[str, object] = {
        name: {"role": "sensitive" if name == sensitive else role} for name, role in roles.items()
    }
    return Policy.parse(
        {
            "source": {"database": "source.duckdb", "table": "t"},
            "release": {"database": "release.duckdb", "table": "r"},
            "columns": columns,
            "privacy": (
                {"k": point.k} | ({"l_diversity": {sensitive: point.l}} if sensitive else {})
            ),
            "method": method,
        },
        folder,
    )


def measured(given: Policy) -> tuple[float, float] | None:
    """GCP and the method's seconds; nothing where the method cannot keep the promise."""
    try:
        report = anonsql.run(given)
    except PrivacyError:
        return None
    loss = report.metrics.get("group_gcp", report.metrics["gcp"])
    return loss, sum(report.seconds[stage] for stage in METHOD_STAGES if stage in report.seconds)


def speed(asked: argparse.Namespace) -> None:
    """The method's seconds, and the whole job's, beside a sort of the table by the
    quasi-identifying columns."""
    print(
        f"{'rows':>9}{'d':>4}{'k':>5}{'sort':>9}{'method':>9}{'ratio':>7}{'whole job':>11}{'GCP':>11}"
    )
    for point in (Point(100_000, 3, 100), Point(100_000, 7, 100), Point(500_000, 7, 10)):
        with tempfile.TemporaryDirectory(dir=asked.folder) as name:
            folder = Path(name)
            names = table(folder, "census", point.n)
            for _ in range(3):
                sort = sorted_in(folder / "source.duckdb", names[: point.d])
                report = anonsql.run(policy(folder, names, point, METHODS["NH"]))
                seconds = sum(
                    report.seconds[stage] for stage in METHOD_STAGES if stage in report.seconds
                )
                whole, loss = sum(report.seconds.values()), report.metrics["gcp"]
                print(
                    f"{point.n:9,}{point.d:4}{point.k:5}{sort:9.3f}{seconds:9.2f}{seconds / sort:7.1f}{whole:11.2f}{loss:11.6f}",
                    flush=True,
                )


def sorted_in(database: Path, names: list[str]) -> float:
    """Seconds for a sorted copy of the table."""
    connection = duckdb.connect(str(database))
    columns = ", ".join(f'"{name}"' for name in names)
    start = time.perf_counter()
    connection.execute(f"CREATE TEMP TABLE s AS SELECT * FROM t ORDER BY {columns}")
    seconds = time.perf_counter() - start
    connection.close()
    return seconds


def draw(folder: Path, drawn: dict[str, Curves]) -> None:
    """One figure for each experiment: loss and seconds side by side."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    folder.mkdir(exist_ok=True, parents=True)
    for name, curves in drawn.items():
        figure, axes = pyplot.subplots(1, 2, figsize=(8, 3))
        for axis, which, title in zip(axes, (0, 1), ("GCP", "seconds"), strict=True):
            for method, points in curves.items():
                axis.plot(
                    list(points),
                    [found[which] for found in points.values()],
                    marker="o",
                    markersize=3,
                    label=method,
                )
            axis.set_xlabel(EXPERIMENTS[name].varied)
            axis.set_title(title)
        axes[0].legend()
        figure.suptitle(name)
        figure.tight_layout()
        figure.savefig(folder / f"nonhomogeneous_{name}.svg", metadata={"Date": None})
        pyplot.close(figure)


if __name__ == "__main__":
    main()
