"""The corners of hypercubes are hidden: with them every cell can seem as large, and as
small, as it must."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from anonsql.statistics.hypercubes import Hypercubes, Patience

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from anonsql.statistics.choice.cover import Constraints, Slack
    from anonsql.statistics.grid import Grid

_Wanted = tuple[int, int, float]
"""A cell, whether it must go up (1) or down (-1), and how far."""


_AGAIN = 2
"""How often it is tried whether what was hidden for a cell alone can be spared."""


def with_corners(
    hidden: NDArray[np.bool_],
    cells: NDArray[np.int64],
    cost: NDArray[np.float64],
    constraints: Constraints,
) -> NDArray[np.bool_]:
    """Return ``hidden`` and the corners of the cheapest hypercubes by which ``cells`` rise and fall
    as is asked for, where there are such hypercubes."""
    if constraints.grid is None or constraints.slack is None:
        return hidden
    corners = _Corners(constraints.grid, constraints.slack, hidden, cost, constraints.check)
    corners.find(cells)
    for _ in range(_AGAIN):
        corners.spare()
    return corners.hidden


class _Corners:
    """Finds hypercubes one after the other: what one hides costs the next nothing."""

    def __init__(
        self,
        grid: Grid,
        slack: Slack,
        hidden: NDArray[np.bool_],
        cost: NDArray[np.float64],
        check: Callable[[], None],
    ) -> None:
        self._grid, self._slack, self._cost, self._check = grid, slack, cost, check
        self._hypercubes = Hypercubes(grid, slack.room, np.where(hidden, 0.0, cost))
        self._used = hidden.astype(np.int64)  # by how many, and by what was hidden before
        self._found: dict[_Wanted, NDArray[np.int64]] = {}

    @property
    def hidden(self) -> NDArray[np.bool_]:
        """The cells that are hidden."""
        return self._used > 0

    def find(self, cells: NDArray[np.int64]) -> None:
        """Hide what some cells need: those first that need few levels, and of groups that are next
        to theirs first."""
        waiting = list(self._wanted(cells))
        for narrow in (True, False):
            later, patience = [], Patience()
            for wanted in waiting:
                found = None if patience.over else self._change(wanted, narrow=narrow)
                patience.note(found is not None)
                if found is None:
                    later.append(wanted)
                else:
                    self._use(wanted, found)
            waiting = later

    def spare(self) -> None:
        """Look again for what is cheaper than what is hidden for a cell alone, the dearest first:
        by now others have hidden more."""
        alone = {wanted: self._alone(found) for wanted, found in self._found.items()}
        cost = {wanted: float(self._cost[cells].sum()) for wanted, cells in alone.items()}
        for wanted in sorted(cost, key=lambda wanted: -cost[wanted]):
            before = self._found[wanted]
            alone_now = self._alone(before)
            if not len(alone_now):
                continue
            self._used[before] -= 1
            self._hypercubes.price(alone_now, self._cost[alone_now])
            found = self._change(wanted, narrow=False)
            if found is None or self._price(found) >= self._cost[alone_now].sum():
                found = before
            self._use(wanted, found)

    def _wanted(self, cells: NDArray[np.int64]) -> Iterator[_Wanted]:
        """Yield what cells need, those of high levels first."""
        depth, places = self._grid.depth[cells], self._grid.place[cells] @ self._grid.strides
        for sign, amounts in ((1, self._slack.rise[cells]), (-1, self._slack.fall[cells])):
            order = np.lexsort((places, -amounts, depth))
            for at in order[amounts[order] > 0].tolist():
                yield int(cells[at]), sign, float(amounts[at])

    def _change(self, wanted: _Wanted, *, narrow: bool) -> NDArray[np.int64] | None:
        """Return the cells of the cheapest change, None where none is found."""
        self._check()
        found = self._hypercubes.change(*wanted, narrow=narrow)
        return None if found is None else found[0]

    def _use(self, wanted: _Wanted, cells: NDArray[np.int64]) -> None:
        self._found[wanted] = cells
        self._used[cells] += 1
        self._hypercubes.price(cells, 0.0)

    def _alone(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return those of some cells that only one needs."""
        return np.asarray(cells[self._used[cells] == 1], np.int64)

    def _price(self, cells: NDArray[np.int64]) -> float:
        """Return what it costs to hide cells that are not hidden."""
        return float(self._cost[cells[self._used[cells] == 0]].sum())
