"""What ties the cells of published tables together: totals and their parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class Relations:
    """In every relation one cell, the whole, is made of others, its parts.

    ``matrix`` has a row for each relation and a column for each cell: 1 for the whole, -1 for every
    part. The cells are those of all tables that are published together, each once however many
    tables it is in (a cell is named by the level and the group of each dimension; a dimension that
    a table does not have is at its top), and cells that are not published but tie published ones
    together. A cell that has no rows is left out: everybody knows that it is 0.

    Where a relation is ``exact`` the whole is the sum of its parts. Where it is not, somebody is
    counted in several parts: the whole is at most their sum, and at least the greatest of them.
    """

    matrix: csr_array
    exact: NDArray[np.bool_]

    @property
    def cells(self) -> int:
        """The number of cells."""
        return int(self.matrix.shape[1])
