"""Whether released rows can be different rows of the source, all at once: a greatest flow, for what
no count of rows by rows shows.

A row of the source is given to one released row at most. Where each row of the source may be rows
of one released combination alone, counting decides; where sets and ranges overlap, rows can have
enough others each and still lack one together, and only an assignment of all rows shows it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_flow

from anonsql.errors import AnonsqlError
from anonsql.system.arrays import BoolArray, IntArray

_MOST = 2**31 - 1  # scipy computes flows in 32 bits


@dataclass(frozen=True)
class Graph:
    """Which rows of the source released rows may be. ``originals`` and ``released`` count the rows
    of each combination; an edge leads from ``cell``, a position in the former, to ``tuple``, one in
    the latter, each pair at most once."""

    originals: IntArray
    released: IntArray
    cell: IntArray
    tuple: IntArray


@dataclass(frozen=True)
class Values:
    """The sensitive values of released rows: ``count`` rows of a combination, ``tuple``, have the
    value ``value``, an arbitrary number from 0."""

    tuple: IntArray
    value: IntArray
    count: IntArray


def unplaced(graph: Graph) -> int:
    """Return how many released rows can be no row of the source that is not another's already."""
    return int(graph.released.sum() - _assigned(graph).sum())


def used(graph: Graph) -> BoolArray:
    """Return which edges some assignment of all released rows uses: the edges of one assignment,
    and edges whose ends are in one strongly connected component of its possible changes (theorem 1
    of the paper below). One more node takes the rows that are left over."""
    cells, nowhere = len(graph.originals), len(graph.originals) + len(graph.released)
    tail, head, flow = graph.cell, cells + graph.tuple, _assigned(graph)
    carrying = flow > 0
    given = np.zeros(cells, dtype=np.int64)
    np.add.at(given, tail, flow)
    left = np.flatnonzero(graph.originals > given)
    tails = [tail, head[carrying], np.arange(cells), np.full(len(left), nowhere)]
    heads = [head, tail[carrying], np.full(cells, nowhere), left]
    ends = np.concatenate(tails), np.concatenate(heads)
    changes = csr_array((np.ones(len(ends[0])), ends), shape=(nowhere + 1, nowhere + 1))
    strong = connected_components(changes, directed=True, connection="strong")[1]
    result: BoolArray = carrying | (strong[tail] == strong[head])
    return result


def _assigned(graph: Graph) -> IntArray:
    """Return, by edge, how many rows a greatest assignment gives along it."""
    cells, tuples = len(graph.originals), len(graph.released)
    return greatest_flow(
        np.concatenate([graph.originals, np.zeros(tuples, np.int64)]),
        np.concatenate([np.zeros(cells, np.int64), graph.released]),
        graph.cell,
        cells + graph.tuple,
        np.minimum(graph.originals[graph.cell], graph.released[graph.tuple]),
    )


def can_be_drawn(graph: Graph, k: int, values: Values | None = None, least: int = 1) -> bool:
    """Return whether assignments of released rows to rows of the source can be drawn so that no
    pair is likelier than 1/k, and no row has one of the ``values`` with more than 1/``least``.

    Drawn evenly from k assignments that share no pair, none is likelier than 1/k. Conversely the
    probabilities of any way to draw, averaged over equal rows and multiplied by the rows of both,
    are a flow in which a cell of n rows gives n, a released combination of m rows takes m, an edge
    between them carries n m / k at most, and from a cell to the rows with one value flows n /
    ``least`` at most. In units of 1/lcm(k, ``least``) all bounds are whole, so there is a whole
    flow, which is itself the probabilities of a random assignment (Birkhoff and von Neumann). See
    Wong, Mamoulis and Cheung, "Non-homogeneous generalization in privacy preserving data
    publishing" (SIGMOD 2010), definitions 2 and 9; figure 4 shows that k possible rows everywhere
    are not enough.
    """
    cells, unit = len(graph.originals), math.lcm(k, least)
    if values is None:
        all_tuples = np.arange(len(graph.released), dtype=np.int64)
        values = Values(all_tuples, np.zeros_like(all_tuples), graph.released)
    order = np.argsort(values.tuple, kind="stable")
    owner, value, count = values.tuple[order], values.value[order], values.count[order]
    first = np.searchsorted(owner, np.arange(len(graph.released)))
    repeats = np.bincount(owner, minlength=len(graph.released))[graph.tuple]
    from_cell = np.repeat(graph.cell, repeats)
    inside = np.arange(len(from_cell)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    entry = np.repeat(first[graph.tuple], repeats) + inside
    width = int(value.max(initial=0)) + 1
    pairs, middle = np.unique(from_cell * width + value[entry], return_inverse=True)
    giver, of_entries = pairs // width, cells + len(count)
    nodes = np.zeros(of_entries + len(pairs), dtype=np.int64)
    supply, demand = nodes.copy(), nodes
    supply[:cells] = unit * graph.originals
    demand[cells:of_entries] = unit * count
    tail = np.concatenate([giver, of_entries + middle.ravel()])
    head = np.concatenate([of_entries + np.arange(len(pairs)), cells + entry])
    of_value = unit // least * graph.originals[giver]
    of_pair = unit // k * graph.originals[from_cell] * count[entry]
    flow = greatest_flow(supply, demand, tail, head, np.concatenate([of_value, of_pair]))
    return int(flow[len(pairs) :].sum()) == int(demand.sum())


def greatest_flow(
    supply: IntArray, demand: IntArray, tail: IntArray, head: IntArray, capacity: IntArray
) -> IntArray:
    """Return, by arc, a greatest flow from nodes with a supply to nodes with a demand. Arcs are
    given by their nodes and capacities, each pair of nodes once. Raise AnonsqlError where it does
    not fit the whole numbers of the solver."""
    if max(int(supply.sum()), int(demand.sum())) > _MOST:
        raise AnonsqlError("the release has too many rows to be compared with the source.")
    if not len(tail):
        return np.zeros(0, dtype=np.int64)
    source, sink = len(supply), len(supply) + 1
    giving, taking = np.flatnonzero(supply), np.flatnonzero(demand)
    tails = np.concatenate([tail, np.full(len(giving), source), taking])
    heads = np.concatenate([head, giving, np.full(len(taking), sink)])
    capacities = np.concatenate([capacity, supply[giving], demand[taking]])
    bounded = np.minimum(capacities, _MOST).astype(np.int32)
    graph = csr_array((bounded, (tails, heads)), shape=(sink + 1, sink + 1))
    graph.sort_indices()
    flow = maximum_flow(graph, source, sink).flow.tocsr()
    return np.asarray(flow[tail, head], dtype=np.int64).ravel()
