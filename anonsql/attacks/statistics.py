"""How often guesses are right, and what the release adds to that, with intervals. The rate has
Wilson's interval (Wilson 1927). The risk, (attack − control) / (1 − control), has the errors of
both rates propagated (Giomi, Boenisch, Wehmeyer, Tasnádi: A unified framework for quantifying
privacy risk in synthetic data, PoPETs 2023)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist


@dataclass(frozen=True)
class Counted:
    """Guesses, and those of them that are right."""

    guesses: int
    successes: int

    @property
    def rate(self) -> float | None:
        """The share of guesses that are right; None where there are none."""
        return self.successes / self.guesses if self.guesses else None

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return Wilson's interval of the rate: all rates where there are no guesses."""
        if not self.guesses:
            return 0.0, 1.0
        middle, half = self._wilson(confidence)
        lower = 0.0 if not self.successes else middle - half
        upper = 1.0 if self.successes == self.guesses else middle + half
        return max(lower, 0.0), min(upper, 1.0)

    def _wilson(self, confidence: float) -> tuple[float, float]:
        """Return the middle of the interval, and half of its width."""
        z, n, right = NormalDist().inv_cdf((1 + confidence) / 2), self.guesses, self.successes
        middle = (right + z * z / 2) / (n + z * z)
        half = z / (n + z * z) * math.sqrt(right * (n - right) / n + z * z / 4)
        return middle, half


@dataclass(frozen=True)
class Residual:
    """The risk that is left when the control's success is taken off, within an interval."""

    risk: float
    lower: float
    upper: float


def residual(attack: Counted, control: Counted, confidence: float) -> Residual | None:
    """Return the risk of an attack beyond its control, not below 0; None without guesses."""
    if attack.rate is None or control.rate is None:
        return None
    if control.rate == 1:  # nothing is left for a release to add
        return Residual(0.0, 0.0, 0.0)
    a, of_a = attack._wilson(confidence)
    c, of_c = control._wilson(confidence)
    risk = max((attack.rate - control.rate) / (1 - control.rate), 0.0)
    error = math.hypot(of_a / (1 - c), of_c * (1 - a) / (1 - c) ** 2)
    middle = (a - c) / (1 - c)
    lower, upper = max(middle - error, 0.0), max(middle + error, 0.0)
    return Residual(risk, min(lower, risk), min(max(upper, risk), 1.0))
