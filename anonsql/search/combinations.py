"""Search where the quasi-identifier is several combinations of attributes, each of which must keep
the promise by itself.

A generalization satisfies when its levels on every combination do, so the lattice of each
combination is searched by itself, and the answers are intersected. Nothing counts the combinations
of values of all attributes together, most of which are unique.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from anonsql.search.plan import SearchPlan
from anonsql.search.results import Round, SearchResult, Verdict
from anonsql.star.lattice import Lattice, Levels, Nodes, minimal


def search_each(plan: SearchPlan, search: Callable[[SearchPlan], SearchResult]) -> SearchResult:
    """Return the nodes over all attributes whose levels on every combination satisfy."""
    lattice = plan.lattice
    together, checked = ~lattice.none(), 0
    rounds, verdicts = list[Round](), list[tuple[Levels, Verdict]]()
    names = {attribute.index: attribute.name for attribute in plan.sets.star.attributes}
    for combination in plan.combinations:
        part = replace(plan, combinations=(combination,))
        search_result = search(part)
        together &= _spread(search_result, part.lattice, lattice)
        checked += search_result.checked
        title = ", ".join(names[index] for index in combination)
        rounds += [
            replace(round_, title=f"{title}: {round_.title}") for round_ in search_result.rounds
        ]
        verdicts += [
            (levels, _renumbered(verdict, len(verdicts)))
            for levels, verdict in search_result.verdicts
        ]
    nodes = lattice.levels(together)
    return SearchResult(
        nodes, frozenset(lattice.levels(minimal(together))), {}, checked, rounds, verdicts
    )


def _spread(search_result: SearchResult, part: Lattice, whole: Lattice) -> Nodes:
    nodes = part.none()
    for levels in search_result.nodes.values():
        nodes[part.position(levels)] = True
    levels_of = dict(zip(part.attributes, part.shape, strict=True))
    return nodes.reshape([levels_of.get(index, 1) for index in whole.attributes])


def _renumbered(verdict: Verdict, before: int) -> Verdict:
    """Return the verdict with node numbers that no other combination uses."""
    cause = verdict.implied_by + before if verdict.implied_by else verdict.implied_by
    return replace(verdict, node=verdict.node + before, implied_by=cause)
