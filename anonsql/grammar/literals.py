"""Literals of SQL, and numbers and moments as engines write them, as typed values."""

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
_GREATEST_POWER, _MOST_PLACES = 300, 1_000
CASTS = "is not supported but in DATE '…' and TIMESTAMP '…'"
"""What is said of a cast."""


class UnsupportedError(ValueError):
    """A part of a condition or of a query is not supported; the text names it."""


@dataclass(frozen=True)
class SqlLiteral:
    """A literal as it is written: its text, whether it is a string or a truth value, and the type
    that DATE or TIMESTAMP before it gives it, ``tried`` where it is NULL if it is not of that
    type."""

    text: str
    string: bool = False
    boolean: bool = False
    cast: Literal["date", "timestamp"] | None = None
    tried: bool = False


def number(text: str) -> Decimal | None:
    """Return a number by its text; None where it is no finite number."""
    try:
        return Decimal(text) if _NUMBER.fullmatch(text) else None
    except InvalidOperation:  # the exponent has too many digits
        return None


def moment(text: str) -> datetime | None:
    """Return a date or timestamp by its text, without a time zone; None where it is neither."""
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None) if _DATE.match(text) else None
    except (ValueError, OverflowError):
        return None


def day(text: str) -> date | None:
    """Return a date by its text; None where it is none, or has a time."""
    found = moment(text) if len(text) == 10 else None
    return None if found is None else found.date()


def require_moment(literal: SqlLiteral) -> None:
    """Raise UnsupportedError where what follows DATE or TIMESTAMP is not one that every engine
    reads alike."""
    cast = literal.cast
    if cast is None:
        return
    if literal.tried or not literal.string:
        raise UnsupportedError(f"{'TRY_CAST' if literal.tried else 'CAST'} {CASTS}")
    if not _is_moment(literal.text, with_time=cast == "timestamp"):
        form = f"YYYY-MM-DD{' HH:MM:SS' if cast == 'timestamp' else ''}"
        raise UnsupportedError(f"what follows {cast.upper()} is no {cast}. Write {form}")


def value_of(literal: SqlLiteral, name: str, kind: Kind, scale: int | None = None) -> object:
    """Return a literal as a value of a kind of column, of a decimal one with ``scale`` digits after
    the point where they are bounded; raise UnsupportedError when it is none, and for a string that
    engines would round on its way to the column's type."""
    wrong = UnsupportedError(f"a literal compared with {name!r} is no {kind}")
    if kind == "other":
        raise UnsupportedError(f"{name!r} is of a type that cannot be compared")
    if literal.boolean or kind == "boolean":
        if literal.boolean and kind == "boolean":
            return literal.text == "True"
        raise wrong
    if literal.cast is not None and kind not in ("date", "timestamp"):
        raise wrong
    found: object
    if kind in ("integer", "decimal", "float"):
        found = _number(literal, kind, scale)
    elif kind in ("date", "timestamp"):
        found = _moment(literal, kind)
    else:
        found = literal.text if literal.string else None
    if found is None:
        raise wrong
    return found


def _number(literal: SqlLiteral, kind: Kind, scale: int | None) -> Decimal | None:
    """Return a literal as a number; None where it is not one, or too great or long."""
    if literal.string and kind == "integer" and not _WHOLE.fullmatch(literal.text):
        return None
    found = number(literal.text)
    if found is None:
        return None
    places = -int(found.as_tuple().exponent)
    rounded = literal.string and kind == "decimal" and scale is not None and places > scale
    if abs(found.adjusted()) > _GREATEST_POWER or places > _MOST_PLACES or rounded:
        return None
    return found


def _moment(literal: SqlLiteral, kind: Kind) -> date | None:
    """Return a literal as a date or timestamp, by ``kind``; None where it is not a complete one."""
    if not literal.string or not _is_moment(literal.text, with_time=kind == "timestamp"):
        return None
    return day(literal.text) if kind == "date" else moment(literal.text)


def _is_moment(text: str, *, with_time: bool) -> bool:
    """Return whether a text is written as a date, or with ``with_time`` also as a timestamp."""
    if not _DATE.match(text):
        return False
    return not text[10:] or (with_time and _TIME.fullmatch(text[10:]) is not None)
