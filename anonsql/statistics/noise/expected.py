"""How far noise is from 0, before any is drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

_EXACT = 50.0
"""The scale up to which whole numbers are summed; beyond, the continuous formula is as good."""
_Mechanism = Literal["gaussian", "laplace"]


@dataclass(frozen=True)
class Error:
    """The ``mean`` absolute noise, and its ``bound`` in all but 1 of 20 cells."""

    mean: float
    bound: float


def error(mechanism: _Mechanism, scale: float) -> Error:
    """Return how far noise of a scale is from 0, in the unit of the scale."""
    if scale > _EXACT:
        if mechanism == "laplace":
            return Error(scale, scale * math.log(20))
        return Error(scale * math.sqrt(2 / math.pi), scale * 1.959964)
    chances = probabilities(mechanism, scale)
    mean = 2 * sum(value * chance for value, chance in enumerate(chances))
    inside, bound = chances[0], 0
    while inside < 0.95:
        bound += 1
        inside += 2 * chances[bound]
    return Error(mean, float(bound))


def probabilities(mechanism: _Mechanism, scale: float) -> list[float]:
    """Return the probabilities that discrete noise of a scale is 0, 1, 2, … (as -1, -2, …)."""
    reach = math.ceil(40 * scale) + 2
    if mechanism == "laplace":
        weights = [math.exp(-value / scale) for value in range(reach)]
    else:
        weights = [math.exp(-(value**2) / (2 * scale**2)) for value in range(reach)]
    total = weights[0] + 2 * sum(weights[1:])
    return [weight / total for weight in weights]
