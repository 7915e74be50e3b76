"""The groups of a query with GROUP BY: the values that a column of the original table may have, or
sets of them.

Rows are grouped by values where these are known: values of columns that are kept or released by
bucket, leaves of hierarchies, and values between bounds. A column whose released values all are of
one level of its hierarchy is grouped by the released values: each stands for a set of original
values, and which rows are in its group is certain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from itertools import product
from typing import Any, Protocol

from anonsql.engines.base import ReleaseTables
from anonsql.grammar.literals import UnsupportedError
from anonsql.labels.domains import Domain, Span
from anonsql.query import applied, value_sets
from anonsql.query.facets import Facet
from anonsql.query.parse import Grouping
from anonsql.query.questions import Bound, Within
from anonsql.query.value_sets import ValueSet
from anonsql.query.where import resolve

MOST_GROUPS = 2_000
Shown = str | int | float | bool | None
Group = tuple[tuple[str, Shown], ...]
Key = tuple[Shown, ValueSet]


class GroupedRelease(Protocol):
    """The part of an opened release that groups need; ``unlisted`` collects the columns that may
    have values without a group."""

    located: ReleaseTables
    starred: Sequence[str]
    unlisted: set[str]


def of(
    bound: Bound, facet_of: Callable[[str], Facet], release: GroupedRelease
) -> Iterator[tuple[Group, Within, tuple[int, ...]]]:
    """Yield every group with the values that its rows have, and the positions of its values among
    those of each column; raise UnsupportedError where the values
    are unknown or too many."""
    every = []
    for grouping in bound.parsed.groups:
        name = resolve(grouping.column, bound.columns, "original").name
        keys = _keys(facet_of(name), grouping, release)
        every.append([(name, *key, position) for position, key in enumerate(keys)])
    count = 1
    for of_column in every:
        count *= len(of_column)
    if count > MOST_GROUPS:
        raise UnsupportedError(
            f"there may be {count:,} groups, more than {MOST_GROUPS:,}. Group by fewer columns, or"
            " count in ranges of values"
        )
    titles = [group.title for group in bound.parsed.groups]
    for combined in product(*every):
        group = tuple(zip(titles, (shown for _, shown, _, _ in combined), strict=True))
        within = tuple((name, values) for name, _, values, _ in combined)
        yield group, within, tuple(position for *_, position in combined)


def _keys(facet: Facet, by: Grouping, release: GroupedRelease) -> list[Key]:
    """Return the groups of one column, in the order of its values, NULL last."""
    labels = _labels(facet, release) if not by.year else None
    if labels is not None:
        return labels
    spans, null = _possible(facet, release)
    if by.year:
        keys: list[Key] = [
            (year, applied.year(facet.domain, year)) for year in _years(facet, spans)
        ]
    else:
        keys = [
            (facet.domain.shown(value), _of_value(facet.domain, value))
            for value in _values(facet, spans)
        ]
    return [*keys, (None, value_sets.NULL)] if null else keys


def _of_value(domain: Domain, value: object) -> ValueSet:
    return value_sets.comparison(domain, "=", [value])


def _labels(facet: Facet, release: GroupedRelease) -> list[Key] | None:
    """Return the released values of a column of one level as groups; None where they are single
    values, or two may stand for the same one."""
    held = facet.held
    if not held.labels or held.level is None or held.level < 1 or held.bucketed is not None:
        return None
    values: list[tuple[list[Span], bool, str | None]] = []
    hidden = False
    for number, pieces in facet.read.items():
        label = facet.words[number]
        spans = [piece.span for piece in pieces if piece.span is not None]
        null = any(piece.span is None for piece in pieces)
        if held.masked and label == "*":
            hidden = True
            continue
        if not isinstance(label, str | None):
            return None
        values.append((spans, null, label))
    ends = sorted(
        ((span, position) for position, (spans, *_) in enumerate(values) for span in spans),
        key=lambda row: () if row[0][0] is None else row[0][0],
    )
    for position, (span, own) in enumerate(ends[1:], start=1):
        if any(
            _meet(span, other) for other, its in ends[max(0, position - 1) : position] if its != own
        ):
            return None
    if not values or sum(null for _, null, _ in values) > 1:
        return None
    if hidden:
        release.unlisted.add(facet.name)
    order = list(dict.fromkeys(position for _, position in ends))
    rest = [position for position in range(len(values)) if position not in order]
    return [
        (values[position][2], value_sets.of_spans(values[position][0], values[position][1]))
        for position in [*order, *rest]
    ]


def _meet(one: Span, before: Span) -> bool:
    """Return whether a stretch overlaps another that begins no later than it."""
    return before[1] is None or one[0] is None or before[1] > one[0]


def _possible(facet: Facet, release: GroupedRelease) -> tuple[list[Span], bool]:
    """Return the values that rows may have, and whether NULL is among them."""
    engine, held = release.located.engine, facet.held
    spans: list[Span] = []
    null = False
    if held.kept or held.bucketed is not None:
        rows = engine.query("query/domain", c=facet, most=MOST_GROUPS + 2)
        if len(rows) > MOST_GROUPS + 1:
            raise _too_many(facet)
        for (value,) in rows:
            point = None if value is None else facet.domain.point(value)
            null = null or point is None
            spans += [] if point is None else [_point_span(facet.domain, point)]
        if held.kept and release.starred:
            release.unlisted.add(facet.name)
    for pieces in facet.read.values():
        if any(piece.span == (None, None) for piece in pieces):
            release.unlisted.add(facet.name)
            null = True
            continue
        null = null or any(piece.span is None for piece in pieces)
        spans += [piece.span for piece in pieces if piece.span is not None]
    if not spans and facet.name in release.unlisted:
        raise _unknown(facet)
    return spans, null


def _point_span(domain: Domain, point: Any) -> Span:
    return (point, 0), ((point + 1, 0) if domain.discrete else (point, 1))


def _values(facet: Facet, spans: Sequence[Span]) -> list[object]:
    """Return all values in some stretches, in order."""
    values: set[object] = set()
    for low, high in set(spans):
        if low is None or high is None:
            raise _unknown(facet)
        if facet.domain.discrete:
            if high[0] - low[0] > MOST_GROUPS:
                raise _too_many(facet)
            values |= set(range(low[0], high[0]))
        elif low[0] == high[0]:
            values.add(low[0])
        else:
            raise _unknown(facet)
        if len(values) > MOST_GROUPS:
            raise _too_many(facet)
    return sorted(values)  # type: ignore[type-var]


def _years(facet: Facet, spans: Sequence[Span]) -> list[int]:
    """Return the years that some stretches overlap, in order."""
    years: set[int] = set()
    for low, high in set(spans):
        if low is None or high is None:
            raise _unknown(facet)
        ends = [facet.domain.shown(value) for value in (low[0], high[0] - 1)]
        first, last = (date.fromisoformat(str(end)[:10]).year for end in ends)
        years |= set(range(first, last + 1))
    return sorted(years)


def _too_many(facet: Facet) -> UnsupportedError:
    return UnsupportedError(
        f"{facet.name!r} may have more than {MOST_GROUPS:,} values. Ask for ranges of it in WHERE"
        " instead of GROUP BY"
    )


def _unknown(facet: Facet) -> UnsupportedError:
    return UnsupportedError(
        f"the release does not tell which values {facet.name!r} may have. Name it by its policy, or"
        " release it with its hierarchies"
    )
