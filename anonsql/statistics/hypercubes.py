"""Changes of cells that keep all sums: hypercubes.

In a table of d dimensions a cell, and for each dimension another group, are the corners of a
hypercube. When its corners go up and down by the same amount in turn, all sums over any dimension
stay what they are. Corners that differ in groups of a higher level change the cells of all levels
below as well (Repsilber 1994; the hypercube method of tau-Argus is built on them).

What is found here is a proposal: it says which cells may be hidden together, and an audit holds it
against the relations of the cells before it believes it.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from anonsql.statistics.grid import Grid, splits
from anonsql.system.arrays import IntArray, RealArray, np

_MOST = 300
"""The hypercubes of one cell that are looked at, for each choice of levels."""
_CHOICES = 250
"""The choices of levels of one cell that are looked at, of each kind."""
_APART = 10
"""The dimensions at most in which the groups of corners differ: twice as many corners for each."""
_LITTLE = 1e-3
"""What a hypercube costs of which all cells are hidden: one is better than two."""
_LATEST, _FEW = 500, 25
"""Of so many cells that were looked at one after the other so many must have hypercubes: in
tables with few cells there are none."""


@dataclass(frozen=True)
class _Block:
    """Cells that hypercubes may change: a row a vector of levels, a column a combination of groups;
    and the hypercubes: the columns of their corners, a row each, and the corners' signs."""

    cells: IntArray
    corners: IntArray
    signs: IntArray


class Patience:
    """Says whether looking for hypercubes is ``over``, as hardly any are found."""

    def __init__(self) -> None:
        self._latest: deque[bool] = deque(maxlen=_LATEST)

    @property
    def over(self) -> bool:
        """Whether few of the latest cells had any."""
        return len(self._latest) == _LATEST and sum(self._latest) < _FEW

    def note(self, found: bool) -> None:
        """Note whether a cell has any."""
        self._latest.append(found)


class Hypercubes:
    """Finds changes of cells. ``room`` is by how much every cell can fall, ``price`` what it costs
    to let it change: 0 where it is hidden, infinite where it may not be."""

    def __init__(self, grid: Grid, room: RealArray, price: RealArray) -> None:
        self._grid = grid
        # the last is the cell that is not there
        self._room, self._price = np.append(room, -1.0), np.append(price, np.inf)

    def price(self, cells: IntArray, price: RealArray | float) -> None:
        """Set what it costs from now on to let cells change."""
        self._price[cells] = price

    def change(
        self,
        cell: int,
        sign: int,
        needed: float,
        *,
        narrow: bool = False,
        chance: np.random.Generator | None = None,
    ) -> tuple[IntArray, RealArray] | None:
        """Return cells and by how much they change, so that a cell goes up (``sign`` 1) or down
        (-1) by what is ``needed`` and all sums stay, at a low price; None where none is found.

        ``narrow`` looks at groups next to those of the cell alone; with ``chance`` all levels are
        looked at, and groups and hypercubes are taken by chance, good ones more often: another try
        may find what the first one did not."""
        used: list[tuple[IntArray, RealArray, RealArray]] = []
        left = needed
        for blocks in self._blocks(cell, sign, needed, narrow=narrow, chance=chance):
            while left > 0 and (step := self._best(blocks, sign, left, chance)) is not None:
                cells, changes = step
                used.append((cells, changes, self._price[cells]))
                self._room[cells] += changes
                self._price[cells] = 0.0
                left -= abs(float(changes[0]))
            if left <= 0:
                break
        for cells, changes, price in reversed(used):
            self._room[cells] -= changes
            self._price[cells] = price
        if left > 0:
            return None
        touched, number = np.unique(np.concatenate([c for c, _, _ in used]), return_inverse=True)
        total = np.bincount(number, np.concatenate([changes for _, changes, _ in used]))
        return touched[total != 0], total[total != 0]

    def box(self, cell: int, groups: int, needed: float, chance: np.random.Generator) -> IntArray:
        """Return the cells of all levels around a cell: in every dimension their groups are among
        so many of the finest level, taken by chance, good ones more often, and those above
        these."""
        grid = self._grid
        finest = self._finest(cell)
        inside = np.ones(len(grid.place), np.bool_)
        for number, dimension in enumerate(grid.dimensions):
            others = np.flatnonzero(dimension.depth == dimension.lowest)
            others = others[others != finest[number]]
            cells = self._beside(finest, number, others)
            if (cells < 0).all():  # no table has these groups together with the others
                others = chance.permutation(others)[: groups - 1]
            else:
                others = self._promising(cells, others, groups - 1, needed, chance)
            line = np.append(others, finest[number])
            among = np.zeros(len(dimension.above), np.bool_)
            while len(line):
                among[line] = True
                above = dimension.above[line]
                line = above[above >= 0]
            inside &= among[grid.place[:, number]]
        return np.flatnonzero(inside)

    def _best(
        self,
        blocks: Sequence[_Block],
        sign: int,
        left: float,
        chance: np.random.Generator | None,
    ) -> tuple[IntArray, RealArray] | None:
        """Return the cheapest change by a single hypercube, the first of the cells that it changes
        being the one that is asked for."""
        best, least = None, np.inf
        for block in blocks:
            falls = block.corners[:, block.signs != sign]
            capacity = self._room[block.cells].min(axis=0)[falls].min(axis=1)
            capacity = np.minimum(np.floor(capacity), left)
            price = self._price[block.cells].sum(axis=0)[block.corners].sum(axis=1)
            score = np.where(capacity >= 1, (price + _LITTLE) / np.maximum(capacity, 1), np.inf)
            if chance is not None:
                score *= chance.exponential(size=len(score))
            at = int(score.argmin())
            if score[at] < least:
                least, best = score[at], (block, at, capacity[at])
        if best is None:
            return None
        block, at, amount = best
        cells = block.cells[:, block.corners[at]]
        changes = np.broadcast_to(sign * amount * block.signs, cells.shape)
        return cells.ravel(), changes.ravel()

    def _blocks(
        self,
        cell: int,
        sign: int,
        needed: float,
        *,
        narrow: bool,
        chance: np.random.Generator | None,
    ) -> Iterator[list[_Block]]:
        """Yield the hypercubes of a cell: first those whose groups are apart at the lowest levels
        that have the room; then also those one level higher in one dimension; then those with all
        groups of the finest level as well, instead of the largest of each group; and with
        ``chance`` those of all levels."""
        grid = self._grid
        where, finest = grid.place[cell], self._finest(cell)
        ways: list[Sequence[int | None]] = []
        enough = []
        for number, (dimension, group) in enumerate(zip(grid.dimensions, where, strict=True)):
            own = splits(dimension, int(group))
            ways.append((own[:1] if narrow else [*own, None]) or [None])
            enough.append(self._enough(where, number, own, needed if sign > 0 else 0.0))
        low = [way[: last + 1] for way, last in zip(ways, enough, strict=True)]
        best = tuple(way[-1] for way in low)
        higher = [
            (*best[:number], way[last + 1], *best[number + 1 :])
            for number, (way, last) in enumerate(zip(ways, enough, strict=True))
            if last + 1 < len(way)
        ]
        blocks = list[_Block]()
        for all_groups, chosen in (
            (False, itertools.product(*low)),
            (False, higher),
            (True, () if narrow else (best, *higher)),
            (False, () if chance is None else itertools.product(*ways)),
        ):
            for split in itertools.islice(chosen, _CHOICES):
                block = self._block(
                    where, finest, split, needed, all_groups=all_groups, chance=chance
                )
                if block is not None:
                    blocks.append(block)
            yield blocks

    def _finest(self, cell: int) -> IntArray:
        """Return the groups of the finest cell below a cell that has the most room, one dimension
        after the other."""
        grid = self._grid
        where = grid.place[cell].copy()
        for number, dimension in enumerate(grid.dimensions):
            while len(parts := dimension.parts[int(where[number])]):
                room = self._room[self._beside(where, number, parts)]
                best = int(room.argmax())
                if room[best] < 0:  # no table has these groups together with the others
                    where[number] = dimension.largest[where[number]]
                    break
                where[number] = parts[best]
        return np.asarray(where, np.int64)

    def _enough(self, where: IntArray, number: int, splits: Sequence[int], needed: float) -> int:
        """Return the first of some groups of a dimension beside which there is the room that is
        needed, or how many these are."""
        dimension = self._grid.dimensions[number]
        for position, split in enumerate(splits):
            cells = self._beside(where, number, dimension.beside(split))
            if np.maximum(self._room[cells], 0).sum() >= needed:
                return position
        return len(splits)

    def _beside(self, where: IntArray, number: int, groups: IntArray) -> IntArray:
        """Return the cells that have other groups in one dimension."""
        stride = self._grid.strides[number]
        flat = int(where @ self._grid.strides) + (groups - where[number]) * stride
        return self._grid.cells(flat)

    def _block(
        self,
        where: IntArray,
        finest: IntArray,
        split: Sequence[int | None],
        needed: float,
        *,
        all_groups: bool,
        chance: np.random.Generator | None,
    ) -> _Block | None:
        """Return the hypercubes whose groups are apart where the dimensions are ``split``: in
        others (None) all corners have the same group, and the cells of all its levels change. Of
        what is beside a split the largest finest group is taken, or ``all_groups``."""
        grid = self._grid
        apart = sum(group is not None for group in split)
        if apart > _APART:
            return None
        most = max(2, int(_MOST ** (1 / max(apart, 1))))
        flat, vector = np.zeros((1, 1), np.int64), np.zeros(1, np.int64)
        shape = list[int]()
        for number, (dimension, group) in enumerate(zip(grid.dimensions, split, strict=True)):
            others = np.zeros(0, np.int64)
            if group is not None:
                beside = dimension.beside(group)
                if all_groups:
                    others = np.concatenate([dimension.finest[other] for other in beside])
                    cells = self._beside(finest, number, others)
                    others = self._promising(cells, others, most, needed, chance)
                else:
                    cells = self._beside(where, number, beside)
                    beside = self._promising(cells, beside, most, needed, chance)
                    others = dimension.largest[beside]
                if not len(others):
                    return None
            top = 0 if group is None else dimension.depth[group]
            levels = [np.concatenate([finest[number : number + 1], others])]
            while dimension.depth[levels[-1][0]] > top:
                levels.append(dimension.above[levels[-1]])
            depth = np.array([dimension.depth[groups[0]] for groups in levels])
            vector = (vector[:, None] * (dimension.lowest + 1) + depth).ravel()
            there = grid.begun[number][vector]
            added = np.stack(levels) * grid.strides[number]
            flat = flat[:, None, :, None] + added[None, :, None, :]
            flat = flat.reshape(len(vector), -1)[there]
            vector = vector[there]
            shape.append(len(levels[0]))
        if not apart:
            return None
        return _Block(grid.cells(flat), *_corners(tuple(shape)))

    def _promising(
        self,
        cells: IntArray,
        groups: IntArray,
        most: int,
        needed: float,
        chance: np.random.Generator | None,
    ) -> IntArray:
        """Return those of some groups that another corner may have, by the ``cells`` that differ in
        them alone: the cheapest for their room, at most so many."""
        good = np.isfinite(self._price[cells])
        if len(groups) <= most:
            return np.asarray(groups[good], np.int64)
        room = np.clip(self._room[cells], _LITTLE, needed)
        score = np.where(good, (self._price[cells] + _LITTLE) / room, np.inf)
        if chance is not None:
            score *= chance.exponential(size=len(score))
        order = np.argsort(score, kind="stable")[:most]
        return np.asarray(groups[order[good[order]]], np.int64)


@cache
def _corners(shape: tuple[int, ...]) -> tuple[IntArray, IntArray]:
    """Return the columns of the corners of all hypercubes in a block of so many groups a dimension,
    a row each, and the signs of these. One corner of all is the first column; dimensions of one
    group are not apart."""
    strides = np.cumprod([1, *shape[:0:-1]])[::-1]
    others = itertools.product(*[range(1, size) if size > 1 else (0,) for size in shape])
    moved = itertools.product(*[(0, 1) if size > 1 else (0,) for size in shape])
    which = np.array(list(moved), np.int64)
    corners = np.array(list(others), np.int64)[:, None, :] * which[None, :, :] @ strides
    return corners, (-1) ** which.sum(axis=1)
