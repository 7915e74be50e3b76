"""Which released row can be which row of the source: matches, effective matches, disjoint
assignments.

The graph of section 4.1 of Wong, Mamoulis and Cheung, "Non-homogeneous generalization in privacy
preserving data publishing" (SIGMOD 2010), compressed: a node stands for all originals (rows of the
source) with the same quasi-identifying values, or for all released rows with the same generalized
ones, and has their number; an edge stands for the matches between two nodes: all pairs of their
rows, which are alike by symmetry. An assignment gives each released row an original of its own, so
it is a flow in which every released node takes as many rows as it has and no node of originals (a
cell of the star schema) gives more than it has. Originals that are left over were suppressed.

A match is *effective* when some assignment uses it (Definition 5). Given one assignment, an unused
edge is effective iff its ends lie in one strongly connected component of what can be changed about
it (Theorem 1): from a cell to every released node that it matches, from a released node back to the
cells it takes rows from. Where rows are left over, one node more stands for being left over: every
cell may go there, and it gives back those that did. Each connected component leaves over exactly as
many rows as it has originals too many, so each has such a node of its own.

Pr(original = released row) ≤ 1/k (Definition 2) can be had by choosing among the assignments at
random iff there are k of them that share no match:

- k assignments that share no match, one drawn evenly, use a match with probability 1/k at most.
- Conversely let x be the probabilities, by pair of rows, of any way to choose with x ≤ 1/k.
  Averaged over the rows of each two nodes and multiplied by k times the rows of both they are a
  flow in which a cell of n originals gives k n at most, a released node of m rows takes k m, and an
  edge between them carries n m at most. These bounds are whole numbers, so there is a whole flow
  too; spread over the rows evenly it is, again by whole bounds, a choice of pairs of rows in which
  each released row is in k pairs and each original in k at most. Filled up with nodes for being
  left over it is a regular bipartite graph, which by König's theorem consists of k assignments.

Fig. 4 of the paper shows that k effective matches everywhere are not enough for that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .transport import Bools, Ints, components_of, greatest_flow


@dataclass(frozen=True)
class MatchGraph:
    """Which originals match which released rows. ``originals`` and ``released`` have the number of
    rows of each node (at least 1); an edge leads from ``cell``, a position in the former, to
    ``tuple``, one in the latter, each pair at most once."""

    originals: Ints
    released: Ints
    cell: Ints
    tuple: Ints

    @classmethod
    def of(
        cls,
        originals: npt.ArrayLike,
        released: npt.ArrayLike,
        cell: npt.ArrayLike,
        tuple: npt.ArrayLike,
    ) -> MatchGraph:
        """Return a graph from sequences that can be made arrays."""
        made = [np.asarray(array, dtype=np.int64) for array in (originals, released, cell, tuple)]
        return cls(*made)

    @property
    def weights(self) -> Ints:
        """How many pairs of rows each edge stands for."""
        return self.originals[self.cell] * self.released[self.tuple]

    def by_cell(self, edges: Bools) -> Ints:
        """Return, by cell, how many released rows an original of it matches by some of the
        edges."""
        return _summed(self.cell[edges], self.released[self.tuple[edges]], len(self.originals))

    def by_tuple(self, edges: Bools) -> Ints:
        """Return, by released node, how many originals a row of it matches by some of the edges."""
        return _summed(self.tuple[edges], self.originals[self.cell[edges]], len(self.released))


@dataclass(frozen=True)
class Effective:
    """Which edges are effective, the component of each cell and released node by those (cells
    first), and how many released rows of each node's component no assignment can place: where that
    is more than 0, no edge is effective."""

    edges: Bools
    component: Ints
    unassigned: Ints


@dataclass(frozen=True)
class AssignmentVerdict:
    """What the graph says of a release that promises k. All numbers are of rows, or of pairs of
    rows.

    ``matches`` are the pairs that fit, ``ineffective`` those of them that no assignment uses.
    ``unassigned`` counts released rows that can be no original of the source at all; where there
    are none, ``left_over`` counts the originals that no released row is, and ``unmatched`` those of
    them that no released row can be. ``least_original`` and ``least_released`` are the least
    numbers of effective matches on each side (being left over is no match; ``unmatched`` originals
    do not count), ``exposed_originals`` and ``exposed_released`` the rows with fewer than k.
    ``disjoint`` is how many assignments there are that share no match, k at most; ``short`` counts
    the components that have fewer than k.
    """

    k: int
    originals: int
    released: int
    left_over: int
    unmatched: int
    unassigned: int
    matches: int
    ineffective: int
    components: int
    least_original: int
    least_released: int
    exposed_originals: int
    exposed_released: int
    disjoint: int
    short: int

    @property
    def kept(self) -> bool:
        """Whether the promise of k can be kept: by k assignments that share no match, each row with
        k matches."""
        exposed = self.exposed_originals + self.exposed_released
        return self.released > 0 and not self.unassigned and not exposed and self.disjoint >= self.k

    @property
    def highest_probability(self) -> float:
        """The least bound that drawing among disjoint assignments puts on the probability that a
        released row is a particular original; 1 where there is no such bound."""
        return 1 / self.disjoint if self.disjoint else 1.0


def judge(graph: MatchGraph, k: int) -> tuple[AssignmentVerdict, Effective]:
    """Return the verdict on a release, and which of its matches are effective."""
    effective = effective_edges(graph)
    cells = len(graph.originals)
    sound_cells, sound_tuples = effective.unassigned[:cells] == 0, effective.unassigned[cells:] == 0
    of_originals, of_released = graph.by_cell(effective.edges), graph.by_tuple(effective.edges)
    matched = of_originals > 0
    disjoint, short = _disjoint(graph, effective, k)
    first = np.unique(effective.component, return_index=True)[1]
    unassigned = _once(graph, effective)
    weights = graph.weights
    verdict = AssignmentVerdict(
        k=k,
        originals=int(graph.originals.sum()),
        released=int(graph.released.sum()),
        left_over=max(0, int(graph.originals.sum()) - int(graph.released.sum())),
        unmatched=int(graph.originals[sound_cells & ~matched].sum()),
        unassigned=unassigned,
        matches=int(weights.sum()),
        ineffective=int(weights[~effective.edges].sum()),
        components=int(np.count_nonzero(np.concatenate([of_originals, of_released])[first])),
        least_original=int(of_originals[matched].min()) if matched.any() else 0,
        least_released=int(of_released[sound_tuples].min()) if sound_tuples.any() else 0,
        exposed_originals=int(graph.originals[matched & (of_originals < k)].sum()),
        exposed_released=int(graph.released[sound_tuples & (of_released < k)].sum()),
        disjoint=0 if unassigned else disjoint,
        short=short,
    )
    return verdict, effective


def effective_edges(graph: MatchGraph) -> Effective:
    """Return which matches some assignment uses (Theorem 1).

    In components where every cell matches every released node, or where every original and every
    released row has the same number of matches (Lemma 1), all are; only the others need a flow.
    """
    cells, tuples = len(graph.originals), len(graph.released)
    tail, head = graph.cell, cells + graph.tuple
    component = components_of(cells + tuples, tail, head)
    many = int(component.max(initial=-1)) + 1
    supply = _summed(component[:cells], graph.originals, many)
    demand = _summed(component[cells:], graph.released, many)
    complete = np.bincount(component[tail], minlength=many) == np.bincount(
        component[:cells], minlength=many
    ) * np.bincount(component[cells:], minlength=many)
    easy = complete | (_regular(graph, component, many) & (supply == demand))
    hard = ~easy[component[tail]]
    unassigned = np.where(complete, np.maximum(demand - supply, 0), 0)
    edges = unassigned[component[tail]] == 0
    if hard.any():
        flow = np.zeros(len(tail), dtype=np.int64)
        every = np.concatenate([graph.originals, np.zeros(tuples, dtype=np.int64)])
        wanted = np.concatenate([np.zeros(cells, dtype=np.int64), graph.released])
        flow[hard] = greatest_flow(
            every, wanted, tail[hard], head[hard], np.minimum(every[tail], wanted[head])[hard]
        )
        placed = _summed(component[head[hard]], flow[hard], many)
        unassigned = np.where(easy, unassigned, demand - placed)
        edges = np.where(
            hard,
            (unassigned[component[tail]] == 0) & _exchangeable(graph, component, flow, hard),
            edges,
        )
    numbers = components_of(cells + tuples, tail[edges], head[edges])
    return Effective(edges, numbers, unassigned[component])


def _exchangeable(graph: MatchGraph, component: Ints, flow: Ints, hard: Bools) -> Bools:
    """Return the edges that carry flow, or whose ends lie in one strongly connected component of
    the flow's residual graph."""
    cells, nodes = len(graph.originals), len(component)
    tail, head = graph.cell, cells + graph.tuple
    used = flow > 0
    left = graph.originals - _summed(graph.cell, flow, cells)
    open_cells = np.unique(tail[hard])
    nowhere = nodes + component[open_cells]  # the node that takes a component's left-over rows
    giving = left[open_cells] > 0
    leaves_over = np.isin(nowhere, nowhere[giving])
    tails = np.concatenate([tail[hard], head[used], open_cells[leaves_over], nowhere[giving]])
    heads = np.concatenate([head[hard], tail[used], nowhere[leaves_over], open_cells[giving]])
    strong = components_of(nodes + int(component.max()) + 1, tails, heads, strong=True)
    changed: Bools = used | (strong[tail] == strong[head])
    return changed


def _regular(graph: MatchGraph, component: Ints, many: int) -> Bools:
    """Return the components in which every original and every released row has the same number of
    matches."""
    every = np.ones(len(graph.cell), dtype=np.bool_)
    degrees = np.concatenate([graph.by_cell(every), graph.by_tuple(every)])
    same: Bools = _least(component, degrees, many) == _most(component, degrees, many)
    return same


def _disjoint(graph: MatchGraph, effective: Effective, k: int) -> tuple[int, int]:
    """Return how many assignments share no match, k at most, and how many components have fewer
    than k.

    Where every released row of a component has the same number d ≥ k of matches and no original
    more than d, evenly drawn among them is below 1/k already (Lemma 1); where a row has fewer than
    k there cannot be k. The others need a flow.
    """
    kept = effective.edges
    if not kept.any():
        return 0, 0
    cells, many = len(graph.originals), int(effective.component.max()) + 1
    of_cell, of_tuple = effective.component[:cells], effective.component[cells:]
    degrees = graph.by_tuple(kept)
    least, most = _least(of_tuple, degrees, many), _most(of_tuple, degrees, many)
    present = most > 0
    even = (least == most) & (_most(of_cell, graph.by_cell(kept), many) <= least)
    short = present & (least < k)
    doubtful = present & (least >= k) & ~even
    short[_unsaturated(graph, effective, k, doubtful)] = True
    if not short.any():
        return k, 0
    low, high = 1, min(k - 1, int(least[short].min()))  # one assignment exists
    while low < high:
        middle = (low + high + 1) // 2
        if len(_unsaturated(graph, effective, middle, short)):
            high = middle - 1
        else:
            low = middle
    return low, int(short.sum())


def _unsaturated(graph: MatchGraph, effective: Effective, k: int, among: Bools) -> Ints:
    """Return those among the components that do not have k assignments which share no match."""
    cells = len(graph.originals)
    chosen = effective.edges & among[effective.component[graph.cell]]
    if not chosen.any():
        return np.zeros(0, dtype=np.int64)
    supply = np.concatenate([k * graph.originals, np.zeros(len(graph.released), dtype=np.int64)])
    demand = np.concatenate([np.zeros(cells, dtype=np.int64), k * graph.released])
    flow = greatest_flow(
        supply, demand, graph.cell[chosen], cells + graph.tuple[chosen], graph.weights[chosen]
    )
    lacking = among[effective.component[cells:]] & (
        _summed(graph.tuple[chosen], flow, len(graph.released)) < demand[cells:]
    )
    numbers: Ints = np.unique(effective.component[cells:][lacking])
    return numbers


def _once(graph: MatchGraph, effective: Effective) -> int:
    """Return how many rows are unassigned in all, each component counted once."""
    cells = len(graph.originals)
    every = components_of(len(effective.component), graph.cell, cells + graph.tuple)
    first = np.unique(every, return_index=True)[1]
    return int(effective.unassigned[first].sum())


def _summed(index: Ints, numbers: Ints, size: int) -> Ints:
    """Return sums of whole numbers by index, exact."""
    sums = np.zeros(size, dtype=np.int64)
    np.add.at(sums, index, numbers)
    return sums


def _least(index: Ints, numbers: Ints, size: int) -> Ints:
    """Return the least number by index; the greatest integer where an index has no number."""
    least = np.full(size, np.iinfo(np.int64).max)
    np.minimum.at(least, index, numbers)
    return least


def _most(index: Ints, numbers: Ints, size: int) -> Ints:
    """Return the greatest number by index, none being negative; 0 where an index has no number."""
    most = np.zeros(size, dtype=np.int64)
    np.maximum.at(most, index, numbers)
    return most
