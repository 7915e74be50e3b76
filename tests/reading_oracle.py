"""The readings of labels, one by one: what SQL is held against."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from anonsql.engines.base import Column
from anonsql.grammar import literals
from anonsql.grammar.labels import Ends, Label, elements_of, interval_of, names_of
from anonsql.grammar.literals import Kind

_BIGINTS = (-(2**63), 2**63 - 1)


@dataclass(frozen=True)
class Reading:
    """One way to read a label: as all of the ``words``, each a value or a label of the hierarchy
    (None is NULL); as the values within a closed ``span``, its ends as the column's values are cast
    from text; as those from one to the other of a pair of ``names`` in the hierarchy's order, for
    any pair that the hierarchy has; or, where all three are empty, as any value."""

    words: tuple[str | None, ...] = ()
    span: tuple[str, str] | None = None
    names: tuple[tuple[str, str], ...] = ()


def readings(label: Label, column: Column, bounds: Ends = (None, None)) -> list[Reading]:
    """Return the ways to read a released value of ``column``, a column of the source, in order of
    preference. A list can only be a set of plain labels; ``bounds`` are the ends of a closed
    interval whose label does not show them."""
    if label is None:
        return [Reading((None,))]
    if not isinstance(label, str):
        return [Reading(tuple(label))]
    found = [Reading((label,))]
    if label == "*":
        found.append(Reading())
    if (elements := elements_of(label)) is not None:
        found.append(Reading(tuple(elements)))
    interval = interval_of(label)
    if interval is not None and interval.closed:
        ends = _ends(column, interval.low, interval.high)
        if ends is None and bounds[0] is not None and bounds[1] is not None:
            ends = _ends(column, bounds[0], bounds[1])
        found += [Reading(span=ends)] if ends else []
    names = names_of(label)
    return found + ([Reading(names=names)] if names else [])


def range_type(column: Column) -> str:
    """Return the type in which the ends of a column's ranges are compared with its values."""
    if column.kind == "integer":
        return (
            "DECIMAL(38, 0)"
            if column.type.upper() in ("UBIGINT", "HUGEINT", "UHUGEINT")
            else "BIGINT"
        )
    if column.kind == "decimal":
        return f"DECIMAL(38, {max(column.scale, 12) if column.unbounded else column.scale})"
    return {"float": "DOUBLE", "date": "DATE"}.get(column.kind, "TIMESTAMP")


def _ends(column: Column, first: str, last: str) -> tuple[str, str] | None:
    """Return the ends of a closed interval as texts that can be cast to :func:`range_type`; None
    when they cannot."""
    kind = column.kind
    if kind in ("date", "timestamp"):
        begin, end = _moment(first, kind), _moment(last, kind, end=True)
        return None if begin is None or end is None else (begin, end)
    low, high = literals.number(first.strip()), literals.number(last.strip())
    if kind not in ("integer", "decimal", "float") or low is None or high is None:
        return None
    if kind == "float":
        return repr(float(low)), repr(float(high))
    unit = Fraction(10) ** (12 if column.unbounded else column.scale)
    units = math.ceil(Fraction(low) * unit), math.floor(Fraction(high) * unit)
    least, greatest = _BIGINTS if range_type(column) == "BIGINT" else (-(10**38) + 1, 10**38 - 1)
    first, last = (_scaled(min(max(item, least), greatest), unit) for item in units)
    return first, last


def _scaled(number: int, unit: Fraction) -> str:
    """Return a whole number of units as a plain decimal text."""
    whole, rest = divmod(abs(number), unit.numerator)
    digits = len(str(unit.numerator)) - 1
    return f"{'-' if number < 0 else ''}{whole}" + (f".{rest:0{digits}}" if digits else "")


def _moment(text: str, kind: Kind, end: bool = False) -> str | None:
    """Return a date or timestamp as every engine reads it, None where the text is neither. A date
    that ends an interval of timestamps is its whole day."""
    found = literals.moment(text.strip())
    if found is None:
        return None
    if kind == "date":
        return found.date().isoformat()
    if end and len(text.strip()) == 10:
        found = found.replace(hour=23, minute=59, second=59, microsecond=999999)
    return found.isoformat(sep=" ")
