"""Limits on the risk of a whole release: how near the sizes of its classes come to each.

A limit is a function of the number of classes of each size. A search counts only these of a
generalization, and verification only these of a release. A new one is a function of
:data:`_LIMITS`, and a field of :class:`anonsql.privacy.risk.RiskLimits`.

Where all rows stay in classes, generalization only unites classes. Then ``records_at_risk`` and
``individual`` are monotone: both are about rows of classes below a size, and no row comes into a
smaller class. With suppression neither is: rows that were suppressed may come back in a class that
is small, though not too small to be released. ``population_uniqueness`` is not monotone in any
case: a model's estimate depends on all sizes, and another model may be chosen, or none converge.
(Where no class has one row, no person is unique.)
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction

from anonsql.engines.base import Engine, Relation
from anonsql.policy.table_plan import TablePlan
from anonsql.privacy.risk import Reached, RiskLimits
from anonsql.risks.kept.counting import Compared

Histogram = Sequence[tuple[int, int]]
"""Pairs (size, number of classes of that size)."""
_TERMS = 60
"""Of the series of :func:`individual_risk`: the rest is below 1e-13 of it."""
_LARGE = 12
"""From this size on that series converges, whatever the population is."""
_MOST = 10**12
_DIGITS = Decimal("0.000001")


def reached(
    limits: RiskLimits, histogram: Iterable[tuple[int, int]], share: float
) -> list[Reached]:
    """Return how near the classes come to each limit. The whole table, suppressed rows included, is
    a ``share`` of the population. Without classes all are kept."""
    sizes = [(int(size), int(classes)) for size, classes in histogram]
    if not sizes:
        return [Reached(name, 0.0, kept=True) for name in limits.limits]
    return [_LIMITS[name](limits, sizes, share) for name in limits.limits]


def of_rows(
    engine: Engine, table: Relation, policy: TablePlan, *, masks: bool, rows: int
) -> list[Reached]:
    """Return how near released rows come to the limits of a policy. ``masks``: rows that are * in
    all quasi-identifying columns are masked ones; ``rows`` are those of the source."""
    risk, names = policy.privacy.risk, policy.quasi_identifiers
    if not risk.limits:
        return []
    columns = [column for column in engine.columns(table) if column.name in names]
    histogram = engine.query(
        "risks/population/sizes",
        table=table,
        columns=[Compared(column) for column in columns],
        people=None,
        masked=[column.name for column in columns] if masks else [],
    )
    return reached(risk, histogram, risk.share(rows))


def monotone(limits: RiskLimits) -> bool:
    """Return whether uniting classes cannot break what they keep."""
    return limits.population_uniqueness is None


def enough(limits: RiskLimits, share: float) -> int:
    """Return the least size with which any number of classes keeps the limits: for methods that
    judge one class at a time."""
    least = 1
    if limits.population_uniqueness is not None and limits.population_uniqueness < 1:
        least = 2
    if limits.records_at_risk is not None and limits.records_at_risk.at_most < 1:
        least = max(least, limits.records_at_risk.least_accepted)
    if limits.individual is not None:
        accepted = float(limits.individual)
        sizes = range(1, _MOST)
        fits = bisect_left(sizes, True, key=lambda size: individual_risk(size, share) <= accepted)
        least = max(least, sizes[fits])
    return least


def rounded_up(value: float) -> Decimal:
    """Return a number as a policy may have it, not less."""
    return Decimal(repr(value)).quantize(_DIGITS, ROUND_CEILING)


def individual_risk(size: int, share: float) -> float:
    """Return the risk of the rows of a class of a ``size`` in a table that is a ``share`` of the
    population: the mean of 1 / F, where F, the members of the population in the class, is negative
    binomial given the rows (Benedetti, Franconi 1998). With p the share and q = 1 - p it is
    p / q * ln(1 / p) for one row, and p / q * (1 / f - risk(f)) for one more than f; that is p / f
    times the sum over m of q ** m / C(f + m, m), by which large classes are computed."""
    if share >= 1:
        return 1 / size
    missed = 1 - share
    if share > 0.5 or size > _LARGE:
        total = 1.0
        for term in range(_TERMS, 0, -1):
            total = 1 + missed * term / (size + term) * total
        return share / size * total
    risk = share / missed * -math.log(share)
    for below in range(1, size):
        risk = share / missed * (1 / below - risk)
    return risk


def _uniqueness(limits: RiskLimits, histogram: Histogram, share: float) -> Reached:
    """The share of unique members by the model that Dankar's rule chooses."""
    name, most = "population_uniqueness", limits.population_uniqueness
    if all(size > 1 for size, _ in histogram):
        return Reached(name, 0.0, kept=True)
    from anonsql.risks import population
    from anonsql.risks.population import ClassSizes

    sizes = ClassSizes.of(histogram)
    estimate = population.best(sizes, share)
    if estimate is None or not math.isfinite(estimate.uniques):
        return Reached(name, None, kept=False)
    value = estimate.uniques * share / sizes.rows
    return Reached(name, value, kept=value <= float(most or 0), model=estimate.model)


def _records_at_risk(limits: RiskLimits, histogram: Histogram, share: float) -> Reached:
    """The share of rows in classes that are too small for the accepted risk, exactly."""
    accepted = limits.records_at_risk
    if accepted is None:
        raise KeyError("records_at_risk")
    total = sum(size * classes for size, classes in histogram)
    small = sum(size * classes for size, classes in histogram if size < accepted.least_accepted)
    beyond = max(0, small - math.floor(Fraction(accepted.at_most) * total))
    return Reached("records_at_risk", small / total, kept=not beyond, beyond=beyond)


def _individual(limits: RiskLimits, histogram: Histogram, share: float) -> Reached:
    """The risk in the smallest class: it falls with the size."""
    value, most = individual_risk(min(size for size, _ in histogram), share), limits.individual or 0
    broken = [
        (size, classes) for size, classes in histogram if individual_risk(size, share) > float(most)
    ]
    beyond = sum(size * classes for size, classes in broken)
    return Reached("individual", value, kept=not broken, beyond=beyond)


_LIMITS: dict[str, Callable[[RiskLimits, Histogram, float], Reached]] = {
    "population_uniqueness": _uniqueness,
    "records_at_risk": _records_at_risk,
    "individual": _individual,
}
