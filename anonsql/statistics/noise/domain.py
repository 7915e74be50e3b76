"""A public domain: cells that follow from the hierarchies alone, whatever rows the source has. A
dimension's groups must be listed, and NULL is always among them: a cell that appears only if the
source has NULL would reveal that a person has it."""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from dataclasses import replace

from anonsql.errors import PolicyError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.hierarchy import OTHER
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.statistics.cubes import Plan

MAX_VALUES = 3_000_000
"""The values that get noise at most: cells, each once, times measures."""
_GROUPED = "hierarchies/with_groups"


def listed(policy: StatisticsPolicy, attribute: Attribute) -> Attribute:
    """Return a dimension with all groups that it can have at the levels of the tables, and NULL;
    raise PolicyError where its hierarchy lists none."""
    name = attribute.name
    least = min(t.levels.get(name, 0) for t in policy.tables.values() if name in t.by)
    if attribute.null_labels is None:
        labels = (None,) * attribute.height + (attribute.top,)
        attribute = replace(attribute, null_labels=labels)
    if attribute.leaves:
        return attribute
    groups = _groups(attribute) if least > 0 else []
    if not groups:
        listing = " (its groups are listed: begin at a higher level)" if _groups(attribute) else ""
        text = f"the hierarchy of {name!r} does not list the possible values{listing}."
        remedy = (
            "List them (`file`, `taxonomy`, `order` or `table`), or use protect.noise.domain: keys."
        )
        raise PolicyError.at(f"statistics.by.{name}", text, remedy)
    parameters = {**attribute.parameters, "inner": attribute.template, "grouped": groups}
    return replace(attribute, template=_GROUPED, parameters=parameters)


def _groups(attribute: Attribute) -> list[tuple[str, ...]]:
    """Return each first-level group's labels from level 0 (the group itself) to the top; none where
    the hierarchy does not list them."""
    if attribute.template == "hierarchies/keyed":
        known = {tuple(labels) for _, *labels in attribute.parameters["keys"]}
        above = sorted({*known, (OTHER,) * (attribute.height - 1)})
    elif attribute.template == "hierarchies/breaks":
        levels = attribute.parameters["intervals"]
        ends = [[interval.next for interval in level[:-1]] for level in levels]
        above = [
            tuple(
                level[0 if begin is None else bisect.bisect_right(of_level, begin)].label
                for level, of_level in zip(levels, ends, strict=True)
            )
            for begin in [None, *ends[0]]
        ]
    else:
        return []
    return [(f"any {labels[0]}", *labels, attribute.top) for labels in above]


def sizes(plan: Plan, groups: Mapping[tuple[int, int], int]) -> dict[int, int]:
    """Return how many cells every vector of levels has, by the groups of a dimension's level."""
    found = {}
    for vector in plan.vectors:
        count = 1
        for index, level in vector.levels.items():
            count *= 1 if level is None else groups.get((index, level), 0)
        found[vector.number] = count
    return found


def require_fit(sizes_of: Mapping[int, int], columns: Sequence[str]) -> None:
    """Raise PolicyError where more values would get noise than can be drawn in some minutes."""
    values = sum(sizes_of.values()) * len(columns)
    if values > MAX_VALUES:
        text = f"the domain has {values:,} values, and the limit is {MAX_VALUES:,}."
        remedy = "Leave a dimension out of a table, or begin at a higher level (`levels`)."
        raise PolicyError.at("statistics.tables", text, remedy)
