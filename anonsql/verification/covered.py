"""The values that released labels cover.

A label may be read in more than one way. The ways come in order of preference: first the label as
it is, a value or a node, then ``*``, a set, a closed interval, an interval of names. Which readings
stand for values, the engine determines by the dimension tables; no hierarchy is read into Python.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from anonsql.engines.base import Column, Engine
from anonsql.grammar import literals
from anonsql.grammar.labels import (
    Ends,
    Label,
    ReleasedLabel,
    elements_of,
    interval_of,
    names_of,
)
from anonsql.grammar.literals import Kind
from anonsql.hierarchies.dimensions import Attribute

_Row = tuple[object, ...]
_BIGINTS = (-(2**63), 2**63 - 1)
_WORDS = [
    *(("label", "INTEGER"), ("reading", "INTEGER"), ("parts", "INTEGER"), ("part", "INTEGER")),
    *(("kind", "VARCHAR"), ("word", "VARCHAR"), ("upto", "VARCHAR")),
]
_SPANS = [("label", "INTEGER"), ("reading", "INTEGER"), ("first", "VARCHAR"), ("last", "VARCHAR")]
_LIMITS = [("label", "INTEGER"), ("lo", "VARCHAR"), ("hi", "VARCHAR")]


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


def cover(
    engine: Engine,
    attribute: Attribute,
    labels: Mapping[int, ReleasedLabel],
    *,
    every: bool,
    level: int | None = None,
    bounds: Ends = (None, None),
) -> dict[int, int]:
    """Make the table ``covers_<index>`` (label, code) of the values of the data that each numbered
    label covers, by ``dim_<index>``; return the number of values by label, without labels that
    cover none.

    With ``every``, a label covers the values of all its readings, of a set those of its known
    elements: all values that it may have been made from. Without, it covers the values of its first
    reading whose parts are all known: its most likely meaning. ``level`` is that of the released
    nodes, where the release states it; ``bounds`` are the types of the bounds columns: a value
    outside its label's bounds is not covered.
    """
    i = attribute.index
    words, spans = _read(labels, attribute.column)
    limits: list[_Row] = [
        (number, *released.bounds)
        for number, released in labels.items()
        if released.bounds != (None, None)
    ]
    tables = (
        (f"words_{i}", _WORDS, words or [(0, 0, 1, 0, "none", None, None)]),
        (f"spans_{i}", _SPANS, spans),
        (f"limits_{i}", _LIMITS, limits),
    )
    loaded = [each for each in tables if each[2]]
    for table, columns, rows in loaded:
        engine.load(table, columns, rows)
    stated = level is not None and 0 <= level <= attribute.height
    engine.run(
        "verification/covers",
        a=attribute,
        levels=[level] if stated else list(range(attribute.height + 1)),
        every=every,
        spans=bool(spans),
        names=any(row[4] == "names" for row in words),
        limits=bool(limits),
        span_type=range_type(attribute.column),
        lo_type=_comparable(bounds[0] or "DOUBLE"),
        hi_type=_comparable(bounds[1] or "DOUBLE"),
    )
    for table, _, _ in loaded:
        engine.drop(table)
    return dict(engine.query("verification/widths", a=attribute))


def _read(labels: Mapping[int, ReleasedLabel], column: Column) -> tuple[list[_Row], list[_Row]]:
    """Return the words and the spans of all readings of some labels, as rows."""
    words: list[_Row] = []
    spans: list[_Row] = []
    for number, released in labels.items():
        for place, reading in enumerate(readings(released.label, column, released.bounds)):
            row = (number, place)
            words += [
                (*row, len(reading.words), part, "word", word, None)
                for part, word in enumerate(reading.words)
            ]
            words += [(*row, 1, 0, "names", *pair) for pair in reading.names]
            if reading.span:
                spans.append((*row, *reading.span))
            elif not reading.words and not reading.names:
                words.append((*row, 1, 0, "any", None, None))
    return words, spans


def _comparable(kind: str) -> str:
    """Return the type in which bounds of a type are compared with values."""
    return (
        "DECIMAL(38, 0)"
        if kind.upper() in ("HUGEINT", "UHUGEINT")
        else "DOUBLE"
        if kind.upper() == "DECIMAL"
        else kind
    )


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
    first, last = (_scaled(min(max(each, least), greatest), unit) for each in units)
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
