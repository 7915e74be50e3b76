"""Breaks: numbers or dates between which the intervals of a hierarchy lie, and their labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from anonsql.errors import FieldError
from anonsql.system.scalars import plain

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_PLACES = 6
_LIMIT = Decimal(10) ** 18


def _break(value: Any) -> Decimal | date:
    """Return a number, or a date as 2024-03-15, as the policy gives it."""
    if isinstance(value, str) and _DATE.fullmatch(value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise ValueError(f"there is no day {value}") from None
    if isinstance(value, date):
        return value
    wrong = "a number, or a date such as 2024-03-15, is needed"
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal)):
        raise ValueError(f"{wrong}, found {type(value).__name__}")
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        raise ValueError(f"{wrong}, found {str(value)[:40]!r}") from None
    if not number.is_finite():
        raise ValueError(f"{wrong}, found {number}")
    if abs(number) >= _LIMIT or -int(number.normalize().as_tuple().exponent) > _PLACES:
        raise ValueError(f"it has at most 18 digits before the point and {_PLACES} after it")
    return Decimal(plain(number)) + 0  # one way to write it; no -0


Break = Annotated[
    Decimal | date,
    BeforeValidator(_break),
    WithJsonSchema({"type": ["number", "string"]}),
]


def require_nested(at: Sequence[Decimal | date], then: Sequence[Sequence[Decimal | date]]) -> None:
    """Raise FieldError unless breaks rise, and each level keeps some of those before it."""
    _require_rising(at, "at")
    before, name = at, "at"
    for index, breaks in enumerate(then):
        where = f"then[{index}]"
        _require_rising(breaks, where)
        for position, value in enumerate(breaks):
            if value not in before:
                text = f"{text_of(value)} is no break of {name}: the levels do not nest"
                raise FieldError(f"{where}[{position}]", text)
        if len(breaks) == len(before):
            raise FieldError(where, f"it has all breaks of {name}: leave some out, or the level")
        before, name = breaks, where


def _require_rising(breaks: Sequence[Decimal | date], where: str) -> None:
    for index, (low, high) in enumerate(pairwise(breaks), start=1):
        if isinstance(low, date) is not isinstance(high, date):
            raise FieldError(f"{where}[{index}]", "give all breaks as numbers, or all as dates")
        if high <= low:  # type: ignore[operator]  # both are dates or both numbers
            what = "is given twice" if high == low else f"does not follow {text_of(low)}"
            raise FieldError(f"{where}[{index}]", f"{text_of(high)} {what}: breaks must rise")


def text_of(value: Decimal | date) -> str:
    """Return a break as labels have it."""
    return value.isoformat() if isinstance(value, date) else plain(value)


Ends = tuple[str | None, str | None]


def intervals(breaks: Sequence[Decimal | date]) -> list[tuple[str, Ends]]:
    """Return the labels of the intervals between breaks, with the texts of their ends: the lower
    one is in the interval, the upper one is not, None is no end.

    >>> intervals([Decimal(0), Decimal(5)])
    [('<0', (None, '0')), ('[0,5)', ('0', '5')), ('>=5', ('5', None))]
    """
    texts = [text_of(value) for value in breaks]
    inner = [(f"[{low},{high})", (low, high)) for low, high in pairwise(texts)]
    return [(f"<{texts[0]}", (None, texts[0])), *inner, (f">={texts[-1]}", (texts[-1], None))]
