"""The groups of an answer in the order that a query asks for, and as many as it asks for.

Groups are ordered by their values, or by what is estimated of an aggregate: its estimate, or the
middle of its bounds where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonsql.features.query.document import AnswerLine
from anonsql.query.parse import Order, Parsed


@dataclass(frozen=True)
class Row:
    """A group of the answer, or all of it where there are no groups: the lines of its aggregates,
    and the ``positions`` of its values among those of the columns that rows are grouped by."""

    lines: Sequence[AnswerLine]
    positions: tuple[int, ...] = ()


def ordered(rows: Sequence[Row], parsed: Parsed) -> list[Row]:
    """Return the rows as ORDER BY, OFFSET and LIMIT of the query ask for them."""
    result = list(rows)
    for order in reversed(parsed.order):
        nulls = [row for row in result if _key(row, order) is None]
        rest = [row for row in result if _key(row, order) is not None]
        rest.sort(key=lambda row: _key(row, order), reverse=order.descending)  # type: ignore[arg-type,return-value]
        result = nulls + rest if order.nulls_first else rest + nulls
    end = None if parsed.limit is None else parsed.offset + parsed.limit
    return result[parsed.offset : end]


def notes(rows: Sequence[Row], shown: Sequence[Row], parsed: Parsed) -> list[str]:
    """Return what must be known of the order: that it goes by estimates, where it does, and how
    many groups are not shown."""
    by_aggregate = [order for order in parsed.order if order.aggregate is not None]
    result = []
    if any(
        row.lines[order.aggregate].lower != row.lines[order.aggregate].upper
        for order in by_aggregate
        for row in rows
        if order.aggregate is not None
    ):
        result.append(
            "Groups are in the order of the estimates, or of the middle of the bounds where there"
            " is none; the original values may order them otherwise."
        )
    if len(shown) < len(rows):
        result.append(f"Shown are {len(shown):,} of {len(rows):,} groups.")
    return result


def _key(row: Row, order: Order) -> float | str | None:
    """Return what a row is ordered by; None for NULL and where nothing is known."""
    if order.aggregate is None:
        null = list((row.lines[0].group or {}).values())[order.group] is None
        return None if null else row.positions[order.group]
    line = row.lines[order.aggregate]
    if line.estimate is not None:
        return line.estimate
    lower, upper = line.lower, line.upper
    if isinstance(lower, int | float) and isinstance(upper, int | float):
        return (lower + upper) / 2
    return lower if lower is not None else upper
