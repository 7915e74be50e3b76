"""The experiments of Li, He, Sun (Local Generalization and Bucketization, 2019, section 4) again:
C_DM, NCP and the error of SUM queries of

LGB_MDP (`grouping: mdp` with `cut: median`) and LGB_NCP (`grouping: ncp`), and beside them `mdp`
with `cut: loss`, while k, l and the share of sensitive cells vary.

    ANONSQL_DATA=/path/to/data python -m benchmarks.local --plots benchmarks/figures      # needs
    matplotlib ANONSQL_DATA=/path/to/data python -m benchmarks.local --queries 1000
    # the paper's number; 100 when left out python -m benchmarks.local --scale 250000 500000 1000000
    # seconds and memory of the whole job

The table is an excerpt of the American Community Survey (2019), rows with a value that is not
applicable left out as the paper leaves missing ones out. It has no relationship and no hours: the
number of own children and the income as a share of the poverty line stand for them, industry for
occupation. So the findings can be compared with the paper's, and no number. Sex has two values and
keeps t-closeness (t = 0.2) as in the paper; the commonest industry has 5.5 % of the rows, so its l
is 15 where a greater one is asked for.

Of the queries four numbers are shown: the width of the paper's expected bounds by the answer, its
mean (the paper's error) and its median (a few queries that next to nobody answers make the mean),
and the medians of |estimate - answer| / answer and of the width of the bounds that always hold. The
queries are the same for every release.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import duckdb

import anonsql
from anonsql.measures.workload import WorkloadSettings
from anonsql.policy.policy import Policy
from benchmarks import whole_jobs

Method = dict[str, str]
METHODS: dict[str, Method] = {
    "LGB_MDP": {"type": "local", "grouping": "mdp"},
    "LGB_NCP": {"type": "local", "grouping": "ncp"},
    "mdp, loss": {"type": "local", "grouping": "mdp", "cut": "loss"},
}
KS, LS = (5, 8, 10), (5, 8, 10, 12, 15, 18, 20)
DENSITIES, DENSITY_LS = (10, 20, 30, 40), (5, 10, 20)
USUAL = 20
GREATEST_L = {"INDP": 15}
ALL = ("SEX", "AGEP", "NOC", "MSP", "RAC1P", "EDU", "POVPIP", "INDP", "PINCP")
NUMBERS = ("AGEP", "POVPIP", "PINCP")
SEMI = ("SEX", "AGEP", "INDP")
TREES: dict[str, dict[str, Sequence[str]]] = {
    "SEX": {"any": ("1", "2")},
    "NOC": {"none": ("0",), "few": ("1", "2"), "many": ("3", "4", "5", "6", "7", "8", "9")},
    "MSP": {"married": ("1", "2"), "once married": ("3", "4", "5"), "never married": ("6",)},
    "RAC1P": {
        "white": ("1",),
        "black": ("2",),
        "native": ("3", "4", "5", "7"),
        "asian": ("6",),
        "other": ("8", "9"),
    },
    "EDU": {
        "school": ("1", "2", "3", "4"),
        "high school": ("5", "6"),
        "college": ("7", "8"),
        "degree": ("9", "10", "11", "12"),
    },
}


@dataclass(frozen=True)
class Point:
    """One setting: the share of sensitive cells in percent, k, l, and the method's name."""

    density: int
    k: int
    l: int  # noqa: E741 - the paper's name
    method: str


@dataclass(frozen=True)
class Found:
    """What a release of one setting measured."""

    dm: float
    ncp: float
    groups: int
    mean: float
    expected: float
    estimate: float
    guaranteed: float
    held: bool
    seconds: float


def main() -> None:
    asked = arguments()
    if asked.part:
        sys.stdout.write(whole_job(Path(asked.folder), asked.part))
    elif asked.scale is not None:
        scale(asked.scale or [250_000, 500_000, 1_000_000], asked.folder)
    else:
        found = experiments(asked)
        findings(found)
        if asked.plots:
            draw(Path(asked.plots), found)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--queries", type=int, default=100, help="queries to each release")
    parser.add_argument(
        "--method",
        action="append",
        choices=list(METHODS),
        help="one of them, again for more; all when left out",
    )
    parser.add_argument(
        "--k", type=int, action="append", help="again for more; 5, 8 and 10 when left out"
    )
    parser.add_argument("--plots", help="folder for the figures")
    parser.add_argument(
        "--scale",
        type=int,
        nargs="*",
        metavar="ROWS",
        help="generated tables of these sizes, in the place of the experiments",
    )
    parser.add_argument("--part", help=argparse.SUPPRESS)
    parser.add_argument("--folder", default=None, help="where to put the files")
    return parser.parse_args()


def experiments(asked: argparse.Namespace) -> dict[Point, Found]:
    """Measure all settings, printing them."""
    if not os.environ.get("ANONSQL_DATA"):
        sys.exit("set ANONSQL_DATA to the folder that holds acs/")
    ks, methods = asked.k or KS, asked.method or list(METHODS)
    points = [Point(USUAL, k, least, method) for k in ks for method in methods for least in LS]
    points += [
        Point(density, k, least, "LGB_MDP")
        for density in DENSITIES
        if density != USUAL
        for k in ks
        for least in DENSITY_LS
    ]
    found = {}
    with tempfile.TemporaryDirectory(dir=asked.folder) as name:
        folder = Path(name)
        rows = table(folder)
        print(f"{rows:,} rows without missing values, {asked.queries} queries to each release")
        print(
            f"{'density':>7} {'k':>3} {'l':>3}  {'method':10}{'C_DM':>9}{'NCP':>9}{'groups':>8}"
            f"{'expected, mean':>16}{'median':>9}{'estimate':>10}{'guaranteed':>12}{'seconds':>9}"
        )
        for point in points:
            each = found[point] = measured(folder, point, asked.queries)
            print(
                f"{point.density:6}% {point.k:3} {point.l:3} "
                f" {point.method:10}{each.dm:9,.0f}{each.ncp:9,.0f}{each.groups:8,}"
                f"{each.mean:16.1f}{each.expected:9.2f}{each.estimate:10.3f}{each.guaranteed:12.2f}{each.seconds:9.2f}"
                + ("" if each.held else "  an answer is outside its guaranteed bounds"),
                flush=True,
            )
    return found


def table(folder: Path) -> int:
    """The table in a database file, with flags for every density: who minds at 10 % does at 20 %,
    too. Gives its rows."""
    file = str(Path(os.environ["ANONSQL_DATA"]) / "acs" / "acs_national2019.csv")
    values = [
        f"CAST(CAST({name} AS DOUBLE) AS INTEGER) AS {name}" if name in NUMBERS else name
        for name in ALL
    ]
    flags = [
        f"(hash(place * 8 + {number}) % 100 < {density}) AS {name}_{density}"
        for number, name in enumerate(SEMI)
        for density in DENSITIES
    ]
    connection = duckdb.connect(str(folder / "source.duckdb"))
    connection.execute(
        f"CREATE TABLE t AS SELECT {', '.join(values + flags)} FROM (SELECT *, row_number() OVER ()"
        f" AS place FROM read_csv(?, all_varchar = true)) WHERE 'N' NOT IN ({', '.join(ALL)})",
        [file],
    )
    industries = connection.execute(
        "SELECT DISTINCT INDP, INDP_CAT FROM read_csv(?, all_varchar = true) WHERE INDP <> 'N'"
        " ORDER BY ALL",
        [file],
    ).fetchall()
    (folder / "INDP.csv").write_text(
        "".join(f"{leaf};kind {kind};*\n" for leaf, kind in industries), encoding="utf-8"
    )
    (rows,) = connection.execute("SELECT count(*) FROM t").fetchone() or (0,)
    connection.close()
    return int(rows)


def policy(folder: Path, point: Point) -> Policy:
    columns: dict[str, object] = {}
    for name in ALL:
        role = (
            "sensitive"
            if name == "PINCP"
            else "semi-sensitive"
            if name in SEMI
            else "quasi-identifying"
        )
        settings: dict[str, object] = {"role": role}
        if name in TREES:
            settings["hierarchy"] = {
                "type": "taxonomy",
                "tree": {label: list(leaves) for label, leaves in TREES[name].items()},
            }
        if name == "INDP":
            settings["hierarchy"] = {"type": "file", "path": "INDP.csv"}
        columns[name] = settings | ({"flag": f"{name}_{point.density}"} if name in SEMI else {})
    columns |= {
        f"{name}_{density}": {"role": "identifying"} for name in SEMI for density in DENSITIES
    }
    diverse = {
        name: min(point.l, GREATEST_L.get(name, point.l)) for name in ("AGEP", "INDP", "PINCP")
    }
    return Policy.parse(
        {
            "source": {"database": "source.duckdb", "table": "t"},
            "release": {"database": "release.duckdb", "table": "r"},
            "columns": columns,
            "privacy": {"k": point.k, "l_diversity": diverse, "t_closeness": {"SEX": 0.2}},
            "method": METHODS[point.method],
        },
        folder,
    )


def measured(folder: Path, point: Point, queries: int) -> Found:
    given = policy(folder, point)
    started = time.perf_counter()
    report = anonsql.run(given)
    seconds = time.perf_counter() - started
    usefulness = anonsql.measure(
        given, WorkloadSettings(queries=queries, predicates=4, sum="PINCP")
    )
    bounds = usefulness.bounds
    assert (
        bounds is not None
        and bounds.expected is not None
        and bounds.guaranteed is not None
        and usefulness.error.median is not None
    )
    widths = (
        bounds.expected.mean,
        bounds.expected.median,
        usefulness.error.median,
        bounds.guaranteed.median,
    )
    held = bounds.held == queries - usefulness.error.empty
    return Found(
        report.metrics["discernibility"],
        report.metrics["ncp"],
        report.classes,
        *widths,
        held,
        seconds,
    )


def findings(found: dict[Point, Found]) -> None:
    """Which of the paper's findings hold."""
    print("\nThe paper's findings:")
    pairs = [
        (found[at], found[other])
        for at in found
        if at.method == "LGB_MDP" and (other := replace(at, method="LGB_NCP")) in found
    ]
    by_text = {
        "NCP of LGB_NCP is below that of LGB_MDP (paper: by 14 to 17 %)": [
            1 - ncp.ncp / mdp.ncp for mdp, ncp in pairs
        ],
        "C_DM of LGB_MDP is below that of LGB_NCP (paper: well)": [
            1 - mdp.dm / ncp.dm for mdp, ncp in pairs
        ],
        "expected bounds of LGB_MDP are closer (paper: for small l; median)": [
            1 - mdp.expected / ncp.expected for mdp, ncp in pairs
        ],
    }
    for text, shares in by_text.items():
        if shares:
            print(f"  {text}: by {min(shares):.1%} to {max(shares):.1%}")
    for method in METHODS:
        same: dict[Point, list[float]] = {}
        for at, item in found.items():
            if at.method == method:
                same.setdefault(replace(at, l=0), []).append(item.dm)
        if same:
            most = max(max(entry) / min(entry) - 1 for entry in same.values())
            print(
                f"  group sizes hardly depend on l: C_DM of {method} changes by {most:.1%} at most"
            )
    for k in sorted({at.k for at in found}):
        for least in DENSITY_LS:
            points = [Point(density, k, least, "LGB_MDP") for density in DENSITIES]
            if all(point in found for point in points):
                _falls(f"k={k}, l={least}", [found[point] for point in points])


def _falls(where: str, by_density: Sequence[Found]) -> None:
    """Whether the error falls as more cells are sensitive."""
    words = []
    for name in ("mean", "expected", "estimate"):
        errors = [getattr(item, name) for item in by_density]
        throughout = all(one >= other for one, other in pairwise(errors))
        falls = (
            "falls"
            if throughout
            else "falls, not throughout"
            if errors[0] > errors[-1]
            else "does not fall"
        )
        words.append(f"{name} {', '.join(f'{error:.3g}' for error in errors)} ({falls})")
    print(f"  density 10 to 40 %, {where}: {'; '.join(words)}")


def scale(sizes: Sequence[int], folder: str | None) -> None:
    """Seconds and peak memory of the whole job on generated tables, each in a process of its
    own."""
    print(
        f"{'rows':>10}  {'method':10}{'seconds':>9}{'MB':>7}{'groups':>9}{'statements':>12} "
        " slowest stages"
    )
    for rows in sizes:
        with tempfile.TemporaryDirectory(dir=folder) as name:
            people(Path(name), rows)
            for method in METHODS:
                figures = whole_jobs.apart("benchmarks.local", method, name)
                print(
                    f"{rows:10,} "
                    f" {method:10}{figures['seconds']:9.1f}{figures['megabytes']:7,.0f}{figures['groups']:9,}{figures['statements']:12,}"
                    f"  {whole_jobs.slowest(figures)}",
                    flush=True,
                )


def people(folder: Path, rows: int) -> None:
    """A table of eight attributes whose values lean on one another, and flags at 20 %."""
    chance: Callable[[int], str] = lambda number: f"(hash(place * 16 + {number}) % 10000) / 10000.0"  # noqa: E731
    age = f"18 + CAST(floor(72 * {chance(1)} * {chance(2)}) AS INTEGER)"
    columns = {
        "age": age,
        "sex": f"CASE WHEN {chance(3)} < 0.5 THEN 'f' ELSE 'm' END",
        "marital": f"'m' || CAST(floor(6 * {chance(4)} * {chance(2)}) AS INTEGER)",
        "race": f"'r' || CAST(floor(9 * {chance(5)} * {chance(6)} * {chance(7)}) AS INTEGER)",
        "education": f"'e' || CAST(floor(12 * ({chance(8)} + {chance(9)}) / 2) AS INTEGER)",
        "hours": f"CAST(floor(40 + 50 * ({chance(9)} - {chance(10)})) AS INTEGER)",
        "occupation": f"'o' || CAST(floor(250 * {chance(11)} * ({chance(9)} + 1) / 2) AS INTEGER)",
        "salary": f"1000 * CAST(floor(20 + 700 * {chance(9)} * {chance(12)}) AS INTEGER)",
        "age_private": f"{chance(13)} < 0.2",
        "occupation_private": f"{chance(14)} < 0.2",
    }
    connection = duckdb.connect(str(folder / "source.duckdb"))
    selected = ", ".join(f"{value} AS {name}" for name, value in columns.items())
    connection.execute(f"CREATE TABLE t AS SELECT {selected} FROM range({rows}) AS r(place)")
    connection.close()


def whole_job(folder: Path, method: str) -> str:
    """One run over people, measured in this process."""
    quasi = {
        name: {"role": "quasi-identifying"}
        for name in ("sex", "marital", "race", "education", "hours")
    }
    semi = {
        name: {"role": "semi-sensitive", "flag": f"{name}_private"}
        for name in ("age", "occupation")
    }
    settings = {
        "source": {"database": "source.duckdb", "table": "t"},
        "release": {"database": "release.duckdb", "table": "r"},
        "columns": quasi | semi | {"salary": {"role": "sensitive"}},
        "privacy": {"k": 10, "l_diversity": {"age": 5, "occupation": 5, "salary": 5}},
        "method": METHODS[method],
    }
    return whole_jobs.measured(Policy.parse(settings, folder))


def draw(folder: Path, found: dict[Point, Found]) -> None:
    """Figures of C_DM and NCP, of the errors by l, and of the errors by density."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    def curve(axis: object, points: Sequence[Point], by: str, of: str, label: str) -> None:
        known = [point for point in points if point in found]
        if known:
            marks = {"marker": "o", "markersize": 3, "label": label}
            axis.plot(
                [getattr(item, by) for item in known],
                [getattr(found[entry], of) for entry in known],
                **marks,
            )  # type: ignore[attr-defined]

    folder.mkdir(exist_ok=True, parents=True)
    ks = sorted({item.k for item in found})
    titles = {
        "dm": "C_DM",
        "ncp": "NCP",
        "expected": "expected bounds / answer",
        "estimate": "|estimate - answer| / answer",
    }
    for name, wanted in {
        "metrics": ("dm", "ncp"),
        "errors": ("expected", "estimate"),
        "density": ("expected", "estimate"),
    }.items():
        figure, axes = pyplot.subplots(1, 2, figsize=(8, 3.4))
        for axis, of in zip(axes, wanted, strict=True):
            for k in ks:
                if name == "density":
                    for least in DENSITY_LS:
                        curve(
                            axis,
                            [Point(element, k, least, "LGB_MDP") for element in DENSITIES],
                            "density",
                            of,
                            f"k={k}, l={least}",
                        )
                else:
                    for method in METHODS:
                        curve(
                            axis,
                            [Point(USUAL, k, least, method) for least in LS],
                            "l",
                            of,
                            f"{method}, k={k}",
                        )
            axis.set_xlabel("sensitive cells, %" if name == "density" else "l")
            axis.set_title(titles[of])
        axes[1].legend(fontsize=5)
        figure.tight_layout()
        figure.savefig(folder / f"local_{name}.svg", metadata={"Date": None})
        pyplot.close(figure)


if __name__ == "__main__":
    main()
