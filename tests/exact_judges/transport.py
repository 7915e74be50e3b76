"""Flows from supplies to demands, exact in whole numbers: what decides which assignments a release
allows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, maximum_flow

from anonsql.errors import AnonsqlError

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
_MOST = 2**31 - 1  # scipy computes flows in 32 bits


def greatest_flow(supply: Ints, demand: Ints, tail: Ints, head: Ints, capacity: Ints) -> Ints:
    """Return the flow on each arc of a greatest flow from nodes with a supply to nodes with a
    demand.

    ``supply`` and ``demand`` are by node, in rows (0 where there is none); arcs are given by their
    nodes and capacities, each pair of nodes once. Components of the graph are independent, so they
    are solved in batches whose flows fit the 32 bits that scipy has. Raise AnonsqlError where a
    single component does not fit.
    """
    flow = np.zeros(len(tail), dtype=np.int64)
    component = components_of(len(supply), tail, head)
    weight = np.bincount(component, weights=demand).astype(np.int64)
    if len(weight) and weight.max() > _MOST:
        raise AnonsqlError(
            "the release cannot be judged against the source: too many rows hang together by their"
            " matches."
        )
    of_arc = component[tail]
    order = np.argsort(of_arc, kind="stable")
    for first, last in _batches(of_arc[order], weight):
        arcs = order[first:last]
        flow[arcs] = _batch(supply, demand, tail[arcs], head[arcs], capacity[arcs])
    return flow


def components_of(nodes: int, tail: Ints, head: Ints, strong: bool = False) -> Ints:
    """Return the number of each node's connected component, from 0; of its strongly connected one
    where ``strong``."""
    graph = coo_array(
        (np.ones(len(tail), dtype=np.int8), (tail, head)), shape=(nodes, nodes)
    ).tocsr()
    result = connected_components(
        graph, directed=strong, connection="strong" if strong else "weak"
    )[1]
    return np.asarray(result, dtype=np.int64)


def _batches(component: Ints, weight: Ints) -> Iterator[tuple[int, int]]:
    """Yield runs of arcs, which are sorted by component, whose components' weights are together no
    more than 32 bits hold."""
    starts = np.flatnonzero(np.diff(component, prepend=-1))
    first, total = 0, 0
    for start in starts.tolist():
        each = int(weight[component[start]])
        if total + each > _MOST:
            yield first, start
            first, total = start, 0
        total += each
    if len(component):
        yield first, len(component)


def _batch(supply: Ints, demand: Ints, tail: Ints, head: Ints, capacity: Ints) -> Ints:
    """Return a greatest flow on some arcs."""
    nodes, local = np.unique(np.concatenate([tail, head]), return_inverse=True)
    count, arcs = len(nodes), len(tail)
    source, sink = count, count + 1
    giving, taking = np.flatnonzero(supply[nodes]), np.flatnonzero(demand[nodes])
    tails = np.concatenate([local[:arcs], np.full(len(giving), source), taking])
    heads = np.concatenate([local[arcs:], giving, np.full(len(taking), sink)])
    capacities = np.concatenate([capacity, supply[nodes[giving]], demand[nodes[taking]]])
    bounded = np.minimum(capacities, _MOST).astype(np.int32)
    graph = csr_array((bounded, (tails, heads)), shape=(count + 2, count + 2))
    graph.sort_indices()
    flow = maximum_flow(graph, source, sink).flow.tocsr()
    return np.asarray(flow[local[:arcs], local[arcs:]], dtype=np.int64).ravel()
