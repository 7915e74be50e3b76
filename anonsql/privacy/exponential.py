"""The exponential mechanism: one of several candidates is drawn, each with a probability in
proportion to exp(epsilon score).

It is epsilon-differentially private for a score that one more row raises by 1 at most and never
lowers (McSherry, Talwar, Mechanism design via differential privacy, FOCS 2007). Such scores need no
factor of 1/2: with one more row each weight grows by a factor from 1 to exp(epsilon), and so does
their sum, so that no quotient of both changes by more than exp(epsilon). Scores are whole multiples
of 1 / ``unit``, and weights whole numbers: a sum of floating point numbers would tell by its last
digit what it was rounded from."""

from __future__ import annotations

import secrets
from bisect import bisect_right
from collections.abc import Sequence
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from itertools import accumulate
from typing import Final

_LEAST_BITS: Final = 64
"""A candidate is at most that many powers of 2 less likely than the best one. A score that is
raised to that level is still one that a row raises by 1 at most and never lowers."""
_WHOLE: Final = 1 << (_LEAST_BITS + 128)
"""The weight of the best candidate; the least one still has 128 bits."""
_ROUNDED = Decimal(10) ** -30
"""What rounding of weights, by less than 2^-126 of each, may add to epsilon, and more."""
_DIGITS = 80


def weights_of(scores: Sequence[int], unit: int, epsilon: Decimal) -> list[int]:
    """Return the weights of candidates by their ``scores``, in parts of ``unit``; at least one."""
    with localcontext(Context(prec=_DIGITS)):
        rate = max(epsilon - _ROUNDED, Decimal(0))
        most, farthest = max(scores), _LEAST_BITS * Decimal(2).ln()
        far = {below: min(rate * below / unit, farthest) for below in {most - s for s in scores}}
        by_distance = {
            below: int((_WHOLE * (-distance).exp()).to_integral_value(ROUND_CEILING))
            for below, distance in far.items()
        }
    return [by_distance[most - score] for score in scores]


def reach_of(unit: int, epsilon: Decimal) -> int:
    """Return how far below the greatest a score may lie, in parts of ``unit``, before all that are
    farther have one weight."""
    with localcontext(Context(prec=_DIGITS)):
        far = _LEAST_BITS * Decimal(2).ln() / max(epsilon - _ROUNDED, _ROUNDED)
        return int((far * unit).to_integral_value(ROUND_CEILING)) + 1


def draw(weights: Sequence[int]) -> int:
    """Return the position of one of the weights, drawn in proportion to them from the operating
    system's entropy."""
    sums = list(accumulate(weights))
    return bisect_right(sums, secrets.randbelow(sums[-1]))
