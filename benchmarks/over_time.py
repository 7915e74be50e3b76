"""Releases over time: how many rows are held back and what is lost, release by release, and what a
ledger costs.

    ANONSQL_DATA=/path/to/data python -m benchmarks.over_time --plots benchmarks/figures   # needs
    matplotlib python -m benchmarks.over_time --scale 1000000 10000000        # seconds and memory
    by keys

Utility: Adult, from 20,000 rows on, k=10; between two releases it grows by 1, 3 or 10 %, 1 % is
deleted, and the quasi-identifying values of 1 % are corrected (see SETTINGS). People are dealt in
random order, and again as other people when all 45,222 were; that is so from the tenth release on
where the table grows by 10 %. The loss is the report's, of the rows that are released; with
those that are held back counted as lost altogether it is *in all*.

Cost: a generated table of people, keys of eight bytes; each job in a process of its own.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import duckdb

from anonsql.policy.policy import Policy
from benchmarks import whole_jobs
from tests import growing

K, FIRST = 10, 20_000
UNCHANGED = {"deleted": 0.0, "corrected": 0.0}
KEEP, SEARCH, TELL = {"levels": "keep"}, {"levels": "search"}, {"deletions": "tell"}


@dataclass(frozen=True)
class Setting:
    """What the policy says of releases over time, how the table changes between two releases, and
    how many releases of the other settings' are made in the time of one."""

    over_time: Mapping[str, str]
    shares: Mapping[str, float]
    every: int = 1


SETTINGS = {
    **{f"keep, {share:.0%}": Setting(KEEP, {"grows": share}) for share in (0.01, 0.03, 0.1)},
    **{f"search, {share:.0%}": Setting(SEARCH, {"grows": share}) for share in (0.01, 0.03, 0.1)},
    "tell, 3%": Setting(TELL, {"grows": 0.03}),
    "only new rows, 3%": Setting(KEEP, {"grows": 0.03, **UNCHANGED}),
    "every fourth, 3%": Setting(KEEP, {"grows": 0.12, "deleted": 0.04, "corrected": 0.04}, 4),
}


@dataclass(frozen=True)
class Point:
    """One release: the rows of its source, those held back, and the report's loss."""

    rows: int
    held_back: int
    loss: float

    @property
    def share(self) -> float:
        """The share of the rows that is held back."""
        return self.held_back / self.rows


def main() -> None:
    asked = arguments()
    if asked.part:
        print(whole_jobs.measured(Policy.load(Path(asked.folder) / f"{asked.part}.yaml")))
    elif asked.scale:
        for keys in asked.scale:
            cost(keys, asked)
    else:
        utility(asked)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--releases", type=int, default=20)
    parser.add_argument("--rows", type=int, default=FIRST, help="of the first release")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=sorted(SETTINGS), metavar="SETTING")
    parser.add_argument("--plots", help="folder for the figure")
    parser.add_argument(
        "--points", help="file of what was measured: what is in it is not run again"
    )
    parser.add_argument(
        "--scale",
        type=int,
        nargs="*",
        metavar="KEYS",
        help="what a ledger of so many keys costs, in the place of the utility",
    )
    parser.add_argument("--part", help=argparse.SUPPRESS)
    parser.add_argument("--folder", default=None, help="where to put the files")
    return parser.parse_args()


def utility(asked: argparse.Namespace) -> None:
    if not os.environ.get("ANONSQL_DATA"):
        sys.exit("set ANONSQL_DATA to the folder that holds adult/")
    data = Path(os.environ["ANONSQL_DATA"])
    shown = sorted({1, 2, *range(5, asked.releases + 1, 5), asked.releases})
    print(f"{'held back, loss, in all':28}" + "".join(f"{f'release {n}':>24}" for n in shown))
    kept = Path(asked.points) if asked.points else None
    found = json.loads(kept.read_text()) if kept is not None and kept.exists() else {}
    for title, setting in SETTINGS.items():
        if asked.only and title not in asked.only:
            continue
        if title not in found:
            found[title] = [astuple(entry) for entry in measured(data, setting, asked)]
            if kept is not None:
                kept.write_text(json.dumps(found))
        points = [Point(*item) for item in found[title]]
        last = (told(points[(n - 1) // setting.every]) for n in shown)
        print(f"{title:28}" + "".join(last), flush=True)
    if asked.plots:
        draw(
            Path(asked.plots),
            {title: [Point(*element) for element in found[title]] for title in found},
        )


def measured(data: Path, setting: Setting, asked: argparse.Namespace) -> list[Point]:
    """Return what the releases of a setting measured."""
    table = growing.adult(data, asked.seed, **setting.shares)
    table.begin(asked.rows)
    policy = growing.adult_policy(data, K, setting.over_time)
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        made = growing.released(Path(folder), policy, table, growing.ADULT)
        return [
            Point(item.rows, item.held_back, item.report.metrics["loss"])
            for item in itertools.islice(made, 1 + (asked.releases - 1) // setting.every)
        ]


def told(point: Point) -> str:
    """The share held back, the loss, and both together."""
    in_all = point.share + (1 - point.share) * point.loss
    return f"{point.share:10.1%}{point.loss:7.3f}{in_all:7.3f}"


def draw(folder: Path, found: Mapping[str, Sequence[Point]]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    folder.mkdir(exist_ok=True, parents=True)
    figure, axes = pyplot.subplots(1, 2, figsize=(8, 3.4))
    colors = dict(zip(("1%", "3%", "10%"), ("tab:blue", "tab:orange", "tab:green"), strict=True))
    styles = {"keep": "-", "search": "--", "tell": ":", "only new rows": "-."}
    for title, points in found.items():
        kind, _, share = title.rpartition(", ")
        if kind not in styles:
            continue
        look = {"color": colors[share], "linestyle": styles[kind], "marker": "o", "markersize": 2}
        numbers = range(1, len(points) + 1)
        axes[0].plot(numbers, [100 * point.share for point in points], label=title, **look)
        axes[1].plot(numbers, [item.loss for item in points], label=title, **look)
    for axis, title in zip(
        axes, ("rows held back, %", "loss of the rows that are released"), strict=True
    ):
        axis.set_xlabel("release")
        axis.set_xticks(range(0, 1 + max(map(len, found.values())), 5))
        axis.set_ylim(bottom=0)
        axis.set_title(title)
    axes[0].legend(fontsize=6, title="levels, growth", title_fontsize=6)
    figure.tight_layout()
    figure.savefig(folder / "over_time.svg", metadata={"Date": None})
    pyplot.close(figure)


PEOPLE = """SELECT i AS id, CAST(18 + hash(i, 1) % 70 AS INTEGER) AS age,
    CAST((hash(i, 2) % 100) * (hash(i, 3) % 100) // 100 AS INTEGER) AS region,
    CASE WHEN hash(i, 4) % 2 = 0 THEN 'f' ELSE 'm' END AS sex,
    CAST((hash(i, 5) % 40) * (hash(i, 6) % 40) // 40 AS INTEGER) AS job,
    CAST(hash(i, 7) % 1000 AS INTEGER) AS amount
FROM range({first}, {last}) AS r (i)"""
HIERARCHIES: dict[str, dict[str, object]] = {
    "age": {"type": "interval", "widths": [5, 10, 20, 40]},
    "region": {"type": "interval", "widths": [10, 50]},
    "sex": {"type": "suppression"},
    "job": {"type": "interval", "widths": [5, 20]},
}


def cost(keys: int, asked: argparse.Namespace) -> None:
    """Time a first and a second release with a ledger and without one: the second of a table that
    lost 1 % of its rows, has 1 % corrected, and 3 % new ones."""
    print(
        f"{keys:,} keys, load {os.getloadavg()[0]:.1f}\n"
        f"{'':8}{'':9}{'seconds':>9}{'ratio':>7}{'of CPUs':>9}{'ratio':>7}{'MiB':>8}{'ratio':>7}{'held back':>11}"
        f"{'catalog MB':>12}  slowest stages"
    )
    with tempfile.TemporaryDirectory(dir=asked.folder) as name:
        folder = Path(name)
        for part in ("without", "with"):
            write(folder, part)
        with duckdb.connect(str(folder / "source.duckdb")) as connection:
            connection.execute(f"CREATE TABLE t AS {PEOPLE.format(first=0, last=keys)}")
        compared("first", folder)
        with duckdb.connect(str(folder / "source.duckdb")) as connection:
            connection.execute("DELETE FROM t WHERE hash(id, 8) % 100 = 0")
            connection.execute(
                "UPDATE t SET age = 18 + (age + 22) % 70 WHERE hash(id, 8) % 100 = 1"
            )
            new = PEOPLE.format(first=keys, last=keys + keys * 3 // 100)
            connection.execute(f"INSERT INTO t {new}")
        compared("second", folder)


def write(folder: Path, part: str) -> None:
    """Write the policy of the jobs with a ledger, or without one."""
    columns = {"id": "identifying", **HIERARCHIES, "amount": "insensitive"}
    over_time = {} if part == "with" else None
    policy = growing.policy_over_time(columns, K, over_time)
    policy["release"] = {"database": f"{part}.duckdb", "table": "r", "completed": 0}
    policy["engine"] = {"memory_limit": "8GB"}
    (folder / f"{part}.yaml").write_text(json.dumps(policy), encoding="utf-8")


def compared(number: str, folder: Path) -> None:
    """Print a line of the release without a ledger and one of that with it."""
    plain = None
    for part in ("without", "with"):
        figures = whole_jobs.apart("benchmarks.over_time", part, str(folder))
        plain = plain or figures
        catalog = (folder / f"{part}.anonsql.duckdb").stat().st_size
        measured = "".join(
            f"{figures[word]:9,.1f}{figures[word] / plain[word]:7.2f}"
            for word in ("seconds", "processors", "megabytes")
        )
        print(
            f"{number:8}{part:8}{measured}{held_back(folder, part):>11}{catalog / 1e6:12,.1f} "
            f" {whole_jobs.slowest(figures)}",
            flush=True,
        )


def held_back(folder: Path, part: str) -> str:
    """Return how many rows a release with a ledger holds back."""
    with duckdb.connect(str(folder / f"{part}.duckdb"), read_only=True) as connection:
        facts = dict(connection.execute("SELECT * FROM r__about").fetchall())
    return f"{int(facts['held_back']):,}" if "held_back" in facts else ""


if __name__ == "__main__":
    main()
