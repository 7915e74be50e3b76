"""The groups of a query with GROUP BY: the values that a column of the original table may have, or
sets of them.

Rows are grouped by values where these are known: values of columns that are kept or released by
bucket, leaves of hierarchies, and values between bounds. A column whose released values all are of
one level of its hierarchy is grouped by the released values: each covers a set of original values,
and which rows are in its group is certain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product
from typing import Any

from anonsql.grammar.literals import UnsupportedError
from anonsql.labels.domains import Domain, Span
from anonsql.query import value_sets
from anonsql.query.binding import Bound
from anonsql.query.columns import QueriedColumn
from anonsql.query.opening import OpenedRelease
from anonsql.query.value_sets import ValueSet

MOST_GROUPS = 2_000
Shown = str | int | float | bool | None
Group = tuple[tuple[str, Shown], ...]
Key = tuple[Shown, ValueSet]


def of(
    bound: Bound, queried: Mapping[str, QueriedColumn], release: OpenedRelease
) -> dict[str, list[Key]]:
    """Return the groups of every column that a query groups by, with the values of each; raise
    UnsupportedError where the values are unknown or too many."""
    names = [bound.name(grouping.column) or "" for grouping in bound.parsed.groups]
    keys = {name: _keys(queried[name], release) for name in names}
    count = 1
    for own in keys.values():
        count *= len(own)
    if count > MOST_GROUPS:
        raise UnsupportedError(
            f"there may be {count:,} groups, more than {MOST_GROUPS:,}. Group by fewer columns, or"
            " count in ranges of values"
        )
    return keys


def numbered(keys: Mapping[str, Sequence[Key]]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield every group: its number (see :func:`anonsql.query.bounds.ask`), and the positions of its
    values among those of each column."""
    for positions in product(*(range(len(own)) for own in keys.values())):
        number, radix = 0, 1
        for position, own in zip(positions, keys.values(), strict=True):
            number, radix = number + position * radix, radix * len(own)
        yield number, positions


def _keys(column: QueriedColumn, release: OpenedRelease) -> list[Key]:
    """Return the groups of one column, in the order of its values, NULL last."""
    labels = _labels(column, release)
    if labels is not None:
        return labels
    spans, null = _possible(column, release)
    keys: list[Key] = [
        (column.domain.shown(value), _of_value(column.domain, value))
        for value in _values(column, spans)
    ]
    return [*keys, (None, value_sets.NULL)] if null else keys


def _of_value(domain: Domain, value: object) -> ValueSet:
    return value_sets.comparison(domain, "=", [value])


def _labels(column: QueriedColumn, release: OpenedRelease) -> list[Key] | None:
    """Return the released labels of a column of one level as groups; None where they are single
    values, or two of them cover the same value."""
    held = column.held
    if not held.labels or held.level is None or held.level < 1 or held.bucketed is not None:
        return None
    groups: list[tuple[list[Span], bool, str | None]] = []
    for number, pieces in column.covered.items():
        label = column.labels[number]
        if held.masked and label == "*":
            continue
        if not isinstance(label, str | None):
            return None
        spans = [piece.span for piece in pieces if piece.span is not None]
        groups.append((spans, len(spans) < len(pieces), label))
    ends = sorted(
        ((span, position) for position, (spans, *_) in enumerate(groups) for span in spans),
        key=lambda row: () if row[0][0] is None else row[0][0],
    )
    for (before, other), (span, own) in pairwise(ends):
        if own != other and _meet(span, before):
            return None
    if not groups or sum(null for _, null, _ in groups) > 1:
        return None
    if len(groups) < len(column.covered):
        release.unlisted.add(column.name)
    release.by_label.add(column.name)
    order = dict.fromkeys([*(position for _, position in ends), *range(len(groups))])
    ordered = (groups[position] for position in order)
    return [(label, value_sets.of_spans(spans, null)) for spans, null, label in ordered]


def _meet(one: Span, before: Span) -> bool:
    """Return whether a stretch overlaps another that begins no later than it."""
    return before[1] is None or one[0] is None or before[1] > one[0]


def _possible(column: QueriedColumn, release: OpenedRelease) -> tuple[list[Span], bool]:
    """Return the values that rows may have, and whether NULL is among them."""
    engine, held = release.located.engine, column.held
    spans: list[Span] = []
    null = False
    if column.has_values:
        rows = engine.query("query/domain", c=column, most=MOST_GROUPS + 2)
        if len(rows) > MOST_GROUPS + 1:
            raise _too_many(column)
        for (value,) in rows:
            point = None if value is None else column.domain.point(value)
            null = null or point is None
            spans += [] if point is None else [_point_span(column.domain, point)]
        if held.kept and release.starred:
            release.unlisted.add(column.name)
    for pieces in column.covered.values():
        if any(piece.span == (None, None) for piece in pieces):
            release.unlisted.add(column.name)
            null = True
            continue
        null = null or any(piece.span is None for piece in pieces)
        spans += [piece.span for piece in pieces if piece.span is not None]
    if not spans and column.name in release.unlisted:
        raise _unknown(column)
    return spans, null


def _point_span(domain: Domain, point: Any) -> Span:
    return (point, 0), ((point + 1, 0) if domain.discrete else (point, 1))


def _values(column: QueriedColumn, spans: Sequence[Span]) -> list[object]:
    """Return all values in some stretches, in order."""
    values: set[object] = set()
    for low, high in set(spans):
        if low is None or high is None:
            raise _unknown(column)
        if column.domain.discrete:
            if high[0] - low[0] > MOST_GROUPS:
                raise _too_many(column)
            values |= set(range(low[0], high[0]))
        elif low[0] == high[0]:
            values.add(low[0])
        else:
            raise _unknown(column)
        if len(values) > MOST_GROUPS:
            raise _too_many(column)
    return sorted(values)  # type: ignore[type-var]


def _too_many(column: QueriedColumn) -> UnsupportedError:
    return UnsupportedError(
        f"{column.name!r} may have more than {MOST_GROUPS:,} values. Use ranges of it in WHERE"
        " instead of GROUP BY"
    )


def _unknown(column: QueriedColumn) -> UnsupportedError:
    return UnsupportedError(
        f"the release does not list the values that {column.name!r} may have. A mask has no list;"
        " for other hierarchies, name the release by its policy, or publish it with its hierarchies"
    )
