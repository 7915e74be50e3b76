"""Verification of published statistics with noise: by the release alone, and against the source.

No release can prove that noise of the stated scale was drawn. The checks show that no value is
further from the source's than such noise reaches, and that the stated noise spends no more than the
tables promise. This is computed from the stated facts and the definitions of both mechanisms,
without the code that planned the noise. A person with R rows changes the cells of one vector of
levels by R in counts of rows, by R in all and by the root of R as a vector in counts of people, by
R times the greatest amount in sums. Noise of a scale s spends epsilon = change / s (Laplace) or rho
= (change / s)^2 / 2 (Gaussian; Bun, Steinke, TCC 2016), and all of it adds up; noise that several
tables show of the same cells counts once.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from anonsql.engines.base import ReleaseTables
from anonsql.policy.noise import Noise
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.policy.statistics_tables import CountOf, Measure, SumOf
from anonsql.privacy.spending import SPENT, spent_by
from anonsql.statistics.cubes import Plan
from anonsql.statistics.noise import stating
from anonsql.statistics.noise.budget import Query
from anonsql.system.arrays import IntArray, np
from anonsql.verification.facts import facts_of
from anonsql.verification.statistics.recount import Recounted

if TYPE_CHECKING:
    from anonsql.statistics.noise.consistent import Floats


_RARE = 1e-9
"""How often a value, of any that is compared, may be further off by chance."""
ADDITIVE = "up to rounding"
"""The stated fact for a measure whose totals are the sums of their parts."""


@dataclass(frozen=True)
class _Unit:
    """A measure by its name, and what its values count in."""

    name: str
    unit: Decimal


@dataclass(frozen=True)
class Planned:
    """The plan that tables are compared with: the settings of noise, the plan of cells, the noise
    of every vector and column, whether the rows are the counted ones (``same_rows``), and the
    measures whose totals are stated to be the sums of their parts (``additive``)."""

    noise: Noise
    plan: Plan
    queries: Sequence[Query]
    same_rows: bool
    additive: Sequence[str]


def additive_of(about: Mapping[str, str], policy: StatisticsPolicy) -> list[str]:
    """Return the measures whose totals a table says are the sums of their parts."""
    return [name for name in policy.measures if about.get(f"additive.{name}") == ADDITIVE]


def by_itself(name: str, table: ReleaseTables, policy: StatisticsPolicy) -> list[str]:
    """Return what is wrong with a table by itself: its stated spending, missing cells of a public
    domain, totals that are not the sums of their parts."""
    noise = policy.protect.noise
    if noise is None:
        return []
    about = facts_of(table)
    found = []
    spent, own = spent_by(about), noise.spent
    if spent is None or not spent.includes(own) or spent.fact != about[SPENT]:
        found.append(f"{name}__about does not state in {SPENT} what was spent")
    of = policy.measures
    told = {measure: about.get(f"additive.{measure}") for measure in of}
    if not all(value in (ADDITIVE, "no") for value in told.values()):
        found.append(f"{name}__about does not state which measures are additive")
    if noise.domain == "keys":
        return found
    units = {column.name: column.scale for column in table.engine.columns(table.rows)}
    measures = [
        _Unit(measure, Decimal(1).scaleb(-units[measure]))
        for measure in additive_of(about, policy)
        if not isinstance(of[measure], CountOf) or noise.max_rows == 1
    ]
    by = policy.tables[name].by
    for dimension in by:
        lacking, *off = table.engine.query(
            "verification/statistics/additive",
            table=table.rows,
            dimension=dimension,
            others=[other for other in by if other != dimension],
            finest=policy.tables[name].levels.get(dimension, 0),
            measures=measures,
        )[0]
        if lacking:
            found.append(f"{name}: levels of {dimension} lack cells of the public domain")
        for measure, wrong in zip(measures, off, strict=True):
            if wrong:
                text = f"{wrong:,} totals over {dimension} are not the sums of their parts"
                found.append(f"{measure.name} of {name}: {text}")
    return found


def plan_offences(planned: Planned, tables: Mapping[str, ReleaseTables]) -> list[str]:
    """Return an offence for every table that states another plan of noise than the policy makes."""
    found = []
    for name, table in tables.items():
        plan = json.dumps(stating.planned(planned.plan, name, planned.queries))
        if facts_of(table).get(stating.PLAN) != plan:
            found.append(f"{name}__about states another plan of noise than the policy's")
    return found


def offences(planned: Planned, cells: Recounted, levels: Sequence[IntArray]) -> list[str]:
    """Return what is wrong with values compared with the source's: totals that are not the sums of
    their parts, and values that are further off than noise reaches. ``levels`` are the levels of
    every cell, by dimension."""
    plan, found = planned.plan, []
    vector_of = {
        tuple(
            attribute.height if level is None else level
            for attribute, level in zip(plan.attributes, vector.levels.values(), strict=True)
        ): vector.number
        for vector in plan.vectors
    }
    vectors = np.array(
        [vector_of[key] for key in zip(*(of.tolist() for of in levels), strict=True)], np.int64
    )
    relations = cells.relations
    parts = np.abs(relations.matrix).sum(axis=1)
    for position, measure in enumerate(plan.measures, start=1):
        shown = cells.counted[f"b{position}"]
        additive = measure.name in planned.additive
        if additive and len(parts):
            surplus = np.abs(relations.matrix.astype(np.int64) @ shown)
            if wrong := int((surplus > parts / 2 + 1e-6).sum()):
                found.append(f"{measure.name}: {wrong:,} totals are not the sums of their parts")
        off = np.abs(shown - cells.counted[measure.counted]).astype(float)
        scales = np.ones(cells.size)
        for query in planned.queries:
            if query.column == measure.counted:
                scales[vectors == query.vector] = query.scale
        mechanism = planned.noise.mechanism
        if planned.same_rows and not _within(off, scales, mechanism, together=additive):
            found.append(
                f"{measure.name}: values differ from the source by more than the noise can"
            )
    return found


def _within(
    off: Floats, scales: Floats, mechanism: Literal["gaussian", "laplace"], *, together: bool
) -> bool:
    """Return whether values are no further off than noise of some scales reaches, except once in
    10^9 releases. Consistent values are ``together`` no further from the source's, in scales of
    their noise, than the noise was: they are the nearest to it in a set that includes the
    source's."""
    count = len(off)
    if not count:
        return True
    if mechanism == "laplace":
        reach = scales * math.log(count / _RARE) + 1
        most = math.sqrt(float(((reach / scales) ** 2).sum()))
    else:
        rare = math.log(1 / _RARE)
        reach = scales * math.sqrt(2 * math.log(2 * count / _RARE))
        most = math.sqrt(count + 2 * math.sqrt(count * rare) + 2 * rare)
    if not together:
        return bool((off <= reach).all())
    rounding = math.sqrt(float((0.25 / scales**2).sum()))
    return math.sqrt(float(((off / scales) ** 2).sum())) <= most * 1.01 + rounding


_ROUNDED = 1e-5
"""The share by which stated scales may be rounded, more than what it takes."""

_Noise = tuple[frozenset[tuple[str, int]], str]
"""The levels of dimensions below their totals, and the measure that noise was added for."""


def budget_offences(tables: Mapping[str, ReleaseTables], policy: StatisticsPolicy) -> list[str]:
    """Return what is wrong with the noise that tables state: levels and measures that it does not
    name, and scales that spend more than is promised."""
    noise = policy.protect.noise
    if noise is None:
        return []
    spent, found = dict[_Noise, float](), list[str]()
    for name, table in tables.items():
        try:
            spends = _spends(facts_of(table).get(stating.PLAN, ""), policy, noise, name)
        except (ValueError, TypeError, KeyError, AttributeError):
            found.append(f"{name}__about does not state the noise of all levels and measures")
            continue
        for key, part in spends.items():
            spent[key] = max(part, spent.get(key, 0.0))
    total = sum(spent.values())
    if total > float(noise.budget) * (1 + _ROUNDED):
        found.append(f"the noise that tables state spends {total:.6g}, not {noise.budget}")
    return found


def _spends(plan: str, policy: StatisticsPolicy, noise: Noise, name: str) -> dict[_Noise, float]:
    """Return what the noise spends that a table states. Raise ValueError, TypeError, KeyError or
    AttributeError where that is not the noise of all its levels and measures."""
    lines: list[dict[str, Any]] = json.loads(plan)
    by, least = policy.tables[name].by, policy.tables[name].levels
    vectors = [tuple(int(line["levels"][dimension]) for dimension in by) for line in lines]
    tops = [max(levels) for levels in zip(*vectors, strict=True)]
    ranges = [range(least.get(one, 0), top + 1) for one, top in zip(by, tops, strict=True)]
    if len(tops) != len(by) or sorted(vectors) != sorted(itertools.product(*ranges)):
        raise ValueError("other levels")
    if plan != _written(lines, policy, by):
        raise ValueError("written in another way")
    spends = dict[_Noise, float]()
    for line, vector in zip(lines, vectors, strict=True):
        below = frozenset(
            (one, level) for one, level, top in zip(by, vector, tops, strict=True) if level < top
        )
        for measure, of in policy.measures.items():
            scale = float(line["scales"][measure])
            if not 0 < scale < math.inf:
                raise ValueError("no scale")
            ratio = _change(noise, measure, of) / scale
            # measures that count the same have the same noise
            kind = "people" if isinstance(of, CountOf) else measure
            key = below, "rows" if of == "count" else kind
            spent = ratio if noise.mechanism == "laplace" else ratio**2 / 2
            spends[key] = max(spent, spends.get(key, 0.0))
    return spends


def _written(lines: list[dict[str, Any]], policy: StatisticsPolicy, by: Sequence[str]) -> str:
    dimensions = [name for name in policy.statistics.by if name in by]
    return json.dumps(
        [
            {
                "levels": {name: int(line["levels"][name]) for name in dimensions},
                "scales": {
                    name: float(f"{float(line['scales'][name]):.6g}") for name in policy.measures
                },
            }
            for line in lines
        ]
    )


def _change(noise: Noise, name: str, measure: Measure) -> float:
    rows = noise.max_rows
    if isinstance(measure, SumOf):
        return rows * float(max(map(abs, noise.clip[name])))
    if isinstance(measure, CountOf) and noise.mechanism == "gaussian":
        return math.sqrt(rows)
    return float(rows)
