"""The corners of hypercubes are hidden: with them every cell can be as large, and as small, as is asked
for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from anonsql.statistics.hypercubes import Hypercubes, Patience

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from anonsql.statistics.choice.cover import Asked


def with_corners(
    hidden: NDArray[np.bool_],
    cells: NDArray[np.int64],
    cost: NDArray[np.float64],
    asked: Asked,
) -> NDArray[np.bool_]:
    """Return ``hidden`` and the corners of the cheapest hypercubes by which ``cells`` rise and fall as
    is asked for, where there are such hypercubes; those first that need few levels."""
    grid, slack = asked.grid, asked.slack
    if grid is None or slack is None:
        return hidden
    hidden = hidden.copy()
    hypercubes = Hypercubes(grid, slack.room, np.where(hidden, 0.0, cost))
    depth, places = grid.depth[cells], grid.place[cells] @ grid.strides
    waiting = list[tuple[int, int, float]]()
    for sign, amounts in ((1, slack.rise[cells]), (-1, slack.fall[cells])):
        order = np.lexsort((places, -amounts, depth))
        order = order[amounts[order] > 0]
        waiting += [(int(cells[at]), sign, float(amounts[at])) for at in order]
    for narrow in (True, False):
        later, patience = [], Patience()
        for cell, sign, amount in waiting:
            found = None
            asked.check()
            if not patience.over:
                found = hypercubes.change(cell, sign, amount, narrow=narrow)
                patience.note(found is not None)
            if found is None:
                later.append((cell, sign, amount))
                continue
            hypercubes.hide(found[0])
            hidden[found[0]] = True
        waiting = later
    return hidden
