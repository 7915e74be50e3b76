"""Groups of rows along a line in which no sensitive value is frequent (HS with l-diversity in Wong,
Mamoulis, Cheung 2010, section 7.4): "tuples are first ordered using a Hilbert curve mapping and
then a greedy partitioning algorithm".

A point is the rows with equal quasi-identifying values. They lose nothing together, so points stay
whole where they keep the promise; a point that does not is joined with its neighbours until they
keep it together. Such a stretch of several points is dealt greedily, much as Ghinita, Karras,
Kalnis and Mamoulis do on the whole line: the rows of each sensitive value wait in their order, and
a round takes one row each of the l values whose first row comes soonest; among values at the same
point, the values with most rows there. That alone could leave too many rows of one value. With R
rows left, let q = floor(R / l), and let no value have more than q of them. A round then also takes
every value that has exactly q rows left: these are at most R / q values, so the round has l to l +
(R mod l) / q rows, at least l (q - 1) rows are left, and none of their values has more than q - 1
of them. So it goes on until the last round takes all that is left, each value once. Consecutive
rounds form a group as soon as they have k rows; h rounds have at least l h rows, and no value more
than h times.

With several sensitive columns no such rule is known: stretches are cut as for rings, see
:func:`anonsql.methods.windows.pieces.cut_up`.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from heapq import heapify, heappop, heappush

import numpy as np

from anonsql.methods.windows import diverse_parts, pieces
from anonsql.methods.windows.lexicographic import Items, Parts
from anonsql.system.arrays import IntArray


def divide(items: Items, k: int) -> Parts:
    """Return groups of at least ``k`` rows, and for each sensitive column l times the rows of its
    most frequent value in the group. ``items`` are in the order of the line, with depth 0 where
    they differ in sensitive values alone from the one before. All together keep that promise."""
    table = pieces.PieceTable(
        items.sizes, np.cumsum(items.depths > 0), items.categories, items.least, k
    )
    first, end = np.zeros(1, np.int64), np.full(1, len(items.sizes), np.int64)
    mixed, starts, ends = diverse_parts.joined_runs(table, first, end, items.depths > 0)
    pure = list(zip(starts.tolist(), ends.tolist(), strict=True))
    if len(items.least) > 1:
        return Parts(*pieces.cut_up(table, sorted(mixed + pure), os.urandom))
    point = np.cumsum(items.depths > 0, dtype=np.int64)
    groups: list[list[int]] = []
    for start, stop in mixed:
        groups += _of_rounds(
            _rounds(
                start,
                point[start:stop],
                items.categories[0][start:stop],
                items.sizes[start:stop],
                items.least[0],
            ),
            k,
        )
    return _parts(items, groups, pure, k)


def _rounds(
    start: int, point: IntArray, category: IntArray, sizes: IntArray, least: int
) -> Iterator[list[int]]:
    """Deal a stretch's rows; yield the items of each round, from ``start`` on."""
    waiting: dict[int, list[tuple[int, int, int, int]]] = defaultdict(
        list
    )  # last come, first served
    counts: dict[int, int] = defaultdict(int)
    for at, (where, value, rows) in reversed(
        list(enumerate(zip(point.tolist(), category.tolist(), sizes.tolist(), strict=True), start))
    ):
        waiting[value].append((where, -rows, at, value))
        counts[value] += rows
    alike: dict[int, set[int]] = defaultdict(
        set
    )  # values by the number of their rows that are left
    for value, count in counts.items():
        alike[count].add(value)
    soonest = [queue[-1] for queue in waiting.values()]
    heapify(soonest)
    left = sum(counts.values())
    while left:
        taken: list[int] = sorted(alike[left // least])
        chosen = set(taken)
        while len(taken) < least:
            head = heappop(soonest)
            value = head[3]
            if value not in chosen and waiting[value] and waiting[value][-1] == head:
                taken.append(value)
                chosen.add(value)
        numbers = []
        for value in taken:
            where, rows, at, _ = waiting[value].pop()
            numbers.append(at)
            if rows < -1:
                waiting[value].append((where, rows + 1, at, value))
            if waiting[value]:
                heappush(soonest, waiting[value][-1])
            alike[counts[value]].discard(value)
            counts[value] -= 1
            alike[counts[value]].add(value)
        left -= len(taken)
        yield numbers


def _of_rounds(rounds: Iterator[list[int]], k: int) -> list[list[int]]:
    groups: list[list[int]] = [[]]
    for items in rounds:
        if len(groups[-1]) >= k:
            groups.append([])
        groups[-1] += items
    if len(groups[-1]) < k and len(groups) > 1:
        last = groups.pop()
        groups[-1] += last
    return groups


def _parts(items: Items, groups: list[list[int]], pure: list[tuple[int, int]], k: int) -> Parts:
    group = np.repeat(np.arange(len(groups)), [len(row) for row in groups])
    rows = np.fromiter((at for group in groups for at in group), np.int64, len(group))
    keys, n = np.unique(group * len(items.sizes) + rows, return_counts=True)
    lengths = np.array([stop - start for start, stop in pure], np.int64)
    whole = np.concatenate([np.arange(0), *(np.arange(start, stop) for start, stop in pure)])
    part = np.append(
        keys // len(items.sizes), np.repeat(len(groups) + np.arange(len(pure)), lengths)
    )
    item = np.append(keys % len(items.sizes), whole)
    return Parts(
        part, item, np.append(n, items.sizes[whole]), np.full(len(groups) + len(pure), k, np.int64)
    )
