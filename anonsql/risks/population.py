"""The sizes of a table's classes as a histogram: the input of population models.

Models of a population by a sample's classes. Each returns how many classes of the population have a
single member, or None without an estimate: where its equations have no solution, or none was found.

``sizes`` are the sample's: n rows in u classes, f_s of them with s rows; ``fraction`` is the
sample's share of the population, in (0, 1], so that the population is N = n / fraction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ClassSizes:
    """``counts[i]`` classes have ``sizes[i]`` rows each; sizes rise and are 1 or more."""

    sizes: FloatArray
    counts: FloatArray

    @classmethod
    def of(cls, histogram: Iterable[tuple[int, int]]) -> ClassSizes:
        """Make them of pairs (size, number of classes of that size)."""
        pairs = sorted((size, count) for size, count in histogram if count)
        sizes, counts = zip(*pairs, strict=True) if pairs else ((), ())
        return cls(np.array(sizes, np.float64), np.array(counts, np.float64))

    @property
    def rows(self) -> float:
        """n: the rows of the table."""
        return float(self.sizes @ self.counts)

    @property
    def classes(self) -> float:
        """u: the classes of the table."""
        return float(self.counts.sum())

    def of_size(self, size: int) -> float:
        """f_s: the classes of a size."""
        return float(self.counts[self.sizes == size].sum())


Name = Literal["zayatz", "pitman", "snb"]
Model = Callable[[ClassSizes, float], float | None]
_LARGEST_SIZE = 10_000_000
"""Classes of more rows than this are surely not unique."""
_TOLERANCE = 1e-9
"""The greatest difference, as a share, of the two sides of a solved equation."""
_SMALL_FRACTION = 0.1


@dataclass(frozen=True)
class Estimate:
    """How many members of a population are unique in it, and the ``model`` that says so."""

    uniques: float
    model: Name


def zayatz(sizes: ClassSizes, fraction: float) -> float | None:
    """Return the uniques of the population by Zayatz (1991): those of the sample, times the
    probability that a class with one row in the sample has one member in the population,

        (f_1 / u) HG(1; N, 1, n) / sum over s of (f_s / u) HG(1; N, s, n),

    divided by the fraction; HG(1; N, s, n) is the probability that a sample of n meets one of the s
    members that a class of a population of N has."""
    single = sizes.of_size(1)
    if not sizes.rows:
        return None
    if not single:
        return 0.0
    relative = _one_of(sizes, sizes.rows / fraction)
    return float(single * single / (sizes.counts @ relative) / fraction)


def _one_of(sizes: ClassSizes, population: float) -> FloatArray:
    """Return by size s HG(1; N, s, n) / HG(1; N, 1, n), which is s times the product over j < s of
    (N - n + 1 - j) / (N - j): no factorial overflows, no large numbers cancel."""
    largest = int(min(sizes.sizes.max(), _LARGEST_SIZE))
    steps = np.arange(1, largest, dtype=np.float64)
    left = np.maximum(population - sizes.rows + 1 - steps, 0)
    with np.errstate(divide="ignore"):
        logs = np.concatenate([[0.0], np.cumsum(np.log(left) - np.log(population - steps))])
    within = np.minimum(sizes.sizes, largest).astype(np.int64)
    products = np.where(sizes.sizes <= largest, np.exp(logs[within - 1]), 0.0)
    return np.asarray(sizes.sizes * products, np.float64)


def pitman(sizes: ClassSizes, fraction: float) -> float | None:
    """Return the uniques of the population by the Pitman model, its parameters by maximum
    likelihood (Hoshino 2001): Gamma(theta + 1) / Gamma(theta + alpha) * N ** alpha."""
    from scipy.optimize import root  # slow to import
    from scipy.special import gammaln, psi

    n, u, single, double = sizes.rows, sizes.classes, sizes.of_size(1), sizes.of_size(2)
    larger = sizes.sizes > 1
    if not single or not larger.any():
        return None
    c = single * (single - 1) / max(double, 1.0)
    below = 2 * single * u + single * c - n * c
    if below == 0:
        return None
    theta = (n * u * c - single * (n - 1) * (2 * u + c)) / below
    alpha = (theta * (single - n) + (n - 1) * single) / (n * u)
    held, held_counts = sizes.sizes[larger], sizes.counts[larger]

    def sides(parameters: FloatArray) -> FloatArray:
        t, a = parameters
        ratio = t / a
        rise = psi(u + ratio) - psi(ratio + 1)
        first = rise / a - (psi(n + t) - psi(t + 1))
        second = (u - 1 - ratio * rise) / a - held_counts @ (psi(held - a) - psi(1 - a))
        return np.array([first, second / u])

    for start in ((theta, alpha), (n / 10, 0.5), (1.0, 0.5), (n, 0.1)):
        if not (0 < start[1] < 1 and start[0] > -start[1]):
            continue
        with np.errstate(all="ignore"):
            solved = root(sides, np.array(start), tol=1e-13)
            t, a = solved.x
            right = bool(np.all(np.abs(sides(solved.x)) < _TOLERANCE))
        if right and 0 < a < 1 and t > -a:
            logarithm = gammaln(t + 1) - gammaln(t + a) + a * np.log(n / fraction)
            return float(np.exp(logarithm))
    return None


def snb(sizes: ClassSizes, fraction: float) -> float | None:
    """Return the uniques of the population by the slide negative binomial model (Chen,
    Keller-McNulty 1998): K * b ** a, where one less than a class's size is negative binomial with
    the parameters a and b, and K classes are estimated by Shlosser (Haas, Stokes 1998). Classes of
    one and of two rows are as many as expected when every member of the population comes into the
    sample with the probability of the fraction."""
    from scipy.optimize import root
    from scipy.special import expit

    single, double = sizes.of_size(1), sizes.of_size(2)
    if not single or not double or fraction >= 1:
        return single if fraction >= 1 and sizes.rows else None
    classes = _shlosser(sizes, fraction)

    def sides(parameters: FloatArray) -> FloatArray:
        a, b = np.exp(parameters[0]), expit(parameters[1])
        missed = (1 - fraction) * (1 - b)
        met = 1 - missed
        power = np.exp(a * (np.log(b) - np.log(met)))
        one = classes * fraction * power * (a * missed / met + 1)
        two = classes * a * power * fraction**2 * (1 - b) / (2 * met**2)
        return np.array([one / single - 1, two * (2 - (1 - a) * missed) / double - 1])

    for a in (0.5, 0.05, 2.0, 10.0):
        for b in (0.1, 0.01, 0.5, 0.9):
            with np.errstate(all="ignore"):
                start = np.array([np.log(a), np.log(b / (1 - b))])
                solved = root(sides, start, tol=1e-13).x
                right = bool(np.all(np.abs(sides(solved)) < _TOLERANCE))
                uniques = classes * np.exp(np.exp(solved[0]) * np.log(expit(solved[1])))
            if right and 0 <= uniques <= sizes.rows / fraction:
                return float(uniques)
    return None


def _shlosser(sizes: ClassSizes, fraction: float) -> float:
    """Return the classes of the population by the modified estimator of Shlosser, which Haas and
    Stokes (1998) find to be the best where sizes are skewed."""
    q, s, f = fraction, sizes.sizes, sizes.counts
    first = (s * q**2 * (1 - q**2) ** (s - 1)) @ f
    second = ((1 - q) ** s * ((1 + q) ** s - 1)) @ f
    third = ((1 - q) ** s) @ f
    fourth = (s * q * (1 - q) ** (s - 1)) @ f
    return float(sizes.classes + sizes.of_size(1) * (first / second) * (third / fourth) ** 2)


def best(sizes: ClassSizes, fraction: float) -> Estimate | None:
    """Return the estimate that Dankar, El Emam, Neisa and Roffey (2012) choose: of a fraction of a
    tenth or less the Pitman model, else the lesser of Zayatz and the slide negative binomial model;
    Zayatz where these say nothing. None of a table without rows."""
    by_zayatz = zayatz(sizes, fraction)
    if by_zayatz is None:
        return None
    if fraction <= _SMALL_FRACTION:
        by_pitman = pitman(sizes, fraction)
        return Estimate(by_zayatz, "zayatz") if by_pitman is None else Estimate(by_pitman, "pitman")
    by_snb = snb(sizes, fraction)
    if by_snb is not None and by_snb < by_zayatz:
        return Estimate(by_snb, "snb")
    return Estimate(by_zayatz, "zayatz")
