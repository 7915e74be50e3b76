"""The best partition of a line of rows into groups of k to 2k - 1 neighbours (Ghinita, Karras,
Kalnis, Mamoulis, VLDB 2007, section 4: the one-dimensional problem), by dynamic programming over
the ends of groups.

Rows are in cells; rows of one cell are equal, so the loss of a group depends on its first and last
cell alone, and a group inside one cell loses nothing. A best group that extends into a cell of 3k -
2 rows or more takes fewer than k of its rows: with at least k rows elsewhere the group would lose
less without them, and with fewer it needs less than k from this cell. At least k rows of the cell
thus remain between the groups at both of its ends, and form groups of their own without loss,
however many they are. So such cells are counted as 3k rows, and the surplus is put back into the
middle.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from anonsql.errors import AnonsqlError

Costs = NDArray[np.float64]


class Line:
    """The cells in their order, as numbers of rows, at least k in all."""

    def __init__(self, counts: NDArray[np.int64], k: int) -> None:
        self.k = k
        self._counts = counts
        self._counted = np.minimum(counts, 3 * k)
        self._stops = np.cumsum(self._counted)
        self._starts = self._stops - self._counted + 1
        # a group that ends in a cell begins in a cell from `_from` (by the greatest size of a
        # group) to `_upto` (by the least)
        self._from = np.searchsorted(self._stops, self._starts - (2 * k - 2))
        self._upto = np.minimum(
            np.searchsorted(self._starts, self._stops - k + 1, side="right") - 1,
            np.arange(len(counts)) - 1,
        )

    @property
    def reach(self) -> int:
        """The greatest distance, in cells, between the first and the last cell of a group."""
        cells = np.arange(len(self._counts))
        return int(np.max(np.where(self._upto >= self._from, cells - self._from, 0)))

    @property
    def pairs(self) -> NDArray[np.int64]:
        """For each cell, how many cells before it a group that ends in it may begin in: cells that
        begin at least k rows before its end and end at most 2k - 2 rows before it."""
        numbers: NDArray[np.int64] = np.maximum(self._upto - self._from + 1, 0)
        return numbers

    def portions(self, most: int) -> Iterator[tuple[int, int]]:
        """Yield stretches of the line with about as many pairs each: (before, last), where the last
        cells of the pairs come after cell ``before`` and up to cell ``last``, counted from 1."""
        before = np.concatenate([[0], np.cumsum(self.pairs)])
        after, last = 0, len(self._counts)
        while after < last:
            upto = min(
                max(
                    int(np.searchsorted(before, before[after] + most, side="right")) - 1, after + 1
                ),
                last,
            )
            yield after, upto
            after = upto

    def cut(self, penalties: Iterator[Costs]) -> list[int]:
        """Return the first row of every group of a best partition, counted from 1, ascending. Equal
        rows, which lose nothing, are returned as one group, however many they are.

        ``penalties`` are the losses of one row in a group that ends in one cell and begins in
        another, stretch by stretch (see :meth:`portions`): by the last cell, then by the first
        cell, from the last one backwards, and only for :attr:`pairs`.
        """
        back = self._best(penalties)
        starts: list[int] = []
        row = len(back) - 1
        while row > 0:
            row = int(back[row])
            starts.append(row + 1)
        return self._put_back(starts[::-1])

    def _best(self, penalties: Iterator[Costs]) -> NDArray[np.int64]:
        """Return for each row the last row before the last group of the best partition up to it."""
        k, rows = self.k, int(self._stops[-1])
        cell_of = np.repeat(np.arange(len(self._counts)), self._counted)
        sizes = np.arange(2 * k - 1, 0, -1)
        best = np.full(rows + 1, np.inf)
        back = np.zeros(rows + 1, dtype=np.int64)
        best[0] = 0.0
        for cell, costs in self._by_cell(penalties):
            for row in range(max(int(self._starts[cell]), k), int(self._stops[cell]) + 1):
                least, most = max(0, row - 2 * k + 1), row - k
                distances = cell - cell_of[least : most + 1]
                lost = (
                    best[least : most + 1] + costs[distances] * sizes[least - row + 2 * k - 1 : k]
                )
                chosen = int(np.argmin(lost))
                best[row], back[row] = lost[chosen], least + chosen
        return back

    def _by_cell(self, penalties: Iterator[Costs]) -> Iterator[tuple[int, Costs]]:
        """Yield every cell with its penalties by distance to the first cell: 0 within the cell, and
        0 for distances that no group needs."""
        pairs = self.pairs
        left = np.empty(0)
        for cell, count in enumerate(pairs):
            if count > len(left):  # a stretch ends where a cell's pairs do
                left = np.concatenate([left, next(penalties, np.empty(0))])
                if count > len(left):
                    raise AnonsqlError(
                        "methods/hilbert/penalties gave fewer penalties than there are pairs: this"
                        " is a fault of anonsql."
                    )
            nearest = cell - int(self._upto[cell]) if count else 1
            yield cell, np.concatenate([np.zeros(nearest), left[:count]])
            left = left[count:]
        for _ in penalties:  # run the generator to its end, so that it drops its tables
            pass

    def _put_back(self, starts: list[int]) -> list[int]:
        """Return the groups by rows before cells were shortened; groups inside a cell are one."""
        reals = np.cumsum(self._counts) - self._counts + 1
        groups: list[int] = []
        cells = np.searchsorted(self._starts, starts, side="right") - 1
        ends = [*starts[1:], int(self._stops[-1]) + 1]
        inside = -1  # the cell that contains the whole group before
        for start, end, cell in zip(starts, ends, cells, strict=True):
            alone = end - 1 <= self._stops[cell]
            if alone and cell == inside:
                continue
            inside = int(cell) if alone else -1
            after_middle = (
                start - self._starts[cell] > 0
                and not alone
                and self._counts[cell] > self._counted[cell]
            )
            row = (
                reals[cell]
                + start
                - self._starts[cell]
                + (self._counts[cell] - self._counted[cell] if after_middle else 0)
            )
            groups.append(int(row))
        return groups
