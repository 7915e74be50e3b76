"""Domains: the values that a column may have, in an order.

Every domain is ordered, text by its code points. A stretch is between two cuts; a cut is a point
just before a value (side 0) or just after it (side 1). In a discrete domain (integers, days, units
of a decimal, microseconds) all cuts are just before a value.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from anonsql.engines.base import Column
from anonsql.grammar.literals import Kind, day, moment, number

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
        """Return a Python value as one of the domain; in a discrete domain a literal may be between
        two values. Raise OverflowError for a number that single precision cannot hold."""
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

    def read(self, text: str) -> Any:
        """Return a value's text as a value of the domain; None when it is not one."""
        if self.kind == "text":
            return text
        if self.kind == "boolean":
            return {"true": 1, "false": 0}.get(text.lower())
        reader: Callable[[str], object] = {"date": day, "timestamp": moment}.get(self.kind, number)
        result = reader(text)
        try:
            value = None if result is None else self.point(result)
        except OverflowError:  # single precision cannot hold it
            return None
        return None if self.discrete and not isinstance(value, int) else value

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
