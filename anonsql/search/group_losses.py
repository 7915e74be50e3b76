"""Which generalizations leave out too much of a group: ``privacy.max_group_loss``.

A node loses the rows of its classes that do not keep the promise. Where generalization cannot break
a class (the promise is monotone), every failing class of a node consists of failing classes of any
node that it generalizes. So what a value loses never grows along the lattice: a node within the
limit decides all its generalizations, as with the suppression limit. The limit is applied to what a
search found without it, from the minimal nodes upward, whichever algorithm found them; where the
promise is not monotone, every node is looked at by itself.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from anonsql.privacy import limits
from anonsql.search.frequency import REQUESTS, FrequencySets
from anonsql.search.results import ClassSizes, Round, SearchResult, Verdict
from anonsql.search.roll_up import RollUps
from anonsql.star.lattice import Lattice, Levels, minimal
from anonsql.system.arrays import np

if TYPE_CHECKING:
    from anonsql.search.plan import SearchPlan

_AT_ONCE = 4_000_000
"""About how many pairs of a node and a cell one statement looks at."""


@dataclass(frozen=True)
class WorstLoss:
    """The value of a column, by its number, that loses the greatest share of its ``rows``."""

    number: int
    lost: int
    rows: int

    def beyond(self, limit: Decimal) -> bool:
        """Return whether the value loses more than a share of its rows."""
        return self.lost > limits.max_suppressed(limit, self.rows)


class GroupLosses:
    """What values lose at nodes of a lattice. Values that fewer than ``least`` rows have do not
    count. ``valued``: whether the table ``group_values`` lies beside the cells: it has the
    values of sensitive columns."""

    def __init__(self, sets: FrequencySets, limit: Decimal, least: int, *, valued: bool) -> None:
        self._sets, self._limit, self._valued = sets, limit, valued
        engine, attributes = sets.engine, sets.star.attributes
        for table in ("group_totals", "group_base"):
            engine.drop(table)
        engine.run("search/group_totals", attributes=attributes, valued=valued, least=least)
        engine.run("search/group_base", attributes=attributes, keys=sets.keys)

    def worst(self, nodes: Sequence[Levels], roll_ups: RollUps) -> list[WorstLoss | None]:
        """Return for each of some nodes the value that loses most there; None where none loses."""
        result: list[WorstLoss | None] = []
        batch = max(1, _AT_ONCE // max(self._sets.star.cells, 1))
        for start in range(0, len(nodes), batch):
            result += self._worst(nodes[start : start + batch], roll_ups)
        return result

    def within(self, nodes: Sequence[Levels], roll_ups: RollUps) -> list[bool]:
        """Return whether no value loses more than the limit allows, for each of some nodes."""
        return [
            worst is None or not worst.beyond(self._limit) for worst in self.worst(nodes, roll_ups)
        ]

    def _worst(self, nodes: Sequence[Levels], roll_ups: RollUps) -> list[WorstLoss | None]:
        sets, keys = self._sets, [key for key, _ in self._sets.keys]
        table, numbers = roll_ups.frequency_sets(nodes)
        rows = sets.engine.query(
            "search/group_losses",
            table=table,
            requests=REQUESTS,
            names=["node", *keys],
            keys=keys,
            promise=sets.promise,
            attributes=sets.star.attributes,
            valued=self._valued,
        )
        sets.drop(table)
        worst_loss = {node: WorstLoss(*worst) for node, *worst in rows}
        return [worst_loss.get(number) for number in numbers]


def within(
    plan: SearchPlan,
    search_result: SearchResult,
    losses: GroupLosses,
    roll_ups: RollUps,
    *,
    small: bool,
) -> SearchResult:
    """Return what a search found less the nodes at which a value loses too much; ``small``: whether
    the lattice is small enough to be held as a whole."""
    started, lattice = time.perf_counter(), plan.lattice
    if small and plan.sets.promise.monotone(plan.max_suppressed):
        passed, failed = _from_below(lattice, search_result, losses, roll_ups)
    else:
        nodes = list(search_result.nodes)
        kept = losses.within([search_result.nodes[node] for node in nodes], roll_ups)
        passed = {node: node for node, ok in zip(nodes, kept, strict=True) if ok}
        failed = search_result.nodes.keys() - passed.keys()
    looked_at = [node for node in search_result.nodes if node in failed or passed.get(node) == node]
    sizes = _sizes(search_result, looked_at, plan, roll_ups)
    left = {node: levels for node, levels in search_result.nodes.items() if node in passed}
    seconds = time.perf_counter() - started
    rounds = [*search_result.rounds, Round("groups", len(looked_at), len(left), None, seconds)]
    least, verdicts = _minimal(lattice, left), _verdicts(search_result, passed, sizes)
    return SearchResult(left, least, sizes, search_result.checked, rounds, verdicts)


def _from_below(
    lattice: Lattice, search_result: SearchResult, losses: GroupLosses, roll_ups: RollUps
) -> tuple[dict[int, int], set[int]]:
    """Look at the minimal nodes that are not decided, until all are. Return the nodes that are
    within the limit, each with the node that was looked at and decides it, and those that are
    not."""
    node_at, causes = (np.zeros(lattice.shape, dtype=np.int64) for _ in range(2))
    undecided, failed = lattice.none(), set[int]()
    for node, levels in search_result.nodes.items():
        undecided[lattice.position(levels)], node_at[lattice.position(levels)] = True, node
    while undecided.any():
        front = minimal(undecided)
        nodes = list(lattice.levels(front).values())
        kept = losses.within(nodes, roll_ups)
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
    """Return the class sizes that are known, with those of all ``nodes``."""
    unknown = [node for node in nodes if node not in search_result.sizes]
    counted = roll_ups.sizes([search_result.nodes[node] for node in unknown], plan.known)
    return {**search_result.sizes, **dict(zip(unknown, counted, strict=True))}


def _minimal(lattice: Lattice, nodes: Mapping[int, Levels]) -> frozenset[int]:
    """Return the nodes that generalize no other of them: none directly below them is one."""
    positions = {lattice.position(levels): node for node, levels in nodes.items()}
    above = {
        node
        for at, node in positions.items()
        for axis in range(len(at))
        if (*at[:axis], at[axis] - 1, *at[axis + 1 :]) in positions
    }
    return frozenset(nodes) - above


def _verdicts(
    search_result: SearchResult, passed: Mapping[int, int], sizes: Mapping[int, ClassSizes]
) -> list[tuple[Levels, Verdict]]:
    """Return the verdicts of a search under the limit. A node that was looked at is checked; one
    that was not follows from one that was."""
    whole = {tuple(levels.items()): node for node, levels in search_result.nodes.items()}
    verdicts = []
    for levels, verdict in search_result.verdicts:
        node = whole.get(tuple(levels.items()))
        changed = verdict
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
