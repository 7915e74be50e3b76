"""Tables by hypercubes: what shows most hidden cells of large tables, without a program."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonsql.statistics.audit.search import Search
from anonsql.statistics.audit.shown import Shown
from anonsql.statistics.audit.system import Real, Whole
from anonsql.statistics.audit.verdicts import Wants
from anonsql.statistics.grid import Grid
from anonsql.statistics.hypercubes import Hypercubes, Patience

_ROUNDS = 3
"""How often what is left is looked for by chance where that is not done thoroughly."""
_FUTILE, _WORTH = 2, 0.02
"""After so many rounds by chance, one after the other, each of which finds less than this share of
what is left, it looks no more."""
_BOXES = (8, 8, 10, 10)
"""The groups a dimension of the boxes in which programs are tried for what is left."""
_LEFT = 100
"""Up to so many cells that are left programs are tried."""
_SECONDS = 600.0
"""How long programs are tried in all."""


@dataclass(frozen=True)
class Places:
    """Where cells lie that are audited: by a ``grid``, again and again for each of the ``copies``
    of its cells: the number of the first cell of each (people and rows, or several releases)."""

    grid: Grid
    copies: Sequence[int] = (0,)


class Proposals:
    """Tables in which a cell goes up or down as is wanted, and others with it in the corners of
    hypercubes. Each counts once it has been checked as any other table."""

    def __init__(self, places: Places, shown: Shown, wants: Wants) -> None:
        size = len(places.grid.place)
        self._every = np.arange(size) + np.array(places.copies)[:, None]
        self._shown, self._grid = shown, places.grid
        free = (shown.system.unknown[self._every] >= 0).all(axis=0)
        above = (shown.values - shown.least)[self._every].min(axis=0)
        room = np.where(free, above, -1.0)
        self._chance = np.random.default_rng(0)
        self._hypercubes = Hypercubes(places.grid, room, np.where(free, 0.0, np.inf))
        self._free, self._seconds = free, _SECONDS
        self.begin(wants, np.zeros(0, np.int64))

    def begin(self, wants: Wants, known: Whole, among: Whole | None = None) -> None:
        """Begin anew with what the cells of all unknowns want, or of some ``among`` them, where
        some unknowns are ``known``: they cannot change."""
        self._wants = wants
        fixed, asked = (self._of(unknowns) for unknowns in (known, among))
        self._may = self._free & ~fixed.any(axis=0)
        self._hypercubes.price(
            np.flatnonzero(self._free), np.where(self._may[self._free], 0.0, np.inf)
        )
        self._asked = np.flatnonzero((asked & ~fixed).any(axis=0))

    def _of(self, unknowns: Whole | None) -> NDArray[np.bool_]:
        """Return which copies of cells, a row a copy, are some unknowns, or any."""
        of_cells = self._shown.system.unknown[self._every]
        if unknowns is None:
            return np.asarray(of_cells >= 0, np.bool_)
        flags = np.zeros(self._shown.system.size + 1, np.bool_)  # the last: no unknown
        flags[unknowns] = True
        return np.asarray(flags[of_cells], np.bool_)

    def show(self, until: float, *, thorough: bool = True) -> None:
        """Add tables for all cells, as far as there is time. What is not found at once is looked
        for again by chance: where that is ``thorough`` until nothing more is found, else a few
        times."""
        left = self._look(until, None)
        rounds = futile = 0
        while left and futile < _FUTILE and (thorough or rounds < _ROUNDS):
            before, left = left, self._look(until, self._chance)
            futile = 0 if before - left > _WORTH * before else futile + 1
            rounds += 1

    def programs(self, search: Search) -> None:
        """Look for tables for the cells that are left, if these are few, by programs over what is
        around each: cells whose groups are among some of every dimension."""
        system, began = self._shown.system, time.monotonic()
        until = min(search.until, began + self._seconds)
        blocks = np.arange(0, len(system.unknown), self._every.shape[1])[:, None]
        for groups in _BOXES:
            left = {cell: wanted for cell, _, wanted in self._wanted()}
            for cell, wanted in left.items() if len(left) <= _LEFT else ():
                if time.monotonic() > until:
                    break
                around = self._hypercubes.box(cell, groups, wanted, self._chance)
                unknowns = np.unique(system.unknown[blocks + around])
                for unknown in np.unique(system.unknown[self._every[:, cell]]).tolist():
                    if unknown >= 0:
                        search.within(unknown, unknowns[unknowns >= 0])
            self._shown.check()
        self._seconds -= time.monotonic() - began

    def _look(self, until: float, chance: np.random.Generator | None) -> int:
        """Add a table for every cell that is not shown yet, as long as some are found; return how
        many cells are left that hypercubes may change."""
        patience = Patience()
        for cell, sign, wanted in self._wanted(chance):
            if patience.over or time.monotonic() > until:
                break
            found = None
            if self._may[cell]:
                found = self._hypercubes.change(cell, sign, wanted, chance=chance)
            patience.note(found is not None)
            if found is not None:
                self._add(*found)
        self._shown.check()
        return sum(1 for cell, _, _ in self._wanted() if self._may[cell])

    def _wanted(
        self, chance: np.random.Generator | None = None
    ) -> Iterator[tuple[int, int, float]]:
        """Yield the cells that are not shown to go as far as is wanted, with the way (1: up, -1:
        down) and how far: those of high levels first, or in an order of ``chance``."""
        every, place = self._every[:, self._asked], self._grid.place[self._asked]
        for sign, wants in ((1, self._wants.up), (-1, self._wants.down)):
            wanted = wants[every].max(axis=0)
            at = np.flatnonzero((wanted > 0) & ~self._are_shown(every, sign))
            depth = self._grid.depth[self._asked[at]]
            order = np.lexsort((place[at] @ self._grid.strides, -wanted[at], depth))
            for one in (order if chance is None else chance.permutation(len(at))).tolist():
                cell = int(self._asked[at[one]])
                if not self._are_shown(self._every[:, cell], sign):
                    yield cell, sign, float(wanted[at[one]])

    def _are_shown(self, cells: Whole, sign: int) -> NDArray[np.bool_]:
        """Return whether all copies of cells, a row each, are shown to go as far as is wanted."""
        shown, wants = self._shown, self._wants.up if sign > 0 else self._wants.down
        unknown = shown.system.unknown[cells]
        same = shown.system.sign[cells] == sign
        reached = np.where(same, shown.up[unknown], shown.down[unknown])
        far = (wants[cells] <= 0) | ((unknown >= 0) & (reached >= wants[cells]))
        return np.asarray(far.all(axis=0), np.bool_)

    def _add(self, cells: Whole, changes: Real) -> None:
        """Add the table in which all copies of some cells change."""
        system = self._shown.system
        every = self._every[:, cells].ravel()
        unknown = system.unknown[every]
        of_unknowns = system.sign[every] * np.tile(changes, len(self._every))
        unknowns, first = np.unique(unknown, return_index=True)
        self._shown.add(unknowns, of_unknowns[first])
