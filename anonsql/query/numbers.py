"""Lower and upper bounds as numbers: exact where possible, else rounded outwards.

Whole numbers, decimals and moments are added in units of their last digit, which every engine does
exactly. Sums of floating point numbers are rounded as they are added; the bounds are widened by how
far they can be off.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

Exact = int | Fraction
Number = int | float | Decimal
"""A number as an engine returns it."""
_LEAST = Fraction(1, 10**290)
_DIGITS = 12  # of a bound that is not a short decimal
_ROUNDING = Fraction(1, 2**51)  # four times the error of one floating point operation
_MOST_EVEN = 2**43  # sums of multiples of the 1024th are exact in double precision up to it


@dataclass(frozen=True)
class Scale:
    """How an engine computes with a column's numbers: ``exact``, in units of ``1/unit``, or in
    floating point. ``even``: all are multiples of 1/1024; ``cast``: some may have been cast from
    another type."""

    exact: bool
    unit: int = 1
    even: bool = False
    cast: bool = False

    def number(self, value: Number) -> Fraction:
        """Return the value of a number in the engine's units."""
        return Fraction(value) / self.unit

    def off(self, size: Number | None, rows: int) -> Fraction:
        """Return how far the sum of the numbers of ``rows`` rows, whose absolute values add up to
        ``size``, can be from the true sum."""
        if self.exact or size is None:
            return Fraction(0)
        most = Fraction(size)
        return Fraction(0) if self.even and most < _MOST_EVEN else (rows + 8) * _ROUNDING * most

    def single(self, value: Number, sign: int) -> Fraction:
        """Return the value of a single number in the engine's units; where it was cast, moved
        outwards by the error of casting."""
        number = self.number(value)
        return (
            number + sign * 8 * _ROUNDING * abs(number) if self.cast and not self.exact else number
        )


@dataclass(frozen=True)
class Extreme:
    """Lower (or upper) bounds of the aggregates over the rows that satisfy a question: of their
    sum, their mean, the outermost value (``far``), and the value at the other end (``near``). None
    where a bound is unknown; ``infinite`` where a value is infinite or NaN."""

    total: Fraction | None = None
    mean: Fraction | None = None
    far: Fraction | None = None
    near: Fraction | None = None
    infinite: bool = False

    @classmethod
    def of(cls, row: Sequence[Any], scale: Scale, sign: int) -> Extreme:
        """Return the bounds in a row of query/extremes; ``sign`` is -1 for the least, 1 for the
        greatest."""
        total, mean_sum, mean_rows, unknown, far, near, rows, size, reach = row
        if any(isinstance(value, float) and not math.isfinite(value) for value in row):
            return cls(infinite=True)
        inner = None if near is None else scale.single(near, sign)
        if unknown:
            return cls(near=inner)
        outer = scale.single(far, sign)
        mean = (
            (scale.number(mean_sum) / int(mean_rows)) + sign * scale.off(reach, rows)
            if mean_rows
            else None
        )
        return cls(
            scale.number(total) + sign * scale.off(size, rows),
            mean,
            outer,
            outer if inner is None else inner,
        )


def shown(value: Exact | None, *, up: bool) -> int | float | None:
    """Return a bound as documents show it: a whole number or a short decimal as it is, any other
    rounded up or down to twelve digits or to a whole number."""
    if value is None:
        return None
    exact = Fraction(value)
    if exact.denominator == 1:
        return exact.numerator
    with_digits = as_float(exact)
    if with_digits is not None and Fraction(repr(with_digits)) == exact:
        return with_digits
    if abs(exact) < _LEAST:  # where floating point numbers have fewer digits
        return 0 if (exact > 0) != up else float(_LEAST) if up else -float(_LEAST)
    places = max(0, _DIGITS - 1 - magnitude(exact))
    unit = 10**places
    whole = math.ceil(exact * unit) if up else math.floor(exact * unit)
    if not places or whole % unit == 0:
        return int(whole // unit)
    rounded = as_float(Fraction(whole, unit))
    return rounded if rounded is not None else (math.ceil(exact) if up else math.floor(exact))


def as_float(value: Fraction) -> float | None:
    """Return the nearest floating point number; None where the value is too great for one."""
    try:
        return float(value)
    except OverflowError:
        return None


def magnitude(value: Fraction) -> int:
    """Return the decimal exponent of a number's first digit: 0 for 1 to 9, -1 for 0.1 to 0.9."""
    digits = len(str(abs(value.numerator))) - len(str(value.denominator))
    return digits if abs(value) >= Fraction(10) ** digits else digits - 1


def double(value: Exact | Decimal, *, up: bool) -> float:
    """Return a number in double precision, rounded up or down where it is not representable."""
    exact = Fraction(value)
    nearest = as_float(exact)
    if nearest is None:
        beyond = math.inf if exact > 0 else -math.inf
        return beyond if (exact > 0) == up else math.nextafter(beyond, 0.0)
    if Fraction(nearest) == exact or (nearest > value) == up:
        return nearest
    return math.nextafter(nearest, math.inf if up else -math.inf)
