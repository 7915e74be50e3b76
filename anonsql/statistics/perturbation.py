"""Noise by cell keys: how much of it, with what chance (Marley & Leaver 2011, Giessing 2016).

The number that a cell's key draws is uniform in [0, 2³²) and depends only on the people in the cell
and a secret, so a table that gives each part of that range a deviation gives the same people the
same noise everywhere. Among the distributions with the required mean, variance, largest deviation
and no small counts, the table has the greatest entropy: it reveals least. Chances are whole numbers
of 2⁻³², found by decimal arithmetic of fixed precision: they are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cached_property

from anonsql.system.arrays import IntArray, np

KEYS = 2**32
"""The number of keys."""
MILLION = 1_000_000
"""Factors are in millionths."""
BINS = 1024
"""The number of factors, each as likely as another."""
_GRID = 128
"""The steps, on each side of 0, of the distribution that factors are read from."""
_DIGITS = 40
_CLOSE = Decimal("1e-30")
_STEPS = 300

Row = tuple[tuple[int, int], ...]
"""Of a count its deviations, rising, each with its number of keys."""


@dataclass(frozen=True)
class PerturbationTable:
    """The deviations of counts.

    ``rows`` has one for the counts 0, 1 … ``greatest_class``; greater counts go by the last. All
    deviations are within ``largest``; no result is negative, or positive and below ``least``; 0
    stays 0. Chances of a count sum to 1 exactly, and its mean deviation is exactly 0 where two of
    its results are neighbours, else less than 2⁻³⁰ · ``largest``. Its variance is ``variance``
    to 2⁻²⁰, or where ``least`` does not allow that little the least that it allows.
    """

    variance: Decimal
    largest: int
    least: int
    rows: Sequence[Row]

    @property
    def greatest_class(self) -> int:
        """The count whose row is that of all greater ones."""
        return len(self.rows) - 1

    @property
    def variances(self) -> list[float]:
        """The variance of each row, as its numbers of keys make it."""
        return [sum(d * d * keys for d, keys in row) / KEYS for row in self.rows]

    @cached_property
    def columns(self) -> dict[str, IntArray]:
        """The table ``perturbation``: of count i, keys from ``lo`` to below ``hi`` deviate by
        ``d``."""
        lines = []
        for count, row in enumerate(self.rows):
            low = 0
            for deviation, keys in row:
                lines.append((count, low, low + keys, deviation))
                low += keys
        return dict(zip(("i", "lo", "hi", "d"), np.array(lines, np.int64).T, strict=True))

    def noise(self, counts: IntArray, keys: IntArray) -> IntArray:
        """Return the deviations of counts by their keys, as statistics/perturbed has them."""
        table = self.columns
        ends = table["i"] * KEYS + table["hi"]
        asked = np.minimum(counts, self.greatest_class) * KEYS + keys
        return np.asarray(table["d"][np.searchsorted(ends, asked, side="right")], np.int64)


def table(variance: Decimal, largest: int, *, least: int = 1) -> PerturbationTable:
    """Return the table of a variance and largest deviation in which no positive result is below
    ``least``. Raise ValueError where the largest deviation is less than the variance or ``least``:
    a count of 1, or of ``least``, could not have so much noise with a mean of 0."""
    if least < 1 or variance <= 0:
        raise ValueError("the variance is not positive, or the least count is below 1")
    if largest < variance or largest < least:
        raise ValueError("the largest deviation is less than the variance or the least count")
    last = largest + least - (least == 1)
    with localcontext(prec=_DIGITS):
        rows = [_row(_allowed(i, largest, least), variance) for i in range(1, last + 1)]
    return PerturbationTable(variance, largest, least, [((0, KEYS),), *rows])


def _allowed(count: int, largest: int, least: int) -> list[int]:
    results = range(max(0, count - largest), count + largest + 1)
    return [result - count for result in results if result == 0 or result >= least]


def _row(deviations: Sequence[int], variance: Decimal) -> Row:
    below = [d for d in deviations if d <= 0]
    above = [d for d in deviations if d >= 0]
    smallest, greatest = -below[-1] * above[0], -below[0] * above[-1]
    if variance <= smallest or variance >= greatest:
        ends = (below[-1], above[0]) if variance <= smallest else (below[0], above[-1])
        low, high = map(Decimal, ends)
        pair = [high / (high - low), -low / (high - low)]
        return _whole(ends, pair)
    return _whole(deviations, _most_entropy(deviations, variance))


def _most_entropy(deviations: Sequence[int], variance: Decimal) -> list[Decimal]:
    """Return the chances of greatest entropy with mean 0 and a variance strictly between the least
    and the greatest: they are proportional to exp(a·d + b·d²). The parameters are the minimum of
    the dual, which is convex, by Newton's method with halved steps. Deviations are scaled to 1."""
    scale = Decimal(max(map(abs, deviations)))
    first = [d / scale for d in deviations]
    second = [d * d - variance / scale**2 for d in first]
    a = b = Decimal(0)
    chances, value = _chances(first, second, a, b)
    for _ in range(_STEPS):
        mean, excess = _dot(chances, first), _dot(chances, second)
        if abs(mean) < _CLOSE and abs(excess) < _CLOSE:
            return chances
        squares = _dot(chances, [x * x for x in first]) - mean**2
        mixed = _dot(chances, [x * y for x, y in zip(first, second, strict=True)]) - mean * excess
        fourth = _dot(chances, [y * y for y in second]) - excess**2
        determinant = squares * fourth - mixed**2
        da = (mixed * excess - fourth * mean) / determinant
        db = (mixed * mean - squares * excess) / determinant
        step, slope = Decimal(1), mean * da + excess * db
        while True:
            chances, new = _chances(first, second, a + step * da, b + step * db)
            if new <= value + slope * step / 4 + _CLOSE or step < _CLOSE:
                break
            step /= 2
        a, b, value = a + step * da, b + step * db, new
    raise ArithmeticError("the chances of greatest entropy were not found")


def _chances(
    first: Sequence[Decimal], second: Sequence[Decimal], a: Decimal, b: Decimal
) -> tuple[list[Decimal], Decimal]:
    """Return chances by their parameters, and the value of the dual."""
    exponents = [a * x + b * y for x, y in zip(first, second, strict=True)]
    greatest = max(exponents)
    weights = [(exponent - greatest).exp() for exponent in exponents]
    total = sum(weights, Decimal(0))
    return [weight / total for weight in weights], greatest + total.ln()


def _dot(chances: Sequence[Decimal], values: Sequence[Decimal]) -> Decimal:
    return sum((p * x for p, x in zip(chances, values, strict=True)), Decimal(0))


def _whole(deviations: Sequence[int], chances: Sequence[Decimal]) -> Row:
    """Return chances as numbers of keys, which sum to all keys. What rounding made of the mean is
    taken back by keys that go from one deviation to its neighbour, where both are likely."""
    keys = [int((chance * KEYS).to_integral_value()) for chance in chances]
    keys[keys.index(max(keys))] += KEYS - sum(keys)
    moved = -sum(d * n for d, n in zip(deviations, keys, strict=True))
    pairs = [n for n in range(len(keys) - 1) if deviations[n + 1] == deviations[n] + 1]
    if pairs:
        best = max(pairs, key=lambda n: min(keys[n], keys[n + 1]))
        keys[best] -= moved
        keys[best + 1] += moved
    if min(keys) < 0:
        raise ArithmeticError("the chances of a count leave no room for rounding them")
    return tuple((d, n) for d, n in zip(deviations, keys, strict=True) if n)


def factors(deviation: Decimal, largest: Decimal, *, second: Decimal = Decimal(0)) -> Factors:
    """Return what amounts of the largest contributors are multiplied by to make noise for sums:
    mean 0, a standard ``deviation`` (to 1 in 1,000), at most the ``largest``; of the second largest
    contributor's ``second`` times as much. Raise ValueError unless the deviation is positive and
    not greater than that of equal chances (largest / √3), the largest is at most 1, so that no sum
    of positive amounts gets negative, and ``second`` between 0 and 1."""
    if not (deviation > 0 and 3 * deviation**2 <= largest**2 and largest <= 1 and 0 <= second <= 1):
        raise ValueError("the deviation is not between 0 and largest / √3, or a factor exceeds 1")
    with localcontext(prec=_DIGITS):
        # deviations farther out are less likely than a single key
        width = min(largest, 8 * deviation) / (_GRID + Decimal("0.5"))
        # chances within a step are equal, which adds a twelfth of its square
        variance = (deviation / width) ** 2 - Decimal(1) / 12
        steps = range(-_GRID, _GRID + 1)
        chances = _most_entropy(steps, variance)
        lower = [_quantile(chances, Decimal(2 * n + 1) / (2 * BINS)) for n in range(BINS // 2)]
        half = [int((x * width * MILLION).to_integral_value()) for x in lower]
    first = np.array(half + [-x for x in reversed(half)], np.int64)
    scaled = [int((x * second).to_integral_value()) for x in map(Decimal, half)]
    return Factors(first, np.array(scaled + [-x for x in reversed(scaled)], np.int64))


def _quantile(chances: Sequence[Decimal], chance: Decimal) -> Decimal:
    """Return the deviation that a ``chance`` is below; a step spreads its own evenly."""
    before = Decimal(0)
    for position, own in enumerate(chances):
        if before + own >= chance:
            return position - _GRID - Decimal("0.5") + (chance - before) / own
        before += own
    raise ArithmeticError("chances do not sum to 1")


@dataclass(frozen=True)
class Factors:
    """Noise of sums in millionths of the amounts of the ``first`` and the ``second`` largest
    contributor, in :data:`BINS` parts of the keys."""

    first: IntArray
    second: IntArray

    @property
    def columns(self) -> dict[str, IntArray]:
        """The columns of the scratch table ``factors``: keys from ``lo`` on."""
        low = np.arange(BINS, dtype=np.int64) * (KEYS // BINS)
        return {"lo": low, "f1": self.first, "f2": self.second}

    def noise(self, amounts: IntArray, keys: IntArray, rank: int = 1) -> IntArray:
        """Return the noise of a rank's amounts by keys, as statistics/perturbed has it."""
        of_rank = (self.first if rank == 1 else self.second)[keys // (KEYS // BINS)]
        whole, rest = np.divmod(amounts, MILLION)
        return np.asarray(whole * of_rank + (rest * of_rank + MILLION // 2) // MILLION, np.int64)
