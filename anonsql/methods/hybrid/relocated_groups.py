"""The state of groups while rows are moved between them (Nergiz, Gök, Özkanlı 2013, section 4):
their sizes, how many rows they need and can spare, and what the moves have changed. Only counts are
known here; groups are identified by numbers."""

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
"""A group takes at most as many times the rows that it needs, where the number is random."""


@dataclass(frozen=True)
class Limits:
    """What every group must have (``k`` rows, ``least`` distinct values of each sensitive column),
    how many entries may be changed for it, and the critical value that Pearson's chi-squared
    statistic of the new sizes against the old ones must not exceed (None: no test).

    Where the release shows emptied groups as a single one at most, ``merged`` is the significance
    level of a second test, whose degrees of freedom count them as one; the statistic must then not
    exceed the smaller of the two critical values.
    """

    k: int
    max_cells: int
    critical: float | None = None
    least: tuple[int, ...] = ()
    merged: Decimal | None = None


def critical(alpha: Decimal | None, groups: int) -> float | None:
    """Return the critical value that Pearson's chi-squared statistic must not exceed, so that the
    hypothesis that the new sizes of ``groups`` groups follow the old distribution is not rejected
    at the level ``alpha`` (section 3.2); None where there is no test."""
    if alpha is None:
        return None
    from scipy.special import chdtri  # takes as long to load as a small search

    return float(chdtri(groups - 1, float(alpha))) * (1 - 1e-9) if groups > 1 else 0.0


@dataclass(frozen=True)
class Move:
    """``rows`` that were moved to another group, by changing ``cells`` entries: the whole group, or
    a part, with the codes of sensitive values where the promise is about such."""

    home: int
    target: int
    rows: int
    cells: int
    values: Values | None = None


@dataclass(frozen=True)
class RelocatedGroups:
    """What was relocated in the end: ``rows``, changed entries by attribute, and the chi-squared
    statistic with its critical value, where there is a test."""

    rows: int
    changed: Mapping[int, int]
    chi_squared: float | None
    critical: float | None

    @property
    def cells(self) -> int:
        """The number of changed entries of all attributes."""
        return sum(self.changed.values())


@dataclass
class Groups:
    """The groups of one generalization while rows are relocated between them.

    ``homes`` are their sizes before relocation, in rows, and ``values`` their rows by sensitive
    values, where the promise is about such. ``own`` counts the rows of a group that have been in it
    from the beginning: only those may be moved, so that no row is moved twice. ``need`` is how many
    more rows a group needs to keep the promise, 0 when it keeps it. With ``once`` a group gives
    rows to at most one other.
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
        self.own_values = [Counter(value) for value in self.values]
        self.now_values = [Counter(counter) for counter in self.values]
        self.need = np.maximum(self.limits.k - self.homes, 0)
        for group in range(len(self.values)):
            self.need[group] = self._need(group)

    @property
    def rows(self) -> int:
        """The number of rows that were moved."""
        return sum(move.rows for move in self.moves)

    @property
    def failing(self) -> int:
        """The number of rows in groups that do not keep the promise."""
        return int(self.sizes[self.need > 0].sum())

    def small(self) -> IntArray:
        """Return the groups that need as many rows as they have or more."""
        return np.flatnonzero((self.sizes > 0) & (self.need >= self.sizes))

    def big(self) -> IntArray:
        """Return the groups that need rows, but fewer than they have."""
        return np.flatnonzero((self.need > 0) & (self.need < self.sizes))

    def kept(self) -> IntArray:
        """Return the groups that keep the promise, the largest first."""
        kept = np.flatnonzero((self.need == 0) & (self.sizes > 0))
        return kept[np.argsort(-self.sizes[kept], kind="stable")]

    def surplus(self, groups: IntArray) -> IntArray:
        """Return how many rows each of some groups can give and still have k."""
        return np.minimum(self.sizes[groups] - self.limits.k, self.own[groups])

    def whole(self, home: int, target: int, cells: int) -> bool:
        """Move a whole group into another, unless that exceeds a limit; return whether it did."""
        return self._move(Move(home, target, int(self.sizes[home]), cells))

    def some(self, home: int, target: int, rows: int, cells: int) -> bool:
        """Move ``rows`` rows of a group into another that needs them, and return True; do nothing
        and return False where that exceeds a limit. Because of sensitive values it may take more
        rows, each changing as many entries."""
        if not self.values:
            return self._move(Move(home, target, rows, cells))
        picked, each_row = self._pick(home, target, rows), cells // rows
        if picked is None:
            raise InvariantError("a group was asked for rows that it does not have")
        if not self._affordable(home, target, picked.total(), each_row * picked.total()):
            return False
        return all(
            self._move(Move(home, target, taken, each_row * taken, row))
            for row, taken in sorted(picked.items())
        )

    def undo_vain(self) -> None:
        """Undo the moves of groups into one that does not keep the promise in the end."""
        for move in [move for move in self.moves if self.need[move.target] > 0]:
            self.moves.remove(move)
            self.cells -= move.cells
            self.sizes[move.target] -= move.rows
            self.sizes[move.home] = self.own[move.home] = move.rows
            if self.values:
                self.now_values[move.target] -= self.values[move.home]
                self.own_values[move.home] = Counter(self.values[move.home])
                self.now_values[move.home] = Counter(self.values[move.home])
            for group in (move.home, move.target):
                self.need[group] = self._need(group)
        self.chi_squared = float(((self.sizes - self.homes) ** 2 / self.homes).sum())

    def able(self, givers: IntArray, rows: int) -> IntArray:
        """Return the groups with ``rows`` rows to spare, whatever their sensitive values."""
        return givers[self.surplus(givers) >= rows]

    def can_give(self, home: int, target: int, rows: int) -> bool:
        """Return whether a group can give ``rows`` rows and keep the promise itself."""
        if not self.able(np.array([home]), rows).size or self.need[home] > 0:
            return False
        return not self.values or self._pick(home, target, rows) is not None

    def number(self, home: int, target: int) -> int:
        """Return how many rows to take: those needed, or a random number from there on."""
        need = int(self.need[target])
        return (
            need
            if self.draw is None
            else self.draw.randint(need, min(int(self.surplus(np.array([home]))[0]), _MOST * need))
        )

    def _affordable(self, home: int, target: int, rows: int, cells: int) -> bool:
        if self.cells + cells > self.limits.max_cells:
            return False
        most = self.critical(home, rows)
        if most is None:
            return True
        return self.chi_squared + self._growth(home, -rows) + self._growth(target, rows) <= most

    def critical(self, home: int | None = None, rows: int = 0) -> float | None:
        """Return the statistic's critical value after ``rows`` rows of ``home`` are moved."""
        limits = self.limits
        if limits.merged is None or limits.critical is None:
            return limits.critical
        left = self.sizes > 0
        if home is not None and self.sizes[home] == rows:
            left[home] = False
        seen = int(left.sum()) + (not left.all())
        return min(limits.critical, critical(limits.merged, seen) or 0.0)

    def _growth(self, group: int, rows: int) -> float:
        """Return by how much a change of a group's size changes the statistic, the sum of (size -
        expected size)² / expected size. (The formula as printed lacks the square.)"""
        expected = float(self.homes[group])
        off = float(self.sizes[group]) - expected
        return ((off + rows) ** 2 - off**2) / expected

    def _move(self, move: Move) -> bool:
        home, target, rows = move.home, move.target, move.rows
        if not self._affordable(home, target, rows, move.cells):
            return False
        self.cells += move.cells
        self.chi_squared += self._growth(home, -rows) + self._growth(target, rows)
        self.sizes[home] -= rows
        self.sizes[target] += rows
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
        self.need[home], self.need[target] = self._need(home), self._need(target)
        self.moves.append(move)
        return True

    def _need(self, group: int) -> int:
        size = int(self.sizes[group])
        need = self.limits.k - size if 0 < size < self.limits.k else 0
        return max(need, self._missing(self.now_values[group])) if self.values and size else need

    def _missing(self, values: Mapping[Values, int]) -> int:
        counts = [
            len({value[column] for value in values}) for column in range(len(self.limits.least))
        ]
        return max(
            max(least - count, 0) for least, count in zip(self.limits.least, counts, strict=True)
        )

    def _pick(self, home: int, target: int, rows: int) -> Counter[Values] | None:
        """Return ``rows`` rows of a group, by sensitive values, or more, such that another group
        keeps the promise with them and the group itself without them; None when there are none.
        Values new to the other group are chosen first, then the group's most frequent ones."""
        giver, receiver = Counter(self.now_values[home]), Counter(self.now_values[target])
        picked = Counter[Values]()
        while picked.total() < rows or receiver.total() < self.limits.k or self._missing(receiver):
            own = self.own_values[home] - picked
            choices = [
                (self._new(row, receiver), giver[row], row)
                for row in own
                if self._missing(giver - Counter([row])) == 0
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
        count = 0
        for column, least in enumerate(self.limits.least):
            present = {value[column] for value in values}
            count += len(present) < least and row[column] not in present
        return count
