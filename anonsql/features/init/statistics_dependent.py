"""What depends on each other in a table that statistics are proposed for, and is left out:
dimensions that are groupings of others, and sums that would reveal counts."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from anonsql.engines.base import Column, Engine
from anonsql.features.init.command import Looked
from anonsql.features.init.statistics_text import THRESHOLD, Dimension
from anonsql.jobs.sources import QuasiColumn
from anonsql.policy.statistics import SumOf
from anonsql.statistics import dependent
from anonsql.statistics.cubes import Sum, scale_of

_ROWS = 5
"""Rows per value, on average, from which a value is in one of another column not by chance."""


class Dependent(NamedTuple):
    """Columns that are left out, each with the dimension that it depends on: those that group its
    values, and those whose sums would reveal how many rows a cell has (by no dimension: None)."""

    groupings: Mapping[str, str]
    revealing: Mapping[str, str | None]


def dependent_among(
    looked: Looked, dimensions: Sequence[Dimension], sums: Sequence[Sum], most: int
) -> Dependent:
    """Return what depends on each other among ``dimensions``, of which those are looked at that are
    published by their values, and ``sums`` by the first ``most`` that are left."""
    by_values = {
        QuasiColumn(index, dimension.profile.column): dimension.profile
        for index, dimension in enumerate(dimensions, start=1)
        if not dimension.hierarchy
    }
    if not by_values:
        return Dependent({}, {})
    engine = looked.engine
    pairs = [
        pair
        for pair in itertools.combinations(by_values, 2)
        if all(_ROWS * by_values[slot].distinct <= by_values[slot].rows for slot in pair)
    ]
    with dependent.ranges(engine, looked.relation, [*by_values], sums):
        groupings = _groupings(engine, pairs)
        names = [entry.name for entry in dimensions if entry.name not in groupings][:most]
        left = [slot for slot in by_values if slot.column.name in names]
        by = [[], *([(slot, 0)] for slot in left)]
        found_sums = dependent.revealing(engine, by, sums, THRESHOLD)
    named = [None, *(slot.column.name for slot in left)]
    stays = {name: _staying(name, groupings) for name in groupings}
    return Dependent(stays, {found.name: named[found.grouping] for found in reversed(found_sums)})


def _groupings(engine: Engine, pairs: Sequence[tuple[QuasiColumn, QuasiColumn]]) -> dict[str, str]:
    """Return the columns whose values group those of others, each with such a column; of two that
    group each other the second."""
    names = {f"q{slot.index}": slot.column.name for pair in pairs for slot in pair}
    columns = [(f"q{one.index}", f"q{other.index}") for one, other in pairs]
    found = dependent.determined(engine, "ranges", columns)
    return {
        names[whole]: names[part]
        for number, (part, whole) in enumerate(found)
        if (whole, part) not in found[:number]
    }


def _staying(name: str, groupings: Mapping[str, str]) -> str:
    """Return the dimension whose values a column groups, and that groups no other one's."""
    while name in groupings:
        name = groupings[name]
    return name


def exact_sums(looked: Looked, columns: Sequence[Column]) -> list[Sum]:
    """Return the sums of columns that are exact, whatever is added first."""
    sums = [
        Sum(index, column.name, column, scale_of(SumOf(sum=column.name), column))
        for index, column in enumerate(columns, start=1)
    ]
    if not sums:
        return []
    amounts = dependent.amounts(looked.engine, looked.relation, sums)
    return [entry for entry, values in zip(sums, amounts, strict=True) if values.countable]
