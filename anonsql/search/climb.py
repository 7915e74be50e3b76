"""Breadth-first search of one graph of candidate nodes (Incognito, Fig. 8): a node that satisfies
marks its generalizations, and one statement counts all unmarked nodes of a height."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from anonsql.search.frequency import CELLS, FrequencySets, Request
from anonsql.search.results import ClassSizes, Round, SearchResult, Verdict
from anonsql.star.lattice import Graph, Levels

Progress = Callable[[str, int, int], None]


@dataclass
class Start:
    """What the roots of each family (candidates over one subset of the attributes) are counted
    from. ``tables`` hold frequency sets; ``families`` maps a family to the number and the levels of
    its set, or lacks it where the cells are counted."""

    tables: list[str] = field(default_factory=list)
    families: dict[tuple[int, ...], tuple[int, Levels]] = field(default_factory=dict)

    def drop(self, sets: FrequencySets) -> None:
        """Drop the tables."""
        sets.engine.drop(*self.tables)


@dataclass
class Walk:
    """A graph of candidates, and what is known of its nodes so far."""

    graph: Graph
    max_suppressed: int
    sizes: dict[int, ClassSizes] = field(default_factory=dict)
    satisfied: set[int] = field(default_factory=set)
    milliseconds: dict[int, float] = field(default_factory=dict)

    def wanted(self, node: int) -> bool:
        """Return whether a node must be counted: no direct specialization of it satisfies. Note the
        verdict where it need not."""
        if not self.satisfied.isdisjoint(self.graph.below[node]):
            self.satisfied.add(node)
            return False
        return True

    def counted(self, class_sizes: Mapping[int, ClassSizes], seconds: float) -> None:
        """Note the sizes that one statement counted."""
        self.milliseconds.update(dict.fromkeys(class_sizes, seconds * 1000 / len(class_sizes)))
        self.sizes.update(class_sizes)
        self.satisfied.update(
            node for node, sizes in class_sizes.items() if sizes.suppressed <= self.max_suppressed
        )

    def verdicts(self) -> list[tuple[Levels, Verdict]]:
        """Return a verdict on every candidate."""
        return [
            (
                levels,
                Verdict(
                    node,
                    node in self.satisfied,
                    self.sizes.get(node),
                    None,
                    self.milliseconds.get(node),
                ),
            )
            for node, levels in self.graph.nodes.items()
        ]

    def found(
        self, checked: int, rounds: Sequence[Round], verdicts: Sequence[tuple[Levels, Verdict]]
    ) -> SearchResult:
        """Return the satisfying nodes of a graph over all attributes."""
        nodes = {
            node: levels for node, levels in self.graph.nodes.items() if node in self.satisfied
        }
        least = frozenset(
            node for node in nodes if self.satisfied.isdisjoint(self.graph.below[node])
        )
        return SearchResult(nodes, least, self.sizes, checked, rounds, verdicts)


def climb(
    sets: FrequencySets, walk: Walk, start: Start, progress: Progress, *, roll_up: bool = True
) -> list[Round]:
    """Decide every node of the graph, height by height.

    A node is rolled up from the smallest frequency set among its counted direct specializations,
    else from that which its family starts from; without ``roll_up``, always from the latter.
    """
    below, table, rounds = dict[int, ClassSizes](), "", []
    heights = walk.graph.by_height()
    for number, height in enumerate(heights, start=1):
        todo = [node for node in height if walk.wanted(node)]
        started = time.perf_counter()
        before, table, sizes = table, "", dict[int, ClassSizes]()
        if todo:
            requests = [
                _request(walk.graph, node, below if roll_up else {}, start) for node in todo
            ]
            tables = [*start.tables, *([before] if before and roll_up else [])]
            table = sets.keep(requests, tables)
            sizes = sets.sizes_of(table)
            walk.counted(sizes, time.perf_counter() - started)
        if before:
            sets.engine.drop(before)
        below = sizes
        progress("search", number, len(heights))
        title = f"height {sum(walk.graph.nodes[height[0]].values())}"
        passed = sum(node in walk.satisfied for node in todo)
        rounds.append(Round(title, len(todo), passed, None, time.perf_counter() - started))
    if table:
        sets.engine.drop(table)
    return rounds


def _request(graph: Graph, node: int, below: Mapping[int, ClassSizes], start: Start) -> Request:
    levels = graph.nodes[node]
    counted = [number for number in graph.below[node] if number in below]
    if counted:
        return Request(node, levels, min(counted, key=lambda number: below[number].groups))
    return Request(node, levels, start.families.get(tuple(levels), (CELLS, levels))[0])
