"""Search the generalization lattice by the algorithm that the policy names. All complete algorithms
find the same nodes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from anonsql.errors import PolicyError
from anonsql.search import filtering, passes, single
from anonsql.search.boundary import Boundary
from anonsql.search.climb import Start, Walk, climb
from anonsql.search.least import Least
from anonsql.search.plan import SearchPlan
from anonsql.search.release_limits import LimitedAim
from anonsql.search.results import ClassSizes, Lattices, Round, SearchResult, Verdict
from anonsql.search.roll_up import RollUps
from anonsql.star.lattice import Lattice, Levels, Nodes, minimal

LARGE = 2_000_000
"""Number of nodes above which ``auto`` makes Incognito's passes, which never hold the whole
lattice."""
INCOMPLETE = frozenset({"binary-search", "datafly"})
"""Algorithms that end before every satisfying node is found."""
RECORDED = 300_000
"""Number of nodes above which only the verdicts on counted nodes are reported."""


def search(plan: SearchPlan, catalog: Lattices, roll_ups: RollUps) -> SearchResult:
    """Return the satisfying nodes that the algorithm finds: all of them, except for
    ``binary-search`` and ``datafly``. Where several combinations of attributes must keep the
    promise, the algorithm is ``auto``.

    Suppression can make a promise non-monotone: a generalization of a satisfying node may fail.
    Then the search takes two steps: it prunes by the monotone part of the promise alone, and counts
    every node that is left under the whole promise, so that the answer is complete all the same.
    Raise PolicyError for ``binary-search`` then, which relies on monotonicity.

    Limits to what groups may lose and to the risk of all classes together are applied to what was
    found without them: see :mod:`anonsql.search.filtering`. The two algorithms that are not
    complete apply the first to each node that they look at, and do not go with the other.
    """
    small = plan.lattice.size <= LARGE
    if plan.limits is not None:
        if small and _together(plan):
            return _auto(plan, roll_ups)
        aim = None if plan.aim is None else LimitedAim(plan.aim, plan.limits, roll_ups)
        if plan.losses is not None:
            aim = None  # what groups may lose is applied to all nodes
        search_result = search(replace(plan, limits=None, aim=aim), catalog, roll_ups)
        return filtering.within(
            plan, search_result, plan.limits, roll_ups, small=small, aim=plan.aim
        )
    if plan.losses is not None and plan.algorithm not in INCOMPLETE:
        search_result = search(replace(plan, losses=None, aim=None), catalog, roll_ups)
        return filtering.within(plan, search_result, plan.losses, roll_ups, small=small)
    if len(plan.combinations) > 1:
        return _each_combination(plan, lambda part: search(part, catalog, roll_ups))
    promise = plan.sets.promise
    if promise.monotone(plan.max_suppressed) or plan.algorithm == "datafly":
        return _by_algorithm(plan, catalog, roll_ups)
    if plan.algorithm == "binary-search":
        why = (
            "binary-search needs a promise that generalization cannot break, which is not the"
            " case here with suppression."
        )
        raise PolicyError.at(
            "method.algorithm", why, "Use `auto`, or set privacy.suppression_limit to 0."
        )
    core = replace(plan, sets=plan.sets.under(promise.core(plan.max_suppressed)), aim=None)
    pruned = RollUps(core.sets)
    search_result = _by_algorithm(core, catalog, pruned)
    pruned.close()
    return _each(plan, search_result, roll_ups)


def _by_algorithm(plan: SearchPlan, catalog: Lattices, roll_ups: RollUps) -> SearchResult:
    if plan.algorithm == "auto":
        return _auto(plan, roll_ups) if plan.lattice.size <= LARGE else passes.search(plan, catalog)
    if plan.algorithm == "bottom-up":
        return _bottom_up(plan)
    if plan.algorithm == "binary-search":
        return single.binary_search(plan, roll_ups)
    if plan.algorithm == "datafly":
        return single.datafly(plan, roll_ups)
    return passes.search(plan, catalog)


def _together(plan: SearchPlan) -> bool:
    """Return whether limits of the release as a whole can be decided with the promise of classes:
    where both are monotone, so that no row of a node that keeps them is suppressed."""
    return (
        plan.limits is not None
        and plan.limits.monotone(plan.max_suppressed)
        and plan.algorithm == "auto"
        and plan.losses is None
        and plan.sets.promise.monotone(plan.max_suppressed)
    )


def _auto(plan: SearchPlan, roll_ups: RollUps) -> SearchResult:
    """Return all satisfying nodes, found by deciding the boundary between satisfying and failing
    nodes; with an aim those that may have the least value, and the verdicts on counted nodes. With
    limits of the release as a whole, which are monotone then, no row is suppressed."""
    lattice = plan.lattice
    most = plan.max_suppressed if plan.limits is None else 0
    if plan.aim is not None:
        boundary: Boundary = Least(lattice, plan.sets.promise.k, most, aim=plan.aim)
    else:
        boundary = Boundary(lattice, plan.sets.promise.k, most)

    def count(nodes: Sequence[Levels]) -> Sequence[ClassSizes]:
        return roll_ups.sizes(nodes)

    limits = plan.limits
    counting = count if limits is None else limits.counted(count, roll_ups)
    in_parts = roll_ups.in_parts if limits is None else None

    def note(round_: Round) -> None:
        plan.progress("search", lattice.size - (round_.undecided or 0), lattice.size)

    boundary.decide(counting, note, in_parts)
    satisfying = boundary.satisfying
    if isinstance(boundary, Least):
        satisfying = satisfying & boundary.wanted
    nodes, least = lattice.levels(satisfying), frozenset(lattice.levels(minimal(satisfying)))
    every = plan.aim is None and lattice.size <= RECORDED
    recorded = lattice.levels(~lattice.none() if every else boundary.counted())
    verdicts = [
        (recorded[verdict.node], verdict)
        for verdict in boundary.verdicts()
        if verdict.node in recorded
    ]
    return SearchResult(
        *(nodes, least, boundary.sizes),
        *(int(boundary.counted().sum()), boundary.rounds, verdicts),
    )


def _bottom_up(plan: SearchPlan) -> SearchResult:
    """Search breadth-first, without the passes over subsets (Incognito, section 2.2)."""
    walk = Walk(plan.lattice.graph(), plan.max_suppressed)
    rounds = climb(plan.sets, walk, Start(), plan.progress, roll_up=plan.roll_up)
    return walk.found(len(walk.sizes), rounds, walk.verdicts())


def _each(plan: SearchPlan, search_result: SearchResult, roll_ups: RollUps) -> SearchResult:
    started = time.perf_counter()
    sizes = dict(
        zip(
            search_result.nodes,
            roll_ups.sizes(list(search_result.nodes.values())),
            strict=True,
        )
    )
    seconds = time.perf_counter() - started
    lattice, passed = plan.lattice, plan.lattice.none()
    kept = {
        node: levels
        for node, levels in search_result.nodes.items()
        if sizes[node].suppressed <= plan.max_suppressed
    }
    for levels in kept.values():
        passed[lattice.position(levels)] = True
    least = minimal(passed)
    verdicts = [
        (levels, verdict)
        for levels, verdict in search_result.verdicts
        if len(levels) < len(lattice.attributes) or not verdict.satisfied
    ]
    milliseconds = seconds * 1000 / max(len(sizes), 1)
    verdicts += [
        (levels, Verdict(node, node in kept, sizes[node], None, milliseconds))
        for node, levels in search_result.nodes.items()
    ]
    rounds = [*search_result.rounds, Round("each by itself", len(sizes), len(kept), None, seconds)]
    lowest = frozenset(node for node, levels in kept.items() if least[lattice.position(levels)])
    return SearchResult(kept, lowest, sizes, search_result.checked + len(sizes), rounds, verdicts)


def _each_combination(
    plan: SearchPlan, search: Callable[[SearchPlan], SearchResult]
) -> SearchResult:
    """Return the nodes over all attributes whose levels on every combination satisfy. The lattice of
    each combination is searched by itself, and the answers are intersected: nothing counts the
    combinations of values of all attributes together, most of which are unique."""
    lattice = plan.lattice
    together, checked = ~lattice.none(), 0
    rounds, verdicts = list[Round](), list[tuple[Levels, Verdict]]()
    names = {attribute.index: attribute.name for attribute in plan.sets.star.attributes}
    for combination in plan.combinations:
        part = replace(plan, combinations=(combination,))
        search_result = search(part)
        together &= _spread(search_result, part.lattice, lattice)
        checked += search_result.checked
        title = ", ".join(names[index] for index in combination)
        rounds += [
            replace(round_, title=f"{title}: {round_.title}") for round_ in search_result.rounds
        ]
        verdicts += [
            (levels, _renumbered(verdict, len(verdicts)))
            for levels, verdict in search_result.verdicts
        ]
    nodes = lattice.levels(together)
    return SearchResult(
        nodes, frozenset(lattice.levels(minimal(together))), {}, checked, rounds, verdicts
    )


def _spread(search_result: SearchResult, part: Lattice, whole: Lattice) -> Nodes:
    nodes = part.none()
    for levels in search_result.nodes.values():
        nodes[part.position(levels)] = True
    levels_of = dict(zip(part.attributes, part.shape, strict=True))
    return nodes.reshape([levels_of.get(index, 1) for index in whole.attributes])


def _renumbered(verdict: Verdict, before: int) -> Verdict:
    cause = verdict.implied_by + before if verdict.implied_by else verdict.implied_by
    return replace(verdict, node=verdict.node + before, implied_by=cause)
