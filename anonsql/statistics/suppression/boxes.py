"""Boxes: the cells about one, by some groups of each dimension, so that programs stay small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from anonsql.system.arrays import BoolArray, IntArray, RealArray, np

_LISTED = 100_000_000
"""Up to so many places, all combinations of groups of all levels, the cell of each is listed."""


@dataclass(frozen=True)
class Dimension:
    """The groups of one dimension, of all levels together, by falling size: the group that each is
    part of (``above``, -1 at the top), and those of the finest level."""

    above: IntArray
    finest: IntArray

    @cached_property
    def within(self) -> Sequence[IntArray]:
        """The groups of the finest level that each group consists of."""
        found: list[list[int]] = [[] for _ in self.above]
        for group in self.finest.tolist():
            at = group
            while at >= 0:
                found[at].append(group)
                at = int(self.above[at])
        return [np.array(groups, np.int64) for groups in found]

    @property
    def top(self) -> int:
        """The group of all."""
        return int(np.flatnonzero(self.above < 0)[0])


@dataclass(frozen=True)
class Boxes:
    """Where cells are: ``place`` has the group of each cell in every dimension, a row a cell."""

    dimensions: Sequence[Dimension]
    place: IntArray

    @classmethod
    def of(cls, cells: int, ties: Sequence[IntArray], size: IntArray) -> Boxes | None:
        """Return the places of so many cells from their relations: arrays of the whole, the
        dimension and the part. ``size`` orders groups. None where nothing is tied, or there are
        more places than numbers."""
        wholes, names, parts = ties
        above = []
        for name in np.unique(names):
            own = np.full(cells, -1, np.int64)
            own[parts[names == name]] = wholes[names == name]
            above.append(own)
        tops = [_top(own) for own in above]
        dimensions, place = [], []
        for number, own in enumerate(above):
            face = np.arange(cells)
            for other, top in enumerate(tops):
                face = top[face] if other != number else face
            groups = np.unique(face)
            groups = groups[np.argsort(-size[groups], kind="stable")]
            number_of = np.full(cells, -1)
            number_of[groups] = np.arange(len(groups))
            up = own[groups]
            up = np.where(up >= 0, number_of[up], -1)
            finest = np.setdiff1d(np.arange(len(groups)), up)
            dimensions.append(Dimension(up, finest))
            place.append(number_of[face])
        if not place or np.prod([float(len(own.above)) for own in dimensions]) > 2.0**62:
            return None
        return cls(dimensions, np.stack(place, axis=1))

    def around(self, cell: int, most: int, price: RealArray, among: BoolArray) -> IntArray:
        """Return about so many cells around one ``among`` others, in order: of its own group in
        every dimension, and of the groups where the next cells have the least ``price``."""
        place = self._finest(cell, price)
        orders = [self._ordered(place, number, price) for number in range(len(self.dimensions))]
        longest, count, before = max(map(len, orders)), 2, np.zeros(0, np.int64)
        while True:
            found = self._inside([order[:count] for order in orders], among)
            if len(found) >= most or count >= longest:
                break
            before, count = found, max(count + 1, int(count * 1.3))
        return before if len(found) > 2 * most and len(before) else found

    def cells_at(self, places: IntArray) -> IntArray:
        """Return the cells at some places, a row of groups each; -1 where there is none."""
        return self._cells(places @ self._strides)

    def _inside(self, groups: Sequence[IntArray], among: BoolArray) -> IntArray:
        """Return the cells ``among`` some, in order, whose groups in every dimension are those of
        the finest level that are given, or above these."""
        within = [self._above(number, own) for number, own in enumerate(groups)]
        if np.prod([float(len(own)) for own in within]) > len(self.place):
            inside = among.copy()
            for number, own in enumerate(within):
                flags = np.zeros(len(self.dimensions[number].above), np.bool_)
                flags[own] = True
                inside &= flags[self.place[:, number]]
            return np.flatnonzero(inside)
        places = np.zeros(1, np.int64)
        for stride, own in zip(self._strides.tolist(), within, strict=True):
            places = (places[:, None] + own[None, :] * stride).ravel()
        cells = self._cells(places)
        cells = cells[cells >= 0]
        return np.sort(cells[among[cells]])

    def _above(self, number: int, groups: IntArray) -> IntArray:
        above, found = self.dimensions[number].above, [groups]
        while len(groups := np.unique(above[groups][above[groups] >= 0])):
            found.append(groups)
        return np.unique(np.concatenate(found))

    def _finest(self, cell: int, price: RealArray) -> IntArray:
        """Return the place of the cheapest finest cell below a cell, dimension by dimension."""
        place = self.place[cell].copy()
        for number, dimension in enumerate(self.dimensions):
            groups = dimension.within[int(place[number])]
            place[number] = groups[np.argmin(self._prices(place, number, groups, price))]
        return np.asarray(place, np.int64)

    def _ordered(self, place: IntArray, number: int, price: RealArray) -> IntArray:
        """Return the groups of the finest level of a dimension: its own first, then the others by
        the price of the cell that differs from a place in that dimension."""
        own, groups = int(place[number]), self.dimensions[number].finest
        prices = self._prices(place, number, groups, price)
        prices[groups == own] = -1
        return groups[np.argsort(prices, kind="stable")]

    def _prices(
        self, place: IntArray, number: int, groups: IntArray, price: RealArray
    ) -> RealArray:
        """Return the prices of cells with other groups in one dimension; infinite without a
        cell."""
        at = int(place @ self._strides) + (groups - place[number]) * self._strides[number]
        cells = self._cells(at)
        return np.where(cells >= 0, price[cells], np.inf)

    def _cells(self, places: IntArray) -> IntArray:
        if self._listed is not None:
            return np.asarray(self._listed[places], np.int64)
        numbers, order = self._sorted
        position = np.minimum(np.searchsorted(numbers, places), len(numbers) - 1)
        return np.where(numbers[position] == places, order[position], -1)

    @cached_property
    def _strides(self) -> IntArray:
        counts = [len(dimension.above) for dimension in self.dimensions]
        return np.cumprod([1, *counts[:0:-1]])[::-1].astype(np.int64)

    @cached_property
    def _listed(self) -> IntArray | None:
        places = int(self._strides[0]) * len(self.dimensions[0].above)
        if places > _LISTED:
            return None
        listed = np.full(places, -1, np.int32)
        listed[self.place @ self._strides] = np.arange(len(self.place))
        return np.asarray(listed)

    @cached_property
    def _sorted(self) -> tuple[IntArray, IntArray]:
        places = self.place @ self._strides
        order = np.argsort(places)
        return places[order], order


def _top(above: IntArray) -> IntArray:
    top = np.arange(len(above))
    while (further := above[top] >= 0).any():
        top = np.where(further, above[top], top)
    return top
