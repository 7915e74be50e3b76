"""The relations of cells as lists of entries, and a basis of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from anonsql.statistics.relations import Relations


@dataclass(frozen=True)
class Ties:
    """The entries of a matrix of relations, relation by relation: where each stands, and its sign.

    Every relation counts as exact. Where one is not, an equation is held against the choice that
    the recipient does not have: more is hidden than must be, never less.
    """

    row: NDArray[np.int64]
    column: NDArray[np.int64]
    sign: NDArray[np.int64]
    relations: int
    cells: int
    starts: NDArray[np.int64] = field(repr=False)

    @classmethod
    def of(cls, relations: Relations) -> Ties:
        """Return the entries of ``relations``; relations without cells are left out."""
        matrix = relations.matrix.tocsr()
        lengths = np.diff(matrix.indptr).astype(np.int64)
        lengths = lengths[lengths > 0]
        return cls(
            np.repeat(np.arange(len(lengths)), lengths),
            matrix.indices.astype(np.int64),
            matrix.data.astype(np.int64),
            len(lengths),
            int(matrix.shape[1]),
            np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64),
        )

    def in_relations(
        self, cells: NDArray[np.bool_], weights: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """Return how many of ``cells`` every relation has, or the sum of their weights."""
        there = cells[self.column]
        if weights is None:
            return np.bincount(self.row[there], minlength=self.relations)
        found = np.bincount(self.row[there], weights[self.column[there]], minlength=self.relations)
        return found.astype(np.int64)

    def least(self, of: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the least of its cells' numbers for every relation."""
        if not self.relations:
            return np.zeros(0)
        least: NDArray[np.float64] = np.minimum.reduceat(of[self.column], self.starts)
        return least

    @cached_property
    def basis(self) -> NDArray[np.bool_]:
        """Relations that all others follow from.

        Of the relations with the same whole the one with the fewest parts defines it. Cells that
        are no whole get numbers by chance, and wholes their numbers by definition, modulo 2^64. A
        relation that holds for these numbers follows from the definitions (that one holds by
        chance has a probability of 2^-60 or so); the others are in the basis too.
        """
        lengths = np.bincount(self.row, minlength=self.relations)
        whole = np.full(self.relations, -1, np.int64)
        top = self.sign > 0
        whole[self.row[top]] = self.column[top]
        order = np.lexsort((np.arange(self.relations), lengths, whole))
        first = np.ones(self.relations, bool)
        first[1:] = whole[order][1:] != whole[order][:-1]
        defines = np.zeros(self.relations, bool)
        defines[order[first]] = True
        kept = defines.copy()
        kept[~defines] = ~self._holds(defines, whole)[~defines]
        return kept

    def _holds(self, defines: NDArray[np.bool_], whole: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which relations hold when cells have numbers that keep ``defines``."""
        numbers = np.random.default_rng(0).integers(0, 2**63, self.cells, dtype=np.uint64)
        waits = np.zeros(self.cells, bool)
        waits[whole[defines]] = True
        part = self.sign < 0
        entries = np.flatnonzero(part & defines[self.row])
        while waits.any():
            row, column = self.row[entries], self.column[entries]
            open_parts = np.bincount(row[waits[column]], minlength=self.relations)
            ready = defines & waits[whole] & (open_parts == 0)
            if not ready.any():  # no order of wholes and parts: nothing follows from anything
                return np.zeros(self.relations, bool)
            now = ready[row]
            sums = np.zeros(self.relations, np.uint64)
            np.add.at(sums, row[now], numbers[column[now]])
            numbers[whole[ready]] = sums[ready]
            waits[whole[ready]] = False
            entries = entries[~now]
        signed = np.where(part, np.uint64(0) - numbers[self.column], numbers[self.column])
        sums = np.zeros(self.relations, np.uint64)
        np.add.at(sums, self.row, signed)
        return np.asarray(sums == 0, np.bool_)
