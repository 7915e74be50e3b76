"""What can be verified without the source of a release that has no equivalence classes (rings):
whether enough rows can have each value that it names.

A set names its elements, an interval its ends, and a release whose values are built from the data,
as rings are (Wong, Mamoulis, Cheung 2010, section 5.1), names only values that occur in the source.
A row of the source with that value must effectively match at least k released rows, so at least k
must cover the value: who has fewer than k matches in one column alone has fewer than k in all
columns together.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from datetime import datetime
from fractions import Fraction
from functools import cache
from itertools import accumulate

from anonsql.engines.base import ORDERED, Column, ReleaseTables
from anonsql.policy.policy import Policy
from anonsql.verification import released_values
from anonsql.verification.covered import Reading, readings
from anonsql.verification.facts import bounds_names, count_of, facts_of
from anonsql.verification.released_values import Values, bounds_of

Point = Fraction | datetime


def offences(release: ReleaseTables, policy: Policy) -> list[str]:
    """Return the columns that name values which fewer than k released rows can have. Released
    values are expected to be values of the data, or sets or closed intervals of such: what a label
    of a hierarchy's inner node stands for is not known here."""
    columns = release.engine.columns(release.rows)
    known = {each.name: each for each in columns}
    labels = [name for name in policy.quasi_identifiers if name in known]
    texts = all(known[name].type == "VARCHAR" for name in labels)
    masked = labels if texts and count_of(facts_of(release), "masked") > 0 else []
    bounds = {name: bounds_of(name, known, bounds_names(policy)) for name in labels}
    offending = list[str]()
    for name, values in released_values.read(release, known, bounds, masked).items():
        ends = [known[each].type for each in bounds[name]]
        few, named = exposed(
            values, column_of(name, values, ends[0] if ends else None), policy.privacy.k
        )
        if few:
            offending.append(
                f"{few:,} of {named:,} values that {name!r} names can be those of fewer than"
                f" k={policy.privacy.k} rows"
            )
    return offending


def exposed(values: Values, column: Column, k: int) -> tuple[int, int]:
    """Return how many values that a column's released values name are covered by fewer than k rows,
    and how many they name.

    ``column`` has the type of the source's. A label covers the values of all its readings. One
    whose values are not known here covers every value: ``*``, an interval of names, any interval
    that is not closed. What looks like a set or an interval names its elements or ends, unless
    another set names it as a value.
    """
    number, points = _numbering(column)
    read = [
        (released.label, readings(released.label, column, released.bounds), rows)
        for released, rows in values
    ]
    sets = [_set_of(label, found) for label, found, _ in read]
    elements = {word for each in sets for word in each}
    by_point: Counter[int] = Counter()
    spans: list[tuple[Point, Point, int]] = []
    named: set[int] = set()
    anywhere = 0
    for (label, found, rows), words in zip(read, sets, strict=True):
        if _covers_all(label, found):
            anywhere += rows
            continue
        ends = [each.span for each in found if each.span]
        spans += [(_value(first, column), _value(last, column), rows) for first, last in ends]
        inside = {number(word) for word in words}
        itself = set()
        if label is None or (isinstance(label, str) and (label in elements or not (words or ends))):
            itself = {number(label)}
        for each in inside | itself:
            by_point[each] += rows
        named |= itself or inside or {number(end) for pair in ends for end in pair}
    covered = _Covered(spans)
    few = sum(anywhere + by_point[each] + covered.by_spans(points[each]) < k for each in named)
    return few, len(named)


def column_of(name: str, values: Values, bounds_type: str | None) -> Column:
    """Return the source's column as far as a release tells its type: by its bounds, or by the ends
    of its closed intervals."""
    if bounds_type is not None:
        return Column(name, bounds_type)
    labels = (released.label for released, _ in values)
    texts = [
        each
        for each in labels
        if isinstance(each, str) and each.startswith("[") and each.endswith("]")
    ]
    for kind in ("DECIMAL", "TIMESTAMP" if any(":" in text for text in texts) else "DATE"):
        column = Column(name, kind)
        if texts and all(any(reading.span for reading in readings(text, column)) for text in texts):
            return column
    return Column(name, "VARCHAR")


def _set_of(label: object, found: Sequence[Reading]) -> tuple[str | None, ...]:
    """Return the elements of a label that is a set or looks like one; none of another."""
    if isinstance(label, str):
        return next((each.words for each in found[1:] if each.words), ())
    return found[0].words if label is not None else ()


def _covers_all(label: object, found: Sequence[Reading]) -> bool:
    """Return whether what a label covers cannot be told without the source."""
    half_open = isinstance(label, str) and label.startswith("[") and label.endswith(")")
    return half_open or any(each.names or not (each.words or each.span) for each in found)


def _numbering(column: Column) -> tuple[Callable[[str | None], int], list[Hashable]]:
    """Return a function that numbers words, the same for words that are the same value, and the
    values by number as they are compared: a number or a moment where a word is one, else its
    text."""
    known: dict[Hashable, int] = {}
    points: list[Hashable] = []

    @cache
    def number(word: str | None) -> int:
        point: Hashable = word
        if word is not None and column.kind in ORDERED:
            spans = [each.span for each in readings(f"[{word},{word}]", column) if each.span]
            point = _value(spans[0][0], column) if spans else word
        if point not in known:
            known[point] = len(points)
            points.append(point)
        return known[point]

    return number, points


def _value(text: str, column: Column) -> Point:
    """Return an end of a span as it is compared."""
    return datetime.fromisoformat(text) if column.kind in ("date", "timestamp") else Fraction(text)


class _Covered:
    """Counts the rows whose interval, given as (first, last, rows), holds a point."""

    def __init__(self, spans: Sequence[tuple[Point, Point, int]]) -> None:
        begun = sorted(((first, rows) for first, _, rows in spans), key=lambda pair: pair[0])
        ended = sorted(((last, rows) for _, last, rows in spans), key=lambda pair: pair[0])
        self._firsts, self._lasts = [first for first, _ in begun], [last for last, _ in ended]
        self._begun = [0, *accumulate(rows for _, rows in begun)]
        self._ended = [0, *accumulate(rows for _, rows in ended)]

    def by_spans(self, point: Hashable) -> int:
        """Return the rows whose interval begins at the point or before, less those whose interval
        ends before it."""
        if not isinstance(point, (Fraction, datetime)):
            return 0
        return (
            self._begun[bisect_right(self._firsts, point)]
            - self._ended[bisect_left(self._lasts, point)]
        )
