"""Cell generalization with more effort: many generalizations are offered to all cells at once, and
each cell goes to the class that loses least for it.

The plain pass (:mod:`anonsql.methods.cells.method`) goes through nodes one after the other and
orders them by their mean loss. Here the nodes come in batches, more of them, and within a batch
classes are ordered by their own loss: every cell picks the class of least loss among classes that
would keep the promise if all cells took them; the classes that keep it by their pickers become
groups; the other cells pick again. Each group is then released at the least levels at which its
cells agree. Cells that remain at the end join the group where that costs all rows least.

Every second degree of effort is a pass of its own, over four times as many nodes as the one before.
More nodes mostly lose less, but not always, as each cell picks for itself: the groups of the pass
that loses least stay, so more effort never loses more. A pass that gains little is the last one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonsql.hierarchies.dimensions import Attribute
from anonsql.methods.cells.settings import EffortGoal
from anonsql.methods.groups import Cells
from anonsql.methods.refinement import WHOLE, shares
from anonsql.system.arrays import IntArray

WAYS = 60
"""A quarter of the nodes that the first pass offers."""
_STEP = 2
"""The degrees of effort from a pass to the next; each degree doubles the nodes."""
_OFFERS = 500_000
"""The offers of one batch, where some nodes have no more than that."""
_LEAST_WAYS = 4
"""The nodes of one batch, however many cells there are."""
_MOST_PICKS = 40
"""How often cells pick from one batch at most. What is left goes to the next."""
_WORTHWHILE = 0.01
"""The share of the loss that a pass must gain for another to follow, which takes four times as long
and gains less."""
_WORD = 2**62
"""The least whole number that packed codes must not reach."""
Merits = Mapping[int, Mapping[int, tuple[float, float]]]
"""Mean loss and entropy of every attribute at every level."""


def improve(cells: Cells, merits: Merits, effort: int | EffortGoal) -> None:
    """Make ``assigned`` and ``regions`` anew by the pass that loses least, if that is less than the
    groups that are there lose: the passes of a degree of effort, or those within the time of a
    goal, as long as they gain something worth while."""
    degrees: Iterable[int] = itertools.count(_STEP, _STEP)
    until = math.inf
    if isinstance(effort, EffortGoal):
        until = cells.clock.elapsed + effort.seconds
    else:
        degrees = range(_STEP, effort + _STEP, _STEP)
    finer, offered = _Finer(cells, until), 0
    finer.prepare()
    for degree in degrees:
        levels = nodes(cells.star.attributes, merits, WAYS * 2**degree)
        if len(levels) == offered or (offered and finer.enough()):
            break  # all nodes were offered before, or the time is over
        offered = len(levels)
        gain = finer.attempt(levels)
        if gain is not None and gain < _WORTHWHILE:
            break
    cells.engine.drop("stock", "ways")


def nodes(attributes: Sequence[Attribute], merits: Merits, most: int) -> IntArray:
    """Return ``most`` nodes, one a row, least mean loss first and the highest one last: those whose
    entropy exceeds least the least of any node of no greater loss."""
    levels = np.zeros((1, 0), dtype=np.int64)
    merit = np.zeros((1, 2))
    for attribute in attributes:
        allowed = sorted(merits[attribute.index])
        allowed = [
            level for level in allowed if attribute.min_level <= level <= attribute.max_level
        ]
        own = np.array([merits[attribute.index][level] for level in allowed]) * [
            attribute.policy.weight,
            1,
        ]
        merit = (merit[:, None, :] + own[None, :, :]).reshape(-1, 2)
        levels = np.column_stack(
            [np.repeat(levels, len(allowed), axis=0), np.tile(allowed, len(levels))]
        )
        chosen = _nearest_to_the_front(levels, merit, most)
        levels, merit = levels[chosen], merit[chosen]
    top = np.array([attribute.max_level for attribute in attributes])
    return np.vstack([levels[(levels != top).any(axis=1)], top])


def _nearest_to_the_front(
    levels: IntArray, merit: NDArray[np.float64], most: int
) -> NDArray[np.intp]:
    """Return the positions of the nodes with the least excess of entropy, least loss first."""
    order = np.lexsort((*levels.T[::-1], merit[:, 1], merit[:, 0]))
    entropy = merit[order, 1]
    excess = np.round(entropy - np.minimum.accumulate(entropy), 9)
    nearest: NDArray[np.intp] = np.sort(np.argsort(excess, kind="stable")[:most])
    chosen: NDArray[np.intp] = order[nearest]
    return chosen


@dataclass
class _Finer:
    """The passes: ``stock`` are all cells with their codes at every level. In the running pass,
    ``placed`` are the groups of the placed cells, and ``left`` names the table of the others.
    Passes are cut short when the clock shows ``until``."""

    cells: Cells
    until: float
    last: int = 0
    left: str = "stock"
    batches: int = 0
    ways: int = 0

    def prepare(self) -> None:
        attributes = self.cells.star.attributes
        self.words = _words(attributes, self.cells.star.codes)
        self.keys = ("way", *(f"k{number}" for number, _ in enumerate(self.words, 1)))
        self.cells.engine.run(
            "methods/cells/finer/stock",
            attributes=attributes,
            promise=self.cells.promise,
            shares=shares(attributes),
            into="stock",
        )

    def enough(self) -> bool:
        """Return whether the time is over: that of the job's search, or of the passes."""
        clock = self.cells.clock
        return clock.enough() or clock.elapsed >= self.until

    def attempt(self, levels: IntArray) -> float | None:
        """Make groups by some nodes. Return the share of the loss that they gain, by which they
        stay if it is above 0; None where they do not keep the promise."""
        self._begin(levels)
        self._offer_all()
        self._join_the_rest()
        gain = self._gain()
        if gain is not None and gain > 0:
            self._replace()
        self.cells.engine.drop("placed", "finer_regions")
        return gain

    def _begin(self, levels: IntArray) -> None:
        self.last, self.left, self.ways = 0, "stock", len(levels)
        columns = {
            f"l{attribute.index}": levels[:, i]
            for i, attribute in enumerate(self.cells.star.attributes)
        }
        self.cells.engine.load_numbers("ways", {"way": np.arange(1, self.ways + 1), **columns})
        self.cells.engine.run("methods/cells/finer/none_placed")

    def _offer_all(self) -> None:
        """Offer all nodes, as many at once as room and time allow; then the highest one."""
        way = 0
        while way < self.ways and (rows := self._count(self.left)):
            self.cells.progress("choose", way, self.ways)
            if self.enough():
                way = self.ways - 1
            last = min(self.ways, way + max(_LEAST_WAYS, _OFFERS // rows))
            self._offer(way + 1, last)
            way = last

    def _offer(self, first: int, last: int) -> None:
        """Offer nodes to the cells left; make groups of the classes picked that keep the
        promise."""
        run, drop = self.cells.engine.run, self.cells.engine.drop
        shared = {"keys": self.keys, "promise": self.cells.promise}
        run(
            "methods/cells/finer/offered",
            table=self.left,
            first=first,
            last=last,
            words=self.words,
            attributes=self.cells.star.attributes,
            promise=self.cells.promise,
        )
        table, before = "offered", self.last
        for turn in range(_MOST_PICKS):
            into = f"open_{turn}"
            run("methods/cells/finer/open", table=table, anew=turn > 0, into=into, **shared)
            run("methods/cells/finer/picks", table=into, **shared)
            run("methods/cells/finer/made", after=self.last, **shared)
            run("methods/cells/finer/place", **shared)
            made = self._count("made")
            self.last += made
            drop(table, "picks", "made")
            table = into
            if not made:
                break
        drop(table)
        if self.last > before:
            self._leave()

    def _leave(self) -> None:
        self.batches += 1
        into = f"stock_{self.batches}"
        self.cells.engine.run("methods/cells/finer/left", table=self.left, into=into)
        if self.left != "stock":
            self.cells.engine.drop(self.left)
        self.left = into

    def _join_the_rest(self) -> None:
        run, attributes = self.cells.engine.run, self.cells.star.attributes
        run("methods/cells/finer/regions", attributes=attributes, into="finer_regions")
        if self._count(self.left):
            run(
                "methods/cells/finer/join",
                table=self.left,
                regions="finer_regions",
                attributes=attributes,
            )
            self.cells.engine.drop("finer_regions")
            run("methods/cells/finer/regions", attributes=attributes, into="finer_regions")
        if self.left != "stock":
            self.cells.engine.drop(self.left)

    def _gain(self) -> float | None:
        cells = self.cells
        keys = tuple(
            f"{kind}{attribute.index}" for attribute in cells.star.attributes for kind in "lg"
        )
        broken = cells.engine.query(
            "methods/cells/finer/broken", regions="finer_regions", keys=keys, promise=cells.promise
        )[0][0]
        released, lost = self._lost("finer_regions")
        if broken or cells.star.rows - released > cells.max_suppressed:
            return None
        before = self._lost("regions")[1]
        return (before - lost) / before if before else 0

    def _lost(self, regions: str) -> tuple[int, int]:
        attributes = self.cells.star.attributes
        released, lost = self.cells.engine.query(
            "methods/cells/finer/lost",
            regions=regions,
            attributes=attributes,
            shares=shares(attributes),
        )[0]
        return released, lost + (self.cells.star.rows - released) * WHOLE

    def _replace(self) -> None:
        engine, attributes = self.cells.engine, self.cells.star.attributes
        engine.drop("assigned", "regions")
        engine.run(
            "methods/cells/finer/assigned", attributes=attributes, promise=self.cells.promise
        )
        engine.run("methods/cells/finer/regions", attributes=attributes, into="regions")

    def _count(self, table: str) -> int:
        rows: int = self.cells.engine.query("sql/rows", table=table)[0][0]
        return rows


def _words(
    attributes: Sequence[Attribute], greatest: Mapping[int, int]
) -> list[list[tuple[Attribute, int]]]:
    """Return how the codes of all attributes are packed into as few whole numbers as possible: for
    each number its attributes, with the factors of their codes."""
    words: list[list[tuple[Attribute, int]]] = [[]]
    factor = 1
    for attribute in attributes:
        size = greatest[attribute.index] + 1
        if words[-1] and factor * size >= _WORD:
            words.append([])
            factor = 1
        words[-1].append((attribute, factor))
        factor *= size
    return words
