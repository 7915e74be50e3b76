"""Searches that are not complete: they end with the satisfying nodes of one height (Samarati 2001),
or with a single node (Datafly, Sweeney 2002)."""

from __future__ import annotations

import time

from anonsql.search.plan import SearchPlan
from anonsql.search.results import ClassSizes, Round, SearchResult, Verdict
from anonsql.search.roll_up import RollUps
from anonsql.star.lattice import Levels, specializations


def binary_search(plan: SearchPlan, roll_ups: RollUps) -> SearchResult:
    """Return the satisfying nodes of the least height that has any, by bisection: every greater
    height has one too (Samarati 2001). One statement counts all nodes of a height but the
    specializations of nodes that failed."""
    lattice = plan.lattice
    heights, failing = lattice.heights(), lattice.none()
    least, most = int(heights.min()), int(heights.max())
    best: dict[int, tuple[Levels, ClassSizes]] = {}
    rounds, verdicts = list[Round](), list[tuple[Levels, Verdict]]()
    while least <= most:
        middle, started = (least + most) // 2, time.perf_counter()
        nodes = lattice.levels((heights == middle) & ~specializations(failing))
        sizes = roll_ups.sizes(list(nodes.values()))
        passed = _within(
            plan,
            roll_ups,
            {
                number: (levels, size)
                for (number, levels), size in zip(nodes.items(), sizes, strict=True)
                if size.suppressed <= plan.max_suppressed
            },
        )
        for number, levels in nodes.items():
            failing[lattice.position(levels)] = number not in passed
        if passed:
            best, most = passed, middle - 1
        else:
            least = middle + 1
        seconds = time.perf_counter() - started
        verdicts += [
            (
                levels,
                Verdict(number, number in passed, size, None, seconds * 1000 / max(len(nodes), 1)),
            )
            for (number, levels), size in zip(nodes.items(), sizes, strict=True)
        ]
        rounds.append(Round(f"height {middle}", len(nodes), len(passed), None, seconds))
        plan.progress("search", len(rounds), int(heights.max() - heights.min()).bit_length() + 1)
    return _found(best, rounds, verdicts)


def datafly(plan: SearchPlan, roll_ups: RollUps) -> SearchResult:
    """Return one satisfying node, found greedily: raise the attribute with most distinct values
    until few enough rows are suppressed. It may be far from the best (Sweeney 2002)."""
    star = plan.sets.star
    levels: Levels = dict(zip(plan.lattice.attributes, star.bottom, strict=True))
    tops = dict(zip(plan.lattice.attributes, star.top, strict=True))
    distinct = plan.sets.distinct_values()
    rounds, verdicts = list[Round](), list[tuple[Levels, Verdict]]()
    while True:
        started = time.perf_counter()
        sizes = roll_ups.sizes([levels])[0]
        passed = sizes.suppressed <= plan.max_suppressed
        passed = passed and bool(_within(plan, roll_ups, {1: (levels, sizes)}))
        seconds, number = time.perf_counter() - started, plan.lattice.number(levels)
        verdicts.append((levels, Verdict(number, passed, sizes, None, seconds * 1000)))
        rounds.append(Round(f"height {sum(levels.values())}", 1, int(passed), None, seconds))
        plan.progress("search", len(rounds), 0)
        raisable = [index for index in levels if levels[index] < tops[index]]
        if passed or not raisable:
            break
        widest = max(raisable, key=lambda index: (distinct[index, levels[index]], -index))
        levels = {**levels, widest: levels[widest] + 1}
    return _found({number: (levels, sizes)} if passed else {}, rounds, verdicts)


def _within(
    plan: SearchPlan, roll_ups: RollUps, nodes: dict[int, tuple[Levels, ClassSizes]]
) -> dict[int, tuple[Levels, ClassSizes]]:
    if plan.losses is None or not nodes:
        return nodes
    kept = plan.losses.within([levels for levels, _ in nodes.values()], roll_ups)
    return {number: node for (number, node), ok in zip(nodes.items(), kept, strict=True) if ok}


def _found(
    nodes: dict[int, tuple[Levels, ClassSizes]],
    rounds: list[Round],
    verdicts: list[tuple[Levels, Verdict]],
) -> SearchResult:
    levels = {number: levels for number, (levels, _) in nodes.items()}
    sizes = {number: sizes for number, (_, sizes) in nodes.items()}
    return SearchResult(levels, frozenset(levels), sizes, len(verdicts), rounds, verdicts)
