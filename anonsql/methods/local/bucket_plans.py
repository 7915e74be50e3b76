"""Which values share buckets, decided by counts alone (Li, He, Sun, Local Generalization and
Bucketization, 2019, section 3.1).

A column's values are ordered, each with its number of withheld entries. A plan says for each value
into which buckets its entries go: they are dealt in turn, like cards, to ``buckets`` buckets,
beginning with bucket ``start`` mod ``buckets``; the buckets are numbered from ``first``. Which
entry of a value is dealt when is left to the database, at random.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonsql.system.arrays import BoolArray, IntArray


@dataclass(frozen=True)
class Plan:
    """For each value in order: how many entries of its segment are dealt before its own
    (``start``), to how many buckets the segment is dealt, and the number of the first of them, from
    0."""

    start: IntArray
    buckets: IntArray
    first: IntArray


@dataclass(frozen=True)
class Apart:
    """How far apart the values of a bucket must be, expressed by positions in the order of the
    values: ``beyond`` is for each value the position of the first value that is far enough above it
    (the number of values where there is none). ``known`` is whether distances to the value can be
    measured at all: they cannot for NULL, whose ``beyond`` means nothing."""

    beyond: IntArray
    known: BoolArray


def diverse(counts: IntArray, least: int, apart: Apart | None = None) -> Plan:
    """Return a plan for buckets of at least ``least`` (l) entries, in which no value comes twice.
    ``counts`` (entries of each value, in order, each at least 1) must be eligible: l times the
    greatest is at most the sum.

    The entries of a segment are dealt to m = floor(n / l) buckets, its most frequent value first.
    No value has more than n / l entries, so no bucket gets one twice, and each bucket has floor(n /
    m) >= l entries or one more.

    Where a bucket's values must lie ``apart``, a segment is dealt in the order of the values, so
    that every bucket gets one of its first m entries and one of its last m. It is split only where
    the buckets of both parts lie apart too. Where those of all entries do not with buckets of l,
    fewer and larger buckets are made (:func:`most_apart`, which must not be 0).
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
    """Return a number of buckets, as great as is found, for which dealing all entries in their
    order gives every bucket at least ``least`` entries, no value twice, and values that lie apart;
    0 where none is found. Numbers are tried in descending order, each a fiftieth below the one
    before."""
    total, fewest = int(counts.sum()), int(counts.max())
    buckets = total // least
    while buckets >= fewest:
        if _lie_apart(np.cumsum(counts), apart, 0, total, buckets):
            return buckets
        buckets = min(buckets - 1, max(fewest, buckets * 49 // 50))
    return 0


def _lie_apart(ends: IntArray, apart: Apart, begin: int, end: int, buckets: int) -> bool:
    """Return whether every bucket has values that lie apart when the entries from ``begin`` up to
    but not ``end`` are dealt in their order. ``ends`` are the numbers of entries up to each
    value."""
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
    """Return a plan of one segment, dealt in the order of the values: the share of each value is as
    nearly equal in all buckets as can be."""
    return Plan(
        np.cumsum(counts) - counts,
        np.full(len(counts), buckets, np.int64),
        np.zeros(len(counts), np.int64),
    )


def dealt(counts: IntArray, buckets: int) -> tuple[IntArray, IntArray, IntArray]:
    """Return what is in the buckets of :func:`even`, each kind of bucket once: bucket, value (its
    position in order), number of entries.

    Neighbouring buckets differ only where the entries of a value begin or all entries end, so there
    is at most one kind more than there are values.
    """
    ends = np.cumsum(counts)
    total = int(ends[-1])
    kinds = np.unique(np.append(ends - counts, total) % buckets)
    if len(counts) <= total // buckets:
        through = -(
            (kinds[:, None] - ends) // buckets
        )  # entries of the bucket up to the end of each value
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
    """Return an upper bound of the number of different kinds of buckets in :func:`even`."""
    return min(len(counts) + 1, buckets)


def _segments(
    counts: IntArray, least: int, apart: Apart | None = None
) -> tuple[IntArray, IntArray]:
    """Return the segment of each value, numbered in order, and the entries of each segment
    (Algorithm 2, lines 1 to 7).

    A segment is split at its median, the least value that has half of the entries at or below it,
    as long as both halves are eligible and can be dealt so that values lie ``apart``. Every round
    splits all open segments at once, as they are independent of each other.
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
    """Return for each pair whether the values from ``low`` up to but not ``high`` can be dealt to
    buckets of ``least`` entries."""
    if not len(low):
        return np.zeros(0, np.bool_)
    positions = np.stack((low, high), axis=1).ravel()
    padded = np.append(counts, 0)  # so that a segment may end where the values do
    eligible: BoolArray = (
        least * np.maximum.reduceat(padded, positions)[::2]
        <= np.add.reduceat(padded, positions)[::2]
    )
    return eligible
