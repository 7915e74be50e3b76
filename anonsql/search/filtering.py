"""Limits that a node keeps as a whole, applied to what a search found without them, whichever
algorithm did.

Where a limit is monotone (generalizing what keeps it keeps it), it is applied from the minimal
nodes upward: a node that keeps it decides all its generalizations. Else every node is looked at by
itself; where only the best node is asked for, in the order of the least value that each can have,
until no node that is left can be better.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from anonsql.search.results import ClassSizes, Round, SearchResult, Verdict
from anonsql.search.roll_up import RollUps
from anonsql.star.lattice import Lattice, Levels, minimal
from anonsql.system.arrays import np

if TYPE_CHECKING:
    from anonsql.search.least import Aim
    from anonsql.search.plan import SearchPlan

_AT_FIRST = 32
"""Nodes that are looked at together at first, in the order of what they can lose; then twice as
many each time."""
_SLACK = 1e-9


class NodeLimit(Protocol):
    """A limit that nodes keep or break."""

    @property
    def title(self) -> str:
        """What the round of a search is called that applies it."""

    def within(self, nodes: Sequence[Levels], roll_ups: RollUps) -> list[bool]:
        """Return whether it is kept, for each of some nodes."""

    def monotone(self, max_suppressed: int) -> bool:
        """Return whether generalizing a satisfying node that keeps it keeps it."""


def within(
    plan: SearchPlan,
    search_result: SearchResult,
    limit: NodeLimit,
    roll_ups: RollUps,
    *,
    small: bool,
    aim: Aim | None = None,
) -> SearchResult:
    """Return what a search found less the nodes that break a limit; ``small``: whether the lattice
    is small enough to be held as a whole. With an ``aim`` only the nodes that may have the least
    value are looked at, and others are not found."""
    started, lattice = time.perf_counter(), plan.lattice
    if aim is not None:
        passed, failed = _in_order(lattice, search_result, limit, roll_ups, aim)
    elif small and limit.monotone(plan.max_suppressed):
        passed, failed = _from_below(lattice, search_result, limit, roll_ups)
    else:
        nodes = list(search_result.nodes)
        kept = limit.within([search_result.nodes[node] for node in nodes], roll_ups)
        passed = {node: node for node, ok in zip(nodes, kept, strict=True) if ok}
        failed = search_result.nodes.keys() - passed.keys()
    looked_at = [node for node in search_result.nodes if node in failed or passed.get(node) == node]
    sizes = _sizes(search_result, looked_at, plan, roll_ups)
    left = {node: levels for node, levels in search_result.nodes.items() if node in passed}
    seconds = time.perf_counter() - started
    rounds = [*search_result.rounds, Round(limit.title, len(looked_at), len(left), None, seconds)]
    least = _minimal(lattice, left, small=small)
    verdicts = _verdicts(search_result, passed, failed, sizes)
    return SearchResult(left, least, sizes, search_result.checked, rounds, verdicts)


def _in_order(
    lattice: Lattice,
    search_result: SearchResult,
    limit: NodeLimit,
    roll_ups: RollUps,
    aim: Aim,
) -> tuple[dict[int, int], set[int]]:
    """Look at the nodes in the order of the least value that they can have, until one that keeps
    the limit has none greater than all that are left can have. Return as :func:`_from_below`."""
    passed, failed = dict[int, int](), set[int]()
    bounds = {
        node: float(aim.bounds[lattice.position(levels)])
        for node, levels in search_result.nodes.items()
    }
    order, start, size = sorted(bounds, key=lambda node: bounds[node]), 0, _AT_FIRST
    least = float("inf")
    while start < len(order) and bounds[order[start]] <= least + abs(least) * _SLACK:
        batch = order[start : start + size]
        kept = limit.within([search_result.nodes[node] for node in batch], roll_ups)
        good = [node for node, ok in zip(batch, kept, strict=True) if ok]
        passed.update(zip(good, good, strict=True))
        failed.update(set(batch).difference(good))
        if good:
            values = aim.values([search_result.nodes[node] for node in good])
            least = min(least, *values)
        start, size = start + size, size * 2
    return passed, failed


def _from_below(
    lattice: Lattice, search_result: SearchResult, limit: NodeLimit, roll_ups: RollUps
) -> tuple[dict[int, int], set[int]]:
    """Look at minimal undecided nodes until none is left. Return the nodes within the limit, each
    with the node that decides it, and those that are not."""
    node_at, causes = (np.zeros(lattice.shape, dtype=np.int64) for _ in range(2))
    undecided, failed = lattice.none(), set[int]()
    for node, levels in search_result.nodes.items():
        undecided[lattice.position(levels)], node_at[lattice.position(levels)] = True, node
    while undecided.any():
        front = minimal(undecided)
        nodes = list(lattice.levels(front).values())
        kept = limit.within(nodes, roll_ups)
        for position, ok in zip(map(lattice.position, nodes), kept, strict=True):
            node = int(node_at[position])
            if ok:
                above = tuple(slice(at, None) for at in position)
                causes[above][undecided[above] & (causes[above] == 0)] = node
                causes[position] = node
            else:
                failed.add(node)
        undecided &= ~front & (causes == 0)
    decided = np.flatnonzero(causes)
    pairs = zip(node_at.ravel()[decided].tolist(), causes.ravel()[decided].tolist(), strict=True)
    return dict(pairs), failed


def _sizes(
    search_result: SearchResult, nodes: Sequence[int], plan: SearchPlan, roll_ups: RollUps
) -> dict[int, ClassSizes]:
    unknown = [node for node in nodes if node not in search_result.sizes]
    counted = roll_ups.sizes([search_result.nodes[node] for node in unknown])
    return {**search_result.sizes, **dict(zip(unknown, counted, strict=True))}


def _minimal(lattice: Lattice, nodes: Mapping[int, Levels], *, small: bool) -> frozenset[int]:
    """Return the nodes that generalize no other of them; of a large lattice those that generalize
    none directly below them, which is the same where what they keep is monotone."""
    positions = {lattice.position(levels): node for node, levels in nodes.items()}
    if small:
        mask = lattice.none()
        for position in positions:
            mask[position] = True
        ends = lattice.levels(minimal(mask)).values()
        return frozenset(positions[lattice.position(levels)] for levels in ends)
    above = {
        node
        for at, node in positions.items()
        for axis in range(len(at))
        if (*at[:axis], at[axis] - 1, *at[axis + 1 :]) in positions
    }
    return frozenset(nodes) - above


def _verdicts(
    search_result: SearchResult,
    passed: Mapping[int, int],
    failed: Set[int],
    sizes: Mapping[int, ClassSizes],
) -> list[tuple[Levels, Verdict]]:
    """Return the verdicts of a search under the limit. A node that was looked at is checked; one
    that was not follows from one that was, or was left aside: there is none on it."""
    whole = {tuple(levels.items()): node for node, levels in search_result.nodes.items()}
    verdicts = []
    decided = passed.keys() | failed
    for levels, verdict in search_result.verdicts:
        node = whole.get(tuple(levels.items()))
        changed = verdict
        if node is not None and node not in decided and verdict.satisfied:
            continue
        if node is not None and verdict.satisfied:
            cause = passed.get(node)
            own = sizes.get(node)
            changed = replace(
                verdict,
                satisfied=cause is not None,
                sizes=own if cause is None or cause == node else verdict.sizes,
                implied_by=node if cause is None else cause,
            )
        verdicts.append((levels, changed))
    return verdicts
