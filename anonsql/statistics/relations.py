"""The relations of the cells of published tables: totals and their parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonsql.system.arrays import BoolArray, IntArray, np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class Relations:
    """Relations between cells: in each, one cell, the whole, consists of others, its parts.

    ``matrix`` has a row for each relation and a column for each cell: 1 for the whole, -1 for every
    part. The cells are from all tables that are published together, each once however many tables
    it is in (a cell is named by the level and the group of each dimension; a dimension that a table
    does not have is at its top), and unpublished cells that relate published ones. An empty cell is
    left out where tables show that: readers know that it is 0.

    Where a relation is ``exact`` the whole is the sum of its parts. Where it is not, a person is
    counted in several parts: the whole is at most their sum, and at least the greatest of them.
    """

    matrix: csr_array
    exact: NDArray[np.bool_]

    @property
    def cells(self) -> int:
        """The number of cells."""
        return int(self.matrix.shape[1])


def relations_of(cells: int, ties: Sequence[IntArray], people: IntArray | None = None) -> Relations:
    """Return the relations of so many cells from their ``ties``: arrays of the whole, the dimension
    and the part, in the order of wholes and dimensions. With the ``people`` of every cell a
    relation is exact where no person is in two parts; without, all are sums."""
    from scipy.sparse import csr_array

    wholes, dimensions, parts = ties
    if not len(wholes):
        return Relations(csr_array((0, cells), dtype=np.int8), np.zeros(0, np.bool_))
    begins = np.r_[True, (np.diff(wholes) != 0) | (np.diff(dimensions) != 0)]
    first = np.flatnonzero(begins)
    rows = np.r_[np.arange(len(first)), np.cumsum(begins) - 1]
    signs = np.r_[np.ones(len(first), np.int8), -np.ones(len(parts), np.int8)]
    columns = np.r_[wholes[first], parts]
    matrix = csr_array((signs, (rows, columns)), shape=(len(first), cells))
    exact: NDArray[np.bool_] = np.ones(len(first), np.bool_)
    if people is not None:
        exact = people[wholes[first]] == np.add.reduceat(people[parts], first)
    return Relations(matrix, exact)


def around(relations: Relations, cells: BoolArray) -> BoolArray:
    """Return some ``cells`` and all that these are parts of, or parts of parts."""
    matrix = relations.matrix
    part, whole = (matrix < 0).astype(np.int64), (matrix > 0).astype(np.int64).T
    found = np.asarray(cells, np.bool_)
    while True:
        wider = found | (whole @ (part @ found.astype(np.int64)) > 0)
        if (wider == found).all():
            return found
        found = wider
