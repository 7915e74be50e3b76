"""Tables that no policy publishes and an audit must know, because published cells are their margins:
tables of dimensions that determine each other, and of all dimensions of a cycle of tables."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

Levels = Mapping[str, int]
"""The dimensions of a table, each with its finest level."""
Group = tuple[str, int]
"""A dimension and a level of it."""


def lacking(tables: Sequence[Levels], part: Group, whole: Group) -> list[Levels]:
    """Return the tables that are lacking where each group of one dimension's level (``part``) is in
    one group of another dimension's level (``whole``): of every table that has one and every table
    that has the other the cells by the dimensions of both are tied, which only a table of these and
    the two shows."""
    (one, low), (other, high) = part, whole
    wanted = list[Levels]()
    for a, b in itertools.product(tables, repeat=2):
        if one in a and other in b:
            shared = sorted(a.keys() & b.keys() - {one, other})
            wanted.append(
                {
                    one: max(a[one], low),
                    other: max(b[other], high),
                    **{name: max(a[name], b[name]) for name in shared},
                }
            )
    absent = [levels for levels in wanted if not any(has(table, levels) for table in tables)]
    return [
        levels
        for number, levels in enumerate(absent)
        if levels not in absent[:number]
        and not any(has(more, levels) for more in absent if more != levels)
    ]


def has(table: Levels, levels: Levels) -> bool:
    """Return whether a table has these dimensions at these levels, or finer."""
    return all(name in table and table[name] <= level for name, level in levels.items())


def cycles(tables: Sequence[Levels], heights: Mapping[str, int]) -> list[Levels]:
    """Return the cycles of tables, each as the table of its dimensions at the levels that link its
    tables: what is left of the hypergraph of tables and the levels of their dimensions when, again
    and again, levels of one table alone and tables within others are taken away, each connected part
    a cycle. Where nothing is left, tables that agree are always margins of one table (Beeri, Fagin,
    Maier and Yannakakis 1983, of acyclic schemes)."""
    left = {
        number: {(name, at) for name, least in table.items() for at in range(least, heights[name])}
        for number, table in enumerate(tables)
    }
    before = -1
    while before != (before := sum(map(len, left.values())) + len(left)):
        for number, own in left.items():
            others = (part for other, part in left.items() if other != number)
            own.intersection_update(set().union(*others))
        for number in list(left):
            if any(left[number] <= part for other, part in left.items() if other != number):
                del left[number]
    return [
        {name: min(level for own, level in part if own == name) for name, _ in sorted(part)}
        for part in _connected(list(left.values()))
    ]


def _connected(left: Sequence[set[Group]]) -> list[set[Group]]:
    """Return the connected parts of several tables each, by the dimensions that they share."""
    parts = list[tuple[set[Group], int]]()
    for own in left:
        names = {name for name, _ in own}
        together, count, apart = set(own), 1, []
        for part, tables in parts:
            if names & {name for name, _ in part}:
                together, count = together | part, count + tables
                names |= {name for name, _ in part}
            else:
                apart.append((part, tables))
        parts = [*apart, (together, count)]
    return [part for part, tables in parts if tables > 1]
