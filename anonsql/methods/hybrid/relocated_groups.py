"""The books of groups that rows are moved between (Nergiz, Gök, Özkanlı 2013, section 4): their sizes, what they need, what they can spare,
and what moving has changed. Nothing but counts is known here; groups go by numbers."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np

from anonsql.errors import InvariantError
from anonsql.system.arrays import IntArray

Values = tuple[int, ...]
"""The codes of a row's sensitive values, in the order of the promise's columns."""
_MOST = 2
"""How many times the rows that it needs a group takes at most, where the number is drawn at random."""


@dataclass(frozen=True)
class Limits:
    """What every group must have (``k`` rows, ``least`` distinct values of each sensitive column), how many cells may be changed
    for it, and what Pearson's chi-squared statistic of the new sizes against the old ones must not exceed (None: no matter).

    Where nobody who sees the release can tell emptied groups from each other, they are ``merged``, as one further group: then what must
    not be exceeded is that of as many groups as are seen, at the level ``merged``, and ``critical`` if that is less."""

    k: int
    max_cells: int
    critical: float | None = None
    least: tuple[int, ...] = ()
    merged: Decimal | None = None


def critical(alpha: Decimal | None, groups: int) -> float | None:
    """What Pearson's chi-squared statistic must not exceed, so that the hypothesis that the new sizes of so many groups come from the
    old distribution is not rejected at the level ``alpha`` (section 3.2); None where there is none."""
    if alpha is None:
        return None
    from scipy.special import chdtri  # takes as long to load as a small search

    return float(chdtri(groups - 1, float(alpha))) * (1 - 1e-9) if groups > 1 else 0.0


@dataclass(frozen=True)
class Move:
    """``rows`` of one group that became another's, by changing ``cells`` of theirs: all of them, or a part, by the codes of their
    sensitive values where the promise is about such."""

    home: int
    target: int
    rows: int
    cells: int
    values: Values | None = None


@dataclass(frozen=True)
class Relocated:
    """What was relocated in the end: ``rows``, changed cells by attribute, and the chi-squared statistic with what it must not exceed,
    where that matters."""

    rows: int
    changed: Mapping[int, int]
    chi_squared: float | None
    critical: float | None

    @property
    def cells(self) -> int:
        """The changed cells of all attributes."""
        return sum(self.changed.values())


@dataclass
class Groups:
    """The groups of one generalization while rows are relocated between them.

    ``homes`` are their sizes before, in rows, and ``values`` their rows by sensitive values, where the promise is about
    such. ``own`` rows are in the group that they come from: those alone may be moved, so that no row is moved twice. ``need`` is how
    many more rows a group needs to keep the promise, 0 when it does. ``once``: a group gives rows to no more than one other.
    """

    homes: IntArray
    limits: Limits
    values: Sequence[Counter[Values]] = ()
    draw: random.Random | None = None
    once: bool = False
    moves: list[Move] = field(default_factory=list)
    cells: int = 0
    chi_squared: float = 0.0

    def __post_init__(self) -> None:
        self.sizes, self.own = self.homes.copy(), self.homes.copy()
        self.own_values = [Counter(each) for each in self.values]
        self.now_values = [Counter(each) for each in self.values]
        self.need = np.maximum(self.limits.k - self.homes, 0)
        for group in range(len(self.values)):
            self.need[group] = self._need(group)

    @property
    def rows(self) -> int:
        """The rows that were moved."""
        return sum(each.rows for each in self.moves)

    @property
    def failing(self) -> int:
        """The rows of groups that do not keep the promise."""
        return int(self.sizes[self.need > 0].sum())

    def small(self) -> IntArray:
        """Groups that need no fewer rows than they have (of k rows: those of k / 2 at most)."""
        return np.flatnonzero((self.sizes > 0) & (self.need >= self.sizes))

    def big(self) -> IntArray:
        """Groups that need fewer rows than they have."""
        return np.flatnonzero((self.need > 0) & (self.need < self.sizes))

    def kept(self) -> IntArray:
        """Groups that keep the promise, the largest first."""
        kept = np.flatnonzero((self.need == 0) & (self.sizes > 0))
        return kept[np.argsort(-self.sizes[kept], kind="stable")]

    def surplus(self, groups: IntArray) -> IntArray:
        """The rows that some groups can spare, as far as k goes."""
        return np.minimum(self.sizes[groups] - self.limits.k, self.own[groups])

    def whole(self, home: int, target: int, cells: int) -> bool:
        """Move a group whole into another; false, and nothing done, where that changes too much."""
        return self._move(Move(home, target, int(self.sizes[home]), cells))

    def some(self, home: int, target: int, rows: int, cells: int) -> bool:
        """Move so many rows of a group into another that needs them; false, and nothing done, where that changes too much. By
        sensitive values it may take more rows than that, each of which changes as many cells."""
        if not self.values:
            return self._move(Move(home, target, rows, cells))
        picked, each_row = self._pick(home, target, rows), cells // rows
        if picked is None:
            raise InvariantError("a group was asked for rows that it cannot give")
        if not self._affordable(home, target, picked.total(), each_row * picked.total()):
            return False
        return all(
            self._move(Move(home, target, taken, each_row * taken, each))
            for each, taken in sorted(picked.items())
        )

    def undo_vain(self) -> None:
        """Leave groups where they were that were moved into one which does not keep the promise all the same."""
        for each in [each for each in self.moves if self.need[each.target] > 0]:
            self.moves.remove(each)
            self.cells -= each.cells
            self.sizes[each.target] -= each.rows
            self.sizes[each.home] = self.own[each.home] = each.rows
            if self.values:
                self.now_values[each.target] -= self.values[each.home]
                self.own_values[each.home] = Counter(self.values[each.home])
                self.now_values[each.home] = Counter(self.values[each.home])
            for group in (each.home, each.target):
                self.need[group] = self._need(group)
        self.chi_squared = float(((self.sizes - self.homes) ** 2 / self.homes).sum())

    def able(self, givers: IntArray, rows: int) -> IntArray:
        """Those of some groups that have so many rows to spare; whether they have the values, `can_give` tells."""
        return givers[self.surplus(givers) >= rows]

    def can_give(self, home: int, target: int, rows: int) -> bool:
        """Whether a group can spare so many rows for another that needs them, and keep the promise itself."""
        if not self.able(np.array([home]), rows).size or self.need[home] > 0:
            return False
        return not self.values or self._pick(home, target, rows) is not None

    def number(self, home: int, target: int) -> int:
        """How many rows to take: as many as are needed, or a random number of at least so many."""
        need = int(self.need[target])
        return (
            need
            if self.draw is None
            else self.draw.randint(need, min(int(self.surplus(np.array([home]))[0]), _MOST * need))
        )

    def _affordable(self, home: int, target: int, rows: int, cells: int) -> bool:
        if self.cells + cells > self.limits.max_cells:
            return False
        grown = self.chi_squared + self._growth(home, -rows) + self._growth(target, rows)
        most = self.critical(home, rows)
        return most is None or grown <= most

    def critical(self, home: int | None = None, rows: int = 0) -> float | None:
        """What the statistic must not exceed, once so many rows of ``home`` are elsewhere."""
        limits = self.limits
        if limits.merged is None or limits.critical is None:
            return limits.critical
        left = self.sizes > 0
        if home is not None and self.sizes[home] == rows:
            left[home] = False
        seen = int(left.sum()) + (not left.all())
        return min(limits.critical, critical(limits.merged, seen) or 0.0)

    def _growth(self, group: int, rows: int) -> float:
        """By how much a change of a group's size changes the statistic, the sum of (size - expected size)² / expected
        size (the printed formula lost its square)."""
        off, expected = float(self.sizes[group] - self.homes[group]), float(self.homes[group])
        return ((off + rows) ** 2 - off**2) / expected

    def _move(self, move: Move) -> bool:
        home, target, rows = move.home, move.target, move.rows
        if not self._affordable(home, target, rows, move.cells):
            return False
        self.cells += move.cells
        self.chi_squared += self._growth(home, -rows) + self._growth(target, rows)
        for group, more in ((home, -rows), (target, rows)):
            self.sizes[group] += more
        self.own[home] = 0 if self.once and self.sizes[home] else self.own[home] - rows
        if self.values:
            gone = (
                Counter({move.values: rows})
                if move.values is not None
                else Counter(self.now_values[home])
            )
            self.now_values[home] -= gone
            self.own_values[home] -= gone
            self.now_values[target] += gone
        for group in (home, target):
            self.need[group] = self._need(group)
        self.moves.append(move)
        return True

    def _need(self, group: int) -> int:
        size = int(self.sizes[group])
        need = max(self.limits.k - size, 0) if size else 0
        return max(need, self._missing(self.now_values[group])) if self.values and size else need

    def _missing(self, values: Mapping[Values, int]) -> int:
        """How many more distinct values are needed, of the column that needs most."""
        counts = [
            len({each[column] for each in values}) for column in range(len(self.limits.least))
        ]
        return max(
            max(least - count, 0) for least, count in zip(self.limits.least, counts, strict=True)
        )

    def _pick(self, home: int, target: int, rows: int) -> Counter[Values] | None:
        """So many rows of a group, by value, or more, with which another one keeps the promise, and without which it does so
        itself; None when there are none. New values come first, then those that the group has most of."""
        giver, receiver, picked = (
            Counter(self.now_values[home]),
            Counter(self.now_values[target]),
            Counter[Values](),
        )
        while picked.total() < rows or receiver.total() < self.limits.k or self._missing(receiver):
            own = self.own_values[home] - picked
            choices = [
                (self._new(each, receiver), giver[each], each)
                for each in own
                if self._missing(giver - Counter([each])) == 0
            ]
            useless = (
                picked.total() >= rows
                and receiver.total() >= self.limits.k
                and not any(new for new, _, _ in choices)
            )
            if giver.total() <= self.limits.k or not choices or useless:
                return None
            row = Counter([max(choices)[2]])
            giver, receiver, picked = giver - row, receiver + row, picked + row
        return picked

    def _new(self, row: Values, values: Mapping[Values, int]) -> int:
        """In how many columns that need values a row has one that is not there yet."""
        found = 0
        for column, least in enumerate(self.limits.least):
            there = {each[column] for each in values}
            found += len(there) < least and row[column] not in there
        return found
