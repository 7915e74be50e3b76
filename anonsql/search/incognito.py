"""Incognito (LeFevre, DeWitt, Ramakrishnan 2005, section 3.1): all k-anonymous full-domain generalizations.

Passes over subsets of one, two, … all attributes. Candidate nodes and edges are tables of the catalog, made by its
SQL (join, prune, edge generation); frequency sets are made by the engine, one statement for each height of a pass,
over all families at once. With a suppression limit a node satisfies when its groups smaller than k hold no more rows
than may be suppressed, which stays true under generalization and on subsets, so all pruning stays sound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from anonsql.catalog import Catalog, KnownSizes
from anonsql.lattice import Graph
from anonsql.search.frequency import ClassSizes, FrequencySets, Verdict, climb

Algorithm = Literal["auto", "incognito"]
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Found:
    """What a search found: the satisfying nodes of the whole quasi-identifier as a graph, and what it cost.

    ``sizes`` holds the class sizes of the nodes that were checked; the others satisfy by the generalization property.
    """

    graph: Graph
    sizes: dict[int, ClassSizes]
    checked: int


def search(
    catalog: Catalog, sets: FrequencySets, known: KnownSizes, *, algorithm: Algorithm, max_suppressed: int, progress: Progress
) -> Found:
    """All nodes of the whole quasi-identifier that leave at most ``max_suppressed`` rows in groups smaller than k.

    ``incognito`` makes every pass; ``auto`` goes from pairs to the whole quasi-identifier at once, for the passes
    between mostly check more subsets than they save. What is ``known`` of a node is not counted again.
    """
    attributes = sets.star.attributes
    whole = len(attributes)
    passes = range(1, whole + 1) if algorithm == "incognito" else sorted({1, min(2, whole), whole})
    catalog.begin_search(attributes)
    checked = before = 0
    for size in passes:
        graph = catalog.candidates(size, before)
        verdicts = check(graph, sets, known, max_suppressed, progress)
        catalog.record(size, verdicts)
        checked += sum(verdict.sizes is not None for verdict in verdicts)
        before = size
    satisfied = {verdict.node for verdict in verdicts if verdict.satisfied}
    edges = [(start, end) for start in satisfied for end in graph.above[start]]
    found = Graph.of({node: graph.nodes[node] for node in graph.nodes if node in satisfied}, edges)
    return Found(found, {each.node: each.sizes for each in verdicts if each.satisfied and each.sizes}, checked)


def check(graph: Graph, sets: FrequencySets, known: KnownSizes, max_suppressed: int, progress: Progress) -> list[Verdict]:
    """The breadth-first search of one pass (Fig. 8), marks passed on: a verdict on every candidate."""
    heights = len(graph.by_height())
    climbed = 0
    sizes: dict[int, ClassSizes] = {}
    satisfied: set[int] = set()

    def wanted(node: int) -> bool:
        if not satisfied.isdisjoint(graph.below[node]):
            satisfied.add(node)
            return False
        already = known.get(graph.nodes[node])
        if already:
            note({node: already})
        return not already

    def note(found: dict[int, ClassSizes]) -> None:
        sizes.update(found)
        satisfied.update(node for node, each in found.items() if each.suppressed <= max_suppressed)

    def visit(_table: str, _nodes: Sequence[int], found: dict[int, ClassSizes]) -> None:
        nonlocal climbed
        climbed += 1
        progress("search", climbed, heights)
        note(found)
        known.keep([(graph.nodes[node], each) for node, each in found.items()])

    climb(sets, graph, wanted, visit)
    return [Verdict(node, node in satisfied, sizes.get(node)) for node in graph.nodes]
