"""Witnesses of a simple shape, looked for by many targets at once: in every dimension the group of a
target takes from one other group, so that the corners of a box rise and fall by turns (the
hypercube method, Giessing and Repsilber 2002). In small tables few targets have such a witness, in
large ones that hide much most have."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from anonsql.statistics.suppression.boxes import Boxes, Dimension
from anonsql.statistics.suppression.witnesses import Target, Witnesses
from anonsql.system.arrays import BoolArray, IntArray, np

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


class Corners:
    """Looks for such witnesses of the targets of one release."""

    def __init__(self, witnesses: Witnesses, boxes: Boxes, random: np.random.Generator) -> None:
        self._witnesses, self._boxes, self._random = witnesses, boxes, random
        self._axes = [_Axis.of(dimension) for dimension in boxes.dimensions]
        shape = [int(axis.depth.max(initial=0)) + 1 for axis in self._axes]
        self._tables = np.zeros(shape, np.bool_)  # the levels that a table has
        self._tables[self._depths(boxes.place)] = True

    def find(self, targets: Sequence[Target]) -> None:
        """Find witnesses of some targets, until one more sweep over them finds few."""
        left, before = self._witnesses.open(targets), 0
        most = max(len(axis.dimension.finest) for axis in self._axes) + 1
        for _ in range(_SWEEPS):
            before, portion = len(left), max(1, _PLACES // most)
            for first in range(0, len(left), portion):
                self._sweep(left[first : first + portion])
            left = self._witnesses.open(left)
            if before - len(left) <= _FEW * before:
                break

    def _sweep(self, targets: Sequence[Target]) -> None:
        """Take the witnesses of those targets that have one with other groups drawn at random."""
        cells = np.array([cell for cell, _ in targets], np.int64)
        changes = np.array(
            [sign * self._witnesses.wanted((cell, sign)) for cell, sign in targets], np.int64
        )
        steps, some = [], np.ones(len(cells), np.bool_)
        for number in range(len(self._axes)):
            own, other, one = self._drawn(number, cells, changes)
            groups, signs = self._axes[number].steps(own, other)
            used = signs.any(axis=0)
            steps.append((groups[:, used], signs[:, used]))
            some &= one
        rows = np.flatnonzero(some)
        corners = [*itertools.product(*(range(groups.shape[1]) for groups, _ in steps))]
        if len(corners) > _CORNERS:
            return
        for corner in corners:
            _, _, possible = self._corner(steps, corner, rows, cells, changes)
            rows = rows[possible]
        if len(rows):
            moves = [self._corner(steps, corner, rows, cells, changes) for corner in corners]
            at, by = (np.stack(arrays, axis=1) for arrays in list(zip(*moves, strict=True))[:2])
            for of_one, moved in zip(at, by, strict=True):
                self._witnesses.add(of_one[moved != 0], moved[moved != 0])

    def _drawn(
        self, number: int, cells: IntArray, changes: IntArray
    ) -> tuple[IntArray, IntArray, BoolArray]:
        """Return of a dimension a group of the finest level that each cell has, another one that it
        can take from (-1: nowhere, so that all groups above its own change as it does), and whether
        there is one."""
        axis, place = self._axes[number], self._boxes.place[cells]
        finest = axis.dimension.finest
        leaves, begins, counts = axis.leaves
        group = place[:, number]
        own = leaves[begins[group] + (self._random.random(len(cells)) * counts[group]).astype(int)]
        count = len(finest) + 1
        places = np.repeat(place, count, axis=0)
        places[:, number] = np.tile(np.r_[finest, axis.dimension.top], len(cells))
        by = np.repeat(-changes, count)
        by[count - 1 :: count] *= -1
        _, possible = self._possible(places, by, np.repeat(cells, count))
        possible = possible.reshape(len(cells), count)
        inside = (axis.paths[finest] == place[:, number][:, None, None]).any(axis=2)
        possible[:, :-1] &= ~inside
        drawn = (self._random.random(possible.shape) * possible).argmax(axis=1)
        return own, np.r_[finest, -1][drawn], possible[np.arange(len(cells)), drawn]

    def _corner(
        self,
        steps: Sequence[tuple[IntArray, IntArray]],
        corner: Sequence[int],
        rows: IntArray,
        cells: IntArray,
        changes: IntArray,
    ) -> tuple[IntArray, IntArray, BoolArray]:
        """Return the cells at one corner of the boxes of some targets, by how much they change, and
        whether they can."""
        pairs = [*zip(steps, corner, strict=True)]
        places = np.stack([groups[rows, at] for (groups, _), at in pairs], axis=1)
        by = changes[rows] * np.prod([signs[rows, at] for (_, signs), at in pairs], axis=0)
        found, possible = self._possible(np.maximum(places, 0), by, cells[rows])
        return found, np.where(found >= 0, by, 0), possible

    def _possible(
        self, places: IntArray, by: IntArray, targets: IntArray
    ) -> tuple[IntArray, BoolArray]:
        """Return the cells at some places, and whether they can change by so much: as hidden cells
        that no sole contributor but that of the target knows, or as no table has them."""
        witnesses, system = self._witnesses, self._witnesses.system
        found = self._boxes.cells_at(places)
        owner = system.owner[found]
        known = (owner > 0) & (owner != system.owner[targets])
        can = witnesses.movable[found] & ~known & (by >= -system.room[found])
        absent = ~self._tables[self._depths(places)]
        return found, np.asarray(np.where(found >= 0, can, absent) | (by == 0), np.bool_)

    def _depths(self, places: IntArray) -> tuple[IntArray, ...]:
        """Return how many groups are above the groups of some places, and these themselves."""
        pairs = zip(self._axes, places.T, strict=True)
        return tuple(axis.depth[groups] for axis, groups in pairs)
