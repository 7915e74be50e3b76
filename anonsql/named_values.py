"""What can be told of a release whose rows are no classes without its source: whether enough rows may be each value named.

A set names its elements, an interval its ends, and a release that is made of the data names only values that somebody has.
That somebody must effectively match at least k released rows, so at least k must cover the value.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from itertools import accumulate

from anonsql import labels
from anonsql.engines.base import ORDERED, Column
from anonsql.labels import Reading


@dataclass(frozen=True)
class Released:
    """A distinct released value of a column: its label (a text, a list of texts, or None), the texts of its bounds, and how
    many rows have it."""

    label: str | Sequence[str | None] | None
    bounds: tuple[str | None, str | None]
    rows: int


@dataclass(frozen=True)
class Span:
    """A closed interval of numbers or moments, and how many rows have it."""

    first: Fraction | datetime
    last: Fraction | datetime
    rows: int


def exposed(values: Sequence[Released], column: Column, k: int) -> tuple[int, int]:
    """How many values that a column's released values name are covered by fewer than k rows, and how many they name.

    ``column`` has the type of the source's. What may stand for values that cannot be told, ``*``, an interval of names, any
    interval that is not closed, counts as covering all; labels of a hierarchy's groups must not be among the values.
    """
    by_word: Counter[Hashable] = Counter()
    spans: list[Span] = []
    named: set[Hashable] = set()
    anywhere = 0
    for each in values:
        reading = _known(each, column)
        if reading is None:
            anywhere += each.rows
            continue
        ends = [(_point(first, column), _point(last, column)) for first, last in reading.ranges]
        spans += [Span(first, last, each.rows) for first, last in ends]  # type: ignore[arg-type]
        named |= {point for pair in ends for point in pair}
        points = {_point(word, column) for word in reading.words}
        named |= points
        for point in points:
            by_word[point] += each.rows
    covered = _Covered(spans)
    few = sum(anywhere + by_word[each] + covered.by_spans(each) < k for each in named)
    return few, len(named)


def ends(bounds: Sequence[Column], texts: Sequence[str | None]) -> tuple[str | None, str | None]:
    """The texts of a value's bounds, the lower one and the upper one, by the columns that they are of."""
    found = {column.name[-3:]: text for column, text in zip(bounds, texts, strict=True)}
    return found.get("_lo"), found.get("_hi")


def column_of(name: str, values: Sequence[Released], bounds_type: str | None) -> Column:
    """The source's column as far as a release tells its type: by its bounds, or by the ends of its closed intervals."""
    if bounds_type is not None:
        return Column(name, bounds_type)
    texts = [each.label for each in values if isinstance(each.label, str) and each.label.startswith("[") and each.label.endswith("]")]
    for kind in ("DECIMAL", "TIMESTAMP" if any(":" in text for text in texts) else "DATE"):
        column = Column(name, kind)
        if texts and all(labels.read(text, column).ranges for text in texts):
            return column
    return Column(name, "VARCHAR")


def _known(value: Released, column: Column) -> Reading | None:
    """What a released value may mean, the label itself left out where it is a set or an interval; None for anything."""
    reading = labels.read(value.label, column, value.bounds)
    if not isinstance(value.label, str):
        return reading
    if value.label == "*" or reading.names or (value.label.endswith(")") and value.label.startswith("[")):
        return None
    if reading.ranges:
        return Reading((), reading.ranges)
    return Reading(reading.words[1:]) if len(reading.words) > 1 else reading


def _point(word: str | None, column: Column) -> Hashable:
    """A value as it is compared: a number or a moment where it is one, else its text."""
    if word is None or column.kind not in ORDERED:
        return word
    read = labels.read(f"[{word},{word}]", column).ranges
    if not read:
        return word
    return datetime.fromisoformat(read[0][0]) if column.kind in ("date", "timestamp") else Fraction(read[0][0])


class _Covered:
    """How many rows have an interval that a point lies in."""

    def __init__(self, spans: Sequence[Span]) -> None:
        begun = sorted(((each.first, each.rows) for each in spans), key=lambda pair: pair[0])
        ended = sorted(((each.last, each.rows) for each in spans), key=lambda pair: pair[0])
        self._firsts, self._lasts = [first for first, _ in begun], [last for last, _ in ended]
        self._begun = [0, *accumulate(rows for _, rows in begun)]
        self._ended = [0, *accumulate(rows for _, rows in ended)]

    def by_spans(self, point: Hashable) -> int:
        """Those that began at the point or before, less those that ended before it."""
        if not isinstance(point, (Fraction, datetime)):
            return 0
        return self._begun[bisect_right(self._firsts, point)] - self._ended[bisect_left(self._lasts, point)]
