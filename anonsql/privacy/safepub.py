"""How large k must be, and how many rows may be sampled, for a k-anonymous release to be
differentially private: SafePub (Bild, Kuhn, Prasser, PoPETs 2018(1), Theorem 2 and section 5).

Each row is kept with the probability beta = 1 - exp(-epsilon), and classes of fewer than k kept
rows are left out. The release is then (epsilon, delta)-differentially private for

    delta(k) = max over n >= ceil(k / gamma - 1) of P[Bin(n, beta) > floor(n gamma)],
    gamma = (exp(epsilon) - 1 + beta) / exp(epsilon).

All is computed with decimal numbers that are rounded outward: what is returned as at most delta is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from itertools import count
from math import comb

_DIGITS = 40
_UP = Context(prec=_DIGITS, rounding=ROUND_CEILING)
_DOWN = Context(prec=_DIGITS, rounding=ROUND_FLOOR)
_ERROR = Decimal(10) ** (3 - _DIGITS)
"""Decimal's exp, ln and power err by less than this share of their result, however it rounds."""
_MORE, _LESS = _UP.add(1, _ERROR), _DOWN.subtract(1, _ERROR)


@dataclass(frozen=True)
class Between:
    """A number that lies between two."""

    low: Decimal
    high: Decimal


def kept_with(epsilon: Decimal) -> Between:
    """Return beta, the probability with which each row is kept."""
    power = _exp(-epsilon)
    return Between(_DOWN.subtract(1, power.high), _UP.subtract(1, power.low))


def _gamma(epsilon: Decimal) -> Between:
    """Return gamma = 1 - exp(-epsilon) (1 - beta) = 1 - exp(-2 epsilon)."""
    return kept_with(2 * epsilon)


def _exp(value: Decimal) -> Between:
    with localcontext(Context(prec=_DIGITS)):
        power = value.exp()
    return Between(_DOWN.multiply(power, _LESS), _UP.multiply(power, _MORE))


def delta_of(epsilon: Decimal, k: int) -> Decimal:
    """Return an upper bound of delta(k), of ``epsilon`` of the anonymization, for a ``k`` of 1 or
    more."""
    beta, gamma = kept_with(epsilon), _gamma(epsilon)
    first = max(0, _ceiling(_DOWN.divide(k, gamma.high)) - 1)
    greatest = Decimal(0)
    for n in count(first):
        if _beyond(n, beta, gamma) <= greatest:
            return greatest
        greatest = max(greatest, _tail(n, _floor(_DOWN.multiply(n, gamma.low)), beta))
    raise AssertionError  # it counts without end


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
    """Return an upper bound of P[Bin(m, beta) > m gamma] for all m of n or more, by Chernoff:
    exp(-n (gamma ln(gamma / beta) - (gamma - beta)))."""
    with localcontext(Context(prec=_DIGITS)):
        exponent = gamma.low * (gamma.low / beta.high).ln() - (gamma.low - beta.high)
        return _exp(-n * exponent * _LESS).high


def _tail(n: int, floor: int, beta: Between) -> Decimal:
    """Return an upper bound of P[Bin(n, beta) > floor]."""
    total = Decimal(0)
    for term in _terms(n, floor + 1, beta):
        total = _UP.add(total, term)
    return min(total, Decimal(1))


def _terms(n: int, start: int, beta: Between) -> Iterator[Decimal]:
    """Yield upper bounds of P[Bin(n, beta) = j] for j from ``start`` to n."""
    if start > n:
        return
    missed = _UP.subtract(1, beta.low)
    term = Decimal(comb(n, start))
    for power in (_UP.power(beta.high, start), _UP.power(missed, n - start)):
        term = _UP.multiply(term, _UP.multiply(power, _MORE))
    odds = _UP.divide(beta.high, _DOWN.subtract(1, beta.low))
    for j in range(start, n + 1):
        yield term
        term = _UP.divide(_UP.multiply(_UP.multiply(term, n - j), odds), j + 1)


def _ceiling(value: Decimal) -> int:
    return int(value.to_integral_value(ROUND_CEILING))


def _floor(value: Decimal) -> int:
    return int(value.to_integral_value(ROUND_FLOOR))
