"""Cubes: which cells tables have, by the levels of their dimensions, and how these are counted. A
cube is a frequency set (Incognito, section 2) at every vector of levels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from anonsql.engines.base import Column
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.policy.statistics_tables import CountOf, SumOf, TableOf
from anonsql.statistics.joined import Levels

MAX_CELLS = 20_000_000
"""The cells that are counted at most."""
MAX_VECTORS = 5_000
"""The sets of cells, one a vector of levels, that are counted at most: each is a statement's
part."""
PORTION = 400
"""The vectors of levels that one statement counts: SQLite takes 500 terms of a UNION."""
LARGEST = 2**53
"""The greatest total of a sum's amounts in units, without their signs: whole numbers that every
engine adds exactly, and audits can compute with."""
_WHOLE = ("integer",)


@dataclass(frozen=True)
class Vector:
    """The levels of one set of cells, by the index of the dimension; None at the top."""

    number: int
    levels: Mapping[int, int | None]


@dataclass(frozen=True)
class Sum:
    """A sum, as statements count it: in units of its last digit. ``index`` counts from 1. Values
    below ``low`` and above ``high``, where they are clipped, count as it, in units."""

    index: int
    name: str
    column: Column
    scale: int
    low: int | None = None
    high: int | None = None

    @property
    def ranks(self) -> tuple[str, str, str, str]:
        """The columns of cells with the amounts without their signs, those of the largest
        contributors, of the largest one, and of the second largest."""
        return (f"a{self.index}", f"t{self.index}", f"x{self.index}_1", f"x{self.index}_2")

    @property
    def most(self) -> int:
        """The greatest amount of a clipped row, without its sign."""
        return max(abs(self.low or 0), abs(self.high or 0))

    @property
    def integral(self) -> bool:
        """Whether the column has whole numbers."""
        return self.column.kind in _WHOLE

    @property
    def unit(self) -> int:
        """The units that make 1."""
        return int(10**self.scale)


@dataclass(frozen=True)
class TableMeasure:
    """A measure, as tables show it: the column of cells that it is ``counted`` in, and its type."""

    name: str
    counted: str
    scale: int = 0
    people: bool = False
    sum: Sum | None = None

    @property
    def unit(self) -> int:
        """The units that make 1."""
        return int(10**self.scale)

    @property
    def type(self) -> str:
        """The type of its column, in DuckDB's spelling."""
        return f"DECIMAL(18, {self.scale})" if self.scale else "BIGINT"


@dataclass(frozen=True)
class Plan:
    """The plan of counts: the dimensions with their levels below the top, the vectors of levels of
    all tables, each once, and of every table, and the measures; and the numbers of the ``complete``
    vectors, in which every combination of groups is a cell, also an empty one. Vectors of fewer
    than two dimensions are not among them: no group is empty."""

    attributes: Sequence[Attribute]
    vectors: Sequence[Vector]
    tables: Mapping[str, Sequence[int]]
    sums: Sequence[Sum]
    measures: Sequence[TableMeasure]
    complete: frozenset[int] = frozenset()

    @property
    def unpublished(self) -> list[int]:
        """The numbers of the vectors of levels that no table has."""
        published = {number for numbers in self.tables.values() for number in numbers}
        return [vector.number for vector in self.vectors if vector.number not in published]

    @property
    def levels(self) -> dict[int, list[int]]:
        """The levels of every dimension that have groups: all but the top."""
        return {attribute.index: list(range(attribute.height)) for attribute in self.attributes}

    @property
    def finest(self) -> dict[int, int]:
        """The finest level of every dimension that a table has."""
        return {
            index: min(at for v in self.vectors if (at := v.levels[index]) is not None)
            for index in self.levels
        }

    @property
    def above(self) -> list[tuple[int, int, int, int]]:
        """Each vector, dimension and level with the vector one level higher, where there is one."""
        tops = {attribute.index: attribute.height for attribute in self.attributes}
        known = {self._key(vector.levels): vector.number for vector in self.vectors}
        arcs = []
        for vector in self.vectors:
            for index, level in vector.levels.items():
                if level is None:
                    continue
                next_level = level + 1 if level + 1 < tops[index] else None
                other = known.get(self._key({**vector.levels, index: next_level}))
                if other is not None:
                    arcs.append((vector.number, index, level, other))
        return arcs

    @property
    def singles(self) -> list[tuple[int, int, int]]:
        """The vectors of levels with one dimension below the top: number, index and level."""
        found = []
        for vector in self.vectors:
            below = [(index, at) for index, at in vector.levels.items() if at is not None]
            if len(below) == 1:
                found.append((vector.number, *below[0]))
        return found

    def dimensions(self, table: TableOf) -> list[Attribute]:
        """Return the dimensions of a table, in its own order."""
        by_name = {attribute.name: attribute for attribute in self.attributes}
        return [by_name[name] for name in table.by]

    @staticmethod
    def _key(levels: Mapping[int, int | None]) -> tuple[int, ...]:
        return tuple(-1 if level is None else level for _, level in sorted(levels.items()))


def plan(
    policy: StatisticsPolicy,
    attributes: Sequence[Attribute],
    columns: Sequence[Column],
    joined: Sequence[Levels] = (),
) -> Plan:
    """Return what is counted for the tables of a policy. The finest level of a table is less than
    the top of its dimension (see :func:`anonsql.jobs.statistics.opening.level_problems`)."""
    number_of: dict[tuple[int | None, ...], int] = {}
    by_table: dict[str, list[int]] = {}
    for name, table in policy.tables.items():
        for levels in vectors_of(levels_of(table), attributes):
            number = number_of.setdefault(levels, len(number_of) + 1)
            by_table.setdefault(name, []).append(number)
    for table_levels in joined:
        for levels in vectors_of(table_levels, attributes):
            number_of.setdefault(levels, len(number_of) + 1)
    indices = [attribute.index for attribute in attributes]
    vectors = [
        Vector(number, dict(zip(indices, levels, strict=True)))
        for levels, number in number_of.items()
    ]
    sums = sums_of(policy, columns)
    by_name = {entry.name: entry for entry in sums}
    measures = []
    for name, measure in policy.measures.items():
        if isinstance(measure, SumOf):
            entry = by_name[name]
            measures.append(TableMeasure(name, f"m{entry.index}", entry.scale, sum=entry))
        elif isinstance(measure, CountOf):
            measures.append(TableMeasure(name, "people", people=True))
        else:
            measures.append(TableMeasure(name, "n"))
    complete = frozenset(number_of[levels] for levels in complete_vectors(policy, attributes))
    return Plan(attributes, vectors, by_table, sums, measures, complete)


def levels_of(table: TableOf) -> Levels:
    """Return the dimensions of a table, each with its finest level."""
    return {name: table.levels.get(name, 0) for name in table.by}


def sums_of(policy: StatisticsPolicy, columns: Sequence[Column]) -> list[Sum]:
    """Return the sums of a policy, as statements count them."""
    by_name = {column.name: column for column in columns}
    noise, sums = policy.protect.noise, []
    for index, (name, measure) in enumerate(policy.sums.items(), start=1):
        column = by_name[measure.sum]
        scale = scale_of(measure, column)
        ends: tuple[int, ...] = ()
        if noise is not None:
            low, high = (end.scaleb(scale) for end in noise.clip[name])
            ends = (math.floor(low), math.ceil(high))
        sums.append(Sum(index, name, column, scale, *ends))
    return sums


def scale_of(measure: SumOf, column: Column) -> int:
    """Return the digits after the point that a sum has."""
    if measure.decimals is not None:
        return measure.decimals
    if column.kind == "float" or column.unbounded:
        return 2
    return min(column.scale, 9)


def vectors_of(table: Levels, attributes: Sequence[Attribute]) -> list[tuple[int | None, ...]]:
    """Return the vectors of levels of a table, by the order of the attributes; the finest first."""
    ranges: list[list[int | None]] = [
        [*range(table[attribute.name], attribute.height), None]
        if attribute.name in table
        else [None]
        for attribute in attributes
    ]
    return list(itertools.product(*ranges))


def complete_vectors(
    policy: StatisticsPolicy, attributes: Sequence[Attribute]
) -> set[tuple[int | None, ...]]:
    """Return the vectors of two levels or more whose tables hide empty cells."""
    return {
        levels
        for name in policy.zeros
        for levels in vectors_of(levels_of(policy.tables[name]), attributes)
        if sum(level is not None for level in levels) > 1
    }


def most_vectors(policy: StatisticsPolicy, attributes: Sequence[Attribute]) -> int:
    """Return how many vectors of levels the tables have, which may be too many to list."""
    heights = {attribute.name: attribute.height for attribute in attributes}
    return sum(
        math.prod(heights[name] + 1 - table.levels.get(name, 0) for name in table.by)
        for table in policy.tables.values()
    )


def most_cells(
    tables: Sequence[Levels],
    attributes: Sequence[Attribute],
    groups: Mapping[tuple[int, int], int],
    combinations: int,
    complete: Container[tuple[int | None, ...]] = (),
) -> int:
    """Return how many cells tables have at most: of every vector of levels no more than its groups
    can make, and unless it is ``complete`` no more than there are combinations."""
    vectors = {levels for table in tables for levels in vectors_of(table, attributes)}
    indices, most = [attribute.index for attribute in attributes], 0
    for levels in vectors:
        made = math.prod(
            1 if level is None else groups.get((index, level), 0)
            for index, level in zip(indices, levels, strict=True)
        )
        most += made if levels in complete else min(combinations, made)
    return most
