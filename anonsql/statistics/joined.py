"""Tables that no policy publishes and an audit must know, because published cells are their
margins: tables of dimensions that depend on each other, and of all dimensions of a cycle of tables.

Groups of two dimensions depend on each other where they fall into several parts, so that no group
of one part occurs with a group of another part. The sum over a part is then the same by either
dimension, with and without exceptions: a region's is the sum of its districts', and that of two
regions which share a district the sum of the districts' of both. Combinations of two dimensions of
a table, as district and sector, depend on a third dimension (office) in the same way."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from anonsql.errors import PolicyError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.system.arrays import IntArray, np

Levels = Mapping[str, int]
"""The dimensions of a table, each with its finest level."""
Group = tuple[str, int]
"""A dimension and a level of it."""

MOST = 2_000
"""The greatest number of combinations of dimensions and levels that are checked for dependent
dimensions."""
_LISTED = 50_000_000
"""Up to so many combinations of groups, all are listed to find the occurring ones."""


@dataclass
class Together:
    """Which groups of dimensions occur together. ``read`` returns, by dimension and level, a number
    for the group of every combination that occurs; ``heights`` are the levels of the totals."""

    heights: Levels
    read: Callable[[], Mapping[Group, IntArray]]
    _parts: dict[tuple[frozenset[Group], Group], int] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        attributes: Sequence[Attribute],
        levels: Mapping[int, Sequence[int]],
        read: Callable[[], Sequence[IntArray]],
    ) -> Together:
        """Return which groups of some levels occur together, in the order of their numbers."""
        groups = [(a.name, level) for a in attributes for level in levels[a.index]]
        heights = {a.name: a.height for a in attributes}
        return cls(heights, lambda: dict(zip(groups, read(), strict=True)))

    @cached_property
    def _codes(self) -> Mapping[Group, IntArray]:
        return self.read()

    def parts(self, left: Levels, right: Group) -> int:
        """Return how many parts the groups of ``right`` fall into by the combinations of others (1
        without any) that they occur with. Raise PolicyError where too much is asked."""
        key = (frozenset(left.items()), right)
        if key not in self._parts:
            if not left:
                return 1
            if len(self._parts) >= MOST:
                text = (
                    f"dimensions can depend on each other in more than {MOST:,} ways, too many"
                    " for an audit."
                )
                remedy = "Leave out tables or dimensions, or begin at higher levels (`levels`)."
                raise PolicyError.at("statistics.tables", text, remedy)
            codes = [self._codes[group] for group in left.items()]
            self._parts[key] = _parts(codes, self._codes[right])
        return self._parts[key]

    def determined(self, one: Group, other: Group) -> bool:
        """Return whether each group of a dimension occurs with one of the several of another."""
        return 1 < len(np.unique(self._codes[other])) == self.parts(dict([one]), other)

    def coarsest(self, left: Levels, right: Group) -> dict[str, int]:
        """Return the highest levels that fall into as many parts as these ones do; none where these
        are no more than without one of the dimensions of ``left``."""
        levels, (name, level), count = dict(left), right, self.parts(left, right)
        less = [{own: at for own, at in left.items() if own != without} for without in left]
        if count <= max(self.parts(fewer, right) for fewer in less):
            return {}
        for own in left:
            while levels[own] + 1 < self.heights[own] and count == self.parts(
                {**levels, own: levels[own] + 1}, right
            ):
                levels[own] += 1
        while level + 1 < self.heights[name] and count == self.parts(levels, (name, level + 1)):
            level += 1
        return {**levels, name: level}


def _parts(left: Sequence[IntArray], right: IntArray) -> int:
    """Return how many parts groups fall into, by their numbers in every combination that occurs."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    pairs, columns = np.zeros(len(right), np.int64), [*left, right]
    sizes = [int(own.max(initial=0)) + 1 for own in columns]
    for own, size in zip(columns, sizes, strict=True):
        pairs = pairs * size + own
    if math.prod(sizes) > _LISTED:
        pairs = np.unique(pairs)
    else:
        listed = np.zeros(math.prod(sizes), np.bool_)
        listed[pairs] = True
        pairs = np.flatnonzero(listed)
    ends, groups = np.divmod(pairs, sizes[-1])
    nodes = sizes[-1] + np.cumsum(np.diff(ends, prepend=-1) != 0)
    size = int(nodes.max(initial=0)) + 1
    graph = coo_array((np.ones(len(nodes), np.int8), (nodes, groups)), shape=(size, size))
    return len(np.unique(connected_components(graph, directed=False)[1][groups]))


def joined_tables(tables: Sequence[Levels], together: Together) -> list[Levels]:
    """Return the tables that are not published and tie published cells together."""
    joined = list[Levels]()
    while found := lacking([*tables, *joined], together) or cycles(
        [*tables, *joined], together.heights
    ):
        joined += found
    return joined


def lacking(tables: Sequence[Levels], together: Together) -> list[Levels]:
    """Return the missing tables where dimensions of one table depend on a dimension of another: the
    dependent and the shared dimensions relate the cells of both, which only a table of these
    dimensions shows."""
    wanted = list[Levels]()
    for one, other in itertools.permutations(tables, 2):
        for right, size in itertools.product(other.items(), (1, 2)):
            for names in itertools.combinations(sorted(one.keys() - {right[0]}), size):
                left = {name: one[name] for name in names}
                if _has_any(tables, _joint(one, other, {**left, right[0]: right[1]})):
                    continue
                if depending := together.coarsest(left, right):
                    wanted.append(_joint(one, other, depending))
    absent = [levels for levels in wanted if not _has_any(tables, levels)]
    return [
        levels
        for number, levels in enumerate(absent)
        if levels not in absent[:number]
        and not _has_any([more for more in absent if more != levels], levels)
    ]


def _joint(one: Levels, other: Levels, depending: Levels) -> Levels:
    shared = {name: max(one[name], other[name]) for name in one.keys() & other.keys()}
    finest = {name: min(level, shared.get(name, level)) for name, level in depending.items()}
    return dict(sorted({**shared, **finest}.items()))


def _has_any(tables: Sequence[Levels], levels: Levels) -> bool:
    return any(has(table, levels) for table in tables)


def has(table: Levels, levels: Levels) -> bool:
    """Return whether a table has these dimensions at these levels, or finer."""
    return all(name in table and table[name] <= level for name, level in levels.items())


def cycles(tables: Sequence[Levels], heights: Mapping[str, int]) -> list[Levels]:
    """Return the cycles of tables, each as the table of its dimensions at the levels that link its
    tables: what is left of the hypergraph of tables and the levels of their dimensions when, again
    and again, levels of one table alone and tables within others are taken away, each connected
    part a cycle. Where nothing is left, tables that agree are always margins of one table (Beeri,
    Fagin, Maier and Yannakakis 1983, of acyclic schemes)."""
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
