"""The generalization lattice: pure facts about vectors of levels (Incognito, section 2)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

Levels = dict[int, int]
"""A node: the level of each attribute, by attribute index; a subset of the attributes is a node of its own family."""


def size(bottom: Sequence[int], top: Sequence[int]) -> int:
    """How many nodes lie between two vectors of levels, both included."""
    return math.prod(high - low + 1 for low, high in zip(bottom, top, strict=True))


@dataclass
class Graph:
    """Candidate nodes of one pass and the direct generalizations between them.

    Every edge raises one attribute by one level, so the nodes of one height depend only on those of the height below.
    """

    nodes: dict[int, Levels]
    above: dict[int, list[int]] = field(default_factory=dict)
    below: dict[int, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, nodes: dict[int, Levels], edges: Iterable[tuple[int, int]]) -> Graph:
        """The graph of nodes by id and (start, end) pairs."""
        graph = cls(nodes, {node: [] for node in nodes}, {node: [] for node in nodes})
        for start, end in edges:
            graph.above[start].append(end)
            graph.below[end].append(start)
        return graph

    def by_height(self) -> list[list[int]]:
        """The ids of each height, lowest first."""
        heights: dict[int, list[int]] = {}
        for node, levels in self.nodes.items():
            heights.setdefault(sum(levels.values()), []).append(node)
        return [heights[height] for height in sorted(heights)]

    def roots(self) -> list[int]:
        """Nodes that generalize no other candidate."""
        return [node for node in self.nodes if not self.below[node]]
