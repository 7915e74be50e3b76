"""Tables by hypercubes: what shows most hidden cells of large tables, without a program."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from anonsql.statistics.audit.shown import Shown
from anonsql.statistics.audit.system import Real, Whole
from anonsql.statistics.audit.verdicts import Wants
from anonsql.statistics.grid import Grid
from anonsql.statistics.hypercubes import Hypercubes, Patience

_FUTILE = 8
"""After so many tries by chance, one after the other, that leave as many cells, it looks no more."""


@dataclass(frozen=True)
class Places:
    """Where cells lie that are audited: by a ``grid``, again and again for each of the ``copies`` of
    its cells: the number of the first cell of each (people and rows, or several releases)."""

    grid: Grid
    copies: Sequence[int] = (0,)


class Proposals:
    """Tables in which a cell goes up or down as is wanted, and others with it in the corners of
    hypercubes. Each counts once it has been checked as any other table."""

    def __init__(self, places: Places, shown: Shown, wants: Wants) -> None:
        size = len(places.grid.place)
        self._every = np.arange(size) + np.array(places.copies)[:, None]
        self._shown, self._wants, self._grid = shown, wants, places.grid
        free = (shown.system.unknown[self._every] >= 0).all(axis=0)
        above = (shown.values - shown.least)[self._every].min(axis=0)
        room = np.where(free, above, -1.0)
        self._hypercubes = Hypercubes(places.grid, room, np.where(free, 0.0, np.inf))

    def show(self, until: float) -> None:
        """Add tables for all cells, as far as there is time."""
        before = self._look(until, None)
        chance, futile = np.random.default_rng(0), 0
        while before and futile < _FUTILE and time.monotonic() < until:
            wanted = self._look(until, chance)
            futile = 0 if wanted < before else futile + 1
            before = wanted

    def _look(self, until: float, chance: np.random.Generator | None) -> int:
        """Add a table for every cell that is not shown yet, as long as some are found; return how
        many cells were looked at."""
        patience, looked = Patience(), 0
        for cell, sign, wanted in self._wanted():
            if patience.over or time.monotonic() > until:
                break
            looked += 1
            found = self._hypercubes.change(cell, sign, wanted, chance=chance)
            patience.note(found is not None)
            if found is not None:
                self._add(*found)
        self._shown.check()
        return looked

    def _wanted(self) -> Iterator[tuple[int, int, float]]:
        """Yield the cells that are not shown to go as far as is wanted, with the way (1: up, -1:
        down) and how far: those of high levels first."""
        depth, places = self._grid.depth, self._grid.place @ self._grid.strides
        for sign, wants in ((1, self._wants.up), (-1, self._wants.down)):
            wanted = wants[self._every].max(axis=0)
            cells = np.flatnonzero(wanted > 0)
            order = np.lexsort((places[cells], -wanted[cells], depth[cells]))
            for cell in cells[order].tolist():
                if not self._is_shown(self._every[:, cell], sign):
                    yield cell, sign, float(wanted[cell])

    def _is_shown(self, cells: Whole, sign: int) -> bool:
        """Return whether all copies of a cell are shown to go as far as is wanted."""
        shown, wants = self._shown, self._wants.up if sign > 0 else self._wants.down
        unknown = shown.system.unknown[cells]
        same = shown.system.sign[cells] == sign
        reached = np.where(same, shown.up[unknown], shown.down[unknown])
        return bool(np.all((wants[cells] <= 0) | ((unknown >= 0) & (reached >= wants[cells]))))

    def _add(self, cells: Whole, changes: Real) -> None:
        """Add the table in which all copies of some cells change."""
        system = self._shown.system
        every = self._every[:, cells].ravel()
        unknown = system.unknown[every]
        of_unknowns = system.sign[every] * np.tile(changes, len(self._every))
        unknowns, first = np.unique(unknown, return_index=True)
        if unknowns[0] >= 0:
            self._shown.add(unknowns, of_unknowns[first])
