"""Which values share buckets, decided by counts alone (Li, He, Sun, Local Generalization and
Bucketization, 2019, section 3.1).

A column's values are ordered, each with its number of withheld entries. Neighbouring values form a
*segment*, and each segment has buckets of its own. The entries of a segment are dealt to its
buckets in turn, like cards. A plan says for each value which buckets that are. Which entry of a
value is dealt when is left to the database, at random.
"""

from __future__ import annotations

from dataclasses import dataclass

from anonsql.system.arrays import BoolArray, IntArray, np


@dataclass(frozen=True)
class BucketPlan:
    """For each value in order: the number of entries of its segment that are dealt before its own
    (``start``), the number of ``buckets`` of its segment, and the number of the ``first`` of them,
    counted from 0. So the value's own entries begin with bucket first + start mod buckets."""

    start: IntArray
    buckets: IntArray
    first: IntArray


@dataclass(frozen=True)
class Separation:
    """The required distance of the least and the greatest value of a bucket, expressed by positions
    in the order of the values.

    ``beyond`` is for each value the position of the first value that is far enough above it (the
    number of values where there is none). ``known`` is whether distances to the value can be
    measured at all: they cannot for NULL, whose ``beyond`` has no meaning.
    """

    beyond: IntArray
    known: BoolArray


def diverse(counts: IntArray, least: int, separation: Separation | None = None) -> BucketPlan:
    """Return a plan for buckets of at least ``least`` (l) entries, in which no value comes twice.
    ``counts`` are the entries of each value, in order, each at least 1. They must be eligible: l
    times the greatest count is at most the sum.

    The n entries of a segment are dealt to m = floor(n / l) buckets, its most frequent value first.
    No value has more than n / l entries, so no bucket gets one twice, and each bucket has floor(n /
    m) >= l entries or one more.

    Where a bucket's values must keep a ``separation``, a segment is dealt in the order of the
    values, so that every bucket gets one of its first m entries and one of its last m. A segment is
    split only where the buckets of both parts keep the separation too. If all entries together do
    not keep it in buckets of l entries, fewer and larger buckets are made: as many as
    :func:`most_buckets` finds, which must not be 0.
    """
    segment, totals = _segments(counts, least, separation)
    buckets = totals // least
    if separation is not None and len(totals) == 1:
        buckets = np.array([most_buckets(counts, least, separation)], np.int64)
    priority = -counts if separation is None else np.zeros(len(counts), np.int64)
    ordered = np.lexsort((np.arange(len(counts)), priority, segment))
    start = np.empty(len(counts), np.int64)
    start[ordered] = np.cumsum(counts[ordered]) - counts[ordered]
    start -= (np.cumsum(totals) - totals)[segment]
    return BucketPlan(start, buckets[segment], (np.cumsum(buckets) - buckets)[segment])


def most_buckets(counts: IntArray, least: int, separation: Separation) -> int:
    """Return the greatest tried number of buckets (each a fiftieth below the one before) for which
    dealing the entries in order gives each ``least`` entries, no value twice, and values that keep
    the ``separation``; 0 where none is found."""
    # with fewer buckets than it has entries, a value would come twice in one
    total, fewest = int(counts.sum()), int(counts.max())
    buckets = total // least
    while buckets >= fewest:
        if _are_separated(np.cumsum(counts), separation, 0, total, buckets):
            return buckets
        buckets = min(buckets - 1, max(fewest, buckets * 49 // 50))
    return 0


def _are_separated(
    ends: IntArray, separation: Separation, begin: int, end: int, buckets: int
) -> bool:
    """Return whether buckets keep the ``separation`` when the entries from ``begin`` up to but not
    ``end`` are dealt in order. ``ends``: the entries up to and with each value."""
    known = np.flatnonzero(separation.known)
    if not len(known):
        return False
    # entries from known_begin up to but not known_end have measurable values
    known_begin = int(ends[known[0] - 1]) if known[0] else 0
    known_end = int(ends[known[-1]])
    # the first and the last entry of each bucket, then the first and the last measurable one:
    # as many whole turns of dealing further in as are needed
    first = begin + np.arange(buckets, dtype=np.int64)
    last = end - 1 - (end - 1 - first) % buckets
    first += -(-np.maximum(known_begin - first, 0) // buckets) * buckets
    last -= -(-np.maximum(last - known_end + 1, 0) // buckets) * buckets
    if bool((first > last).any()):
        return False
    low, high = (np.searchsorted(ends, array, side="right") for array in (first, last))
    return bool((high >= separation.beyond[low]).all())


def even(counts: IntArray, buckets: int) -> BucketPlan:
    """Return a plan of one segment in order of values, shares as even in ``buckets`` as can be."""
    return BucketPlan(
        np.cumsum(counts) - counts,
        np.full(len(counts), buckets, np.int64),
        np.zeros(len(counts), np.int64),
    )


def even_contents(counts: IntArray, buckets: int) -> tuple[IntArray, IntArray, IntArray]:
    """Return the content of the buckets of :func:`even`: bucket, value (its position in order),
    number of entries. Buckets with the same content are one *kind*; only one bucket of each is
    returned.

    Neighbouring buckets differ only where the entries of a value begin or all entries end, so there
    is at most one kind more than there are values.
    """
    ends = np.cumsum(counts)
    total = int(ends[-1])
    kinds = np.unique(np.append(ends - counts, total) % buckets)
    if len(counts) <= total // buckets:
        # the number of entries of each bucket up to the end of each value
        through = -((kinds[:, None] - ends) // buckets)
        amounts = np.diff(through, axis=1, prepend=0)
        kind, value = np.nonzero(amounts)
        return kinds[kind], value.astype(np.int64), amounts[kind, value]
    sizes = -((kinds - total) // buckets)
    kind = np.repeat(np.arange(len(kinds)), sizes)
    turn = np.arange(len(kind)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    value = np.searchsorted(ends, kinds[kind] + turn * buckets, side="right")
    keys, amount = np.unique(kind * len(counts) + value, return_counts=True)
    return kinds[keys // len(counts)], keys % len(counts), amount.astype(np.int64)


def most_kinds(counts: IntArray, buckets: int) -> int:
    """Return an upper bound of the number of kinds of buckets in :func:`even_contents`."""
    return min(len(counts) + 1, buckets)


def _segments(
    counts: IntArray, least: int, separation: Separation | None = None
) -> tuple[IntArray, IntArray]:
    """Return the segment of each value, numbered in order, and the entries of each segment
    (Algorithm 2, lines 1 to 7).

    A segment is split at its median, the least value that has half of the entries at or below it,
    as long as both halves are eligible and can be dealt so that they keep the ``separation``. Every
    round splits all open segments at once, as they are independent of each other. A segment is the
    values from position ``low`` up to but not ``high``.
    """
    ends = np.cumsum(counts)
    begins_of = ends - counts
    segment_begins = [np.zeros(1, np.int64)]
    low, high = np.zeros(1, np.int64), np.full(1, len(counts), np.int64)
    while len(low):
        half = (ends[high - 1] - begins_of[low] + 1) // 2
        split = np.searchsorted(ends, begins_of[low] + half) + 1
        inside = split < high
        low, split, high = low[inside], split[inside], high[inside]
        allowed = _eligible(counts, low, split, least) & _eligible(counts, split, high, least)
        if separation is not None:
            for number in np.flatnonzero(allowed).tolist():
                begin = int(begins_of[low[number]])
                middle, end = int(ends[split[number] - 1]), int(ends[high[number] - 1])
                allowed[number] = all(
                    _are_separated(ends, separation, one, other, (other - one) // least)
                    for one, other in ((begin, middle), (middle, end))
                )
        low, split, high = low[allowed], split[allowed], high[allowed]
        segment_begins.append(split)
        low, high = np.concatenate((low, split)), np.concatenate((split, high))
    numbers = np.sort(np.concatenate(segment_begins))
    segment = np.repeat(np.arange(len(numbers)), np.diff(np.append(numbers, len(counts))))
    return segment, np.add.reduceat(counts, numbers)


def _eligible(counts: IntArray, low: IntArray, high: IntArray, least: int) -> BoolArray:
    """Return for each pair of ``low`` and ``high`` whether the values from the one up to but not
    the other can be dealt to buckets of ``least`` entries with no value twice."""
    if not len(low):
        return np.zeros(0, np.bool_)
    positions = np.stack((low, high), axis=1).ravel()
    padded = np.append(counts, 0)  # so that a segment may end where the values do
    eligible: BoolArray = (
        least * np.maximum.reduceat(padded, positions)[::2]
        <= np.add.reduceat(padded, positions)[::2]
    )
    return eligible
