"""Make the published values from the counts: a limited number of rows of each person, drawn at
random in the database; noise, and how far it is from 0; the kept cells; and consistent values.

OpenDP draws the noise: exact samplers of the discrete Gaussian and Laplace distributions, from the
operating system's entropy, that add to whole numbers. It also reports, rounding up, the spending of
a draw: more than the budget is refused.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, Literal

from anonsql.engines.base import Column, Engine, OfColumn, Relation
from anonsql.errors import InvariantError, PolicyError
from anonsql.policy.noise import Noise
from anonsql.release.salts import fresh_salt
from anonsql.statistics.cells import Cells
from anonsql.statistics.cubes import Plan
from anonsql.statistics.noise.budget import PEOPLE, Query, adds_up
from anonsql.statistics.noise.consistent import consistent
from anonsql.system.arrays import BoolArray, IntArray, np

if TYPE_CHECKING:
    from anonsql.statistics.noise.consistent import Floats


BOUNDED: Final = "bounded"


def bound(
    engine: Engine, source: Relation, columns: Sequence[Column], entity: OfColumn, rows: int
) -> Relation:
    """Make a scratch table of columns of the source, with ``rows`` random rows at most of every
    entity, and return it. Other people of the source do not influence which rows are drawn."""
    names = [column.name for column in columns]
    parameters = {"source": source, "names": names, "entity": entity, "rows": rows}
    fence = engine.own["fence"]
    with fresh_salt(engine):
        engine.run(
            "sql/table", name=BOUNDED, select="statistics/bounded", fence=fence, **parameters
        )
    return (BOUNDED,)


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


_AT_ONCE = 100_000
"""The cells that are handed over at once."""


@dataclass(frozen=True)
class Made:
    """The values of cells, by column, and which cells are published (``kept``). ``additive`` is
    whether totals are the sums of their parts, up to rounding, by column."""

    values: dict[str, IntArray]
    kept: BoolArray
    additive: dict[str, bool]


def make(noise: Noise, plan: Plan, cells: Cells, queries: Sequence[Query]) -> Made:
    """Draw the noise of all cells, and make the published values from it."""
    vectors = cells.counted["v"]
    values = dict[str, IntArray]()
    variances = dict[str, "Floats"]()
    kept = np.ones(cells.size, np.bool_)
    for query in queries:
        drawn = values.setdefault(query.column, np.zeros(cells.size, np.int64))
        variance = variances.setdefault(query.column, np.ones(cells.size))
        inside = np.flatnonzero(vectors == query.vector)
        drawn[inside] = noisy(query, cells.counted[query.column][inside])
        variance[inside] = query.variance
        if query.threshold is not None:
            kept[inside] = drawn[inside] >= query.threshold
    additive = dict.fromkeys(values, False)
    if noise.consistent:
        lows = {f"m{entry.index}": entry.low or 0 for entry in plan.sums}
        sure = {column: lows.get(column, 0) >= 0 for column in values}
        of_measure = {measure.counted: measure for measure in plan.measures}
        for column, positive in sure.items():
            found = None
            measure = of_measure.get(column)
            if noise.domain == "public" and measure is not None and adds_up(measure, noise):
                found = consistent(
                    cells.relations, values[column], variances[column], non_negative=positive
                )
            additive[column] = found is not None
            if found is not None:
                values[column] = found
            elif positive:
                values[column] = np.maximum(values[column], 0)
    if noise.domain == "keys" and PEOPLE not in {measure.counted for measure in plan.measures}:
        del values[PEOPLE], additive[PEOPLE]
    return Made({name: of[kept] for name, of in values.items()}, kept, additive)


def library() -> ModuleType:
    """Return OpenDP; raise PolicyError where it is not installed."""
    try:
        import opendp.prelude as dp
    except ImportError as error:
        raise PolicyError.at(
            "protect.by",
            "noise needs OpenDP, which is not installed.",
            "pip install 'anonsql[differential]'",
        ) from error
    dp.enable_features("contrib")
    module: ModuleType = dp
    return module


def noisy(query: Query, values: IntArray) -> IntArray:
    """Return values of the cells of a query with noise, drawn anew."""
    measurement = _measurement(query)
    drawn = [
        np.array(measurement(values[first : first + _AT_ONCE].tolist()), np.int64)
        for first in range(0, len(values), _AT_ONCE)
    ]
    return np.concatenate(drawn) if drawn else values


def _measurement(query: Query) -> Any:
    dp = library()
    cells = dp.vector_domain(dp.atom_domain(T="i64"))
    if query.mechanism == "laplace":
        made = dp.m.make_laplace(cells, dp.l1_distance(T="i64"), scale=query.scale)
        spends = made.map(query.l1)
    else:
        made = dp.m.make_gaussian(cells, dp.l2_distance(T="f64"), scale=query.scale)
        spends = made.map(query.l2)
    if Fraction(spends) > query.spends:
        raise InvariantError(f"noise of scale {query.scale} spends more than its part")
    return made
