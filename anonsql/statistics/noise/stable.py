"""Stable keys: a cell of the source is published where its noisy count of people reaches a
threshold, so that whether a cell exists at all does not tell of one person.

A person with R rows adds at most R cells that nobody else is in: each of them has a count of 1.
Where none of these is published the sources with and without this person have the same cells, whose
noise is that of any fixed cells. One of them is published with a probability of R P(1 + noise >= T)
at most: that is the part of delta (Korolova and others, WWW 2009; Wilson and others, PETS 2020). T
is the least whole number for which it is small enough."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal

_MARGIN = 0.999999
"""What probabilities are taken of delta, for what floating-point numbers round away."""


def threshold(
    mechanism: Literal["gaussian", "laplace"], scale: float, rows: int, delta: Fraction
) -> int:
    """Return the least noisy count of people with which a cell is published."""
    most = float(delta) / rows * _MARGIN
    low, high = 0, 1
    while tail(mechanism, scale, high) > most:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        if tail(mechanism, scale, middle) > most:
            low = middle
        else:
            high = middle
    return high + 1


def tail(mechanism: Literal["gaussian", "laplace"], scale: float, least: int) -> float:
    """Return a bound of the probability that noise is at least a whole number above 0: exactly that
    of discrete Laplace noise; of discrete Gaussian noise what a continuous one has from 1 less on
    (Canonne, Kamath, Steinke, 2020, corollary 9)."""
    if mechanism == "laplace":
        return math.exp(-least / scale) / (1 + math.exp(-1 / scale))
    return math.erfc((least - 1) / scale / math.sqrt(2)) / 2
