"""The cells of all dimensions of a circle of tables: no table publishes them, and every one is their
margin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonsql.statistics import circles
from anonsql.statistics.cubes import Sum
from anonsql.statistics.relations import Relations
from anonsql.system.arrays import IntArray, np

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class Joint:
    """The cells of all dimensions of a circle that may be anybody's: those of which every margin in
    its tables is a cell, which ``margins`` name, an array a table; and what is ``counted`` of each,
    by column, 0 where nobody is."""

    margins: Sequence[IntArray]
    counted: Mapping[str, IntArray]

    @property
    def size(self) -> int:
        """The number of cells."""
        return len(self.margins[0])

    def tied(
        self, relations: Relations, values: IntArray, own: IntArray, *, people: bool
    ) -> Relations:
        """Return the relations of cells with these beside them: each margin is the sum of its parts,
        of ``people`` where nobody is in two. ``values`` are those of the cells before, ``own``
        those of these cells."""
        from scipy.sparse import block_array, csr_array, vstack

        before, wholes, parts, exact = relations.cells, [], [], [relations.exact]
        for margin in self.margins:
            cells, number = np.unique(margin, return_inverse=True)
            wholes.append(_ones(len(cells), before, np.arange(len(cells)), cells))
            parts.append(_ones(len(cells), self.size, number, np.arange(self.size)))
            total = np.zeros(len(cells), np.int64)
            np.add.at(total, number, own)
            same = total == values[cells] if people else np.ones(len(cells), np.bool_)
            exact.append(np.asarray(same, np.bool_))
        matrix = block_array(
            [[relations.matrix, None], [vstack(wholes), -vstack(parts)]], format="csr"
        )
        return Relations(csr_array(matrix), np.concatenate(exact))


def joint_of(
    columns: Sequence[IntArray], tables: int, sums: Sequence[Sum], published: int
) -> list[Joint]:
    """Return the cells of a circle of so many tables from what its statement returns; nothing where
    they, or the cells that are ``published``, are more than are audited."""
    if len(columns[0]) > circles.MOST_CELLS or published > circles.MOST_PUBLISHED:
        return []
    names = ["people", *(f"m{entry.index}" for entry in sums), "n"]
    return [Joint(columns[:tables], dict(zip(names, columns[tables:], strict=True)))]


def _ones(rows: int, columns: int, row: IntArray, column: IntArray) -> csr_array:
    """Return a matrix of ones at some places."""
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(row), np.int8), (row, column)), shape=(rows, columns))
