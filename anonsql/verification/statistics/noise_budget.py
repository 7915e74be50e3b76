"""Whether the noise that releases state spends no more than they promise: reckoned from what tables
state alone, by the definitions of both mechanisms, and not by what planned the noise.

Somebody with R rows changes the cells of one vector of levels by R in counts of rows, by R in all
and by the root of R as a vector in counts of people, by R times the greatest amount in sums. Noise
of a scale s spends epsilon = change / s (Laplace) or rho = (change / s)^2 / 2 (Gaussian; Bun,
Steinke, TCC 2016), and all of it adds up; noise that several tables show of the same cells counts
once."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from anonsql.engines.base import ReleaseTables
from anonsql.policy.noise import Noise
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.policy.statistics_tables import CountOf, Measure, SumOf
from anonsql.verification.facts import facts_of

_PLAN = "differential.plan"
_ROUNDED = 1e-5
"""The share by which stated scales may be rounded, more than what it takes."""

_Noise = tuple[frozenset[tuple[str, int]], str]
"""The levels of dimensions below their totals, and the measure that noise was added for."""


def offences(tables: Mapping[str, ReleaseTables], policy: StatisticsPolicy) -> list[str]:
    """Return what is wrong with the noise that tables state: levels and measures that it does not
    name, and scales that spend more than is promised."""
    noise = policy.protect.noise
    if noise is None:
        return []
    spent, found = dict[_Noise, float](), list[str]()
    for name, table in tables.items():
        try:
            spends = _spends(facts_of(table).get(_PLAN, ""), policy, noise, name)
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
    """Return a plan as it is written: with what it must have alone, and scales to six digits."""
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
    """Return how much one person changes the cells of one vector of levels."""
    rows = noise.max_rows
    if isinstance(measure, SumOf):
        return rows * float(max(map(abs, noise.clip[name])))
    if isinstance(measure, CountOf) and noise.mechanism == "gaussian":
        return math.sqrt(rows)
    return float(rows)
