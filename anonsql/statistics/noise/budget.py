"""The plan of noise: how much one person can change the cells of one vector of levels, how the
budget is divided, and the resulting scale.

Neighbouring sources differ in one person with all rows; at most ``max_rows`` (R) of them are
counted. At one vector of levels every row is in one cell, so that a person changes

    measure      in all (L1)    as a vector (L2)    the worst case
    rows         R              R                   all rows in one cell
    people       R              sqrt(R)             each row in another cell
    sum          R c            R c                 all rows in one cell, c the greatest amount

where c = max(-low, high, 0) of the clipping bounds, in units of their last digit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from anonsql.errors import PolicyError
from anonsql.policy.noise import Noise
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.statistics.cubes import Plan, TableMeasure

PEOPLE = "people"
"""The column of cells that has their people."""
_MARGIN = 0.999999
"""What probabilities are taken of delta, for what floating-point numbers round away."""
_GREATEST = 2.0**44
"""A scale that is larger would leave whole numbers that are exact."""
_SAFE = 1 + 1e-9
"""What scales are raised by, far more than what floating-point numbers round away."""


@dataclass(frozen=True)
class Query:
    """Noise for the cells of one vector of levels in one column: the part of the budget
    (``spends``: rho, or epsilon of Laplace noise), how much a person changes (``l1``, ``l2``), and
    the scale of noise, in units of the column's last digit. With stable keys: the count of people
    from which on a cell is published."""

    vector: int
    column: str
    mechanism: Literal["gaussian", "laplace"]
    spends: Fraction
    l1: int
    l2: float
    scale: float
    threshold: int | None = None

    @property
    def variance(self) -> float:
        """The variance of the noise, nearly, for weights."""
        return self.scale**2 * (1 if self.mechanism == "gaussian" else 2)


def queries(policy: StatisticsPolicy, noise: Noise, plan: Plan) -> list[Query]:
    """Return all noise that a release needs, by vector of levels and column: every vector once,
    though several tables may have it. With stable keys people are always counted."""
    shares = _shares(policy, noise, plan)
    total = sum(shares.values())
    changes = sensitivities(noise, plan)
    delta = Fraction(noise.delta_of_keys) / max(len(plan.vectors), 1)
    made = []
    for (vector, column), share in shares.items():
        spends = Fraction(noise.budget) * share / total
        l1, l2 = changes[column]
        scale = _scale(noise, spends, l1, l2)
        if scale > _GREATEST:
            text = f"the noise of {column!r} would exceed the range of exact whole numbers."
            raise PolicyError.at("protect.noise", text, "Raise the budget, or clip the sums more.")
        least = None
        if column == PEOPLE and noise.domain == "keys":
            least = threshold(noise.mechanism, scale, noise.max_rows, delta)
        made.append(Query(vector, column, noise.mechanism, spends, l1, l2, scale, least))
    return made


def sensitivities(noise: Noise, plan: Plan) -> dict[str, tuple[int, float]]:
    """Return what one person changes at a vector, by column: in all, and as a vector."""
    rows = noise.max_rows
    found = {"n": (rows, float(rows)), PEOPLE: (rows, root(rows))}
    for entry in plan.sums:
        most = rows * entry.most
        found[f"m{entry.index}"] = (most, math.nextafter(float(most), math.inf))
    return found


def root(number: int) -> float:
    """Return the square root of a whole number, rounded up."""
    exact = math.isqrt(number)
    return float(exact) if exact * exact == number else math.nextafter(math.sqrt(number), math.inf)


def _scale(noise: Noise, spends: Fraction, l1: int, l2: float) -> float:
    if noise.mechanism == "laplace":
        return float(l1 / spends) * _SAFE
    return l2 / math.sqrt(2 * float(spends)) * _SAFE


def _shares(policy: StatisticsPolicy, noise: Noise, plan: Plan) -> dict[tuple[int, str], Fraction]:
    columns = columns_of(plan, noise)
    heights = {attribute.index: attribute.height for attribute in plan.attributes}
    names = {attribute.index: attribute.name for attribute in plan.attributes}
    for index, name in names.items():
        given = len(noise.split.levels.get(name, ()))
        if given > heights[index] + 1:
            text = f"it has {given} weights, but {name!r} has {heights[index] + 1} levels."
            raise PolicyError.at(f"protect.noise.split.levels.{name}", text, "Remove some.")
    tables: dict[int, Fraction] = {}
    for name, vectors in plan.tables.items():
        weight = Fraction(noise.split.tables.get(name, Decimal(1)))
        for number in vectors:
            tables[number] = max(tables.get(number, Fraction(0)), weight)
    shares = {}
    for vector in plan.vectors:
        weight = tables[vector.number]
        having = [name for name, numbers in plan.tables.items() if vector.number in numbers]
        used = set.intersection(*(set(policy.tables[name].by) for name in having))
        for index, level in vector.levels.items():
            if names[index] in used:
                at = heights[index] if level is None else level
                weights = noise.split.levels.get(names[index], ())
                weight *= Fraction(weights[at]) if at < len(weights) else 1
        for column, of_measure in columns.items():
            shares[vector.number, column] = weight * of_measure
    return shares


def columns_of(plan: Plan, noise: Noise) -> Mapping[str, Fraction]:
    """Return the columns of cells that get noise, with the greatest weight of their measures."""
    found: dict[str, Fraction] = {}
    for measure in plan.measures:
        weight = Fraction(noise.split.measures.get(measure.name, Decimal(1)))
        found[measure.counted] = max(found.get(measure.counted, Fraction(0)), weight)
    if noise.domain == "keys":
        found.setdefault(PEOPLE, Fraction(1))
    return found


def adds_up(measure: TableMeasure, noise: Noise) -> bool:
    """Return whether totals are the sums of parts: of people only with one row each."""
    return not measure.people or noise.max_rows == 1


def threshold(
    mechanism: Literal["gaussian", "laplace"], scale: float, rows: int, delta: Fraction
) -> int:
    """Return the least noisy count of people with which a cell is published (stable keys).

    A person with R rows adds at most R cells without other people: each of them has a count of 1.
    Where none of these is published the sources with and without this person have the same cells,
    with the noise of any fixed cells. One of them is published with a probability of at most R P(1
    + noise >= T): that is the part of delta (Korolova and others, WWW 2009; Wilson and others, PETS
    2020). T is the least whole number for which it is small enough.
    """
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
