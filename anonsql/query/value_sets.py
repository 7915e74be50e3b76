"""Sets of a column's values, as conditions describe them: stretches of an ordered domain, with NULL
or without.

Every domain is ordered, text by its code points. A stretch lies between two cuts; a cut is a point
just before a value (side 0) or just after it (side 1). In a discrete domain (integers, days, units
of a decimal, microseconds) all cuts lie just before a value.
"""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

from anonsql.engines.base import Column
from anonsql.grammar.literals import Kind

Cut = tuple[Any, int]
Span = tuple[Cut | None, Cut | None]
"""A stretch from one cut to another; None: it has no end on that side."""
_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_DAY = timedelta(days=1) // _MICROSECOND
_MOST_DIGITS = 10**38


@dataclass(frozen=True)
class Domain:
    """The values that a column may have: of a ``kind``; decimals in units of 10**-``scale``, or of
    any number of digits; floats of ``single`` precision, or double."""

    kind: Kind
    scale: int = 0
    unbounded: bool = False
    single: bool = False

    @classmethod
    def of(cls, column: Column) -> Domain:
        """Return the domain of a column of a release."""
        return cls(column.kind, column.scale, column.unbounded, column.type.upper() == "FLOAT")

    @property
    def discrete(self) -> bool:
        """Whether every value has a next one."""
        return self.kind in ("integer", "date", "timestamp", "boolean") or (
            self.kind == "decimal" and not self.unbounded
        )

    @property
    def numeric(self) -> bool:
        """Whether values can be added."""
        return self.kind in ("integer", "decimal", "float")

    @property
    def moments(self) -> bool:
        """Whether values are dates or timestamps."""
        return self.kind in ("date", "timestamp")

    @property
    def day(self) -> int:
        """How many units, in which dates or timestamps are counted, make a day."""
        return 1 if self.kind == "date" else _DAY

    @property
    def unit(self) -> float:
        """The difference between a value and the next, as numbers; 0 in a domain that is not
        discrete."""
        return 10.0**-self.scale if self.discrete else 0.0

    def point(self, value: Any) -> Any:
        """Return a Python value as one of the domain; in a discrete domain a literal may lie
        between two values. Raise OverflowError for a number that single precision cannot hold."""
        if self.kind == "date":
            return (value.date() if isinstance(value, datetime) else value).toordinal()
        if self.kind == "timestamp":
            moment = (
                value
                if isinstance(value, datetime)
                else datetime(value.year, value.month, value.day)
            )
            return (moment.replace(tzinfo=None) - _EPOCH) // _MICROSECOND
        if self.kind == "float":
            return struct.unpack("<f", struct.pack("<f", value))[0] if self.single else float(value)
        if self.kind in ("integer", "decimal"):
            exact = Fraction(value) * 10 ** (0 if self.unbounded else self.scale)
            return int(exact) if exact.denominator == 1 and self.discrete else exact
        return int(value) if self.kind == "boolean" else value

    def shown(self, value: Any) -> str | int | float | bool | None:
        """Return a value of the domain as documents show it: dates and timestamps as text, and so
        numbers that floating point cannot represent exactly."""
        if self.moments:
            moment = self._literal(math.floor(value))
            return str(moment) if moment is not None else None
        if self.kind == "boolean":
            return bool(value)
        if self.kind == "text":
            return str(value)
        exact = Fraction(value) / (
            10**self.scale if self.discrete and self.kind == "decimal" else 1
        )
        if exact.denominator == 1:
            return exact.numerator
        return (
            float(exact)
            if Fraction(repr(float(exact))) == exact or self.kind == "float"
            else str(self._literal(value))
        )

    def position(self, value: Any) -> float:
        """Return a value of the domain as a number: dates in days, timestamps in microseconds."""
        return (
            float(Fraction(value) / 10**self.scale)
            if self.kind == "decimal" and self.discrete
            else float(value)
        )

    def written(self, cut: Cut) -> tuple[object, int] | None:
        """Return a cut as a literal of :attr:`sql_type` and its side; None where the database has
        no value so great or small. A cut just before a value may be written as one just after the
        value before it, which may be the last that Python can write: databases have later dates."""
        value, side = cut
        if not self.discrete:
            return self._literal(value), side
        for near, its_side in ((value, side), (value - 1, 1)):
            literal = self._literal(near)
            if literal is not None:
                return literal, its_side
        return None

    def _literal(self, value: Any) -> object:
        """Return a value of the domain as a literal of :attr:`sql_type`; None where no literal is
        so great or small."""
        if self.kind == "date":
            return date.fromordinal(value) if 1 <= value <= date.max.toordinal() else None
        if self.kind == "timestamp":
            try:
                return _EPOCH + value * _MICROSECOND
            except OverflowError:
                return None
        if self.kind == "boolean":
            return bool(value) if value in (0, 1) else None
        if self.kind in ("integer", "decimal"):
            if self.discrete and abs(value) >= _MOST_DIGITS:
                return None
            return (
                value
                if self.kind == "integer"
                else _decimal(value, self.scale)
                if self.discrete
                else _decimal(value)
            )
        return value

    @property
    def sql_type(self) -> str:
        """The type as which literals are compared with values."""
        if self.kind == "decimal":
            return "DECIMAL" if self.unbounded else f"DECIMAL(38, {self.scale})"
        types = {
            "integer": "DECIMAL(38, 0)",
            "float": "DOUBLE",
            "date": "DATE",
            "timestamp": "TIMESTAMP",
            "boolean": "BOOLEAN",
        }
        return types.get(self.kind, "VARCHAR")


def _decimal(value: Fraction | int, scale: int = 0) -> Decimal:
    """Return a number of units of 10**-``scale`` as a decimal of as many digits as that takes:
    Python's own arithmetic rounds to 28."""
    units = Fraction(value)
    while units.denominator != 1:
        units, scale = units * 10, scale + 1
    digits = tuple(map(int, str(abs(units.numerator))))
    return Decimal((int(units < 0), digits, -scale))


@dataclass(frozen=True)
class ValueSet:
    """A set of values of a domain. Whether the least values are members, ``begins`` says;
    membership changes at every cut. ``null``: NULL is a member."""

    begins: bool
    cuts: tuple[Cut, ...]
    null: bool

    def without_null(self) -> ValueSet:
        """Return the same values without NULL."""
        return ValueSet(self.begins, self.cuts, False)


ANY = ValueSet(True, (), True)
KNOWN = ValueSet(True, (), False)
NULL = ValueSet(False, (), True)


def comparison(domain: Domain, operator: str, points: Sequence[Any]) -> ValueSet:
    """Return the values of which a comparison is true: ``=`` with one of the points, ``<>`` with
    all, ``<``, ``<=``, ``>``, ``>=``."""
    if operator in ("=", "<>"):
        stretches = sorted(
            {
                each
                for each in ((_before(domain, p), _after(domain, p)) for p in points)
                if each[0] < each[1]
            }
        )
        cuts: list[Cut] = []
        for first, last in stretches:
            if cuts and cuts[-1] == first:
                cuts[-1] = last
            else:
                cuts += [first, last]
        return _possible(domain, ValueSet(operator == "<>", tuple(cuts), False))
    cut = _before(domain, points[0]) if operator in ("<", ">=") else _after(domain, points[0])
    return _possible(domain, ValueSet(operator in ("<", "<="), (cut,), False))


def beginning(text: str) -> ValueSet:
    """Return the texts that begin with another."""
    after = _next_text(text)
    cuts: list[Cut] = [(text, 0)] if text else []
    return ValueSet(not text, tuple(cuts if after is None else [*cuts, (after, 0)]), False)


def _next_text(text: str) -> str | None:
    """Return the first text, by code points, after all that begin with ``text``; None where there
    is none."""
    for place in range(len(text) - 1, -1, -1):
        if (code := ord(text[place])) < sys.maxunicode:
            return text[:place] + chr(0xE000 if code + 1 == 0xD800 else code + 1)
    return None


def of_spans(spans: Sequence[Span], null: bool) -> ValueSet:
    """Return the values in some stretches."""
    sets = [
        ValueSet(low is None, tuple(cut for cut in (low, high) if cut is not None), False)
        for low, high in spans
    ]
    found = joined(sets, False) if sets else ValueSet(False, (), False)
    return ValueSet(found.begins, found.cuts, null)


def _possible(domain: Domain, values: ValueSet) -> ValueSet:
    """Return the same values without cuts that have no value on one side: nothing is less than
    FALSE or greater than TRUE."""
    if domain.kind != "boolean":
        return values
    before = [cut for cut in values.cuts if cut[0] <= 0]
    return ValueSet(
        values.begins != (len(before) % 2 == 1),
        tuple(cut for cut in values.cuts if cut[0] == 1),
        values.null,
    )


def joined(sets: Sequence[ValueSet], every: bool) -> ValueSet:
    """Return the values that ``every`` one of the sets holds, or any."""
    needed = len(sets) if every else 1
    changes: dict[Cut, int] = {}
    for each in sets:
        inside = each.begins
        for cut in each.cuts:
            inside = not inside
            changes[cut] = changes.get(cut, 0) + (1 if inside else -1)
    holding = sum(each.begins for each in sets)
    begins = inside = holding >= needed
    cuts = []
    for cut in sorted(changes):
        holding += changes[cut]
        if (holding >= needed) != inside:
            inside = not inside
            cuts.append(cut)
    return ValueSet(begins, tuple(cuts), sum(each.null for each in sets) >= needed)


def _before(domain: Domain, point: Any) -> Cut:
    return (math.ceil(point), 0) if domain.discrete else (point, 0)


def _after(domain: Domain, point: Any) -> Cut:
    return (math.floor(point) + 1, 0) if domain.discrete else (point, 1)


@dataclass(frozen=True)
class Cell:
    """A part of a column's domain whose values all conditions of a query treat alike; no cell of
    the star schema."""

    spans: tuple[Span, ...]
    null: bool


def cells(sets: Sequence[ValueSet]) -> dict[tuple[bool, ...], Cell]:
    """Return the coarsest division of a domain in which every set is a union of cells; a cell's key
    says which sets hold it."""
    cuts: list[Cut | None] = [None, *sorted({cut for each in sets for cut in each.cuts}), None]
    changes = [set(each.cuts) for each in sets]
    inside = [each.begins for each in sets]
    spans: dict[tuple[bool, ...], list[Span]] = {}
    for first, last in pairwise(cuts):
        if first is not None:
            inside = [now != (first in there) for now, there in zip(inside, changes, strict=True)]
        stretches = spans.setdefault(tuple(inside), [])
        if stretches and stretches[-1][1] == first and first is not None:
            stretches[-1] = (stretches[-1][0], last)
        else:
            stretches.append((first, last))
    of_null = tuple(each.null for each in sets)
    spans.setdefault(of_null, [])
    return {key: Cell(tuple(stretches), key == of_null) for key, stretches in spans.items()}
