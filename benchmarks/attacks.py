"""Attacks on ring generalization: how sure an attacker can be, by scheme, against what was
promised; and on releases that follow one another: how few people anybody is among.

    python -m benchmarks.attacks --seed 1
    ANONSQL_DATA=/path/to/data python -m benchmarks.attacks --over-time

Rings. The attacker knows all quasi-identifying values, the release and the algorithm. One part of s
rows, windows of k rows.

"released" are whole jobs, thousands of rings in each; the other schemes are drawn without an
engine.

* linking: the greatest probability of one match, and its bound 1/k. Rings are symmetric, so all
  rows count together; the estimate of a right scheme lies within 5 standard errors of 1/k.
* c known: he knows c matches. The greatest probability of another match (over what c rows can show,
  where that was drawn often enough), what he reaches on average when he always guesses the
  likeliest match, and how many matches at least stay possible for everybody else, which should be k
  - c or more. 1/(k-c) is what a homogeneous group of k gives him.
* sensitive: the greatest probability of one value for one person over all draws, and its bound 1/l.

Releases over time. Adult grows between releases by 3 %, 1 % is deleted, the quasi-identifying
values of 1 % are corrected. The attacker (``tests/over_time_attack.py``) has every release, knows
everybody's values in each, and can tell which of their rows are the same person's; he compares all
pairs and all runs of releases.

* fewest: the smallest set of people that somebody cannot be told from, in a single release, in a
  pair, in a run; exposed: people among fewer than k, for who has all releases.
* values, distance: the fewest different sensitive values of such a set, and the greatest distance
  of its values from the source's.

    python -m benchmarks.attacks --minimality

Who knows the method. The attacker (``tests/algorithm_attacks.py``) knows all quasi-identifying
values of a table of six rows, and releases every table that its classes allow; those that become
the published release remain. "right" are secrets that he guesses on average, by what the classes
allow and by what remains; "certain" are rows with one secret left.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np

import anonsql
from anonsql.methods.windows.lexicographic import Items, partition
from anonsql.methods.windows.permutations import assign, entropy
from anonsql.policy.policy import Policy
from anonsql.system.arrays import IntArray, RandomBytes
from tests import algorithm_attacks, growing, over_time_attack

SHAPES = ((5, 3), (6, 3), (6, 4), (7, 5), (8, 5), (10, 4))
ENOUGH = 200
SEQUENCES = {
    "abcabc": 3,
    "aabbccdd": 3,
    "aaabbbcdefgh": 4,
    "aaaabbbccddee": 3,
}
K = 10
FOLLOWING: dict[str, dict[str, object]] = {
    "no ledger, searched levels": {},
    "no ledger, kept levels": {"kept_levels": True},
    "ledger, k": {"over_time": {}},
    "ledger, k, searched levels": {"over_time": {"levels": "search"}},
    "ledger, l-diversity 3": {"over_time": {}, "l_diversity": {growing.SENSITIVE: 3}},
    "ledger, t-closeness 0.4": {"over_time": {}, "t_closeness": {growing.SENSITIVE: 0.4}},
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--draws", type=int, default=60_000)
    parser.add_argument(
        "--releases", type=int, default=12_000, help="rings of each shape that are really released"
    )
    parser.add_argument("--over-time", action="store_true", help="releases over time, not rings")
    parser.add_argument("--minimality", action="store_true", help="who knows the method")
    parser.add_argument("--tables", type=int, default=5, help="small ones, of each method")
    parser.add_argument("--rows", type=int, default=20_000, help="of the first release over time")
    parser.add_argument("--number", type=int, default=20, help="of releases over time")
    options = parser.parse_args()
    if options.over_time:
        over_time(options)
        return
    if options.minimality:
        minimality(options.seed, options.tables)
        return
    random = entropy(options.seed)
    print(
        f"{'scheme':30}{'attack':12}{'s':>4}{'k':>4}{'worst':>9}{'mean':>9}{'bound':>9}{'left':>6} "
        " verdict"
    )
    for size, window in SHAPES:
        whole = (
            [("released", released(size, window, options.releases), None)]
            if size < 2 * window
            else []
        )  # larger ones are divided
        for scheme, drawn, everything in (*whole, *schemes(size, window, options.draws, random)):
            linking(scheme, drawn, window, everything)
            for known in range(1, window - 1):
                corruption(scheme, drawn, window, known)
    for values, least in SEQUENCES.items():
        sensitive(values, least, options.draws // 60, random)


def minimality(seed: int, tables: int) -> None:
    """Print what somebody who knows the method learns of small tables."""
    types = {"g": "INTEGER", "disease": "VARCHAR"}
    interval = {"type": "interval", "widths": [2, 4]}
    columns = {"g": {"role": "qi", "hierarchy": interval}, "disease": "sensitive"}
    print(f"{'method':22}{'rows':>6}{'allowed':>9}{'remain':>8}{'right':>14}{'certain':>9}")
    for method in ("full-domain", "mondrian", "full-subgraph"):
        draw, found, rows = np.random.default_rng(seed), np.zeros(5), 0
        asked = {"method": {"type": method}, "privacy": {"l_diversity": {"disease": 2}}}
        while rows < 6 * tables:
            values = draw.integers(3, size=6)
            truth = [
                (int(g), str(s)) for g, s in zip(values, draw.choice(list("xxyzw"), 6), strict=True)
            ]
            published = algorithm_attacks.release_of(truth, types, columns, **asked)
            if published is None:
                continue
            open_tables = algorithm_attacks.allowed(
                algorithm_attacks.dealt(truth), truth, types, columns, **asked
            )
            left = algorithm_attacks.remaining(open_tables, published, types, columns, **asked)
            sure = [
                algorithm_attacks.certain(left, row[:-1]) is not None
                and algorithm_attacks.certain(open_tables, row[:-1]) is None
                for row in truth
            ]
            right = [algorithm_attacks.right(truth, some) for some in (open_tables, left)]
            found += [len(open_tables), len(left), *right, sum(sure)]
            rows += len(truth)
        tried, remain, before, after, certain = found
        guessed = f"{before / rows:.1%} {after / rows:.1%}"
        print(f"{method:22}{rows:6}{tried:9.0f}{remain:8.0f}{guessed:>14}{certain:9.0f}")


def schemes(
    size: int, window: int, draws: int, random: RandomBytes
) -> Iterator[tuple[str, IntArray, IntArray | None]]:
    """Offsets by draw and row, from every scheme, and all assignments where they are equally
    likely."""
    yield (
        "ours",
        assign(np.full(draws, size), np.full(draws, window), random).reshape(draws, size),
        None,
    )
    everything = np.array(list(assignments(size, window, ())))
    yield (
        f"uniform over {len(everything)}",
        everything[np.frombuffer(random(8 * draws), np.uint64) % np.uint64(len(everything))],
        everything,
    )
    shifts = (np.frombuffer(random(8 * draws), np.uint64) % np.uint64(window)).astype(np.int64)
    yield "cyclic shifts", np.repeat(shifts, size).reshape(draws, size), None


def released(size: int, window: int, rings: int) -> IntArray:
    """Offsets as they come out of whole jobs: a table of as many small tables side by side, each of
    which is a ring of its own and released by itself; who a released row is, a column that is kept
    tells the attacker afterwards."""
    starts = {
        frozenset((start + step) % size for step in range(window)): start for start in range(size)
    }
    offsets = np.zeros((rings, size), np.int64)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        connection = duckdb.connect(str(folder / "source.duckdb"))
        connection.execute(
            f"CREATE TABLE t AS SELECT g, g * {size} + p AS x, p FROM range({rings}) AS a (g),"
            f" range({size}) AS b (p)"
        )
        connection.close()
        columns = {"g": {"role": "qi"}, "x": {"role": "qi"}, "p": {"role": "insensitive"}}
        places = {
            "source": {"database": "source.duckdb", "table": "t"},
            "release": {"database": "release.duckdb", "table": "r"},
        }
        anonsql.run(
            Policy.parse(
                {
                    **places,
                    "columns": columns,
                    "privacy": {"k": window},
                    "method": {"type": "ring"},
                },
                folder,
            )
        )
        connection = duckdb.connect(str(folder / "release.duckdb"), read_only=True)
        for ring, label, row in connection.execute("SELECT g, x, p FROM r").fetchall():
            members = frozenset(int(word) % size for word in label.strip("{}").split(", "))
            offsets[int(ring), row] = (row - starts[members]) % size
        connection.close()
    return offsets


def assignments(size: int, window: int, begun: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All assignments of a ring that begin so, as offsets."""
    if len(begun) == size:
        yield begun
        return
    taken = {(row - offset) % size for row, offset in enumerate(begun)}
    for offset in range(window):
        if (len(begun) - offset) % size not in taken:
            yield from assignments(size, window, (*begun, offset))


def linking(scheme: str, drawn: IntArray, window: int, everything: IntArray | None) -> None:
    """From draws, or exactly from all assignments if they are equally likely."""
    counted = drawn if everything is None else everything
    shares = np.bincount(counted.ravel(), minlength=window) / counted.size
    error = (
        1e-9
        if everything is not None
        else 5 * np.sqrt((1 / window) * (1 - 1 / window) / len(drawn))
    )
    verdict = "holds" if shares.max() <= 1 / window + error else "FAILS"
    worst = float(shares.max())
    Line(scheme, "linking", drawn.shape[1], window, worst, worst, 1 / window, verdict).show()


def corruption(scheme: str, drawn: IntArray, window: int, known: int) -> None:
    size = drawn.shape[1]
    worst, left, means = 0.0, window, []
    for others in itertools.combinations(range(1, size), known - 1):
        rows = [0, *others]
        shown = drawn[:, rows] @ (window ** np.arange(known))
        for row in sorted(set(range(size)) - set(rows)):
            counts = np.bincount(
                shown * window + drawn[:, row], minlength=window ** (known + 1)
            ).reshape(-1, window)
            counts = counts[counts.sum(axis=1) >= ENOUGH]
            if not len(counts):
                continue
            worst = max(worst, float((counts.max(axis=1) / counts.sum(axis=1)).max()))
            left = min(left, int((counts > 0).sum(axis=1).min()))
            means.append(counts.max(axis=1).sum() / counts.sum())
    if not means:
        return  # too few draws to tell
    verdict = "holds" if left >= window - known else "FAILS"
    Line(
        scheme,
        f"{known} known",
        size,
        window,
        worst,
        float(np.mean(means)),
        1 / (window - known),
        verdict,
        f"{left}/{window - known}",
    ).show()


def sensitive(values: str, least: int, draws: int, random: RandomBytes) -> None:
    """One part in which only the last attribute tells rows apart, k = 2: the paper's order and
    windows, and ours."""
    kinds = np.array([ord(value) - ord("a") for value in values])
    ordered = paper_order(kinds, least)
    offsets = assign(np.full(draws, len(kinds)), np.full(draws, least), random).reshape(draws, -1)
    worst = [inference(ordered, least, offset) for offset in offsets]
    print_line(f"paper's order {values}", len(kinds), least, worst, least)
    items = Items(np.ones(len(kinds), np.int64), np.ones(len(kinds), np.int64), (kinds,), (least,))
    parts = partition(items, 2)
    worst = []
    for number, window in enumerate(parts.windows.tolist()):
        own = np.repeat(kinds[parts.item[parts.part == number]], parts.n[parts.part == number])
        offsets = assign(np.full(draws, len(own)), np.full(draws, window), random).reshape(
            draws, -1
        )
        worst += [inference(own, window, item) for item in offsets]
    print_line(f"ours {values}", len(kinds), int(parts.windows.max()), worst, least)


def paper_order(kinds: IntArray, least: int) -> IntArray:
    """Dealt in rounds so that any ``least`` consecutive rows differ, also around the ring."""
    rounds = len(kinds) // least
    frequency = np.bincount(kinds)[kinds]
    dealt = np.lexsort((kinds, -frequency))
    place = np.arange(len(kinds))
    ordered: IntArray = kinds[dealt[np.lexsort((place // rounds, place % rounds))]]
    return ordered


def inference(kinds: IntArray, window: int, offsets: IntArray) -> float:
    """The greatest share of one value among the tuples that one person may be."""
    size = len(kinds)
    released = np.empty(size, np.int64)
    released[(np.arange(size) - offsets) % size] = kinds
    possible = released[(np.arange(size)[:, np.newaxis] - np.arange(window)) % size]
    return max(np.bincount(item).max() for item in possible) / window


def print_line(scheme: str, size: int, window: int, worst: list[float], least: int) -> None:
    verdict = "holds" if max(worst) <= 1 / least + 1e-9 else "FAILS"
    Line(
        scheme, "sensitive", size, window, max(worst), float(np.mean(worst)), 1 / least, verdict
    ).show()


def over_time(options: argparse.Namespace) -> None:
    """Attack releases of Adult that follow one another."""
    if not os.environ.get("ANONSQL_DATA"):
        sys.exit("set ANONSQL_DATA to the folder that holds adult/")
    data = Path(os.environ["ANONSQL_DATA"])
    print(
        f"{'releases':28}{'single':>7}{'pair':>7}{'run':>7}{'exposed':>9}{'values':>8}{'distance':>9}"
        f"{'released':>18}"
    )
    for title, settings in FOLLOWING.items():
        promises, kept = dict(settings), bool(settings.get("kept_levels"))
        promises.pop("kept_levels", None)
        table = growing.adult(data, options.seed)
        table.begin(options.rows)
        with tempfile.TemporaryDirectory() as folder:
            policy = growing.adult_policy(data, K, **promises)
            made = growing.released(Path(folder), policy, table, growing.ADULT, kept_levels=kept)
            releases = list(itertools.islice(made, options.number))
        shown = [release.shown for release in releases]
        fewest = over_time_attack.attack(shown)
        distance = over_time_attack.farthest(shown, [item.values for item in releases])
        print(
            f"{title:28}{fewest['single releases']:7}{fewest['pairs']:7}{fewest['runs']:7}"
            f"{over_time_attack.exposed(shown, K):9,}{over_time_attack.fewest_values(shown):8}"
            f"{distance:9.3f}{len(shown[-1]):9,}/{releases[-1].rows:,}",
            flush=True,
        )


@dataclass(frozen=True)
class Line:
    """One row of the table: the worst and the mean probability, its bound, and how many matches
    stay possible."""

    scheme: str
    attack: str
    size: int
    window: int
    worst: float
    mean: float
    bound: float
    verdict: str
    left: str = ""

    def show(self) -> None:
        """Print it."""
        figures = f"{self.worst:9.4f}{self.mean:9.4f}{self.bound:9.4f}{self.left:>6}"
        print(
            f"{self.scheme:30}{self.attack:12}{self.size:4}{self.window:4}{figures} "
            f" {self.verdict}",
            flush=True,
        )


if __name__ == "__main__":
    main()
