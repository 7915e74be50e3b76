"""Class sizes and suppressed losses of given nodes, many at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonsql.lattice import Graph, Levels
from anonsql.search.frequency import ClassSizes, FrequencySets, climb


@dataclass(frozen=True)
class Measured:
    """A node with its class sizes and, by attribute, what its suppressed rows would have lost if released."""

    levels: Levels
    sizes: ClassSizes
    suppressed_loss: Mapping[int, float]


def measure(sets: FrequencySets, nodes: Mapping[int, Levels]) -> dict[int, Measured]:
    """A few nodes measured at once, all from the least levels that they have in common."""
    sets.begin(nodes)
    table = sets.make(nodes, {}, "")
    measured = _measured(sets, table, nodes, sets.sizes(table))
    sets.drop(table)
    return measured


def climb_and_measure(sets: FrequencySets, graph: Graph) -> dict[int, Measured]:
    """Every node of a graph measured, height by height; roll-ups along its edges, one statement a height."""
    measured: dict[int, Measured] = {}

    def visit(table: str, nodes: Sequence[int], sizes: dict[int, ClassSizes]) -> None:
        measured.update(_measured(sets, table, {node: graph.nodes[node] for node in nodes}, sizes))

    climb(sets, graph, lambda _node: True, visit)
    return measured


def _measured(sets: FrequencySets, table: str, nodes: Mapping[int, Levels], sizes: Mapping[int, ClassSizes]) -> dict[int, Measured]:
    losses = _suppressed_losses(sets, table, nodes, sizes)
    return {node: Measured(levels, sizes[node], losses.get(node, {})) for node, levels in nodes.items()}


def _suppressed_losses(
    sets: FrequencySets, table: str, nodes: Mapping[int, Levels], sizes: Mapping[int, ClassSizes]
) -> dict[int, dict[int, float]]:
    """By node and attribute, the loss that its suppressed rows would have had; nodes without such rows are left out."""
    asked = [(node, *level) for node, levels in nodes.items() if sizes[node].suppressed for level in levels.items()]
    losses: dict[int, dict[int, float]] = {}
    if asked:
        sets.engine.load("asked", [("node", "INTEGER"), ("attribute", "INTEGER"), ("level", "INTEGER")], asked)
        parameters = {"table": table, "nodes": "asked", "attributes": sets.star.attributes, "k": sets.k}
        for node, attribute, loss in sets.engine.query("search/suppressed_loss", **parameters):
            losses.setdefault(node, {})[attribute] = float(loss)
    return losses
