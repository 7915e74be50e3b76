"""What hidden cells can still be: numbers that may be added to all of them at once without a
change of anything that is published.

Such numbers v keep every relation among the hidden cells: A v = 0. A hidden cell can be computed
from published cells just when its number is 0 in all such v, and from published cells and another
hidden cell just when the two numbers have the same ratio in all of them. Both is read from few v
drawn by chance, modulo a prime: elimination makes the relations triangular, cells that no relation
determines get a number by chance, and the others follow.

Modulo a prime a number can be 0 by chance (1 of 2^31): then a cell is protected that needs none.
The other error, a cell that is computable and has another number than 0, needs a determinant of
the relations that the prime divides.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anonsql.statistics.elimination import PRIME, Step, eliminated

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from anonsql.statistics.choice.ties import Ties


@dataclass(frozen=True)
class Triangle:
    """Relations in an order in which each gives one hidden cell by cells that follow later.

    ``pivots`` are those cells, ``columns`` and ``factors`` the others of each relation, from
    ``starts`` on; all sorted by ``depth``, the number of relations that must be used before.
    """

    hidden: NDArray[np.bool_]
    pivots: NDArray[np.int64]
    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    factors: NDArray[np.int64]
    depth: NDArray[np.int64]

    @property
    def dimension(self) -> int:
        """The number of hidden cells that no relation determines."""
        return int(self.hidden.sum()) - len(self.pivots)

    def draw(self, count: int, chance: np.random.Generator) -> NDArray[np.int64]:
        """Return ``count`` solutions by chance: cells x count, below PRIME, 0 where published."""
        numbers = chance.integers(1, PRIME, (len(self.hidden), count))
        numbers[~self.hidden] = 0
        numbers[self.pivots] = 0
        ends = np.append(self.starts[1:], len(self.columns))
        bounds = np.flatnonzero(np.diff(self.depth, prepend=-1, append=-1))
        for low, high in itertools.pairwise(bounds.tolist()):
            first, last = self.starts[low], ends[high - 1]
            if first == last:  # relations of one cell: it can be computed
                continue
            terms = numbers[self.columns[first:last]] * self.factors[first:last, None] % PRIME
            numbers[self.pivots[low:high]] = (
                np.add.reduceat(terms, self.starts[low:high] - first, axis=0) % PRIME
            )
        return numbers


def triangle(ties: Ties, hidden: NDArray[np.bool_]) -> Triangle:
    """Return the triangular form of the relations among the hidden cells.

    The shortest relation gives the cell that is in the fewest others, and a cell that is in one
    relation is given by it: so few new entries arise.
    """
    there = hidden[ties.column] & ties.basis[ties.row]
    return _sorted(hidden, eliminated(ties.row[there], ties.column[there], ties.sign[there]))


def _sorted(hidden: NDArray[np.bool_], steps: list[Step]) -> Triangle:
    """Return the steps as arrays, those first that need no other."""
    depth_of: dict[int, int] = {}
    lengths, columns, factors = list[int](), list[int](), list[int]()
    for pivot, entries in reversed(steps):
        inverse = -pow(entries.pop(pivot), -1, PRIME)
        depth_of[pivot] = 1 + max((depth_of.get(column, 0) for column in entries), default=0)
        lengths.append(len(entries))
        columns += entries
        factors += [inverse * entry % PRIME for entry in entries.values()]
    pivots = np.fromiter(depth_of, np.int64, len(depth_of))
    depth = np.fromiter(depth_of.values(), np.int64, len(depth_of))
    length = np.array(lengths, np.int64)
    depth[length == 0] = 0  # apart from those that are sums
    order = np.argsort(depth, kind="stable")
    begins = np.cumsum(length) - length
    moved = np.repeat(begins[order] - (np.cumsum(length[order]) - length[order]), length[order])
    entries_at = np.arange(len(columns)) + moved
    return Triangle(
        hidden,
        pivots[order],
        np.cumsum(length[order]) - length[order],
        np.array(columns, np.int64)[entries_at],
        np.array(factors, np.int64)[entries_at],
        depth[order],
    )
