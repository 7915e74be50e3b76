"""Zero-concentrated differential privacy (zCDP), and what it is as (epsilon, delta).

rho-zCDP implies (epsilon, delta)-differential privacy for every alpha > 1 with
delta = exp((alpha - 1)(alpha rho - epsilon)) / (alpha - 1) * (1 - 1 / alpha)^alpha
(Canonne, Kamath, Steinke, The Discrete Gaussian for Differential Privacy, NeurIPS 2020,
proposition 7). Any alpha gives a bound that holds: a near best one is searched by floating-point
numbers, and what it gives is then reckoned with 50 digits and rounded to the safe side.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from typing import Final

_DIGITS: Final = 50
_TOLD: Final = 12
"""The digits of results."""
_NEAREST, _FARTHEST = -20.0, 40.0
"""Logarithms of alpha - 1 between which the best one is searched."""


def rho_of(epsilon: Decimal, delta: Decimal) -> Decimal:
    """Return the greatest rho, rounded down to 12 digits, of which rho-zCDP is known to be
    (``epsilon``, ``delta``)-differential privacy."""

    def least(alpha: float) -> float:
        return -(float(epsilon) - _part(alpha, math.log(delta))) / alpha

    alpha = _best(least)
    with localcontext(Context(prec=_DIGITS)):
        exact = (epsilon - _exact_part(alpha, delta)) / alpha
    return max(_rounded(exact, ROUND_FLOOR), Decimal(0))


def epsilon_of(rho: Decimal, delta: Decimal) -> Decimal:
    """Return the least epsilon, rounded up to 12 digits, of which ``rho``-zCDP is known to be
    (epsilon, ``delta``)-differential privacy."""

    def least(alpha: float) -> float:
        return alpha * float(rho) + _part(alpha, math.log(delta))

    alpha = _best(least)
    with localcontext(Context(prec=_DIGITS)):
        exact = alpha * rho + _exact_part(alpha, delta)
    return max(_rounded(exact, ROUND_CEILING), Decimal(0))


def _part(alpha: float, log_delta: float) -> float:
    """Return what is added to alpha rho to make epsilon."""
    logarithm = alpha * math.log1p(-1 / alpha) - math.log(alpha - 1) - log_delta
    return logarithm / (alpha - 1)


def _exact_part(alpha: Decimal, delta: Decimal) -> Decimal:
    """Return the same with as many digits as the context has."""
    logarithm = alpha * (1 - 1 / alpha).ln() - (alpha - 1).ln() - delta.ln()
    return logarithm / (alpha - 1)


def _best(value: Callable[[float], float]) -> Decimal:
    """Return an alpha for which ``value`` is nearly least, from ever finer steps of the logarithm
    of alpha - 1."""
    low, high = _NEAREST, _FARTHEST
    for _ in range(6):
        step = (high - low) / 60
        logarithms = [low + step * number for number in range(61)]
        best = min(logarithms, key=lambda at: value(1 + math.exp(at)))
        low, high = best - step, best + step
    return 1 + Decimal(math.exp(best))


def _rounded(value: Decimal, rounding: str) -> Decimal:
    """Return a number with as many digits as are told."""
    return Context(prec=_TOLD, rounding=rounding).plus(value)
