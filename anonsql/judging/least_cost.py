"""Transport at the least cost, exact in whole numbers, where costs are small: rows that have to go somewhere, by counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from anonsql.errors import AnonsqlError
from anonsql.judging.transport import Ints

Costs = npt.NDArray[np.uint16]
_AT_ONCE = 4_000_000
_FAR = np.iinfo(np.int64).max // 4
_MOST = 2**31 - 1  # scipy computes flows in 32 bits


@dataclass(frozen=True)
class Carried:
    """What goes where: ``rows`` (at least 1) from ``giver`` to ``taker``, positions in what was given."""

    giver: Ints
    taker: Ints
    rows: Ints


def least_cost(supply: Ints, demand: Ints, costs: Costs) -> Carried:
    """A cheapest way to carry as many rows as there are, or as are asked for if that is fewer. ``costs`` are those of a row, givers by
    takers; everything may go everywhere.

    The primal-dual method: as long as rows are left and lacking, the distances of all takers from what is left, by way of rows
    that are taken back, change the prices, and a greatest flow goes along all the ways that are shortest (Ford and Fulkerson
    1957). Distances are small whole numbers, so there are few rounds. Raises AnonsqlError for more rows than 32 bits hold.
    """
    if max(int(supply.sum()), int(demand.sum())) > _MOST:
        raise AnonsqlError("the release cannot be judged against the source: too many rows have the same kept values.")
    givers, takers = costs.shape
    left, lacking = supply.copy(), demand.copy()
    given, taken = np.zeros(givers, dtype=np.int64), np.zeros(takers, dtype=np.int64)  # prices
    flow = csr_array((givers, takers), dtype=np.int64)
    while left.any() and lacking.any():
        entries = flow.tocoo()
        from_giver, from_taker, end = _distances(costs, given, taken, entries.coords, left > 0, lacking > 0)
        given += np.minimum(from_giver, end)
        taken += np.minimum(from_taker, end)
        more = _along(costs, (given, taken), (from_giver <= end, from_taker <= end), flow, (left, lacking))
        flow = (flow + more).tocsr()
        flow.eliminate_zeros()
        left = supply - np.asarray(flow.sum(axis=1), dtype=np.int64)
        lacking = demand - np.asarray(flow.sum(axis=0), dtype=np.int64)
    found = flow.tocoo()
    return Carried(*(np.asarray(each, dtype=np.int64) for each in (*found.coords, found.data)))


def _distances(
    costs: Costs, given: Ints, taken: Ints, back: tuple[Ints, ...], left: npt.NDArray[np.bool_], lacking: npt.NDArray[np.bool_]
) -> tuple[Ints, Ints, int]:
    """The distances of givers and takers from the givers that have rows left, at prices that make every one at least 0, and that of the
    nearest taker who lacks some; distances beyond that are too large, or far. ``back`` are the ways of what is carried already."""
    from_giver, from_taker = np.where(left, 0, _FAR), np.full(len(taken), _FAR)
    fresh, level = left.copy(), 0
    while True:
        front = np.flatnonzero(fresh & (from_giver == level))
        while len(front):
            fresh[front] = False
            np.minimum(from_taker, level + _nearest(costs, given, front) - taken, out=from_taker)
            again = back[0][(from_taker[back[1]] == level) & (from_giver[back[0]] > level)]
            from_giver[again] = level
            fresh[again] = True
            front = np.unique(again)
        if from_taker[lacking].min() <= level:
            return from_giver, from_taker, level
        level = int(from_taker[from_taker > level].min())
        again = back[0][(from_taker[back[1]] == level) & (from_giver[back[0]] > level)]
        from_giver[again] = level
        fresh[again] = True


def _nearest(costs: Costs, given: Ints, front: Ints) -> Ints:
    """The least price at which each taker can be reached from some givers."""
    found = np.full(costs.shape[1], _FAR)
    step = max(1, _AT_ONCE // max(1, costs.shape[1]))
    prices = given[front].astype(np.int32)
    for first in range(0, len(front), step):
        part = costs[front[first : first + step]] + prices[first : first + step, None]
        np.minimum(found, part.min(axis=0), out=found)
    return found


def _along(
    costs: Costs,
    prices: tuple[Ints, Ints],
    reached: tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]],
    flow: csr_array,
    open_: tuple[Ints, Ints],
) -> csr_array:
    """By how much a greatest flow along the ways that cost just the difference of their prices changes what is carried."""
    givers, takers = costs.shape
    tails, heads = [], []
    front, behind = np.flatnonzero(reached[0]), np.flatnonzero(reached[1])
    step = max(1, _AT_ONCE // max(1, len(behind)))
    asked = prices[1][behind].astype(np.int32)
    for first in range(0, len(front), step):
        part = front[first : first + step]
        tail, head = np.nonzero(costs[np.ix_(part, behind)] + prices[0][part].astype(np.int32)[:, None] == asked)
        tails.append(part[tail])
        heads.append(behind[head])
    tail, head = np.concatenate(tails), np.concatenate(heads)
    carried = flow.tocoo()
    start, end = givers + takers, givers + takers + 1
    left, lacking = np.flatnonzero(open_[0]), np.flatnonzero(open_[1])
    rows = np.concatenate([tail, givers + carried.coords[1], np.full(len(left), start), givers + lacking])
    columns = np.concatenate([givers + head, carried.coords[0], left, np.full(len(lacking), end)])
    capacity = np.concatenate([np.full(len(tail), _MOST), carried.data, open_[0][left], open_[1][lacking]]).astype(np.int32)
    graph = csr_array((capacity, (rows, columns)), shape=(end + 1, end + 1))
    graph.sort_indices()
    found = maximum_flow(graph, start, end).flow.tocsr()
    return csr_array(found[:givers, givers:start], dtype=np.int64)
