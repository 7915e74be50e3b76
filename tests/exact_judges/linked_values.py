"""What a release gives away of somebody's sensitive value through the assignments it allows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array

from .assignment_graph import Effective, MatchGraph
from .transport import Ints, greatest_flow

_CELLS_AT_ONCE = 20_000


@dataclass(frozen=True)
class Values:
    """The sensitive values of the released rows: ``count`` rows of a released node, ``tuple``, have
    the value ``value``, an arbitrary number from 0."""

    tuple: Ints
    value: Ints
    count: Ints


@dataclass(frozen=True)
class Links:
    """The highest share of one value among the released rows that an original effectively matches,
    and the least number of distinct values among them; originals without an effective match do not
    count. Both are 0 when no original has one."""

    highest_share: float
    least_distinct: int


def links(graph: MatchGraph, effective: Effective, values: Values) -> Links:
    """Return how strongly originals are linked to sensitive values by effective matches."""
    cells, tuples = len(graph.originals), len(graph.released)
    size = (tuples, int(values.value.max(initial=-1)) + 1)
    by_tuple = coo_array((values.count, (values.tuple, values.value)), shape=size).tocsr()
    kept = effective.edges
    edges = coo_array(
        (np.ones(int(kept.sum()), dtype=np.int64), (graph.cell[kept], graph.tuple[kept])),
        shape=(cells, tuples),
    ).tocsr()
    highest, least = 0.0, 0
    for first in range(0, cells, _CELLS_AT_ONCE):
        result = (edges[first : first + _CELLS_AT_ONCE] @ by_tuple).tocsr()
        rows, distinct = result.sum(axis=1), np.diff(result.indptr)
        present = rows > 0
        if present.any():
            most = result.max(axis=1).toarray().ravel()
            highest = max(highest, float((most[present] / rows[present]).max()))
            least = min(least or int(distinct[present].min()), int(distinct[present].min()))
    return Links(highest, least)


def within(graph: MatchGraph, effective: Effective, values: Values, k: int, bound: int) -> bool:
    """Return whether assignments can be drawn so that no match is likelier than 1/k and nobody has
    a value with more than 1/``bound``.

    The flow of :mod:`assignment_graph`, released nodes divided by their
    values, and what a cell of n originals gives to rows of one value bounded by n/``bound``:
    averaging shows that it is necessary, and it is itself the probabilities of a random assignment
    (Birkhoff and von Neumann). In units of 1/lcm(k, bound) all bounds are whole.
    """
    cells, unit = len(graph.originals), math.lcm(k, bound)
    order = np.argsort(values.tuple, kind="stable")
    owner, value, count = values.tuple[order], values.value[order], values.count[order]
    first = np.searchsorted(owner, np.arange(len(graph.released)))
    many = np.bincount(owner, minlength=len(graph.released))
    cell, tuple_ = graph.cell[effective.edges], graph.tuple[effective.edges]
    repeats = many[tuple_]
    from_cell = np.repeat(cell, repeats)
    inside = np.arange(len(from_cell)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    entry = np.repeat(first[tuple_], repeats) + inside
    pair = from_cell * (int(value.max(initial=0)) + 1) + value[entry]
    pairs, middle = np.unique(pair, return_inverse=True)
    giver = pairs // (int(value.max(initial=0)) + 1)
    nodes = cells + len(count) + len(pairs)
    supply, demand = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    supply[:cells] = unit * graph.originals
    demand[cells : cells + len(count)] = unit * count
    tail = np.concatenate([giver, cells + len(count) + middle])
    head = np.concatenate([cells + len(count) + np.arange(len(pairs)), cells + entry])
    capacity = np.concatenate(
        [
            unit // bound * graph.originals[giver],
            unit // k * graph.originals[from_cell] * count[entry],
        ]
    )
    flow = greatest_flow(supply, demand, tail, head, capacity)
    return int(flow[len(pairs) :].sum()) == int(demand.sum())
