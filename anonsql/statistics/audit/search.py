"""The search for consistent tables that reach what is needed, from small pieces to all unknowns."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonsql.statistics.audit.programs import Piece, Pieces, extreme, table_for
from anonsql.statistics.audit.shown import TOLERANCE, Shown
from anonsql.statistics.audit.system import Flags, Real, Whole

_SIZES = (60, 400, 3000)
"""How many unknowns are looked at together, before all that are connected."""
_TOGETHER = 400
"""Up to so many unknowns tables are looked for that move many of them at once, or whole numbers."""
_SLOWEST = 60.0
"""Seconds after which a single program is given up."""
_SHORT = 20.0
"""The same where another program may be tried instead."""


@dataclass
class Search:
    """Looks for tables in which every unknown goes ``up`` and ``down`` (both >= 0) as is needed.

    ``most_up`` and ``most_down`` are by how much unknowns can go at all, as far as is found out on
    the way; infinite where nobody has asked. An unknown that cannot go as far as is needed is given
    up, unless it is one of the ``several``: those of cells that need more and cells that need less.
    ``until`` is the time (``time.monotonic``) after which nothing is looked for any longer: what is
    not shown by then counts as not protected.
    """

    shown: Shown
    up: Real
    down: Real
    several: Flags
    until: float = np.inf
    seed: int = 0

    def __post_init__(self) -> None:
        self.pieces = Pieces(self.shown.system)
        self.random = np.random.default_rng(self.seed)
        self.less = 1 - (0.0 if self.shown.system.integral else TOLERANCE)
        self.most_up, self.most_down = np.zeros(0), np.zeros(0)
        self.begin(np.zeros(0, np.int64))

    def begin(self, known: Whole) -> None:
        """Begin anew with some unknowns that are ``known``: they cannot change."""
        self.pieces.know(known)
        self.most_up = self.pieces.high.copy()
        self.most_down = -self.pieces.low
        self.wish_up, self.wish_down = self.up.copy(), self.down.copy()
        self._give_up(np.arange(len(self.up)))

    def _give_up(self, unknowns: Whole) -> None:
        """Wish for no more than is possible."""
        up, down = self.wish_up[unknowns], self.wish_down[unknowns]
        most_up, most_down = self.most_up[unknowns], self.most_down[unknowns]
        lost = (most_up < up * self.less) | (most_down < down * self.less)
        lost &= ~self.several[unknowns]
        self.wish_up[unknowns] = np.where(lost, 0, np.minimum(up, most_up))
        self.wish_down[unknowns] = np.where(lost, 0, np.minimum(down, most_down))

    def near(self, among: Whole | None = None) -> None:
        """Look for what is not shown yet (among some unknowns) in pieces around single ones."""
        self._in_pieces(among, _SIZES)

    def everywhere(self, among: Whole | None = None) -> None:
        """Look for what is not shown yet (among some unknowns) in all that is connected."""
        self._in_pieces(among, (self.shown.system.size + 1,))

    def _in_pieces(self, among: Whole | None, sizes: Sequence[int]) -> None:
        unknowns = np.arange(self.shown.system.size) if among is None else among
        for size in sizes:
            rises, falls = self._missing(unknowns)
            for unknown in self.random.permutation(unknowns[rises | falls]):
                if time.monotonic() > self.until:
                    break
                self._near(unknown, size)
            self.shown.check()

    def _missing(self, unknowns: Whole) -> tuple[Flags, Flags]:
        """Return of some unknowns whether they still must go up, and down."""
        rises = self.shown.up[unknowns] < self.wish_up[unknowns] * self.less
        falls = self.shown.down[unknowns] < self.wish_down[unknowns] * self.less
        return rises, falls

    def _misses(self, unknown: int, sign: int) -> bool:
        rises, falls = self._missing(np.array([unknown]))
        return bool((rises if sign > 0 else falls)[0])

    def _near(self, unknown: int, size: int) -> None:
        """Look for tables that change only what is near an unknown; where there are none for it,
        find out whether what is near it rules that out."""
        if not self._misses(unknown, 1) and not self._misses(unknown, -1):
            return
        unknowns, everything = self.pieces.around(unknown, size)
        wish = np.maximum(self.wish_up[unknown], self.wish_down[unknown])
        piece = self.pieces.cut(unknowns, 1.0 if self.shown.system.integral else float(wish))
        if size <= _TOGETHER:
            self._several(piece)
        place = int(np.searchsorted(unknowns, unknown))
        for sign in (1, -1):
            if self._misses(unknown, sign):
                self._one(piece, place, sign, everything)

    def within(self, unknown: int, unknowns: Whole) -> None:
        """Look for tables for an unknown that change no others than some ``unknowns``, in order."""
        if not self._misses(unknown, 1) and not self._misses(unknown, -1):
            return
        piece = self.pieces.cut(unknowns, 1.0)
        place = np.searchsorted(unknowns, [unknown])
        for sign, wish in ((1, self.wish_up[unknown]), (-1, self.wish_down[unknown])):
            if self._misses(unknown, sign):
                seconds = min(_SHORT, self.until - time.monotonic())
                self._take(piece, table_for(piece, place, np.array([sign * wish]), seconds))

    def _left(self) -> float:
        return min(_SLOWEST, self.until - time.monotonic())

    def _several(self, piece: Piece) -> None:
        """Look for a table that moves many of the piece's unknowns at once."""
        rises, falls = self._missing(piece.unknowns)
        targets = np.flatnonzero(rises | falls)
        if len(targets) < 2:
            return
        both = rises[targets] & falls[targets]
        ups = np.where(both, self.random.random(len(targets)) < 0.5, rises[targets])
        unknowns = piece.unknowns[targets]
        wanted = np.where(ups, self.wish_up[unknowns], -self.wish_down[unknowns])
        self._take(piece, table_for(piece, targets, wanted, self._left()))

    def _one(self, piece: Piece, place: int, sign: int, everything: bool) -> None:
        """Look for a table that moves one unknown, or for a proof that there is none."""
        unknown = int(piece.unknowns[place])
        target = np.array([place])

        def look(whole: bool = False) -> bool:
            wanted = (self.wish_up if sign > 0 else self.wish_down)[[unknown]]
            found = table_for(piece, target, sign * wanted, self._left(), whole=whole)
            self._take(piece, found)
            return not self._misses(unknown, sign)

        if look():
            return
        self._limit(piece, place, sign, around=not everything)
        if not self._misses(unknown, sign) or not self.shown.system.integral:
            return
        if (len(piece.unknowns) <= _TOGETHER or everything) and look(whole=True):
            return
        if everything:
            self._limit(piece, place, sign, around=False, whole=True)

    def ends(self, unknown: int) -> None:
        """Show the exact extremes of an unknown, if there is time."""
        unknowns, _ = self.pieces.around(unknown, self.shown.system.size + 1)
        wish = float(max(self.up[unknown], self.down[unknown]))
        piece = self.pieces.cut(unknowns, 1.0 if self.shown.system.integral else wish)
        place = int(np.searchsorted(unknowns, unknown))
        for sign in (1, -1):
            if time.monotonic() < self.until:
                self._limit(piece, place, sign, around=False)
                most, shown = (
                    (self.most_up, self.shown.up) if sign > 0 else (self.most_down, self.shown.down)
                )
                if self.shown.system.integral and shown[unknown] < most[unknown]:
                    self._limit(piece, place, sign, around=False, whole=True)

    def _limit(
        self, piece: Piece, place: int, sign: int, *, around: bool, whole: bool = False
    ) -> None:
        """Find out by how much an unknown can go at most."""
        found = extreme(piece, place, sign, self._left(), around=around, whole=whole)
        if found is None:
            return
        most, changes = found
        if self.shown.system.integral and np.isfinite(most):
            most = float(np.floor(most + 1e-6))
        known = self.most_up if sign > 0 else self.most_down
        unknown = piece.unknowns[place]
        known[unknown] = min(known[unknown], most)
        if not around and len(changes):
            self._take(piece, changes)
        self._give_up(piece.unknowns[place : place + 1])

    def _take(self, piece: Piece, changes: Real | None) -> None:
        """Show what changes, and the same the other way round and as far as it goes."""
        if changes is None or not len(changes):
            return
        near_zero = np.abs(changes) <= 1e-9 * piece.scale
        changes = np.where(near_zero, 0.0, changes)
        if piece.integral:
            changes = _whole_parts(piece, changes)
        moved = np.flatnonzero(changes)
        if not len(moved):
            return
        changes = changes[moved]
        low, high = piece.low[moved] * piece.scale, piece.high[moved] * piece.scale
        unknowns = piece.unknowns[moved]
        self.shown.add(unknowns, changes)
        room = np.where(changes > 0, -low / np.abs(changes), high / np.abs(changes))
        back = float(room.min())
        if piece.integral:
            back = float(np.floor(back))
        if back > 0 and self._slack_stays(piece, moved, changes):
            self.shown.add(unknowns, -min(back, self._enough(unknowns, changes)) * changes)

    def _enough(self, unknowns: Whole, changes: Real) -> float:
        """Return how many times changes the other way round are of use."""
        wish = np.where(changes > 0, self.wish_down[unknowns], self.wish_up[unknowns])
        times = wish / np.abs(changes)
        times = times[np.isfinite(times)]
        most = float(times.max()) if len(times) else 0.0
        return max(1.0, float(np.ceil(most)))

    @staticmethod
    def _slack_stays(piece: Piece, moved: Whole, changes: Real) -> bool:
        """Return whether only sums bind what moves: inequalities may not hold the other way."""
        touched = np.abs(piece.rows[:, moved]) @ np.abs(changes) > 0
        return bool(np.all(piece.lower[touched] == piece.upper[touched]))


def _whole_parts(piece: Piece, changes: Real) -> Real:
    """Return the changes that are whole numbers, without those that hang together with others.

    Changes that share no row hold each for themselves, as the true table is consistent.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    rounded = np.round(changes)
    broken = np.abs(changes - rounded) > 1e-6
    if not broken.any():
        return rounded
    moved = np.flatnonzero(changes)
    part = csr_array(np.abs(piece.rows[:, moved]))
    _, label = connected_components(csr_array(part.T @ part), directed=False)
    bad = np.zeros(label.max() + 1, bool)
    bad[label[broken[moved]]] = True
    result = np.zeros(len(changes))
    good = ~bad[label]
    result[moved[good]] = rounded[moved[good]]
    return result
