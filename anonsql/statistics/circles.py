"""Tables that are linked in a circle: all of them are margins of one table of all their dimensions,
whose cells are published by none, and are not negative either."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.statistics import TableOf

MOST_CELLS = 1_000
"""The cells of all dimensions of a circle that are audited at most."""
MOST_PUBLISHED = 5_000
"""The cells of all tables at most beside which those of circles are audited: programs over all of
them are solved then."""
MOST_TABLES = 30
"""The tables of a circle at most: databases join no more than 61."""
_MOST_COMBINATIONS = 1_000_000
"""The combinations of a circle's groups at most of which those that are possible are looked for."""


@dataclass(frozen=True)
class Circle:
    """A circle: its ``tables``, with the dimensions and levels that link them, by the index of the
    dimension."""

    tables: Mapping[str, Mapping[int, int]]

    @property
    def levels(self) -> dict[int, int]:
        """The dimensions that link its tables, each with its finest level that does."""
        found = dict[int, int]()
        for levels in self.tables.values():
            for index, level in levels.items():
                found[index] = min(level, found.get(index, level))
        return found

    @property
    def alike(self) -> bool:
        """Whether all tables have a dimension from the same level on."""
        finest = self.levels
        return all(
            level == finest[index]
            for levels in self.tables.values()
            for index, level in levels.items()
        )

    def countable(self, groups: Mapping[tuple[int, int], int]) -> bool:
        """Return whether its cells of all dimensions can be listed, by how many ``groups`` there
        are: all its tables begin at the same levels, and there are not too many of both."""
        few = self.combinations(groups) <= _MOST_COMBINATIONS
        return self.alike and few and len(self.tables) <= MOST_TABLES

    @property
    def first(self) -> dict[int, int]:
        """Of every dimension the position of the first table that has it, counted from 1."""
        found = dict[int, int]()
        for position, levels in enumerate(self.tables.values(), start=1):
            for index in levels:
                found.setdefault(index, position)
        return found

    @property
    def shared(self) -> list[dict[int, int]]:
        """Of every table its dimensions that tables before it have, with the position of the first
        one."""
        first = self.first
        return [
            {index: first[index] for index in levels if first[index] < position}
            for position, levels in enumerate(self.tables.values(), start=1)
        ]

    def combinations(self, groups: Mapping[tuple[int, int], int]) -> int:
        """Return how many combinations there are of the ``groups`` of its dimensions, which are
        counted by the index of the dimension and the level."""
        count = 1
        for index, level in self.levels.items():
            count *= groups.get((index, level), 0)
        return count


def circles_of(tables: Mapping[str, TableOf], attributes: Sequence[Attribute]) -> list[Circle]:
    """Return the circles of tables: what is left of the hypergraph of tables and the levels of their
    dimensions when, again and again, levels of one table alone and tables within others are taken
    away, each connected part a circle. Where nothing is left every consistent set of tables is one
    of margins (Beeri, Fagin, Maier and Yannakakis 1983, of acyclic schemes)."""
    left = {
        name: {
            (attribute.index, level)
            for attribute in attributes
            if attribute.name in table.by
            for level in range(table.levels.get(attribute.name, 0), attribute.height)
        }
        for name, table in tables.items()
    }
    before = -1
    while before != (before := sum(map(len, left.values())) + len(left)):
        for name, own in left.items():
            others = (part for other, part in left.items() if other != name)
            own.intersection_update(set().union(*others))
        for name in list(left):
            if any(left[name] <= part for other, part in left.items() if other != name):
                del left[name]
    return [Circle(part) for part in _connected(left) if len(part) > 1]


def _connected(
    left: Mapping[str, set[tuple[int, int]]],
) -> list[dict[str, dict[int, int]]]:
    """Return tables by connected parts, each with the finest level of every dimension."""
    parts = list[tuple[set[int], dict[str, dict[int, int]]]]()
    for name, own in left.items():
        levels = {index: min(level for at, level in own if at == index) for index, _ in own}
        together, tables = set(levels), {name: levels}
        apart = []
        for indices, members in parts:
            if indices & together:
                together |= indices
                tables = {**members, **tables}
            else:
                apart.append((indices, members))
        parts = [*apart, (together, tables)]
    return [tables for _, tables in parts]
