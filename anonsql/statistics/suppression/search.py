"""The search for witnesses: by programs for many targets at once, then for each by itself."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.statistics.suppression.boxes import Boxes
from anonsql.statistics.suppression.corners import Corners
from anonsql.statistics.suppression.programs import Program
from anonsql.statistics.suppression.system import System
from anonsql.statistics.suppression.witnesses import Target, Witnesses
from anonsql.system.arrays import BoolArray, IntArray, RealArray, np
from anonsql.system.clock import Clock

SMALL = 3_000
"""Cells that can change, up to which one program is made of all of them."""
MOST = 20_000
"""The same, up to which a program of all of them decides what smaller ones leave open."""
BOX = 400
"""The cells of a box for many targets."""
_BOXES = (150, 800, 4_000)
"""The cells of boxes for a single target, one after the other."""
_MANY = 200
"""The targets from which on simple witnesses are looked for first."""
_TARGETS = 100
"""The targets of one program at most."""
_GAIN, _IDLE = 10, 4
"""The targets that a program must protect at most, and the programs in a row that protect fewer,
before targets are tried one by one."""
_REWARD = 1e5
"""What moving a target by one is worth, where others cost 1."""
_STEPS = 10_000
"""A target moves by so many units at most: amounts are counted in larger units than 1 where they are
large."""
_KNOWN = 30.0
"""How many times as much it costs to change a cell that a sole contributor knows."""


class Search:
    """Looks for witnesses of a system's targets, given the ``hidden`` cells of the release."""

    def __init__(
        self, system: System, boxes: Boxes | None, hidden: BoolArray, clock: Clock
    ) -> None:
        self.system, self.boxes, self.clock = system, boxes, clock
        self.witnesses = Witnesses(system, system.movable(hidden))
        self.effort = 0  # the cells of all programs together
        self.random = np.random.default_rng(0)
        self.blocks = len(system.room) // system.size if system.size else 1
        self.corners: Corners | None = None
        if boxes is not None and self.blocks == 1:
            self.corners = Corners(system, boxes, self.random, clock)

    @property
    def seconds(self) -> float:
        """The seconds that one program may take."""
        left = self.clock.left
        return np.inf if left is None else left

    def unprotected(self) -> list[Target]:
        """Return the targets for which no witness is found."""
        self.many(self.witnesses.targets)
        left = [
            target
            for target in self.witnesses.open()
            if not self.witnesses.protected(target) and not self.one(target)
        ]
        self.clock.check("audit of hidden cells")  # else time, not data, left them unprotected
        return left

    def many(self, among: Sequence[Target]) -> None:
        """Look for witnesses of many targets at once, until programs find few more."""
        if self.corners is not None and len(among) >= _MANY:
            self.corners.find(self.witnesses, among)
        left, idle = self.witnesses.open(among), 0
        while left and idle < _IDLE:
            self.clock.check("audit of hidden cells")
            self._several(left)
            before, left = len(left), self.witnesses.open(left)
            idle = 0 if before - len(left) >= min(max(2, 0.002 * before), _GAIN) else idle + 1

    def _several(self, left: Sequence[Target]) -> None:
        """Look for a table in which many targets move."""
        first = left[int(self.random.integers(len(left)))]
        most = min(int(self.witnesses.movable.sum()), BOX)
        cells = self.around(first[0], most, self.witnesses.movable, self._price())
        inside = np.zeros(len(self.system.room), np.bool_)
        inside[cells] = True
        chosen = self.some([target for target in left if inside[target[0]]], first)
        program = self._program(cells, self.unit(chosen))
        self.reward(program, chosen)
        changes = program.once(self.seconds)
        if changes is not None:
            self.witnesses.add(cells, changes)

    def _program(self, cells: IntArray, unit: int) -> Program:
        """Return a program of cells in which changes cost the same, but those that are known."""
        self.effort += len(cells)
        price = np.where(self.system.owner[cells] > 0, _KNOWN, 1.0)
        return Program.of(self.system, cells, unit, price, price.copy())

    def some(self, targets: Sequence[Target], first: Target) -> list[Target]:
        """Return some targets, one a cell, a certain one among them."""
        picked = self.random.permutation(len(targets))[:_TARGETS]
        chosen = dict(targets[number] for number in picked.tolist())
        return [*{**chosen, first[0]: first[1]}.items()]

    def unit(self, targets: Sequence[Target]) -> int:
        """Return the unit of a program of some targets."""
        return max(unit_of(self.system, one, self.witnesses.wanted(one)) for one in targets)

    def reward(self, program: Program, targets: Sequence[Target]) -> None:
        """Let a program move as many of some targets as it can."""
        for target in targets:
            at = int(np.searchsorted(program.cells, target[0]))
            units = -(-self.witnesses.wanted(target) // program.unit)
            if target[1] > 0:
                program.up[at], program.most_up[at], program.most_down[at] = -_REWARD, units, 0
            else:
                program.down[at], program.most_up[at] = -_REWARD, 0
                program.most_down[at] = min(units, program.most_down[at])

    def one(self, target: Target) -> bool:
        """Look for witnesses of one target until it is protected; return whether it is."""
        while not self.witnesses.protected(target):
            self.clock.check("audit of hidden cells")
            if not any(
                self._single(target, most, attackers, unit)
                for unit in dict.fromkeys([self.unit([target]), 1])
                for attackers in self.witnesses.together(target)
                for most in self.sizes()
            ):
                return False
        return True

    def sizes(self) -> list[int]:
        """Return how many cells programs for a single target are made of, one after the other."""
        movable = int(self.witnesses.movable.sum())
        sizes = [most for most in _BOXES if most < movable]
        return [*sizes, movable] if movable <= MOST else sizes

    def _single(self, target: Target, most: int, attackers: frozenset[int], unit: int) -> bool:
        """Look for a witness of a target, in multiples of a unit, without some attackers' cells."""
        wanted = self.witnesses.wanted(target)
        among = self.unknown(self.witnesses.movable, attackers)
        cells = self.around(target[0], most, among, self._price())
        program = self._program(cells, unit)
        require(program, target, wanted)
        return self._take(program, target)

    def _take(self, program: Program, target: Target) -> bool:
        before = self.witnesses.attackers(target)
        changes = program.changes(self.seconds, self.random, MOST)
        if changes is None or not self.witnesses.add(program.cells, changes):
            return False
        return self.witnesses.attackers(target) != before

    def unknown(self, among: BoolArray, attackers: frozenset[int]) -> BoolArray:
        """Return those ``among`` some cells whose values no attacker knows."""
        if not attackers:
            return among
        known = np.isin(self.system.owner, [*attackers]) & self.witnesses.movable
        return np.asarray(among & ~known, np.bool_)

    def around(self, cell: int, most: int, among: BoolArray, price: RealArray) -> IntArray:
        """Return about so many cells ``among`` some around one, in order, of all releases."""
        size = self.system.size
        if self.boxes is None or most >= int(among.sum()):
            return np.flatnonzero(among)
        box = self.boxes.around(
            cell % size, most, price, among.reshape(self.blocks, size).any(axis=0)
        )
        cells = np.concatenate([box + block * size for block in range(self.blocks)])
        return np.asarray(cells[among[cells]], np.int64)

    def _price(self) -> RealArray:
        """Return how little use cells are for other cells to move."""
        size = self.system.size
        room = np.minimum(self.system.room[:size], 1e6)
        return np.where(self.witnesses.movable[:size], 1 / (room + 0.01), 1e9)


def unit_of(system: System, target: Target, wanted: int) -> int:
    """Return a program's unit for so large a target: 1 where it could not fall so far else."""
    unit = max(1, wanted // _STEPS)
    if target[1] < 0 and -(-wanted // unit) * unit > system.room[target[0]]:
        return 1
    return unit


def require(program: Program, target: Target, wanted: int) -> None:
    """Let a target move by as much as is wanted, in one direction alone."""
    cell, sign = target
    at, least = int(np.searchsorted(program.cells, cell)), -(-wanted // program.unit)
    if sign > 0:
        program.least_up[at], program.most_down[at] = least, 0
    else:
        program.least_down[at], program.most_up[at] = least, 0
