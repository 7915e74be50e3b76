"""Witnesses of a simple shape, looked for by many targets at once: in every dimension the group of a
target takes from one other group, so that the corners of a box rise and fall by turns (the
hypercube method, Giessing and Repsilber 2002). In small tables few targets have such a witness, in
large ones that hide much most have."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from anonsql.statistics.suppression.boxes import Boxes, Dimension
from anonsql.statistics.suppression.system import System
from anonsql.statistics.suppression.witnesses import Target, Witnesses
from anonsql.system.arrays import BoolArray, IntArray, np
from anonsql.system.clock import Clock

_SWEEPS, _FEW = 40, 0.005
"""How often other groups are drawn for every target at most, and the share of targets that must be
protected by it for them to be drawn again."""
_PLACES = 2_000_000
"""The places that are looked at together."""
_CORNERS = 4_096
"""The corners of a box at most."""


@dataclass(frozen=True)
class _Axis:
    """The groups of one dimension: of each itself and all above it (``paths``, -1 where there are no
    more), how many these are (``depth``), and those of the finest level within (``leaves``, where those
    of each group begin, and how many they are)."""

    dimension: Dimension
    paths: IntArray
    depth: IntArray
    leaves: tuple[IntArray, IntArray, IntArray]

    @classmethod
    def of(cls, dimension: Dimension) -> _Axis:
        """Return the groups of a dimension with their paths."""
        steps = [np.arange(len(dimension.above))]
        while (steps[-1] >= 0).any():
            steps.append(np.where(steps[-1] >= 0, dimension.above[steps[-1]], -1))
        paths = np.stack(steps[:-1], axis=1)
        within = dimension.within
        counts = np.array([len(own) for own in within], np.int64)
        leaves = np.concatenate([*within]), np.cumsum(counts) - counts, counts
        return cls(dimension, paths, (paths >= 0).sum(axis=1), leaves)

    def steps(self, own: IntArray, other: IntArray) -> tuple[IntArray, IntArray]:
        """Return which groups change where one takes from another one, or from nowhere (-1): those
        that one of them alone is in; and 1 where they rise, -1 where they fall, 0 for no group."""
        ours = self.paths[own]
        theirs = np.where((other >= 0)[:, None], self.paths[other], -1)
        shared = (ours[:, :, None] == theirs[:, None, :]) & (ours[:, :, None] >= 0)
        rises = ((ours >= 0) & ~shared.any(axis=2)).astype(np.int64)
        falls = ((theirs >= 0) & ~shared.any(axis=1)).astype(np.int64)
        return np.hstack([ours, theirs]), np.hstack([rises, -falls])


@dataclass(frozen=True)
class _Drawn:
    """Boxes about cells that change (``changes``): groups by dimension, and their direction."""

    changes: IntArray
    steps: Sequence[tuple[IntArray, IntArray]]

    @property
    def corners(self) -> list[tuple[int, ...]]:
        """The corners of all boxes, by their steps."""
        return [*itertools.product(*(range(groups.shape[1]) for groups, _ in self.steps))]

    def at(self, corner: Sequence[int], rows: IntArray) -> tuple[IntArray, IntArray]:
        """Return the groups of one corner of some boxes, and by how much it changes."""
        pairs = [*zip(self.steps, corner, strict=True)]
        places = np.stack([groups[rows, at] for (groups, _), at in pairs], axis=1)
        signs = np.prod([signs[rows, at] for (_, signs), at in pairs], axis=0)
        return np.maximum(places, 0), self.changes[rows] * signs


class Corners:
    """Looks for such witnesses of the targets of one release."""

    def __init__(
        self, system: System, boxes: Boxes, random: np.random.Generator, clock: Clock
    ) -> None:
        self._system, self._boxes, self._random, self._clock = system, boxes, random, clock
        self._axes = [_Axis.of(dimension) for dimension in boxes.dimensions]
        shape = [int(axis.depth.max(initial=0)) + 1 for axis in self._axes]
        self._tables = np.zeros(shape, np.bool_)  # the levels that a table has
        self._tables[self._depths(boxes.place)] = True
        widest = max(len(axis.dimension.finest) for axis in self._axes) + 1
        self._portion = max(1, _PLACES // widest)  # the boxes that are drawn together

    def find(self, witnesses: Witnesses, targets: Sequence[Target]) -> None:
        """Find witnesses of some targets, until one more sweep over them finds few."""
        left = witnesses.open(targets)
        for _ in range(_SWEEPS):
            before = len(left)
            for first in range(0, before, self._portion):
                self._clock.check("audit of hidden cells")
                self._sweep(witnesses, left[first : first + self._portion])
            left = witnesses.open(left)
            if before - len(left) <= _FEW * before:
                break

    def _sweep(self, witnesses: Witnesses, targets: Sequence[Target]) -> None:
        """Add the witnesses of those targets that have one with other groups drawn at random."""
        cells = np.array([cell for cell, _ in targets], np.int64)
        changes = np.array([sign * witnesses.wanted((cell, sign)) for cell, sign in targets])
        steps, rows = [], np.arange(len(cells))
        for number, axis in enumerate(self._axes):
            own, other, some = self._drawn(number, cells, changes, witnesses.movable)
            groups, signs = axis.steps(own, other)
            used = signs.any(axis=0)
            steps.append((groups[:, used], signs[:, used]))
            rows = rows[some[rows]]
        drawn = _Drawn(changes, steps)
        if len(drawn.corners) > _CORNERS:
            return
        for corner in drawn.corners:
            found, by = drawn.at(corner, rows)
            _, possible = self._possible(found, by, cells[rows], witnesses.movable)
            rows = rows[possible]
        if not len(rows):
            return
        moves = [drawn.at(corner, rows) for corner in drawn.corners]
        by = np.stack([moved for _, moved in moves], axis=1)
        at = np.stack([self._boxes.cells_at(places) for places, _ in moves], axis=1)
        for of_one, moved in zip(at, np.where(at < 0, 0, by), strict=True):
            witnesses.add(of_one[moved != 0], moved[moved != 0])

    def _drawn(
        self, number: int, cells: IntArray, changes: IntArray, movable: BoolArray
    ) -> tuple[IntArray, IntArray, BoolArray]:
        """Return each cell's finest group of a dimension, another one that it can take from (-1:
        nowhere; all groups above its own change as it does), and whether there is one."""
        axis, place = self._axes[number], self._boxes.place[cells]
        leaves, begins, counts = axis.leaves
        group = place[:, number]
        own = leaves[begins[group] + (self._random.random(len(cells)) * counts[group]).astype(int)]
        finest = axis.dimension.finest
        count = len(finest) + 1
        places = np.repeat(place, count, axis=0)
        places[:, number] = np.tile(np.r_[finest, axis.dimension.top], len(cells))
        by = np.repeat(-changes, count)
        by[count - 1 :: count] *= -1
        _, possible = self._possible(places, by, np.repeat(cells, count), movable)
        possible = possible.reshape(len(cells), count)
        possible[:, :-1] &= ~(axis.paths[finest] == group[:, None, None]).any(axis=2)
        drawn = (self._random.random(possible.shape) * possible).argmax(axis=1)
        return own, np.r_[finest, -1][drawn], possible[np.arange(len(cells)), drawn]

    def _possible(
        self, places: IntArray, by: IntArray, targets: IntArray, movable: BoolArray
    ) -> tuple[IntArray, BoolArray]:
        """Return the cells at some places, and whether they can change by so much: as
        ``movable`` ones that no sole contributor but that of the target knows, or as no table has them."""
        system = self._system
        found = self._boxes.cells_at(places)
        owner = system.owner[found]
        known = (owner > 0) & (owner != system.owner[targets])
        can = movable[found] & ~known & (by >= -system.room[found])
        absent = ~self._tables[self._depths(places)]
        return found, np.asarray(np.where(found >= 0, can, absent) | (by == 0), np.bool_)

    def _depths(self, places: IntArray) -> tuple[IntArray, ...]:
        pairs = zip(self._axes, places.T, strict=True)
        return tuple(axis.depth[groups] for axis, groups in pairs)
