"""Witnesses: other tables that fit all that is published, so that an attacker cannot rule them
out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from anonsql.statistics.suppression.system import System
from anonsql.system.arrays import BoolArray, IntArray, np

Target = tuple[int, int]
"""A cell, and whether it must be able to rise (1) or to fall (-1)."""


@dataclass(frozen=True)
class Witness:
    """The cells that change in another table, in order. ``owners`` are the sole contributors of
    these cells, who know that they did not change."""

    cells: IntArray
    owners: frozenset[int]


@dataclass
class Witnesses:
    """Checked witnesses of a system's targets; ``movable``: which cells can change."""

    system: System
    movable: BoolArray
    found: dict[Target, list[Witness]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.targets: list[Target] = [
            (cell, sign)
            for sign, wanted in ((1, self.system.rise), (-1, self.system.fall))
            for cell in np.flatnonzero((wanted > 0) & self.movable).tolist()
        ]

    def wanted(self, target: Target) -> int:
        """Return by how much a target must move."""
        cell, sign = target
        return int((self.system.rise if sign > 0 else self.system.fall)[cell])

    def attackers(self, target: Target) -> frozenset[int] | None:
        """Return the sole contributors of other cells from whom no witness protects a target; None
        where no witness protects it at all. A sole contributor knows a cell to be at least what its
        own contribution is, so that only rises are protected from them."""
        cell, sign = target
        found = self.found.get(target)
        if not found:
            return None
        if sign < 0:
            return frozenset()
        common = frozenset.intersection(*(witness.owners for witness in found))
        return common - {int(self.system.owner[cell])}

    def together(self, target: Target) -> list[frozenset[int]]:
        """Return the attackers whose cells the next witness of a target leaves as they are: all of
        them, or where there is no such witness one of them."""
        attackers = self.attackers(target) or frozenset()
        one = frozenset([min(attackers)]) if len(attackers) > 1 else attackers
        return list(dict.fromkeys([attackers, one]))

    def protected(self, target: Target) -> bool:
        """Return whether witnesses protect a target from every attacker."""
        attackers = self.attackers(target)
        return attackers is not None and not attackers

    def open(self, among: Iterable[Target] | None = None) -> list[Target]:
        """Return the targets that no witness protects yet."""
        targets = self.targets if among is None else among
        return [target for target in targets if not self.protected(target)]

    def add(self, cells: IntArray, changes: IntArray) -> bool:
        """Take changes of cells, and the same reversed, as witnesses; return whether they are."""
        order = np.argsort(cells)
        moved = order[changes[order] != 0]
        cells, changes = cells[moved], np.asarray(changes[moved], np.int64)
        if not len(cells) or not self.movable[cells].all():
            return False
        if not self.system.holds(cells, changes):
            return False
        self._take(cells, changes)
        self._take_back(cells, changes)
        return True

    def _take(self, cells: IntArray, changes: IntArray) -> None:
        owners = self.system.owner[cells]
        witness = Witness(cells, frozenset(owners[owners > 0].tolist()))
        for sign, wanted in ((1, self.system.rise), (-1, self.system.fall)):
            reaches = (wanted[cells] > 0) & (sign * changes >= wanted[cells])
            for cell in cells[reaches].tolist():
                attackers = self.attackers((cell, sign))
                if attackers is None or attackers - witness.owners:
                    self.found.setdefault((cell, sign), []).append(witness)

    def _take_back(self, cells: IntArray, changes: IntArray) -> None:
        """Take the changes the other way round, as often as there is room and it is of use."""
        rising = changes > 0
        room = self.system.room[cells[rising]]
        times = float(np.floor(room / changes[rising]).min()) if rising.any() else np.inf
        wanted = np.where(rising, self.system.fall[cells], self.system.rise[cells])
        of_use = np.ceil(wanted / np.abs(changes)).max(initial=0.0)
        if min(times, of_use) >= 1:
            self._take(cells, -changes * int(min(times, of_use)))

    def copied(self) -> Witnesses:
        """Return the same, to go back to."""
        found = {target: [*known] for target, known in self.found.items()}
        return Witnesses(self.system, self.movable.copy(), found)

    def without(self, cell: int) -> list[Target]:
        """Publish a cell: forget its witnesses; return the targets left without protection."""
        self.movable[cell] = False
        lost = []
        for target, known in self.found.items():
            left = [one for one in known if not _has(one.cells, cell)]
            if len(left) < len(known):
                self.found[target] = left
                if not self.protected(target):
                    lost.append(target)
        return lost


def _has(cells: IntArray, cell: int) -> bool:
    at = int(np.searchsorted(cells, cell))
    return at < len(cells) and int(cells[at]) == cell
