"""No relation with a single hidden cell: what subtraction gives back at once is hidden first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from anonsql.statistics.choice.ties import Ties
    from anonsql.statistics.grid import Grid


@dataclass(frozen=True)
class Holders:
    """Who knows which cells: ``holder`` is the number of the only contributor of a cell, 0 where
    a cell has several, ``primary`` the cells that must be kept from everybody else."""

    holder: NDArray[np.int64]
    primary: NDArray[np.bool_]

    def opened(self, ties: Ties, hidden: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the relations in which a contributor who knows its own cells has one unknown cell
        left, and that is a primary cell."""
        holder = np.where(hidden, self.holder, 0)
        known = holder > 0
        if not known.any():
            return np.zeros(ties.relations, bool)
        at = hidden[ties.column]
        row, column = ties.row[at], ties.column[at]
        counted = ties.in_relations(hidden)
        opened = np.zeros(ties.relations, bool)
        pairs = np.unique(np.stack([row[known[column]], holder[column[known[column]]]]), axis=1)
        own = known[column]
        key = row[own] * (self.holder.max() + 1) + holder[column[own]]
        keys, size = np.unique(key, return_counts=True)
        alone = counted[pairs[0]] - size == 1
        secret = ties.in_relations(hidden & self.primary)
        kept = np.bincount(
            np.searchsorted(keys, key), self.primary[column[own]], minlength=len(keys)
        )
        opened[pairs[0][alone & (secret[pairs[0]] > kept)]] = True
        return opened


@dataclass(frozen=True)
class Slack:
    """How far cells are above the least that they can be: so much they can fall (``room``), and by
    how much each must be able to ``rise`` and to ``fall`` (0 where nothing is asked for)."""

    room: NDArray[np.float64]
    rise: NDArray[np.float64]
    fall: NDArray[np.float64]

    def lacking(self, ties: Ties, hidden: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the relations whose whole is published and whose hidden parts are not enough for
        each of them to be as large as is to be possible, though all others were the least that they
        can be."""
        at = hidden[ties.column]
        part = at & (ties.sign < 0)
        row, column = ties.row[part], ties.column[part]
        room = np.bincount(row, self.room[column], minlength=ties.relations)
        asked = np.zeros(ties.relations)
        reach = np.where(self.rise > 0, self.room + self.rise, 0.0)
        np.maximum.at(asked, row, reach[column])
        open_whole = np.zeros(ties.relations, bool)
        open_whole[ties.row[at & (ties.sign > 0)]] = True
        return np.asarray(~open_whole & (room < asked), np.bool_)


@dataclass(frozen=True)
class Constraints:
    """What every relation must keep to beside two hidden cells, where it is known: who knows cells
    (``holders``), and how far cells are to reach (``slack``); and where cells lie (``grid``).
    ``check`` is called again and again, and raises where the time is over."""

    holders: Holders | None = None
    slack: Slack | None = None
    grid: Grid | None = None
    check: Callable[[], None] = lambda: None

    def short(self, ties: Ties, hidden: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the relations that tell too much by themselves."""
        short: NDArray[np.bool_] = ties.in_relations(hidden) == 1
        if self.holders is not None:
            short |= self.holders.opened(ties, hidden)
        if self.slack is not None:
            short |= self.slack.lacking(ties, hidden)
        return short


def cover(
    ties: Ties,
    hidden: NDArray[np.bool_],
    cost: NDArray[np.float64],
    constraints: Constraints,
) -> NDArray[np.bool_]:
    """Return ``hidden`` and further cells, so that no relation has a single hidden cell left, nor
    tells more by itself than the ``constraints`` allow.

    Round by round every such relation names the cell that mends it at the least price: its own
    cost and that of the relations that it would leave alone with it, by the number of relations
    that it mends. A cell is hidden when all relations that it would mend name it.
    """
    hidden = hidden.copy()
    tie_break = 1 + 1e-6 * np.random.default_rng(0).random(ties.cells)
    while True:
        constraints.check()
        counted = ties.in_relations(hidden)
        short = constraints.short(ties, hidden)
        if not short.any():
            return hidden
        price = prices(ties, hidden, cost * tie_break, counted)
        chosen = _named(ties, short, price)
        if not chosen.any():
            return hidden
        hidden |= chosen


def prices(
    ties: Ties,
    hidden: NDArray[np.bool_],
    cost: NDArray[np.float64],
    counted: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return what it costs to hide each cell: its own cost, and the least cost of a second cell in
    every relation that has no hidden cell yet. inf: it is hidden, or cannot be."""
    own = np.where(hidden, np.inf, cost)
    second = ties.least(own)
    first = (counted == 0)[ties.row] & np.isfinite(second[ties.row])
    after = np.bincount(ties.column[first], second[ties.row[first]], minlength=ties.cells)
    return np.asarray(own + after, np.float64)


def _named(ties: Ties, short: NDArray[np.bool_], price: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return the cells that all relations name which they would mend; where there are none, those
    that one names."""
    entries = np.flatnonzero(short[ties.row])
    row, column = ties.row[entries], ties.column[entries]
    mends = np.bincount(column, minlength=ties.cells)
    share = price / np.maximum(mends, 1)
    starts = np.flatnonzero(np.diff(row, prepend=-1))
    least = np.minimum.reduceat(share[column], starts)
    lengths = np.diff(np.append(starts, len(row)))
    names = (share[column] == np.repeat(least, lengths)) & np.isfinite(share[column])
    named = np.bincount(column[names], minlength=ties.cells)
    agreed = (named > 0) & (named == mends)
    return np.asarray(agreed if agreed.any() else named > 0, np.bool_)


def mend(
    ties: Ties,
    hidden: NDArray[np.bool_],
    open_cells: NDArray[np.bool_],
    cost: NDArray[np.float64],
    width: int,
) -> NDArray[np.bool_]:
    """Return ``hidden`` and further cells in the relations of ``open_cells``: for every open cell
    the cheapest of each of its ``width`` cheapest relations, by the open cells that share it."""
    counted = ties.in_relations(hidden)
    shared = ties.in_relations(open_cells)
    votes = np.bincount(ties.column, shared[ties.row], minlength=ties.cells)
    tie_break = 1 + 1e-6 * np.random.default_rng(0).random(ties.cells)
    price = prices(ties, hidden, cost * tie_break, counted) / np.maximum(votes, 1)
    least = ties.least(price)
    at = open_cells[ties.column] & np.isfinite(least[ties.row])
    row, column = ties.row[at], ties.column[at]
    order = np.lexsort((least[row], column))
    row, column = row[order], column[order]
    begins = np.flatnonzero(np.diff(column, prepend=-1))
    rank = np.arange(len(column)) - np.repeat(begins, np.diff(np.append(begins, len(column))))
    wanted = np.zeros(ties.relations, bool)
    wanted[row[rank < width]] = True
    names = wanted[ties.row] & (price[ties.column] == least[ties.row])
    chosen = np.zeros(ties.cells, bool)
    chosen[ties.column[names]] = True
    return np.asarray(hidden | chosen, np.bool_)
