"""Which values share buckets, by counts alone (Li, He, Sun, Local Generalization and Bucketization, 2019, section 3.1).

A column's values stand in their order, each with its number of withheld cells. A plan says for each value into which buckets its
cells go: they are dealt in turn, like cards, to ``buckets`` heaps, beginning with heap ``start`` mod ``buckets``, and the heaps
are numbered from ``first``. Which cell of a value is dealt when is left to the database and to chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonsql.system.arrays import BoolArray, IntArray


@dataclass(frozen=True)
class Plan:
    """For each value in order: how many cells of its segment are dealt before its own, to how many buckets the segment is
    dealt, and the number of the first of them, from 0."""

    start: IntArray
    buckets: IntArray
    first: IntArray


@dataclass(frozen=True)
class Apart:
    """How far the values of a bucket must lie apart, told by places alone: ``beyond`` is for each value, in order, the place of
    the first one that lies far enough above it (the number of values where none does), ``known`` whether a distance to it
    can be measured at all: a NULL spans nothing, and its ``beyond`` means nothing."""

    beyond: IntArray
    known: BoolArray


def diverse(counts: IntArray, least: int, apart: Apart | None = None) -> Plan:
    """Buckets of ``least`` (l) cells or more, in which no value comes twice; ``counts`` (cells of each value, in order, each 1 or
    more) must be eligible: l times the greatest at most the sum.

    A segment of m = floor(n / l) buckets is dealt its most frequent value first. No value has more than n / l cells, so none comes
    twice into a bucket, and each bucket has floor(n / m) >= l cells or one more.

    Where a bucket's values must lie ``apart``, a segment is dealt in the order of the values, so that every bucket has one of its
    first m cells and one of its last m; it is split only where both parts keep that, and where not even all cells together do with
    buckets of l, they make fewer, larger buckets (:func:`most_apart`, which must not be 0).
    """
    segment, totals = _segments(counts, least, apart)
    made = totals // least
    if apart is not None and len(totals) == 1:
        made = np.array([most_apart(counts, least, apart)], np.int64)
    common = -counts if apart is None else np.zeros(len(counts), np.int64)
    ordered = np.lexsort((np.arange(len(counts)), common, segment))
    before = np.cumsum(counts[ordered]) - counts[ordered]
    start = np.empty(len(counts), np.int64)
    start[ordered] = before
    start -= (np.cumsum(totals) - totals)[segment]
    return Plan(start, made[segment], (np.cumsum(made) - made)[segment])


def most_apart(counts: IntArray, least: int, apart: Apart) -> int:
    """How many buckets of ``least`` cells or more, in which no value comes twice, all cells are dealt to in their order so that
    the values of every bucket lie apart; 0 where there is no such number. Numbers are tried from the greatest on, each a
    fiftieth below the one before."""
    total, fewest = int(counts.sum()), int(counts.max())
    buckets = total // least
    while buckets >= fewest:
        if _lie_apart(np.cumsum(counts), apart, 0, total, buckets):
            return buckets
        buckets = min(buckets - 1, max(fewest, buckets * 49 // 50))
    return 0


def _lie_apart(ends: IntArray, apart: Apart, begin: int, end: int, buckets: int) -> bool:
    """Whether every bucket has values that lie apart when the cells from ``begin`` up to but not ``end`` are dealt in their order.
    ``ends`` are the numbers of cells up to each value."""
    known = np.flatnonzero(apart.known)
    if not len(known):
        return False
    lead = int(ends[known[0] - 1]) if known[0] else 0
    tail = int(ends[known[-1]])
    first = begin + np.arange(buckets, dtype=np.int64)
    last = end - 1 - (end - 1 - first) % buckets
    first += -(-np.maximum(lead - first, 0) // buckets) * buckets
    last -= -(-np.maximum(last - tail + 1, 0) // buckets) * buckets
    if bool((first > last).any()):
        return False
    low, high = (np.searchsorted(ends, each, side="right") for each in (first, last))
    return bool((high >= apart.beyond[low]).all())


def even(counts: IntArray, buckets: int) -> Plan:
    """One segment, dealt in the order of the values: every bucket gets as nearly as can be the same share of each value."""
    return Plan(
        np.cumsum(counts) - counts,
        np.full(len(counts), buckets, np.int64),
        np.zeros(len(counts), np.int64),
    )


def dealt(counts: IntArray, buckets: int) -> tuple[IntArray, IntArray, IntArray]:
    """What is in the buckets of :func:`even`, those that are alike once: bucket, value (place in order), cells.

    Neighbouring buckets differ only where a value's cells begin or all cells end, so there are no more kinds than values and one.
    """
    ends = np.cumsum(counts)
    total = int(ends[-1])
    kinds = np.unique(np.append(ends - counts, total) % buckets)
    if len(counts) <= total // buckets:
        through = -(
            (kinds[:, None] - ends) // buckets
        )  # of the cells up to the end of each value, how many the bucket has
        amounts = np.diff(through, axis=1, prepend=0)
        kind, value = np.nonzero(amounts)
        return kinds[kind], value.astype(np.int64), amounts[kind, value]
    sizes = -((kinds - total) // buckets)
    kind = np.repeat(np.arange(len(kinds)), sizes)
    turn = np.arange(len(kind)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    value = np.searchsorted(ends, kinds[kind] + turn * buckets, side="right")
    keys, amount = np.unique(kind * len(counts) + value, return_counts=True)
    return kinds[keys // len(counts)], keys % len(counts), amount.astype(np.int64)


def unlike(counts: IntArray, buckets: int) -> int:
    """How many of the buckets of :func:`even` are not alike, at most."""
    return min(len(counts) + 1, buckets)


def _segments(
    counts: IntArray, least: int, apart: Apart | None = None
) -> tuple[IntArray, IntArray]:
    """Algorithm 2, lines 1 to 7: the segment of each value, numbered in order, and the cells of each segment.

    A segment is split at its median, the least value that has half of the cells at or below it, as long as both halves are
    eligible, and can be dealt so that values lie ``apart``; all open segments at once in every round, as they do not touch
    each other.
    """
    reached = np.cumsum(counts)
    below = reached - counts
    begins = [np.zeros(1, np.int64)]
    low, high = np.zeros(1, np.int64), np.full(1, len(counts), np.int64)
    while len(low):
        half = (reached[high - 1] - below[low] + 1) // 2
        split = np.searchsorted(reached, below[low] + half) + 1
        inside = split < high
        low, split, high = low[inside], split[inside], high[inside]
        stands = _eligible(counts, low, split, least) & _eligible(counts, split, high, least)
        if apart is not None:
            for number in np.flatnonzero(stands).tolist():
                middle, end = int(reached[split[number] - 1]), int(reached[high[number] - 1])
                stands[number] = all(
                    _lie_apart(reached, apart, one, other, (other - one) // least)
                    for one, other in ((int(below[low[number]]), middle), (middle, end))
                )
        low, split, high = low[stands], split[stands], high[stands]
        begins.append(split)
        low, high = np.concatenate((low, split)), np.concatenate((split, high))
    found = np.sort(np.concatenate(begins))
    segment = np.repeat(np.arange(len(found)), np.diff(np.append(found, len(counts))))
    return segment, np.add.reduceat(counts, found)


def _eligible(counts: IntArray, low: IntArray, high: IntArray, least: int) -> BoolArray:
    """Whether the values from ``low`` up to but not ``high`` can be dealt to buckets of ``least`` cells, for each pair."""
    if not len(low):
        return np.zeros(0, np.bool_)
    places = np.stack((low, high), axis=1).ravel()
    padded = np.append(counts, 0)  # so that a segment may end where the values do
    eligible: BoolArray = (
        least * np.maximum.reduceat(padded, places)[::2] <= np.add.reduceat(padded, places)[::2]
    )
    return eligible
