"""Which generalizations keep the limits that a policy sets to a release as a whole: what is asked
of the sizes of a node's classes, all together.

One statement counts how many classes of each size each of many nodes has; its suppressed rows are
in no class. What the limits say of these sizes is not decided here: see
:mod:`anonsql.risks.limits`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from math import inf
from typing import TYPE_CHECKING

from anonsql.privacy.risk import Reached
from anonsql.search.frequency import FrequencySets
from anonsql.search.results import ClassSizes
from anonsql.search.roll_up import RollUps
from anonsql.star.lattice import Levels

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from anonsql.search.boundary import Count
    from anonsql.search.least import Aim

_AT_ONCE = 4_000_000
"""About how many pairs of a node and a cell one statement looks at."""
Judge = Callable[[Sequence[tuple[int, int]]], Sequence[Reached]]
"""What limits say of classes by their sizes: pairs (size, number of classes)."""


@dataclass
class ReleaseLimits:
    """Limits of nodes by the sizes of their classes, as a limit of a search. ``unites``: whether
    they are kept by classes that are united. ``reached`` has what they said of each node that was
    looked at, by its levels."""

    sets: FrequencySets
    judge: Judge
    unites: bool
    reached: dict[tuple[tuple[int, int], ...], Sequence[Reached]] = field(default_factory=dict)
    title: str = field(default="limits of the release", init=False)

    def monotone(self, max_suppressed: int) -> bool:
        """Return whether generalizations of satisfying nodes that keep the limits keep them: only
        where all rows are in classes; suppressed ones may come back in a small class."""
        promise = self.sets.promise
        return self.unites and (max_suppressed == 0 or (promise.plain and promise.k <= 1))

    def within(self, nodes: Sequence[Levels], roll_ups: RollUps) -> list[bool]:
        """Return whether each of some nodes keeps the limits."""
        return [all(limit.kept for limit in limits) for limits in self.of_nodes(nodes, roll_ups)]

    def counted(self, count: Count, roll_ups: RollUps) -> Count:
        """Return a function that counts nodes and, of those whose classes keep the promise, also by
        how many rows they break the limits. Where these are monotone, a search by such sizes finds
        the nodes that keep both, by as few counts."""

        def counting(nodes: Sequence[Levels]) -> list[ClassSizes]:
            sizes = list(count(nodes))
            sound = [number for number, size in enumerate(sizes) if not size.suppressed]
            limits = self.of_nodes([nodes[number] for number in sound], roll_ups)
            for number, reached in zip(sound, limits, strict=True):
                beyond = sum(max(limit.beyond, 1) for limit in reached if not limit.kept)
                sizes[number] = replace(sizes[number], beyond=beyond)
            return sizes

        return counting

    def of_nodes(self, nodes: Sequence[Levels], roll_ups: RollUps) -> list[Sequence[Reached]]:
        """Return how near each of some nodes comes to the limits."""
        missing = [levels for levels in nodes if tuple(levels.items()) not in self.reached]
        batch = max(1, _AT_ONCE // max(self.sets.star.cells, 1))
        for start in range(0, len(missing), batch):
            some = missing[start : start + batch]
            for levels, histogram in zip(some, self._histograms(some, roll_ups), strict=True):
                self.reached[tuple(levels.items())] = self.judge(histogram)
        return [self.reached[tuple(levels.items())] for levels in nodes]

    def _histograms(
        self, nodes: Sequence[Levels], roll_ups: RollUps
    ) -> list[Sequence[tuple[int, int]]]:
        table, numbers = roll_ups.frequency_sets(nodes, levels=False)
        rows = self.sets.engine.query(
            "search/histograms",
            table=table,
            names=["node", *self.sets.base.paths.keys],
            promise=self.sets.promise,
        )
        self.sets.engine.drop(table)
        by_node: Mapping[int, Sequence[tuple[int, int]]] = {
            node: [(size, classes) for _, size, classes in sizes]
            for node, sizes in groupby(rows, key=lambda row: row[0])
        }
        return [by_node.get(number, []) for number in numbers]


@dataclass(frozen=True)
class LimitedAim:
    """An aim that nodes miss, however little their value is, where they break the limits."""

    aim: Aim
    limits: ReleaseLimits
    roll_ups: RollUps

    @property
    def bounds(self) -> NDArray[np.float64]:
        """See :class:`anonsql.search.least.Aim`."""
        return self.aim.bounds

    def values(self, nodes: Sequence[Levels]) -> list[float]:
        """See :class:`anonsql.search.least.Aim`."""
        kept = self.limits.within(nodes, self.roll_ups)
        good = [levels for levels, ok in zip(nodes, kept, strict=True) if ok]
        values = iter(self.aim.values(good) if good else [])
        return [next(values) if ok else inf for ok in kept]
