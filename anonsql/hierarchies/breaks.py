"""Intervals of uneven width: how a column is generalized by breaks, and breaks that suit a column's
quantiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_FLOOR, Decimal
from typing import Any

from anonsql.engines.base import Column
from anonsql.errors import PolicyError
from anonsql.hierarchies.bounds_types import bounds_type
from anonsql.policy.hierarchy import TOP, BreaksHierarchy, intervals

_NUMBERS = ("integer", "decimal", "float")
_DATES = ("date", "timestamp")


def shape(column: Column, spec: BreaksHierarchy, where: str) -> dict[str, Any]:
    """Return an Attribute's fields by breaks; raise PolicyError where they do not fit."""
    if spec.of_dates and column.kind not in _DATES:
        text = f"the breaks are dates, but {column.name!r} is {column.family}."
        raise PolicyError.at(where, text, "Give numbers, or make the column a date in a view.")
    if not spec.of_dates and column.kind in _DATES:
        text = f"the breaks are numbers, but {column.name!r} is {column.family}."
        raise PolicyError.at(where, text, "Give dates, such as 2024-03-15.")
    if not spec.of_dates and column.kind not in _NUMBERS:
        raise not_numeric(column, where)
    whole = column.kind == "integer" and spec.scale == 0
    kind = bounds_type(column, max(spec.scale, column.scale), exact=whole)
    kind = "DECIMAL(38, 0)" if kind == "UHUGEINT" else kind  # an interval may begin below 0
    step = column.kind if spec.of_dates or whole else ""
    return {
        "template": "hierarchies/breaks",
        "levels": ("as it is", *map(looks, spec.levels), TOP),
        "bounds_type": kind,
        "parameters": {
            "intervals": [
                [
                    _Interval(label, following, ends[0], _last(ends[1], step))
                    for (label, ends), following in zip(
                        intervals(level), [*level, None], strict=True
                    )
                ]
                for level in spec.levels
            ],
            "kind": "float" if column.kind == "float" else "date" if spec.of_dates else "number",
            "type": column.cast or column.type,
        },
    }


@dataclass(frozen=True)
class _Interval:
    """An interval's label, where the next begins, and released bounds (None without an end)."""

    label: str
    next: Decimal | date | None
    lo: str | None
    hi: str | None


def _last(end: str | None, kind: str) -> str | None:
    """Return the greatest value before an interval's end, if there is one, else the end."""
    if end is None or not kind:
        return end
    if kind == "integer":
        return str(int(end) - 1)
    before = str(date.fromisoformat(end) - timedelta(days=1))
    return before if kind == "date" else f"{before} 23:59:59.999999"


def looks(breaks: Sequence[object]) -> str:
    """Return the looks of labels between breaks."""
    return f"[a,b) by {len(breaks)} {'break' if len(breaks) == 1 else 'breaks'}"


def not_numeric(column: Column, where: str) -> PolicyError:
    """Return the error of intervals of a column that has no numbers."""
    remedy = "Make it numeric in the source or frame, or use `file`, `mask` or `order`."
    if column.kind == "text":
        remedy = (
            "In a CSV file every value must be a number: write in `source` how the file writes"
            ' numbers, e.g. `decimal: ","`, `missing: [N/A]` or `trim: true` (`anonsql init` finds'
            " it). In a database, cast it in a view. Or use `file`, `mask` or `order`."
        )
    text = f"intervals need a numeric column, and {column.name!r} is {column.family}."
    return PolicyError.at(where, text, remedy)


def proposed(
    quantiles: Sequence[Decimal | int | float],
) -> tuple[list[Decimal], list[list[Decimal]]]:
    """Return breaks (``at``) that part skewed numbers evenly, and the coarser levels of them
    (``then``), by ``quantiles`` of the numbers in rising order, e.g. the 1st to the 15th of 16
    parts. Every break is the roundest number between its quantile and the neighbouring ones, so
    that breaks reveal little of single values; each coarser level keeps every other break of the
    level before. Where all breaks are above 0, 0 is one more at every level, so that the lowest
    interval has an end. Quantiles that are equal give one break; none is returned where all are
    equal.

    >>> at, then = proposed([12, 95, 480, 990, 2100, 5200, 30100])
    >>> [str(number) for number in at]
    ['0', '10', '100', '500', '1000', '2000', '5000', '30000']
    >>> [[str(number) for number in level] for level in then]
    [['0', '100', '1000', '5000'], ['0', '1000']]
    """
    points = sorted({Decimal(str(value)) for value in quantiles})
    if len(points) < 2:
        return [], []
    at: list[Decimal] = []
    for index, point in enumerate(points):
        gaps = [
            abs(point - points[other]) / 2
            for other in (index - 1, index + 1)
            if 0 <= other < len(points)
        ]
        rounded = _roundest(point, min([*gaps, abs(point) / 4]))
        if not at or rounded > at[-1]:
            at.append(rounded)
    base = [Decimal(0)] if at[0] > 0 else []
    then, before = [], at
    while len(before) > 1:
        before = before[1::2] if len(before) % 2 else before[::2]
        then.append(base + before)
    return base + at, then


_PLACES = 6  # digits after the point that a break may have


def _roundest(number: Decimal, gap: Decimal) -> Decimal:
    """Return the number of fewest digits (1, 2 or 5 times 10^n) nearer than ``gap``."""
    if not number:
        return Decimal(0)
    for exponent in range(18, -_PLACES - 1, -1):
        for digit in (5, 2, 1):
            unit = Decimal(digit).scaleb(exponent)
            near = (number / unit + Decimal("0.5")).to_integral_value(ROUND_FLOOR) * unit
            if abs(near - number) < gap:
                return near.quantize(Decimal(1)) if near == near.to_integral_value() else near
    return number.quantize(Decimal(1).scaleb(-_PLACES))


def roundest_between(before: Decimal | None, number: Decimal) -> Decimal:
    """Return the number with the fewest digits above ``before`` and up to ``number``, except for
    digits that a break leaves out.

    >>> [str(roundest_between(Decimal(low), Decimal(high))) for low, high in ((17, 23), (3, 4))]
    ['20', '4']
    """
    if before is not None:
        for exponent in range(18, -_PLACES - 1, -1):
            for digit in (5, 2, 1):
                unit = Decimal(digit).scaleb(exponent)
                below = (number / unit).to_integral_value(ROUND_FLOOR) * unit
                if below > before:
                    return below.quantize(Decimal(1)) if below == int(below) else below
    return number.quantize(Decimal(1).scaleb(-_PLACES), ROUND_FLOOR)
