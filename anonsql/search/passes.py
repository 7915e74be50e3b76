"""Incognito (LeFevre, DeWitt, Ramakrishnan 2005, section 3): passes over subsets of one, two, … all
attributes.

Candidate nodes and edges are tables of the catalog, made by its SQL (join, prune, edge generation).
Each pass is a breadth-first search (Fig. 8) in which satisfying nodes mark their generalizations;
one statement counts all nodes of a height, over all families (subsets of the attributes) at once.
The variants differ in what the roots of a family are counted from (sections 3.1, 3.3.1, 3.3.2).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from anonsql.search.climb import Start, Walk, climb
from anonsql.search.frequency import FrequencySets, Request
from anonsql.search.plan import SearchPlan
from anonsql.search.results import Lattices, Round, SearchResult, Verdict
from anonsql.star.lattice import Graph, Levels, meet


def search(plan: SearchPlan, catalog: Lattices) -> SearchResult:
    """Return all satisfying nodes, by ``incognito``, ``super-roots`` or ``cube``."""
    attributes = plan.sets.star.attributes
    catalog.begin_search(attributes)
    checked, rounds, verdicts = 0, list[Round](), list[tuple[Levels, Verdict]]()
    started = time.perf_counter()
    cube = _cube(plan.sets) if plan.algorithm == "cube" else None
    if cube:
        rounds.append(Round("cube", len(cube.families), 0, None, time.perf_counter() - started))
    for size in range(1, len(attributes) + 1):
        started = time.perf_counter()
        graph = catalog.candidates(size)
        start = cube or (
            _super_roots(plan.sets, graph) if plan.algorithm == "super-roots" else Start()
        )
        walk = Walk(graph, plan.max_suppressed)
        climb(plan.sets, walk, start, plan.progress)
        if not cube:
            start.drop(plan.sets)
        catalog.record(size, [verdict for _, verdict in walk.verdicts()])
        verdicts += walk.verdicts()
        checked += len(walk.sizes)
        title = f"subsets of {size}"
        rounds.append(
            Round(title, len(walk.sizes), len(walk.satisfied), None, time.perf_counter() - started)
        )
    if cube:
        cube.drop(plan.sets)
    return walk.found(checked, rounds, verdicts)


def _super_roots(sets: FrequencySets, graph: Graph) -> Start:
    """Count one frequency set from the cells for each family: at the most specific levels that all
    its candidates generalize (section 3.3.1)."""
    families: dict[tuple[int, ...], list[Levels]] = {}
    for levels in graph.nodes.values():
        families.setdefault(tuple(levels), []).append(levels)
    requests = [
        Request(-number, meet(members)) for number, members in enumerate(families.values(), start=1)
    ]
    if not requests:
        return Start()
    return Start(
        [sets.keep(requests, [])],
        {tuple(request.levels): (request.node, request.levels) for request in requests},
    )


@dataclass
class _Subset:
    """A subset of the attributes in the cube: its number and the size of its frequency set."""

    number: int
    groups: int = field(default=0)


def _cube(sets: FrequencySets) -> Start:
    """Make the frequency sets of every subset of the attributes at their least levels, from the
    largest subset down, each rolled up from the smallest set that contains it (section 3.3.2): a
    statement for each size of subset."""
    attributes = [attribute.index for attribute in sets.star.attributes]
    bottom = dict(zip(attributes, sets.star.bottom, strict=True))
    start, above = Start(), dict[tuple[int, ...], _Subset]()
    for size in range(len(attributes), 0, -1):
        made = [
            (
                family,
                Request(
                    -len(start.families) - number,
                    {index: bottom[index] for index in family},
                    _source(family, above),
                ),
            )
            for number, family in enumerate(combinations(attributes, size), start=1)
        ]
        table = sets.keep([request for _, request in made], start.tables[-1:])
        groups = sets.groups(table)
        above = {family: _Subset(request.node, groups[request.node]) for family, request in made}
        start.tables.append(table)
        start.families.update({family: (request.node, request.levels) for family, request in made})
    return start


def _source(family: Sequence[int], above: Mapping[tuple[int, ...], _Subset]) -> int:
    wider = [subset for other, subset in above.items() if set(family) < set(other)]
    return min(wider, key=lambda subset: subset.groups).number if wider else 0
