"""How large k must be, and how many rows may be sampled, for a k-anonymous release to be
differentially private: SafePub (Bild, Kuhn, Prasser, PoPETs 2018(1), Theorem 2 and section 5).

Each row is kept with a probability beta of at most 1 - exp(-epsilon), and classes of fewer than k
kept rows are left out. The release is then (epsilon, delta)-differentially private for

    delta(k) = max over n >= ceil(k / gamma - 1) of P[Bin(n, beta) > floor(n gamma)],
    gamma = (exp(epsilon) - 1 + beta) / exp(epsilon).

beta is the greatest multiple of 2^-40 that is small enough: what rows are drawn by is a whole
number, and delta is that of these very draws. All is computed with decimal numbers that are rounded
outward: what is returned as at most delta is.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import count
from math import comb
from typing import Final

_DIGITS = 40
_UP = Context(prec=_DIGITS, rounding=ROUND_CEILING)
_DOWN = Context(prec=_DIGITS, rounding=ROUND_FLOOR)
_EXACT = Context(prec=2 * _DIGITS)
_ERROR = Decimal(10) ** (3 - _DIGITS)
"""Decimal's exp, ln and power err by less than this share of their result, however it rounds."""
_MORE, _LESS = _UP.add(1, _ERROR), _DOWN.subtract(1, _ERROR)
_NEGLIGIBLE = Decimal(10) ** -20
"""A tail ends where all that follows is less than this share of it, and is added as a whole."""
WHOLE: Final = 1 << 40
"""What rows are drawn by is a share of this number."""


@dataclass(frozen=True)
class Between:
    """A number that lies between two."""

    low: Decimal
    high: Decimal


def kept_with(epsilon: Decimal) -> Between:
    """Return beta, the probability with which each row is kept."""
    power = _exp(-epsilon)
    return Between(_DOWN.subtract(1, power.high), _UP.subtract(1, power.low))


@cache
def limit_of(epsilon: Decimal) -> int:
    """Return the number, of :data:`WHOLE` equally likely ones, below which a draw keeps a row."""
    return _floor(kept_with(epsilon).low * WHOLE)


def beta_of(epsilon: Decimal) -> Fraction:
    """Return the probability with which each row is kept, exactly."""
    return Fraction(limit_of(epsilon), WHOLE)


def _beta(epsilon: Decimal) -> Between:
    """Return the same as a decimal number, which has all of its 40 digits."""
    share = _EXACT.divide(Decimal(limit_of(epsilon)), Decimal(WHOLE))
    return Between(share, share)


def _gamma(epsilon: Decimal) -> Between:
    """Return gamma = 1 - exp(-epsilon) (1 - beta)."""
    power, missed = _exp(-epsilon), _EXACT.subtract(1, _beta(epsilon).low)
    low = _DOWN.subtract(1, _UP.multiply(power.high, missed))
    return Between(low, _UP.subtract(1, _DOWN.multiply(power.low, missed)))


def _exp(value: Decimal) -> Between:
    with localcontext(Context(prec=_DIGITS)):
        power = value.exp()
    return Between(_DOWN.multiply(power, _LESS), _UP.multiply(power, _MORE))


def delta_of(epsilon: Decimal, k: int) -> Decimal:
    """Return an upper bound of delta(k), of ``epsilon`` of the anonymization, for a ``k`` of 1 or
    more."""
    beta, gamma = _beta(epsilon), _gamma(epsilon)
    first = max(0, _ceiling(_DOWN.divide(k, gamma.high)) - 1)
    greatest = Decimal(0)
    for n in count(first):
        if _beyond(n, beta, gamma) <= greatest:
            return greatest
        greatest = max(greatest, _tail(n, _floor(_DOWN.multiply(n, gamma.low)), beta))
    raise AssertionError  # it counts without end


@cache
def k_for(epsilon: Decimal, delta: Decimal) -> int:
    """Return the least k with delta(k) of at most ``delta``."""
    high = 1
    while delta_of(epsilon, high) > delta:
        high *= 2
    low = high // 2  # delta(low) is greater: it falls as k rises
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if delta_of(epsilon, middle) > delta else (low, middle)
    return high


def _beyond(n: int, beta: Between, gamma: Between) -> Decimal:
    """Return an upper bound of P[Bin(m, beta) >= m gamma] for all m of n or more, by Chernoff:
    exp(-n (gamma ln(gamma / beta) + (1 - gamma) ln((1 - gamma) / (1 - beta)))). The exponent rises
    with gamma, which is greater than beta."""
    low = gamma.low
    with localcontext(Context(prec=_DIGITS)):
        exponent = low * (low / beta.high).ln() + (1 - low) * ((1 - low) / (1 - beta.high)).ln()
        return _exp(-n * (exponent - _ERROR)).high


def _tail(n: int, floor: int, beta: Between) -> Decimal:
    """Return an upper bound of P[Bin(n, beta) > floor]: each term is rounded up, and once they fall
    by a factor, what is left is at most a geometric series."""
    start, total = floor + 1, Decimal(0)
    if start > n:
        return total
    missed = _UP.subtract(1, beta.low)
    term = Decimal(comb(n, start))
    for power in (_UP.power(beta.high, start), _UP.power(missed, n - start)):
        term = _UP.multiply(term, _UP.multiply(power, _MORE))
    odds = _UP.divide(beta.high, _DOWN.subtract(1, beta.low))
    for j in range(start, n + 1):
        total = _UP.add(total, term)
        factor = _UP.divide(_UP.multiply(odds, n - j), j + 1)
        term = _UP.multiply(term, factor)
        if (
            factor < 1
            and (rest := _UP.divide(term, _DOWN.subtract(1, factor))) < total * _NEGLIGIBLE
        ):
            return min(_UP.add(total, rest), Decimal(1))
    return min(total, Decimal(1))


def _ceiling(value: Decimal) -> int:
    return int(value.to_integral_value(ROUND_CEILING))


def _floor(value: Decimal) -> int:
    return int(value.to_integral_value(ROUND_FLOOR))
