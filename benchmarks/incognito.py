"""The experiments of the Incognito paper (LeFevre, DeWitt, Ramakrishnan 2005, section 4) and the
speed of the search.

    python -m benchmarks.incognito checked                       # nodes checked by quasi-identifier
    size, beside the paper's python -m benchmarks.incognito figures --plots folder        # figures
    10, 11, 12 (plots need matplotlib) python -m benchmarks.incognito speed --rows 4600000
    # the search beside a plain GROUP BY, medians

Adult is the real table of $ANONSQL_DATA; the paper's other table is not public, generated people
stand in for it. Seconds are of the search alone, once the cells are made; every search starts from
an empty catalog.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anonsql
from anonsql.features.search.document import Explained, SearchReport
from anonsql.policy.policy import Policy

from .full_domain import ADULT, adult, generated, plain_group_by

PAPER = {
    3: (14, 14),
    4: (47, 35),
    5: (206, 103),
    6: (680, 246),
    7: (2088, 664),
    8: (6366, 1778),
    9: (12818, 4307),
}
ALGORITHMS: dict[str, dict[str, Any]] = {
    "bottom-up, no roll-up": {"algorithm": "bottom-up", "roll_up": False},
    "bottom-up": {"algorithm": "bottom-up"},
    "binary-search": {"algorithm": "binary-search"},
    "incognito": {"algorithm": "incognito"},
    "super-roots": {"algorithm": "super-roots"},
    "cube": {"algorithm": "cube"},
    "auto": {"algorithm": "auto"},
}


def main() -> None:
    asked = arguments()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        {"checked": checked, "figures": figures, "speed": speed}[asked.what](Path(folder), asked)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["checked", "figures", "speed"])
    parser.add_argument(
        "--rows", type=int, default=0, help="generated people besides Adult; none when left out"
    )
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=list(range(3, 10)), help="quasi-identifier sizes"
    )
    parser.add_argument("--k", type=int, nargs="+", default=[2, 10])
    parser.add_argument(
        "--suppression", type=float, nargs="+", default=[0.0, 0.05], help="of `speed`"
    )
    parser.add_argument(
        "--algorithms",
        nargs="+",
        default=list(ALGORITHMS),
        choices=list(ALGORITHMS),
        metavar="ALGORITHM",
    )
    parser.add_argument("--repeat", type=int, default=1, help="the median counts")
    parser.add_argument(
        "--limit",
        type=float,
        default=120,
        help="seconds; larger sizes of what took longer are left out",
    )
    parser.add_argument("--memory", default=None, help="engine.memory_limit, e.g. 12GB")
    parser.add_argument("--plots", default=None, metavar="FOLDER", help="draw the figures there")
    parser.add_argument("--folder", default=None, help="where to put the files")
    return parser.parse_args()


def policy(folder: Path, table: str, rows: int, **options: Any) -> Policy:
    """A policy with a k, a suppression limit and so many columns of a table, whose database lies in
    the folder."""
    options = {
        "suppression": 0.0,
        "columns": len(ADULT),
        "algorithm": "auto",
        "rows": rows,
        **options,
    }
    return (adult if table == "Adult" else generated)(folder, argparse.Namespace(**options))


@contextmanager
def emptied(given: Policy, method: dict[str, Any], asked: argparse.Namespace) -> Iterator[Policy]:
    """The policy with a method and a catalog of its own."""
    with tempfile.TemporaryDirectory() as place:
        more: dict[str, Any] = {"method": method, "catalog": str(Path(place) / "catalog.duckdb")}
        if asked.memory:
            more["engine"] = {"memory_limit": asked.memory, "threads": 2}
        data = given.model_dump(mode="json", by_alias=True, exclude_unset=True) | more
        yield Policy.parse(data, given.path(""))


def searched(
    given: Policy, method: dict[str, Any], asked: argparse.Namespace
) -> tuple[SearchReport, Explained, float]:
    """A search, how it went, and the median seconds of the search alone."""
    seconds = []
    for _ in range(asked.repeat):
        with emptied(given, method, asked) as each:
            report = anonsql.search(each, explain=True)
        assert report.explained is not None
        seconds.append(report.explained.seconds["search_all"])
    return report, report.explained, statistics.median(seconds)


def checked(folder: Path, asked: argparse.Namespace) -> None:
    """The paper's table of nodes searched (section 4.2.1)."""
    print(
        "nodes checked on Adult, k=2: the paper's counts in brackets, whose trees differ a little"
    )
    print(
        f"{'columns':>8}{'lattice':>10}{'bottom-up':>20}{'incognito':>20}{'auto':>10}{'satisfying':>12}"
    )
    for size in asked.sizes:
        given = policy(folder, "Adult", 0, k=2, columns=size)
        reports = {
            name: searched(given, {"algorithm": name}, asked)[0]
            for name in ("bottom-up", "incognito", "auto")
        }
        upward = f"{reports['bottom-up'].checked:,} ({PAPER[size][0]:,})"
        passes = f"{reports['incognito'].checked:,} ({PAPER[size][1]:,})"
        whole = reports["auto"]
        print(
            f"{size:>8}{whole.lattice:>10,}{upward:>20}{passes:>20}{whole.checked:>10,}{len(whole.nodes):>12,}",
            flush=True,
        )


def figures(folder: Path, asked: argparse.Namespace) -> None:
    """Figures 10 (time by quasi-identifier size), 11 (time by k) and 12 (what the cube costs)."""
    tables = ["Adult", *(["generated"] if asked.rows else [])]
    drawn: dict[str, dict[str, dict[int, float]]] = {}
    for table in tables:
        for k in asked.k:
            sizes = {
                size: policy(folder, table, asked.rows, k=k, columns=size) for size in asked.sizes
            }
            drawn[f"10: {table}, k={k}"] = curves(
                f"figure 10, {table}, k={k}, seconds by columns", sizes, asked
            )
        size = max(asked.sizes) - 1
        given = {
            k: policy(folder, table, asked.rows, k=k, columns=size) for k in (2, 5, 10, 25, 50)
        }
        drawn[f"11: {table}, {size} columns"] = curves(
            f"figure 11, {table}, {size} columns, seconds by k", given, asked
        )
        print(f"figure 12, {table}, k=2: seconds to build the cube, to search with it, by columns")
        for size in asked.sizes:
            _, explained, _ = searched(
                policy(folder, table, asked.rows, k=2, columns=size), {"algorithm": "cube"}, asked
            )
            build = explained.rounds[0].seconds
            rest = explained.seconds["search_all"] - build
            print(f"{size:>8}{build:>12.3f}{rest:>12.3f}", flush=True)
            for name, value in (("building the cube", build), ("searching with it", rest)):
                drawn.setdefault(f"12: {table}, k=2", {}).setdefault(name, {})[size] = value
    if asked.plots:
        draw(Path(asked.plots), drawn)


def curves(
    title: str, policies: dict[int, Policy], asked: argparse.Namespace
) -> dict[str, dict[int, float]]:
    """Seconds by algorithm and x; an algorithm that took too long is left out from there on."""
    print(title)
    print(f"{'':24}" + "".join(f"{x:>10}" for x in policies))
    found: dict[str, dict[int, float]] = {}
    for name in asked.algorithms:
        found[name] = {}
        for x, given in policies.items():
            if max(found[name].values(), default=0.0) < asked.limit:
                found[name][x] = searched(given, ALGORITHMS[name], asked)[2]
        print(
            f"{name:24}"
            + "".join(
                f"{found[name][x]:>10.3f}" if x in found[name] else f"{'':>10}" for x in policies
            ),
            flush=True,
        )
    return found


def draw(folder: Path, drawn: dict[str, dict[str, dict[int, float]]]) -> None:
    """One plot a figure, seconds on a logarithmic scale."""
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    for title, lines in drawn.items():
        figure, axes = pyplot.subplots(figsize=(5.5, 3.8))
        for name, points in lines.items():
            axes.plot(
                list(points),
                list(points.values()),
                marker="o",
                markersize=3,
                label=name,
                linewidth=2.2 if name == "auto" else 1.2,
            )
        axes.set(
            yscale="log",
            ylabel="seconds",
            xlabel="k" if title.startswith("11") else "quasi-identifying columns",
            title=title,
        )
        axes.legend(fontsize=7)
        axes.grid(alpha=0.3)
        figure.tight_layout()
        file = "".join(character for character in title.replace(" ", "_") if character not in ":,=")
        figure.savefig(folder / f"{file}.svg", metadata={"Date": None})
        pyplot.close(figure)


def speed(folder: Path, asked: argparse.Namespace) -> None:
    """``auto`` beside a plain GROUP BY over the table."""
    print(
        f"{'table':24}{'k':>4}{'limit':>7}{'GROUP BY':>10}{'search':>9}{'ratio':>8}{'statements':>12}{'checked':>9}{'satisfying':>12}"
    )
    for table in ["generated"] if asked.rows else ["Adult"]:
        for suppression in asked.suppression:
            for k in asked.k:
                given = policy(folder, table, asked.rows, k=k, suppression=suppression)
                group_by = plain_group_by(
                    given, list(given.quasi_identifiers), max(asked.repeat, 3)
                )
                report, explained, seconds = searched(given, {"algorithm": "auto"}, asked)
                title = table if table == "Adult" else f"{asked.rows:,} people"
                print(
                    f"{title:24}{k:>4}{suppression:>7}{group_by:>10.3f}{seconds:>9.3f}{seconds / group_by:>8.1f}"
                    f"{explained.statements['search_all']:>12}{report.checked:>9,}{len(report.nodes):>12,}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
