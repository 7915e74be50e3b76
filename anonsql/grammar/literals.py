"""Typed values of texts: of SQL literals, and of numbers and moments as engines write them. A
*moment* is a date or a timestamp without a time zone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Literal

Kind = Literal["integer", "decimal", "float", "date", "timestamp", "boolean", "text", "other"]
"""The families of the types that columns have."""

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?")
_GREATEST_POWER = 300  # of ten: within the range of a DOUBLE
_MOST_PLACES = 1_000  # digits after the point
CAST_REFUSED = "is supported only in DATE '…' and TIMESTAMP '…'"
"""The end of the message about a cast that is not supported."""


class UnsupportedError(ValueError):
    """A part of a condition or of a query is not supported; the text names it."""


@dataclass(frozen=True)
class SqlLiteral:
    """A literal as it is written: its text, whether it is a ``string`` or a truth value, and the
    type that it is ``cast`` to by DATE or TIMESTAMP before it. ``try_cast`` where the cast is a
    TRY_CAST, which makes NULL of a text that is not of the type."""

    text: str
    string: bool = False
    boolean: bool = False
    cast: Literal["date", "timestamp"] | None = None
    try_cast: bool = False


def number(text: str) -> Decimal | None:
    """Return the number that a text writes; None where it writes no finite number."""
    try:
        return Decimal(text) if _NUMBER.fullmatch(text) else None
    except InvalidOperation:  # the exponent has too many digits
        return None


def moment(text: str) -> datetime | None:
    """Return the date or timestamp of a text without its time zone, or None."""
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None) if _DATE.match(text) else None
    except (ValueError, OverflowError):
        return None


def day(text: str) -> date | None:
    """Return the date that a text writes; None where it writes none, or a time with it."""
    result = moment(text) if len(text) == 10 else None
    return None if result is None else result.date()


def require_moment(literal: SqlLiteral) -> None:
    """Raise UnsupportedError for casts but DATE or TIMESTAMP of unambiguous texts."""
    cast = literal.cast
    if cast is None:
        return
    if literal.try_cast or not literal.string:
        raise UnsupportedError(f"{'TRY_CAST' if literal.try_cast else 'CAST'} {CAST_REFUSED}")
    if not _is_moment(literal.text, with_time=cast == "timestamp"):
        form = f"YYYY-MM-DD{' HH:MM:SS' if cast == 'timestamp' else ''}"
        raise UnsupportedError(f"the text after {cast.upper()} is not a {cast}. Write {form}")


def value_of(literal: SqlLiteral, name: str, kind: Kind, scale: int | None = None) -> object:
    """Return the value of a literal that is compared with the column ``name`` of a ``kind``.
    ``scale`` is the number of digits after the point that a decimal column has, None where it is
    not bounded. Raise UnsupportedError when the literal is no value of that kind, or a string that
    engines would round when they cast it to the column's type."""
    quoted = kind == "text" and number(literal.text) is not None and not literal.string
    write = f": write '{literal.text}'" if quoted else ""
    wrong = UnsupportedError(f"a literal compared with {name!r} must be of the type {kind}{write}")
    if kind == "other":
        raise UnsupportedError(f"{name!r} is of a type that cannot be compared")
    if literal.boolean or kind == "boolean":
        if literal.boolean and kind == "boolean":
            return literal.text == "True"
        raise wrong
    if literal.cast is not None and kind not in ("date", "timestamp"):
        raise wrong
    value: object
    if kind in ("integer", "decimal", "float"):
        value = _number_of(literal, kind, scale)
    elif kind in ("date", "timestamp"):
        value = _moment_of(literal, kind)
    else:
        value = literal.text if literal.string else None
    if value is None:
        raise wrong
    return value


def _number_of(literal: SqlLiteral, kind: Kind, scale: int | None) -> Decimal | None:
    """Return a literal's number; None where it is none, too great, long, or inexact."""
    if literal.string and kind == "integer" and not _WHOLE.fullmatch(literal.text):
        return None
    result = number(literal.text)
    if result is None:
        return None
    places = -int(result.as_tuple().exponent)
    rounded = literal.string and kind == "decimal" and scale is not None and places > scale
    if abs(result.adjusted()) > _GREATEST_POWER or places > _MOST_PLACES or rounded:
        return None
    return result


def _moment_of(literal: SqlLiteral, kind: Kind) -> date | None:
    """Return the date or timestamp (``kind``) of a literal that is completely written, or None."""
    if not literal.string or not _is_moment(literal.text, with_time=kind == "timestamp"):
        return None
    return day(literal.text) if kind == "date" else moment(literal.text)


def _is_moment(text: str, *, with_time: bool) -> bool:
    if not _DATE.match(text):
        return False
    return not text[10:] or (with_time and _TIME.fullmatch(text[10:]) is not None)
