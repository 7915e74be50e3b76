"""How many different values a column has in the rows that satisfy a question: at least and at most.

The least number: as many as there are released values of rows that surely satisfy the question, no
two of which can stand for the same value; and as many as the rows of one bucket have at least. The
greatest number: as many as the rows that may satisfy it, and as the values that any of these may
have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Protocol

from anonsql.engines.base import Engine
from anonsql.labels.domains import Cut, Span
from anonsql.query.facets import Facet
from anonsql.query.uses import Used

Values = tuple[Span, ...]


class CountedSet(Protocol):
    """How many rows satisfy a question."""

    least: int
    most: int


def bounds(
    engine: Engine, used: Used, pivot: int, separate: bool, by_name: Mapping[int, CountedSet]
) -> dict[int, tuple[int, int]]:
    """Return the least and the greatest number of different values of a column, by question."""
    facet = used.facet
    by_question: dict[int, list[tuple[Values | None, int, int]]] = {
        number: [] for number in by_name
    }
    spans = {number: used.spans(number) for number in by_name}
    separated = bool(pivot and separate)
    for number, released, certain, possible in engine.query("query/told", separate=separated):
        if released >= -1:  # lesser numbers are buckets
            values = _values(facet, spans[number], released)
            by_question[number].append((values, certain, possible))
    buckets: dict[int, list[tuple[int, Sequence[int], set[int]]]] = {}
    if pivot == facet.index:
        rows = sorted(tuple(map(int, row)) for row in engine.query("query/stored", index=pivot))
        for (number, _), own in groupby(rows, key=lambda row: row[:2]):
            bucket = list(own)
            counts = sorted((row[5] for row in bucket), reverse=True)
            sizes = (bucket[0][2], counts, {row[4] for row in bucket})
            buckets.setdefault(number, []).append(sizes)
    return {
        number: _bounds(facet, own, buckets.get(number, []), by_name[number])
        for number, own in by_question.items()
    }


def _values(facet: Facet, wanted: Sequence[Span], released: int) -> Values | None:
    """Return which of the values asked for a released value may stand for; None where it may be
    any."""
    if released == -1:
        return None
    if facet.held.kept:
        return (((released, 0), (released, 1)),)
    spans = [piece.span for piece in facet.read[released] if piece.span is not None]
    return tuple(
        each for span in spans for other in wanted if (each := _both(span, other)) is not None
    )


def _both(one: Span, other: Span) -> Span | None:
    """Return what two stretches have in common, if anything."""
    lows = [tuple_ for tuple_ in (one[0], other[0]) if tuple_ is not None]
    highs = [tuple_ for tuple_ in (one[1], other[1]) if tuple_ is not None]
    low, high = max(lows, default=None), min(highs, default=None)
    return None if low is not None and high is not None and low >= high else (low, high)


def _bounds(
    facet: Facet,
    own: Sequence[tuple[Values | None, int, int]],
    buckets: Sequence[tuple[int, Sequence[int], set[int]]],
    counted: CountedSet,
) -> tuple[int, int]:
    least = max(
        int(counted.least > 0),
        _apart(values for values, certain, _ in own if values and certain),
        max((_needed(rows, counts) for rows, counts, _ in buckets), default=0),
    )
    anything = sum(possible for values, _, possible in own if values is None)
    known = _size(facet, [span for values, _, _ in own for span in values or ()])
    codes = set().union(*(bucket[2] for bucket in buckets))
    most = counted.most if known is None else min(counted.most, anything + known + len(codes))
    return min(least, most), most


def _apart(every: Iterable[Values]) -> int:
    """Return how many of some sets of values surely have no value in common: intervals around them
    that do not meet, the most that there are."""
    count, reached, begun = 0, None, False
    hulls = [_hull(row) for row in every]
    bounded = [(high, low) for low, high in hulls if low is not None and high is not None]
    ends: list[tuple[Cut, Cut]] = sorted(set(bounded))
    for high, low in ends:
        if not begun or low >= reached:  # type: ignore[operator]
            count, reached, begun = count + 1, high, True
    return count


def _hull(values: Values) -> Span:
    lows, highs = [low for low, _ in values], [high for _, high in values]
    known_low = [tuple_ for tuple_ in lows if tuple_ is not None]
    known_high = [high for high in highs if high is not None]
    return (
        min(known_low) if len(known_low) == len(lows) else None,
        max(known_high) if len(known_high) == len(highs) else None,
    )


def _needed(rows: int, counts: Sequence[int]) -> int:
    """Return how many values so many rows of a bucket have at least; ``counts`` are those of its
    values, the greatest first."""
    values = 0
    while rows > 0 and values < len(counts):
        rows -= counts[values]
        values += 1
    return values


def _size(facet: Facet, spans: Sequence[Span]) -> int | None:
    """Return how many values lie in some stretches; None where they are infinitely many."""
    discrete = facet.domain.discrete and not facet.held.kept
    total, reached = 0, None
    for low, high in sorted(set(spans), key=_beginning):
        if low is None or high is None:
            return None
        if not discrete:
            if low[0] != high[0]:
                return None
            total += 1
            continue
        first = low if reached is None or low > reached else reached
        if high > first:
            total += int(high[0] - first[0])
            reached = high
    return total


def _beginning(span: Span) -> tuple[Any, ...]:
    return () if span[0] is None else span[0]
