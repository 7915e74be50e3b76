"""Audit of hidden cells: what everybody can work out of them from all that is published.

Nothing here knows how cells were chosen. A hidden cell is protected where consistent tables are
exhibited (``shown``) in which it is as small and as large as is needed; where none is found it
fails, whatever the reason: programs that have no such solution, a solver that gives up, or no time
left.

What is assumed:

- What an attacker knows: published cells to the last digit, the relations, which cells have no
  rows, that values are whole numbers (``integral``) and not below their ``least``: a cell that is
  in the table, though hidden, tells that somebody is there, but where cells that nobody is in are
  hidden rows. With whole
  numbers tables must be whole numbers too: extremes that only fractions reach protect nothing.
- Extremes are what counts: between them there may be whole numbers that no table reaches, and an
  attacker may hold some values likelier than others.
- Where tables are linked without the table that they are all margins of, the cells of that joint
  table must be given as ``unpublished``. Without them the system is a relaxation: tables may be
  consistent here that no rows have, so that intervals are too wide and the audit too mild.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonsql.statistics.audit.against import against
from anonsql.statistics.audit.looking import Looking
from anonsql.statistics.audit.proposals import Places
from anonsql.statistics.audit.shown import Shown
from anonsql.statistics.audit.system import Flags, Real, system_of
from anonsql.statistics.audit.verdicts import Failing, exact, failing_of, wants_of
from anonsql.statistics.relations import Relations

__all__ = ["Audited", "Failing", "Needed", "Places", "audit"]


@dataclass(frozen=True)
class Needed:
    """What must stay possible for every cell: at least one value of ``low`` or less, and one of
    ``high`` or more; nan needs nothing. What is beyond the true value is as good as the value:
    ``low`` above it or ``high`` below it asks for nothing."""

    low: Real
    high: Real


@dataclass(frozen=True)
class Audited:
    """The smallest and largest value of every cell in consistent tables that were exhibited, for
    those who know only what is published; and what is not protected."""

    low: Real
    high: Real
    failing: Sequence[Failing]

    @property
    def cells(self) -> NDArray[np.int64]:
        """The cells that are not protected, each once, in order."""
        return np.unique(np.array([failing.cell for failing in self.failing], np.int64))


def audit(
    relations: Relations,
    values: NDArray[np.generic],
    hidden: NDArray[np.bool_],
    *,
    needed: Needed,
    unpublished: NDArray[np.bool_] | None = None,
    least: Real | float = 0.0,
    integral: bool = True,
    coalitions: Sequence[NDArray[np.int64]] = (),
    places: Places | None = None,
    intervals: bool = True,
    thorough: bool = True,
    seconds: float = np.inf,
) -> Audited:
    """Return what can be worked out of the cells that are ``hidden``.

    ``hidden`` and ``unpublished`` are flags, a cell each: nobody sees either, but only hidden cells
    are protected. Everybody knows that no value is below its ``least`` (of each cell, or one of
    all; -inf where any may be negative). ``values`` of inexact relations as of exact ones are the
    true ones. A coalition is the positions of cells that somebody knows besides; its own cells need
    no protection from it, and others only from above: that a cell is at least what somebody has in
    it is known to whoever that is. ``places`` say where cells lie, so that tables are found without
    programs over everything. The intervals of cells that fail everybody's audit are exact with
    ``intervals``, which takes two programs of everything that is connected for each; else they are
    what was found out on the way. What of large systems is not shown at once counts as not
    protected where the audit is not ``thorough``, and what is not shown after ``seconds`` does in
    any. Raise ValueError where values do not satisfy the relations."""
    until = time.monotonic() + seconds
    true = np.asarray(values, np.float64)
    asks = np.asarray(hidden, bool)
    free = asks if unpublished is None else asks | np.asarray(unpublished, bool)
    floor = np.broadcast_to(np.asarray(least, np.float64), true.shape)
    system = system_of(relations, true, free, floor, integral=integral)
    shown = Shown(relations, true, free, system, floor)
    wanted = wants_of(system, *_asked(needed, true, asks, integral=integral))
    looking = Looking.of(shown, wanted, until, places=places, thorough=thorough)
    looking.run()
    every = np.flatnonzero((wanted.up > 0) | (wanted.down > 0))
    failing = failing_of(looking.search, wanted, every)
    if intervals:
        failing = exact(looking.search, failing)
    known_by_all = {one.cell for one in failing}
    upward = wants_of(system, wanted.up, np.zeros(len(true)))
    for number, coalition in enumerate(coalitions):
        failing += against(looking, upward, np.asarray(coalition, np.int64), number, known_by_all)
    return Audited(shown.low, shown.high, failing)


def _asked(needed: Needed, values: Real, asks: Flags, *, integral: bool) -> tuple[Real, Real]:
    """Return by how much every cell must be able to go up and down."""
    low, high = np.asarray(needed.low, float), np.asarray(needed.high, float)
    if integral:
        low, high = np.floor(low), np.ceil(high)
    up = np.where(asks, np.nan_to_num(high - values, nan=0.0), 0.0)
    down = np.where(asks, np.nan_to_num(values - low, nan=0.0), 0.0)
    return np.maximum(up, 0), np.maximum(down, 0)
