"""The transportation problem in whole numbers, solved exactly, for small costs: rows are carried
from givers to takers, in counts."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from anonsql.errors import AnonsqlError

from .transport import Ints

Costs = npt.NDArray[np.uint16]
_AT_ONCE = 4_000_000
_FAR = np.iinfo(np.int64).max // 4
_MOST = 2**31 - 1  # scipy computes flows in 32 bits


@dataclass(frozen=True)
class Carried:
    """What is carried: ``rows`` (at least 1) from ``giver`` to ``taker``, which are positions in
    supply and demand."""

    giver: Ints
    taker: Ints
    rows: Ints


def least_cost(supply: Ints, demand: Ints, costs: Costs) -> Carried:
    """Return a cheapest way to carry as many rows as are supplied, or demanded if that is fewer.
    ``costs`` are those of carrying one row, givers by takers; each giver may give to each taker.

    The primal-dual method: as long as rows are left and lacking, the distances of all takers from
    givers with rows left, through the residual graph, change the prices, and a greatest flow goes
    along all shortest paths (Ford and Fulkerson 1957). Distances are small whole numbers, so there
    are few rounds. Raise AnonsqlError for more rows than 32 bits hold.
    """
    if max(int(supply.sum()), int(demand.sum())) > _MOST:
        raise AnonsqlError(
            "the release cannot be judged against the source: too many rows have the same kept"
            " values."
        )
    plan = _Plan(supply, demand, costs)
    while plan.left.any() and plan.lacking.any():
        plan.improve()
    cheapest = plan.flow.tocoo()
    return Carried(
        *(np.asarray(coord, dtype=np.int64) for coord in (*cheapest.coords, cheapest.data))
    )


@dataclass
class _Plan:
    """What is carried so far, at the least cost for so many rows: ``flow``, givers by takers, what
    is ``left`` of the supply and ``lacking`` of the demand, and the prices (``given``, ``taken``)
    that prove it: no taker's price is more than a giver's plus the cost between them, and equal to
    that where rows are carried."""

    supply: Ints
    demand: Ints
    costs: Costs
    left: Ints = field(init=False)
    lacking: Ints = field(init=False)
    given: Ints = field(init=False)
    taken: Ints = field(init=False)
    flow: csr_array = field(init=False)

    def __post_init__(self) -> None:
        self.left, self.lacking = self.supply.copy(), self.demand.copy()
        self.given, self.taken = np.zeros_like(self.supply), np.zeros_like(self.demand)
        self.flow = csr_array(self.costs.shape, dtype=np.int64)

    def improve(self) -> None:
        """Carry more rows: as many as the shortest paths can take."""
        from_giver, from_taker, end = self._distances()
        self.given += np.minimum(from_giver, end)
        self.taken += np.minimum(from_taker, end)
        self.flow = (
            self.flow
            + self._along(np.flatnonzero(from_giver <= end), np.flatnonzero(from_taker <= end))
        ).tocsr()
        self.flow.eliminate_zeros()
        self.left = self.supply - np.asarray(self.flow.sum(axis=1), dtype=np.int64)
        self.lacking = self.demand - np.asarray(self.flow.sum(axis=0), dtype=np.int64)

    def _distances(self) -> tuple[Ints, Ints, int]:
        """Return the distances of givers and takers from the givers that have rows left, at the
        prices, which make every way at least 0 long, and that of the nearest taker who lacks some;
        distances beyond that are too large, or far."""
        giver, taker = self.flow.tocoo().coords
        from_giver, from_taker = np.where(self.left > 0, 0, _FAR), np.full(len(self.taken), _FAR)
        fresh, level, lacking = self.left > 0, 0, self.lacking > 0
        while True:
            back = giver[(from_taker[taker] == level) & (from_giver[giver] > level)]
            from_giver[back] = level
            fresh[back] = True
            front = np.flatnonzero(fresh & (from_giver == level))
            if len(front):
                fresh[front] = False
                np.minimum(from_taker, level + self._nearest(front) - self.taken, out=from_taker)
            elif from_taker[lacking].min() <= level:
                return from_giver, from_taker, level
            else:
                level = int(from_taker[from_taker > level].min())

    def _nearest(self, front: Ints) -> Ints:
        """Return the least price at which each taker can be reached from some givers."""
        mask = np.full(len(self.taken), _FAR)
        step = max(1, _AT_ONCE // max(1, len(self.taken)))
        prices = self.given[front].astype(np.int32)
        for first in range(0, len(front), step):
            part = self.costs[front[first : first + step]] + prices[first : first + step, None]
            np.minimum(mask, part.min(axis=0), out=mask)
        return mask

    def _along(self, front: Ints, behind: Ints) -> csr_array:
        """Return by how much a greatest flow changes what is carried, along the tight arcs: those
        between a giver of ``front`` and a taker of ``behind`` that cost just the difference of
        their prices. Carried rows may be taken back."""
        givers, takers = self.costs.shape
        tail, head = self._tight(front, behind)
        carried = self.flow.tocoo()
        start, end = givers + takers, givers + takers + 1
        left, lacking = np.flatnonzero(self.left), np.flatnonzero(self.lacking)
        rows = np.concatenate(
            [tail, givers + carried.coords[1], np.full(len(left), start), givers + lacking]
        )
        columns = np.concatenate(
            [givers + head, carried.coords[0], left, np.full(len(lacking), end)]
        )
        capacity = np.concatenate(
            [np.full(len(tail), _MOST), carried.data, self.left[left], self.lacking[lacking]]
        )
        graph = csr_array((capacity.astype(np.int32), (rows, columns)), shape=(end + 1, end + 1))
        graph.sort_indices()
        result = maximum_flow(graph, start, end).flow.tocsr()
        return csr_array(result[:givers, givers:start], dtype=np.int64)

    def _tight(self, front: Ints, behind: Ints) -> tuple[Ints, Ints]:
        """Return the tight arcs, as givers and takers."""
        tails, heads = [], []
        step = max(1, _AT_ONCE // max(1, len(self.taken)))
        amounts, prices = (
            np.full(len(self.taken), -1, dtype=np.int32),
            self.given[front].astype(np.int32),
        )
        amounts[behind] = self.taken[behind]
        for first in range(0, len(front), step):
            part = front[first : first + step]
            tail, head = np.nonzero(
                self.costs[part] == amounts - prices[first : first + step, None]
            )
            tails.append(part[tail])
            heads.append(head)
        return np.concatenate(tails), np.concatenate(heads)
