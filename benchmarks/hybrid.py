"""The experiments of Nergiz, Gök, Özkanlı (Preservation of Utility through Hybrid k-Anonymization,
2013, Figures 2 and 3) again: the loss

LM and the error of COUNT queries of full-domain generalization alone (Incognito) and helped by
relocation (S-Hybrid, its randomized and its statistical variants), while k and the share p of cells
that may be changed vary; beside them Mondrian and M-Hybrid.

    ANONSQL_DATA=/path/to/data python -m benchmarks.hybrid --plots benchmarks/figures        # needs
    matplotlib ANONSQL_DATA=/path/to/data python -m benchmarks.hybrid --only adult --queries 1000
    ANONSQL_DATA=/path/to/data python -m benchmarks.hybrid --lattice                         #
    seconds by columns of Adult python -m benchmarks.hybrid --scale 100000 1000000 5000000
    # seconds and memory by rows

Adult has its nine columns, all quasi-identifying. CENSUS is 100,000 rows of a synthetic table of
the paper's domains, eight quasi-identifying columns in intervals or as ``*``, and the salary, which
is sensitive: methods may be compared on it with each other, never with the paper's figures. The
error is |estimate - answer| / answer, its median over random COUNT queries, the same for all.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

import anonsql
from anonsql.measures.workload import WorkloadSettings
from anonsql.policy.policy import Policy
from benchmarks import full_domain, whole_jobs

P, ALPHA, K = 0.01, 0.05, 10
KS, PS = (5, 10, 20, 50, 100), (0.001, 0.0025, 0.005, 0.01, 0.02, 0.05)
HYBRID = {"type": "hybrid", "p": P}
METHODS: dict[str, dict[str, object]] = {
    "Incognito": {"type": "full-domain"},
    "S-Hybrid": HYBRID,
    "S-Hybrid-rand": {**HYBRID, "variant": "randomized"},
    "S-Hybrid-stat": {**HYBRID, "alpha": ALPHA},
    "S-Hybrid-rstat": {**HYBRID, "variant": "randomized", "alpha": ALPHA},
    "Mondrian": {"type": "mondrian"},
    "M-Hybrid": {**HYBRID, "recoding": "mondrian"},
    "M-Hybrid-rand": {**HYBRID, "recoding": "mondrian", "variant": "randomized"},
    "M-Hybrid-stat": {**HYBRID, "recoding": "mondrian", "alpha": ALPHA},
}
CENSUS: dict[str, object] = {
    "age": {"type": "interval", "widths": [5, 10, 20, 40]},
    "gender": {"type": "suppression"},
    "education": {"type": "interval", "widths": [3, 6]},
    "marital": {"type": "interval", "widths": [2]},
    "race": {"type": "interval", "widths": [3]},
    "workclass": {"type": "interval", "widths": [3]},
    "country": {"type": "interval", "widths": [10, 20, 40]},
    "occupation": {"type": "interval", "widths": [5, 25]},
}


@dataclass(frozen=True)
class Point:
    """One setting: the table, the method's name, k, and p."""

    table: str
    method: str
    k: int
    p: float


@dataclass(frozen=True)
class Found:
    """What a release of one setting measured: LM, the median error of queries, shares of changed
    cells and rows, and seconds."""

    loss: float
    error: float
    cells: float
    rows: float
    seconds: float


def main() -> None:
    asked = arguments()
    if asked.part:
        sys.stdout.write(whole_job(Path(asked.folder), asked.part))
    elif asked.scale is not None:
        scale(asked.scale or [100_000, 1_000_000], asked)
    elif asked.lattice:
        lattice(asked)
    else:
        found = {name: experiments(name, asked) for name in asked.only or ["adult", "census"]}
        if asked.plots:
            draw(Path(asked.plots), found)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", action="append", choices=["adult", "census"], help="both when left out"
    )
    parser.add_argument(
        "--method",
        action="append",
        choices=list(METHODS),
        help="one of them, again for more; all when left out",
    )
    parser.add_argument("--queries", type=int, default=300, help="queries to each release")
    parser.add_argument("--rows", type=int, default=100_000, help="of CENSUS")
    parser.add_argument("--plots", help="folder for the figures")
    parser.add_argument(
        "--lattice",
        action="store_true",
        help="seconds by the columns of Adult, in the place of the experiments",
    )
    parser.add_argument(
        "--scale",
        type=int,
        nargs="*",
        metavar="ROWS",
        help="generated tables of these sizes, likewise",
    )
    parser.add_argument("--part", help=argparse.SUPPRESS)
    parser.add_argument("--folder", default=None, help="where to put the files")
    return parser.parse_args()


def experiments(name: str, asked: argparse.Namespace) -> dict[Point, Found]:
    """Measure all settings of one table, printing them."""
    names = asked.method or list(METHODS)
    points = [Point(name, method, k, P) for k in KS for method in names]
    points += [
        Point(name, method, K, p)
        for p in PS
        if p != P
        for method in names
        if "p" in METHODS[method]
    ]
    found = {}
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        columns = adult(Path(folder)) if name == "adult" else census(Path(folder), asked.rows)
        print(
            f"\n{name}: alpha={ALPHA}, {asked.queries} queries\n{'k':>4}{'p':>8} "
            f" {'method':16}{'LM':>8}{'error':>9}{'changed cells':>15}{'rows':>8}{'seconds':>9}"
        )
        for point in points:
            each = found[point] = measured(policy(Path(folder), columns, point), asked.queries)
            print(
                f"{point.k:4}{point.p:8.2%} "
                f" {point.method:16}{each.loss:8.4f}{each.error:9.2%}{each.cells:15.3%}"
                f"{each.rows:8.2%}{each.seconds:9.2f}",
                flush=True,
            )
    return found


def adult(folder: Path) -> dict[str, object]:
    """The real table in a database file; its columns."""
    data = data_of("adult")
    connection = duckdb.connect(str(folder / "source.duckdb"))
    connection.execute("CREATE TABLE t AS SELECT * FROM read_csv(?)", [str(data / "adult.csv")])
    connection.close()
    trees = {
        name: {"type": "file", "path": str(data / "hierarchies" / f"{name}.csv")}
        for name in full_domain.ADULT
    }
    return {name: {"role": "quasi-identifying", "hierarchy": tree} for name, tree in trees.items()}


def census(folder: Path, rows: int) -> dict[str, object]:
    """Some rows of the synthetic table in a database file; its columns."""
    connection = duckdb.connect(str(folder / "source.duckdb"))
    file = str(data_of("census") / "census_synth.parquet")
    connection.execute(
        f"CREATE TABLE t AS SELECT * FROM read_parquet(?) USING SAMPLE {rows} ROWS (reservoir, 7)",
        [file],
    )
    connection.close()
    quasi = {
        name: {"role": "quasi-identifying", "hierarchy": tree} for name, tree in CENSUS.items()
    }
    return {**quasi, "salary": {"role": "sensitive"}}


def data_of(name: str) -> Path:
    """The folder of a real table."""
    if not os.environ.get("ANONSQL_DATA"):
        sys.exit(f"set ANONSQL_DATA to the folder that holds {name}/")
    return Path(os.environ["ANONSQL_DATA"]) / name


def policy(folder: Path, columns: Mapping[str, object], point: Point) -> Policy:
    method = METHODS[point.method]
    return Policy.parse(
        {
            "source": {"database": "source.duckdb", "table": "t"},
            "release": {"database": "release.duckdb", "table": "r"},
            "columns": columns,
            "privacy": {"k": point.k},
            "method": {**method, "p": point.p} if "p" in method else method,
        },
        folder,
    )


def measured(given: Policy, queries: int) -> Found:
    started = time.perf_counter()
    report = anonsql.run(given)
    seconds = time.perf_counter() - started
    error = anonsql.measure(given, WorkloadSettings(queries=queries)).error.median
    changed = report.relocated
    shares = (changed.cell_share, changed.row_share) if changed else (0.0, 0.0)
    return Found(
        report.metrics["loss"], error if error is not None else float("nan"), *shares, seconds
    )


def lattice(asked: argparse.Namespace) -> None:
    """Seconds by the first columns of Adult."""
    print(
        f"k={K}, p={P:.0%}\n{'columns':>8}{'lattice':>9}"
        + "".join(f"{name:>18}" for name in METHODS if name.startswith("S-"))
    )
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        columns = adult(Path(folder))
        for count in range(4, len(columns) + 1):
            some = {
                name: item if number < count else {"role": "insensitive"}
                for number, (name, item) in enumerate(columns.items())
            }
            given = policy(Path(folder), some, Point("adult", "Incognito", K, P))
            print(f"{count:8}{anonsql.search(given).lattice:9,}", end="", flush=True)
            for name in (entry for entry in METHODS if entry.startswith("S-")):
                started = time.perf_counter()
                loss = anonsql.run(policy(Path(folder), some, Point("adult", name, K, P))).metrics[
                    "loss"
                ]
                print(f"{loss:9.4f}{time.perf_counter() - started:7.2f} s", end="", flush=True)
            print()


def scale(sizes: Sequence[int], asked: argparse.Namespace) -> None:
    """Seconds and peak memory of the whole job on generated tables, each in a process of its
    own."""
    print(
        f"k={K}, p={P:.0%}\n{'rows':>11} "
        f" {'method':16}{'LM':>8}{'seconds':>9}{'MB':>8}{'statements':>12}  slowest stages"
    )
    for rows in sizes:
        for method in asked.method or (
            "Incognito",
            "S-Hybrid",
            "S-Hybrid-rstat",
            "Mondrian",
            "M-Hybrid",
        ):
            with tempfile.TemporaryDirectory(dir=asked.folder) as name:
                figures = whole_jobs.apart("benchmarks.hybrid", f"{rows} {method}", name)
            print(
                f"{rows:11,} "
                f" {method:16}{figures['loss']:8.4f}{figures['seconds']:9.1f}{figures['megabytes']:8,.0f}{figures['statements']:12,}"
                f"  {whole_jobs.slowest(figures)}",
                flush=True,
            )


def whole_job(folder: Path, part: str) -> str:
    """One run over generated people, measured in this process."""
    rows, method = part.split()
    asked = argparse.Namespace(rows=int(rows), k=K, suppression=0.0, columns=9, algorithm="auto")
    people = full_domain.generated(folder, asked)
    return whole_jobs.measured(
        Policy.parse(
            {**people.model_dump(exclude_unset=True, by_alias=True), "method": METHODS[method]},
            folder,
        )
    )


def draw(folder: Path, found: Mapping[str, Mapping[Point, Found]]) -> None:
    """For each table a figure by k and one by p, of LM and of the error."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    folder.mkdir(exist_ok=True, parents=True)
    for name, points in found.items():
        for by in ("k", "p"):
            figure, axes = pyplot.subplots(1, 2, figsize=(8, 3.4))
            for axis, (field, title) in zip(
                axes, (("loss", "LM"), ("error", "median error of COUNT queries")), strict=True
            ):
                for method, settings in METHODS.items():
                    line = sorted(
                        (getattr(point, by), getattr(item, field))
                        for point, item in points.items()
                        if point.method == method and (point.p == P if by == "k" else point.k == K)
                    )
                    if by == "p" and "p" not in settings:
                        line = [(p, entry) for p in PS for _, entry in line]
                    if line:
                        axis.plot(*zip(*line, strict=True), marker="o", markersize=3, label=method)
                axis.set_xscale("log")
                axis.set_xlabel(by)
                axis.set_title(title)
            axes[1].legend(fontsize=5)
            figure.tight_layout()
            figure.savefig(folder / f"hybrid_{name}-{by}.svg", metadata={"Date": None})
            pyplot.close(figure)


if __name__ == "__main__":
    main()
