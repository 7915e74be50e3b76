"""What a released label says, read back: values, sets of values, intervals. Labels are published: they may be seen here."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from anonsql.engines.base import Column, Kind

_ELEMENT = re.compile(r'(?:"((?:[^"]|"")*)"|([^",{} ](?:[^",{}]*[^",{} ])?))(?:, |\Z)')
_CLOSED = re.compile(r"\[([^\[\](),]*),([^\[\](),]*)\]", re.S)
_BETWEEN = " … "
_BIGINTS = (-(2**63), 2**63 - 1)


@dataclass(frozen=True)
class Reading:
    """What a label may mean, all of it together: one of the ``words``, each a value or a label of the hierarchy (None is
    NULL); a value within one of ``ranges``, closed, its ends as the column's values are cast from text; a value from one to
    the other of ``names`` in the hierarchy's order."""

    words: tuple[str | None, ...]
    ranges: tuple[tuple[str, str], ...] = ()
    names: tuple[tuple[str, str], ...] = ()


def read(label: str | Sequence[str | None] | None, column: Column, bounds: tuple[str | None, str | None] = (None, None)) -> Reading:
    """What a released value of ``column``, a column of the source, may mean. ``bounds`` are the texts of its bounds columns.

    A list is a set of plain labels. A text is a label of the hierarchy first of all, and besides a set ``{a, b}``, a closed
    interval ``[a,b]`` or an interval of names ``a … b`` when it looks like one.
    """
    if label is None:
        return Reading((None,))
    if not isinstance(label, str):
        return Reading(tuple(label))
    words: tuple[str | None, ...] = (label,)
    if (elements := _set(label)) is not None:
        return Reading(tuple(dict.fromkeys([*words, *elements])))
    parts = label.split(_BETWEEN)
    names = tuple((_BETWEEN.join(parts[:cut]), _BETWEEN.join(parts[cut:])) for cut in range(1, len(parts)))
    closed = _CLOSED.fullmatch(label)
    if closed is None:
        return Reading(words, names=names)
    ends = _ends(column, closed[1], closed[2])
    if ends is None and bounds[0] is not None and bounds[1] is not None:
        ends = _ends(column, bounds[0], bounds[1])
    return Reading(words, ranges=(ends,) if ends else (), names=names)


def _set(label: str) -> list[str | None] | None:
    """The elements of a set as a release writes it, None for NULL; None when it is no set.

    Elements are in double quotes, doubled inside, where they hold one of ``,{}"``, begin or end with a space, are empty
    or ``NULL``; a bare ``NULL`` is the NULL value.
    """
    if len(label) < 3 or not (label.startswith("{") and label.endswith("}")):
        return None
    inside, elements, place = label[1:-1], [], 0
    while place < len(inside):
        match = _ELEMENT.match(inside, place)
        if match is None:
            return None
        elements.append(match[1].replace('""', '"') if match[1] is not None else None if match[2] == "NULL" else match[2])
        place = match.end()
    return None if inside.endswith(", ") else elements


def range_type(column: Column) -> str:
    """The type as which the ends of a column's ranges are compared with its values."""
    if column.kind == "integer":
        return "DECIMAL(38, 0)" if column.type.upper() in ("UBIGINT", "HUGEINT", "UHUGEINT") else "BIGINT"
    if column.kind == "decimal":
        return f"DECIMAL(38, {max(column.scale, 12) if column.unbounded else column.scale})"
    return {"float": "DOUBLE", "date": "DATE"}.get(column.kind, "TIMESTAMP")


def _ends(column: Column, first: str, last: str) -> tuple[str, str] | None:
    """The ends of a closed interval as texts that can be cast to :func:`range_type`; None when they are none."""
    kind: Kind = column.kind
    try:
        if kind in ("date", "timestamp"):
            return _day(first, kind), _day(last, kind, end=True)
        if kind not in ("integer", "decimal", "float"):
            return None
        numbers = Decimal(first.strip()), Decimal(last.strip())
    except (ValueError, InvalidOperation):
        return None
    if not all(each.is_finite() for each in numbers):
        return None
    if kind == "float":
        return repr(float(numbers[0])), repr(float(numbers[1]))
    unit = Fraction(10) ** (12 if column.unbounded else column.scale)
    low, high = math.ceil(Fraction(numbers[0]) * unit), math.floor(Fraction(numbers[1]) * unit)
    least, greatest = _BIGINTS if range_type(column) == "BIGINT" else (-(10**38) + 1, 10**38 - 1)
    return tuple(_scaled(min(max(each, least), greatest), unit) for each in (low, high))  # type: ignore[return-value]


def _scaled(number: int, unit: Fraction) -> str:
    """A whole number of units as a plain decimal text."""
    whole, rest = divmod(abs(number), unit.numerator)
    digits = len(str(unit.numerator)) - 1
    return f"{'-' if number < 0 else ''}{whole}" + (f".{rest:0{digits}}" if digits else "")


def _day(text: str, kind: Kind, end: bool = False) -> str:
    """A date or timestamp as every engine reads it. A date that ends an interval of timestamps is its whole day."""
    text = text.strip()
    if kind == "date":
        return datetime.fromisoformat(text).date().isoformat()
    moment = datetime.fromisoformat(text).replace(tzinfo=None)
    if end and len(text) == 10:
        moment = moment.replace(hour=23, minute=59, second=59, microsecond=999999)
    return moment.isoformat(sep=" ")
