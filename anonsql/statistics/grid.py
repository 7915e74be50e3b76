"""Where cells lie: by their groups in all dimensions, read from what ties them together."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from anonsql.system.arrays import BoolArray, IntArray, np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LISTED = 100_000_000
"""Up to so many places, all combinations of groups of all levels, the cell of each is listed."""
_MOST = 2.0**62
"""The places of a grid at most: they have numbers of 64 bits."""
_DIMENSIONS = 32
"""The dimensions at most: arrays have no more in some versions of numpy."""


@dataclass(frozen=True)
class Dimension:
    """The groups of one dimension, of all levels together: the group that each is part of
    (``above``, -1 at the top), how many levels below the top it is (``depth``), and the finest
    group that comes by taking the ``largest`` part again and again."""

    above: IntArray
    depth: IntArray
    largest: IntArray

    @property
    def lowest(self) -> int:
        """The depth of the finest level."""
        return int(self.depth.max())

    def beside(self, group: int) -> IntArray:
        """Return the other groups that are part of the same group."""
        if self.above[group] < 0:
            return np.zeros(0, np.int64)
        parts = self.parts[int(self.above[group])]
        return np.asarray(parts[parts != group], np.int64)

    @cached_property
    def parts(self) -> Sequence[IntArray]:
        """The groups that are part of each group, one level below."""
        order = np.argsort(self.above, kind="stable")
        ends = np.searchsorted(self.above[order], np.arange(len(self.above) + 1))
        return [order[start:end] for start, end in itertools.pairwise(ends.tolist())]

    @cached_property
    def finest(self) -> Sequence[IntArray]:
        """The groups of the finest level that each group consists of."""
        found: list[IntArray] = [np.array([group]) for group in range(len(self.above))]
        for group in np.argsort(-self.depth, kind="stable").tolist():
            if len(parts := self.parts[group]):
                found[group] = np.concatenate([found[part] for part in parts])
        return found


@dataclass(frozen=True)
class Grid:
    """The cells of all tables by place. ``place`` has the group of every cell in each dimension, a
    row a cell; ``strides`` how far apart groups of a dimension are where places have one number;
    ``tables`` whether a vector of depths is one that tables have."""

    dimensions: Sequence[Dimension]
    place: IntArray
    strides: IntArray
    tables: BoolArray = field(repr=False)

    def cells(self, places: IntArray) -> IntArray:
        """Return the cells at some places, by their numbers, -1 where there is none."""
        if self._listed is not None:
            return np.asarray(self._listed[places], np.int64)
        numbers, cells = self._ordered
        position = np.minimum(np.searchsorted(numbers, places), len(numbers) - 1)
        return np.where(numbers[position] == places, cells[position], -1)

    @cached_property
    def _listed(self) -> NDArray[np.int32] | None:
        """The cells by place, where there are not too many places."""
        places = self.strides[0] * len(self.dimensions[0].above)
        if places > _LISTED:
            return None
        listed = np.full(places, -1, np.int32)
        listed[self.place @ self.strides] = np.arange(len(self.place))
        return listed

    @cached_property
    def _ordered(self) -> tuple[IntArray, IntArray]:
        """The places that have cells, in order, and these cells."""
        places = self.place @ self.strides
        order = np.argsort(places)
        return places[order], order

    @cached_property
    def begun(self) -> Sequence[BoolArray]:
        """For each number of first dimensions, flat: whether the depths of some table begin with
        these in them."""
        count = len(self.dimensions)
        return [
            self.tables.any(axis=tuple(range(number, count))).ravel()
            for number in range(1, count + 1)
        ]

    @cached_property
    def depth(self) -> IntArray:
        """How many levels every cell is below the total."""
        depths = [d.depth[own] for d, own in zip(self.dimensions, self.place.T, strict=True)]
        return np.asarray(np.sum(depths, axis=0), np.int64)


def grid_of(cells: int, ties: Sequence[IntArray], size: IntArray) -> Grid | None:
    """Return where so many cells lie, by what ties them together: arrays of the whole, the
    dimension and the part. Of groups below a group the one with most ``size`` is its largest. None
    where there would be too many places, or nothing is tied."""
    wholes, dimensions, parts = ties
    names = np.unique(dimensions)
    if not len(names):
        return None
    above = np.full((len(names), cells), -1, np.int64)
    above[np.searchsorted(names, dimensions), parts] = wholes
    tops = [_top(own) for own in above]
    faces, place = [], []
    for number in range(len(names)):
        face = np.arange(cells)
        for other, top in enumerate(tops):
            if other != number:
                face = top[face]
        groups = np.unique(face)
        # in an order that is the same however cells are numbered, as far as sizes differ
        groups = groups[np.lexsort((-size[groups], _depth(above[number])[groups]))]
        of_face = np.full(cells, -1)
        of_face[groups] = np.arange(len(groups))
        faces.append(groups)
        place.append(of_face[face])
    counts = [len(groups) for groups in faces]
    if len(counts) > _DIMENSIONS or np.prod(np.array(counts, np.float64)) > _MOST:
        return None
    found = [
        _dimension(own, groups, above[number], size[groups])
        for number, (own, groups) in enumerate(zip(place, faces, strict=True))
    ]
    strides = np.cumprod([1, *counts[:0:-1]])[::-1].astype(np.int64)
    where = np.stack(place, axis=1)
    levels = [d.lowest + 1 for d in found]
    if np.prod(np.array(levels, np.float64)) > _LISTED:
        return None
    tables = np.zeros(levels, np.bool_)
    tables[tuple(d.depth[own] for d, own in zip(found, place, strict=True))] = True
    return Grid(found, where, strides, tables)


def _depth(above: IntArray) -> IntArray:
    """Return how many are above each, one above the other."""
    depth = np.zeros(len(above), np.int64)
    now = above
    while (there := now >= 0).any():
        depth += there
        now = np.where(there, above[now], -1)
    return depth


def _top(above: IntArray) -> IntArray:
    """Return of every cell the one at the top of a dimension that it is part of."""
    top = np.arange(len(above))
    while (further := above[top] >= 0).any():
        top = np.where(further, above[top], top)
    return top


def _dimension(place: IntArray, faces: IntArray, above: IntArray, size: IntArray) -> Dimension:
    """Return the groups of a dimension. ``faces`` are the cells that have these groups, all other
    dimensions being at their top; ``size`` is theirs."""
    wholes = above[faces]
    up = np.where(wholes >= 0, place[np.maximum(wholes, 0)], -1)
    largest = np.full(len(faces), -1)
    ordered = np.argsort(size, kind="stable")
    largest[up[ordered[up[ordered] >= 0]]] = ordered[up[ordered] >= 0]
    finest = np.arange(len(faces))
    while (further := largest[finest] >= 0).any():
        finest = np.where(further, largest[finest], finest)
    return Dimension(up, _depth(up), finest)


def splits(dimension: Dimension, group: int) -> list[int]:
    """Return the groups that a group is part of and that have a group beside them, from itself on
    upward."""
    found = list[int]()
    while dimension.above[group] >= 0:
        if len(dimension.beside(group)):
            found.append(group)
        group = int(dimension.above[group])
    return found
