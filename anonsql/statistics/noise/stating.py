"""The plan of noise, as releases state it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from anonsql.statistics.cubes import Plan
from anonsql.statistics.noise.budget import Query

PLAN: Final = "differential.plan"
"""The fact that has the plan of a table's noise, as JSON."""


def planned(plan: Plan, table: str, queries: Sequence[Query]) -> list[dict[str, object]]:
    """Return of every vector of levels of a table its levels by dimension, and by measure the scale
    of its noise, in the measure's own unit."""
    names = {attribute.index: attribute.name for attribute in plan.attributes}
    tops = {attribute.index: attribute.height for attribute in plan.attributes}
    inside = set(plan.tables[table])
    used = {
        index
        for vector in plan.vectors
        if vector.number in inside
        for index, level in vector.levels.items()
        if level is not None
    }
    scales = {(query.vector, query.column): query.scale for query in queries}
    return [
        {
            "levels": {
                names[index]: tops[index] if level is None else level
                for index, level in vector.levels.items()
                if index in used
            },
            "scales": {
                measure.name: float(f"{scales[vector.number, measure.counted] / measure.unit:.6g}")
                for measure in plan.measures
            },
        }
        for vector in plan.vectors
        if vector.number in inside
    ]
