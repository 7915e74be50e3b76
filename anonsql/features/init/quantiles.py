"""Hierarchies of numbers by how they spread: intervals of one width, or breaks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

from anonsql.hierarchies import breaks
from anonsql.system.scalars import plain

_PARTS = 16
SHARES = (
    Decimal(0),
    Decimal("0.01"),
    *(Decimal(part) / _PARTS for part in range(1, _PARTS)),
    Decimal("0.99"),
    Decimal(1),
)
"""The shares whose quantiles are taken: the ends, a hundredth from them, and sixteenths."""
_OF_THE_MIDDLE = 4  # intervals, at least, of the middle half of the rows
_OF_MOST = 4  # intervals, at most, of all rows but two in a hundred at the last level
_SKEWED = 6  # times the interquartile range; of a normal distribution it is 3.4 times
_LEVELS = (3, 8)  # at least and at most
_LEAST_UNIT = -6  # power of ten: as many digits after the point as a width may have


@dataclass(frozen=True)
class Quantiles:
    """Quantiles of a column's numbers, by :data:`SHARES`."""

    values: tuple[float, ...]

    @property
    def least(self) -> float:
        """The least number."""
        return self.values[0]

    @property
    def median(self) -> float:
        """The number in the middle."""
        return self._at(_PARTS // 2)

    @property
    def middle(self) -> float:
        """The interquartile range."""
        return self._at(_PARTS * 3 // 4) - self._at(_PARTS // 4)

    @property
    def most(self) -> float:
        """The range of all numbers but a hundredth at each end."""
        return self.values[-2] - self.values[1]

    @property
    def whole(self) -> float:
        """The range."""
        return self.values[-1] - self.values[0]

    @property
    def skewed(self) -> bool:
        """Whether most of the range is that of few rows, which intervals of one width would leave
        alone."""
        return 0 < self.middle * _SKEWED < self.most

    def parts(self) -> list[float]:
        """Return the quantiles at the ends of all sixteenths but the last."""
        return [self._at(part) for part in range(1, _PARTS)]

    def _at(self, part: int) -> float:
        return self.values[part + 1]


def number_hierarchy(quantiles: Quantiles, *, whole: bool) -> tuple[str, str]:
    """Return a hierarchy for a column of numbers, which are ``whole`` or not, and why. The first
    width parts the middle half of the rows (or, where most have one number, all but a hundredth at
    each end, or all), and each level doubles it. Skewed numbers get breaks by their quantiles."""
    if quantiles.skewed and (by_breaks := _breaks(quantiles)) is not None:
        why = "Breaks are suitable for a number with few large values: its quantiles, rounded."
        return by_breaks, why
    widths = _widths(quantiles, whole=whole)
    text = ", ".join(f"{width:.6f}".rstrip("0").rstrip(".") for width in widths)
    why = "Intervals are suitable for a number; the widths follow from the spread of its values."
    return f"{{type: interval, widths: [{text}]}}", why


def _breaks(quantiles: Quantiles) -> str | None:
    """Return breaks; None where so few quantiles differ that breaks would reveal single values."""
    parts = quantiles.parts()
    if len(set(parts)) < _PARTS // 2:
        return None
    at, then = breaks.proposed(parts)
    shown = [f"[{', '.join(plain(value) for value in level)}]" for level in (at, *then)]
    return f"{{type: breaks, at: {shown[0]}, then: [{', '.join(shown[1:])}]}}"


def _widths(quantiles: Quantiles, *, whole: bool) -> list[float]:
    if quantiles.middle > 0:
        aim = max(quantiles.middle / _OF_THE_MIDDLE, quantiles.most / 1000)
    else:
        aim = (quantiles.most or quantiles.whole) / 10
    exponent = max(_LEAST_UNIT, math.floor(math.log10(aim)))
    unit = next(digit for digit in (5, 2, 1) if digit * 10**exponent <= aim or digit == 1)
    width = unit * 10.0**exponent
    widths = [max(width, 2) if whole else width]
    fewest, greatest = _LEVELS
    while len(widths) < fewest or (
        len(widths) < greatest and quantiles.most > _OF_MOST * widths[-1]
    ):
        widths.append(widths[-1] * 2)
    return widths
