"""Frequency sets of many nodes at once, and walking up a graph with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from anonsql.engines.base import Engine
from anonsql.lattice import Graph, Levels
from anonsql.models import Promise
from anonsql.star import Star

_FAMILIES = "families"
_REQUESTS = "requests"


@dataclass(frozen=True)
class ClassSizes:
    """What a frequency set says of a node at a given k; groups below k are suppressed and are no classes.

    ``groups`` counts all groups, ``smallest`` is the least of them; ``classes`` counts the released ones, ``min_class``
    is the smallest released class (0 when there is none), ``suppressed`` a number of rows, ``squares`` the sum of
    squared released class sizes.
    """

    groups: int
    smallest: int
    classes: int
    min_class: int
    suppressed: int
    squares: int


@dataclass(frozen=True)
class Verdict:
    """What is known of a candidate: whether it satisfies, and its class sizes if it was checked and not implied."""

    node: int
    satisfied: bool
    sizes: ClassSizes | None


class FrequencySets:
    """Frequency sets in the engine's scratch: one table for each batch of nodes, one statement to fill it."""

    def __init__(self, engine: Engine, star: Star, promise: Promise) -> None:
        self.engine, self.star, self.promise = engine, star, promise
        self._keys = ["node", *(f"c{each.index}" for each in star.attributes)]
        self._tables = 0
        self._family: dict[tuple[int, ...], tuple[int, Levels]] = {}

    @property
    def k(self) -> int:
        """The k of the promise."""
        return self.promise.k

    def begin(self, nodes: Mapping[int, Levels]) -> None:
        """Count the super-root of every family of ``nodes`` from the cells, so that each can be rolled up from it."""
        meets: dict[tuple[int, ...], Levels] = {}
        for levels in nodes.values():
            meet = meets.setdefault(tuple(levels), dict(levels))
            for attribute, level in levels.items():
                meet[attribute] = min(meet[attribute], level)
        self._family = {family: (-number, meet) for number, (family, meet) in enumerate(meets.items(), start=1)}
        self.drop(_FAMILIES)
        families = list(self._family.values())
        self.engine.run("search/families", table=_FAMILIES, attributes=self.star.attributes, families=families)

    def make(self, nodes: Mapping[int, Levels], sources: Mapping[int, tuple[int, Levels]], below: str) -> str:
        """The name of a new table with the frequency sets of ``nodes``, rolled up from ``sources`` (a node of the
        table ``below`` and its levels) or, where a node has none, from its family's super-root."""
        requests = []
        for node, levels in nodes.items():
            source, before = sources.get(node) or self._family[tuple(levels)]
            moved = {attribute: level for attribute, level in levels.items() if before[attribute] != level}
            requests.append((node, source, *(moved.get(each.index) for each in self.star.attributes)))
        columns = ["node", "source", *(f"l{each.index}" for each in self.star.attributes)]
        self.engine.load(_REQUESTS, [(name, "INTEGER") for name in columns], requests)
        self._tables += 1
        table = f"frequency_{self._tables}"
        tables = {"table": table, "requests": _REQUESTS, "families": _FAMILIES, "below": below}
        self.engine.run("search/frequency_sets", attributes=self.star.attributes, **tables)
        return table

    def sizes(self, table: str) -> dict[int, ClassSizes]:
        """The class sizes of every node in a table."""
        rows: list[tuple[int, ...]] = self.engine.query("search/class_sizes", table=table, keys=self._keys, promise=self.promise)
        return {node: ClassSizes(*counts) for node, *counts in rows}

    def drop(self, table: str) -> None:
        """Give a table's space back."""
        self.engine.drop(table)


Visit = Callable[[str, Sequence[int], dict[int, ClassSizes]], None]


def climb(sets: FrequencySets, graph: Graph, wanted: Callable[[int], bool], visit: Visit) -> None:
    """Evaluate the wanted nodes of a graph height by height, one statement a height.

    A node is rolled up from the smallest of its direct specializations that was evaluated, else from its family's
    super-root. ``wanted`` is asked when a node's height is reached; ``visit`` gets each height's table, its nodes and
    their class sizes.
    """
    if not graph.nodes:
        return
    sets.begin(graph.nodes)
    below, known = "", dict[int, ClassSizes]()
    for height in graph.by_height():
        todo = [node for node in height if wanted(node)]
        table, sizes = "", dict[int, ClassSizes]()
        if todo:
            nearest = {node: _smallest(graph.below[node], known) for node in todo}
            sources = {node: (each, graph.nodes[each]) for node, each in nearest.items() if each is not None}
            table = sets.make({node: graph.nodes[node] for node in todo}, sources, below)
            sizes = sets.sizes(table)
            visit(table, todo, sizes)
        if below:
            sets.drop(below)
        below, known = table, sizes
    if below:
        sets.drop(below)


def _smallest(nodes: Sequence[int], known: Mapping[int, ClassSizes]) -> int | None:
    """The node with the fewest groups among those known."""
    return min((node for node in nodes if node in known), key=lambda node: known[node].groups, default=None)
