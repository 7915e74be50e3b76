"""The generalization lattice: facts about vectors of levels that hold for any data (Incognito,
section 2)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from anonsql.system.arrays import np

if TYPE_CHECKING:
    from numpy.typing import NDArray


Levels = dict[int, int]
"""A node: the level of each attribute, by attribute index; levels of a
subset of the attributes are a node of the family of that subset."""
Nodes: TypeAlias = "NDArray[np.bool_]"
"""A set of nodes of a lattice: true where a node belongs to it. Each axis is an attribute, each
index on it a level."""


def size(bottom: Sequence[int], top: Sequence[int]) -> int:
    """Return how many nodes lie between two vectors of levels, both included."""
    return math.prod(high - low + 1 for low, high in zip(bottom, top, strict=True))


def meet(nodes: Sequence[Levels]) -> Levels:
    """Return the most specific levels that all of some nodes of a family specialize."""
    return {attribute: min(node[attribute] for node in nodes) for attribute in nodes[0]}


@dataclass(frozen=True)
class Lattice:
    """The nodes between two vectors of levels, numbered from 1, the last attribute fastest."""

    attributes: tuple[int, ...]
    bottom: tuple[int, ...]
    top: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of levels of each attribute."""
        return tuple(high - low + 1 for low, high in zip(self.bottom, self.top, strict=True))

    @property
    def size(self) -> int:
        """The number of nodes."""
        return size(self.bottom, self.top)

    def none(self) -> Nodes:
        """Return the empty set of nodes."""
        return np.zeros(self.shape, dtype=np.bool_)

    def levels(self, nodes: Nodes) -> dict[int, Levels]:
        """Return the levels of the nodes of a set, by node number, in ascending order."""
        vectors = (np.argwhere(nodes) + np.array(self.bottom)).tolist()
        numbers = (np.flatnonzero(nodes) + 1).tolist()
        return {
            number: dict(zip(self.attributes, vector, strict=True))
            for number, vector in zip(numbers, vectors, strict=True)
        }

    def position(self, levels: Mapping[int, int]) -> tuple[int, ...]:
        """Return the index of a node in the array of a set of nodes."""
        return tuple(
            levels[attribute] - low
            for attribute, low in zip(self.attributes, self.bottom, strict=True)
        )

    def number(self, levels: Mapping[int, int]) -> int:
        """Return the number of a node."""
        return int(np.ravel_multi_index(self.position(levels), self.shape)) + 1

    def heights(self) -> NDArray[np.int64]:
        """Return the height of every node: the sum of its levels."""
        heights: NDArray[np.int64] = np.indices(self.shape).sum(axis=0) + sum(self.bottom)
        return heights

    def graph(self) -> Graph:
        """Return all nodes with their direct generalizations."""
        nodes = self.levels(~self.none())
        numbers = np.arange(1, len(nodes) + 1).reshape(self.shape)
        edges: list[tuple[int, int]] = []
        for axis in range(len(self.shape)):
            low, high = np.delete(numbers, -1, axis), np.delete(numbers, 0, axis)
            edges += zip(low.ravel().tolist(), high.ravel().tolist(), strict=True)
        return Graph.of(nodes, edges)


def generalizations(nodes: Nodes) -> Nodes:
    """Return the nodes of a set with all their generalizations."""
    for axis in range(nodes.ndim):
        nodes = np.logical_or.accumulate(nodes, axis=axis)
    return nodes


def specializations(nodes: Nodes) -> Nodes:
    """Return the nodes of a set with all their specializations."""
    return np.flip(generalizations(np.flip(nodes)))


def minimal(nodes: Nodes) -> Nodes:
    """Return the nodes of a set that generalize no other node of the set."""
    least, covered = nodes.copy(), generalizations(nodes)
    for axis in range(nodes.ndim):
        raised = np.moveaxis(least, axis, 0)
        raised[1:] &= ~np.moveaxis(covered, axis, 0)[:-1]
    return least


def maximal(nodes: Nodes) -> Nodes:
    """Return the nodes of a set that no other node of the set generalizes."""
    return np.flip(minimal(np.flip(nodes)))


@dataclass
class Graph:
    """Candidate nodes of one pass and the direct generalizations between them.

    Every edge raises one attribute by one level, so the nodes of one height depend only on those of
    the height below.
    """

    nodes: dict[int, Levels]
    above: dict[int, list[int]] = field(default_factory=dict)
    below: dict[int, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, nodes: dict[int, Levels], edges: Iterable[tuple[int, int]]) -> Graph:
        """Return the graph of nodes by id and (start, end) pairs."""
        graph = cls(nodes, {node: [] for node in nodes}, {node: [] for node in nodes})
        for start, end in edges:
            graph.above[start].append(end)
            graph.below[end].append(start)
        return graph

    def by_height(self) -> list[list[int]]:
        """Return the ids of each height, lowest first."""
        heights: dict[int, list[int]] = {}
        for node, levels in self.nodes.items():
            heights.setdefault(sum(levels.values()), []).append(node)
        return [heights[height] for height in sorted(heights)]
