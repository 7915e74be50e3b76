"""The corners of hypercubes are hidden: with them every cell can be as large as is asked for."""

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
    """Return ``hidden`` and the corners of the cheapest hypercubes by which ``cells`` reach what is
    asked for, where there are such hypercubes; those first that need few levels."""
    grid, slack = asked.grid, asked.slack
    if grid is None or slack is None:
        return hidden
    hidden = hidden.copy()
    hypercubes = Hypercubes(grid, slack.room, np.where(hidden, 0.0, cost))
    needed = slack.reach - slack.room
    depth = grid.depth[cells]
    places = grid.place[cells] @ grid.strides
    waiting = cells[np.lexsort((places, -needed[cells], depth))]
    for narrow in (True, False):
        later, patience = [], Patience()
        for cell in waiting[needed[waiting] > 0].tolist():
            if patience.over:
                later.append(cell)
                continue
            found = hypercubes.change(cell, 1, float(needed[cell]), narrow=narrow)
            patience.note(found is not None)
            if found is None:
                later.append(cell)
                continue
            hypercubes.hide(found[0])
            hidden[found[0]] = True
        waiting = np.array(later, np.int64)
    return hidden
