"""Partitions of rows in lexicographic order for ring generalization (Wong, Mamoulis, Cheung 2010,
section 5.3.1, Fig. 8).

All decisions are made from counts: how many rows are equal, and in which attribute an item differs
from the one before.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonsql.methods.windows import diverse_parts
from anonsql.system.arrays import IntArray, RandomBytes

ALIKE = 4096
"""Number of rows from which a part of equal rows is divided: that loses no information, and drawing
its assignment is cheaper."""


@dataclass(frozen=True)
class Items:
    """Rows in lexicographic order of the quasi-identifying attributes, attributes of fewest values
    first; equal rows are one item.

    ``sizes``: rows of each item. ``depths``: the first attribute (from 1) in which an item differs
    from the one before it, 0 where only sensitive values differ, 1 for the first item.
    ``categories``: for each sensitive column a meaningless number of the value of each item, from
    0. ``least``: for each sensitive column the promised l.
    """

    sizes: IntArray
    depths: IntArray
    categories: tuple[IntArray, ...] = ()
    least: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if any(len(array) != len(self.sizes) for array in (self.depths, *self.categories)) or len(
            self.categories
        ) != len(self.least):
            raise ValueError(
                "items need one size, one depth and one category per sensitive column each, and"
                " every such column its l"
            )


@dataclass(frozen=True)
class Parts:
    """The parts' rows in ring order, as segments: ``n[j]`` rows of item ``item[j]`` belong to part
    ``part[j]``, parts counted from 0 and one after another. ``windows[p]``: how many rows a
    generalized tuple of part p covers, at most the part's rows."""

    part: IntArray
    item: IntArray
    n: IntArray
    windows: IntArray

    @classmethod
    def between(cls, items: Items, starts: IntArray, k: int) -> Parts:
        """Return the parts that begin at ascending positions of rows, with windows of ``k``."""
        firsts = np.cumsum(items.sizes) - items.sizes
        cuts = np.union1d(firsts, starts)
        part = np.searchsorted(starts, cuts, side="right") - 1
        item = np.searchsorted(firsts, cuts, side="right") - 1
        rows = np.diff(cuts, append=int(items.sizes.sum()))
        return cls(part, item, rows, np.full(len(starts), k, np.int64))

    @property
    def sizes(self) -> IntArray:
        """Rows of each part."""
        return np.bincount(self.part, weights=self.n, minlength=len(self.windows)).astype(np.int64)


def partition(items: Items, k: int, random: RandomBytes = os.urandom) -> Parts:
    """Divide a table into parts of at least ``k`` rows by Fig. 8, attribute after attribute.

    A part whose rows agree in all attributes so far is divided into the runs of the next attribute.
    A run of fewer than k rows is joined, from left to right, with the next one as long as that is
    too small as well. A run that is still too small then goes to a neighbour: to the part before if
    that mixes values already, otherwise to the larger neighbour that can spare the rows missing to
    k, otherwise to the smaller. Both together make one part if they have fewer than 2k rows; if
    more, only the nearest missing rows move. A part that mixes values of an attribute is final.
    (The paper leaves open which neighbour; with this rule as few rows as possible are in mixed
    parts.) Windows are k.

    With sensitive columns no rows move, and parts are joined until each can be l-diverse; they may
    then be cut into pieces that are not intervals, drawn by ``random``, and windows can be larger
    than k: see :mod:`anonsql.methods.windows.diverse_parts`.

    Raise ValueError if the table as a whole has fewer than k rows or is not l-diverse.
    """
    if items.least:
        return Parts(
            *diverse_parts.divide(
                items.sizes, items.depths, items.categories, items.least, k, random=random
            )
        )
    return Parts.between(items, _starts(items, k), k)


def _starts(items: Items, k: int) -> IntArray:
    total = int(items.sizes.sum())
    if total < k:
        raise ValueError(f"{total} rows cannot make a part of {k}")
    firsts = np.cumsum(items.sizes) - items.sizes
    starts, ends = np.zeros(1, np.int64), np.full(1, total, np.int64)
    final: list[IntArray] = []
    for depth in range(1, int(items.depths.max()) + 1):
        divisible = ends - starts >= 2 * k
        final.append(starts[~divisible])
        starts, ends = starts[divisible], ends[divisible]
        if not len(starts):
            break
        mixed, starts, ends = _divided(
            starts, ends, firsts[(items.depths > 0) & (items.depths <= depth)], k
        )
        final.append(mixed)
    return np.sort(np.concatenate([*final, _alike(starts, ends, k)]))


def _divided(
    starts: IntArray, ends: IntArray, cuts: IntArray, k: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Divide parts at ``cuts`` inside; return starts of final ones, starts and ends of others."""
    parent = np.searchsorted(starts, cuts, side="right") - 1
    inside = (parent >= 0) & (cuts > starts[parent]) & (cuts < ends[parent])
    run_starts = np.sort(np.concatenate([starts, cuts[inside]]))
    parent = np.searchsorted(starts, run_starts, side="right") - 1
    run_ends = np.where(
        np.diff(parent, append=len(starts)) > 0, ends[parent], np.append(run_starts[1:], 0)
    )
    small = run_ends - run_starts < k
    troubled = np.zeros(len(starts), np.bool_)
    troubled[parent[small]] = True
    fine = ~troubled[parent]
    borders = np.flatnonzero(np.diff(parent, prepend=-1))
    listed = run_ends.tolist()
    made: list[tuple[int, int, bool]] = []
    for number in np.flatnonzero(troubled).tolist():
        first = int(borders[number])
        last = int(borders[number + 1]) if number + 1 < len(borders) else len(listed)
        made += _settled(int(starts[number]), listed[first:last], k)
    settled = np.array(made, np.int64).reshape(-1, 3)
    mixed = settled[:, 2] == 1
    pure_starts, pure_ends = (
        np.concatenate([runs[fine], settled[~mixed, side]])
        for side, runs in enumerate((run_starts, run_ends))
    )
    order = np.argsort(pure_starts)
    return settled[mixed, 0], pure_starts[order], pure_ends[order]


def _settled(start: int, ends: Sequence[int], k: int) -> list[tuple[int, int, bool]]:
    """Return parts of k rows or more from a part's runs: start, end, whether values mix."""
    made: list[tuple[int, int, bool]] = []
    first = before = start  # the rows from `first` to `before` are runs that are too small together
    for end in ends:
        if first == before:
            if end - first >= k:
                made.append((first, end, False))
                first = end
        elif end - before < k:
            if end - first >= k:
                made.append((first, end, True))
                first = end
        else:
            joined = _placed(made, first, before, end, k)
            made.append((joined, end, joined < before))
            first = end
        before = end
    if first < before:
        _placed(made, first, before, before, k)
    return made


def _placed(made: list[tuple[int, int, bool]], first: int, end: int, next_end: int, k: int) -> int:
    """Assign the rows from ``first`` to ``end``, too few for a part, to a part: to the last of the
    parts ``made``, to a new part with rows of the run up to ``next_end``, or to that run. Return
    where the run begins then."""
    missing = k - (end - first)
    start, mixed = (made[-1][0], made[-1][2]) if made else (first, False)
    previous, following = first - start, next_end - end
    can_give = [size for size in (previous, following) if size >= k + missing]
    if (mixed and previous >= k + missing) or (
        can_give and not mixed and previous == max(can_give)
    ):
        made[-1:] = [(start, first - missing, mixed), (first - missing, end, True)]
        return end
    if can_give and not mixed:
        made.append((first, end + missing, True))
        return end + missing
    if mixed or following == 0 or 0 < previous <= following:
        made[-1] = (start, end, True)
        return end
    return first


def _alike(starts: IntArray, ends: IntArray, k: int) -> IntArray:
    """Return where parts of equal rows start; large ones are divided evenly."""
    sizes = ends - starts
    pieces = np.maximum(sizes // max(k, ALIKE), 1)
    number = np.arange(int(pieces.sum())) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    cut: IntArray = np.repeat(starts, pieces) + number * np.repeat(sizes, pieces) // np.repeat(
        pieces, pieces
    )
    return cut
