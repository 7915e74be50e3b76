"""The search for witnesses: by programs for many targets at once, then for each by itself.

In large tables most targets have a witness of a simple shape, which is looked for first: in every
dimension the group of a target takes from one other group, so that the corners of a box rise and
fall by turns (the hypercube method, Giessing and Repsilber 2002).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from anonsql.statistics.suppression.boxes import Boxes, Dimension
from anonsql.statistics.suppression.programs import Program
from anonsql.statistics.suppression.system import System
from anonsql.statistics.suppression.witnesses import Target, Witnesses
from anonsql.system.arrays import BoolArray, IntArray, RealArray, np
from anonsql.system.clock import Clock

_SWEEPS, _FEW = 40, 0.005
"""How often other groups are drawn for every target at most, and the share of targets that must be
protected by it for them to be drawn again."""
_PLACES = 2_000_000
"""The places that are looked at together."""
_CORNERS = 4_096
"""The corners of a box at most."""


@dataclass(frozen=True)
class _Axis:
    """The groups of one dimension: of each itself and all above it (``paths``, -1 where there are
    no more), how many these are (``depth``), and those of the finest level within (``leaves``,
    where those of each group begin, and how many they are)."""

    dimension: Dimension
    paths: IntArray
    depth: IntArray
    leaves: tuple[IntArray, IntArray, IntArray]

    @classmethod
    def of(cls, dimension: Dimension) -> _Axis:
        """Return the groups of a dimension with their paths."""
        steps = [np.arange(len(dimension.above))]
        while (steps[-1] >= 0).any():
            steps.append(np.where(steps[-1] >= 0, dimension.above[steps[-1]], -1))
        paths = np.stack(steps[:-1], axis=1)
        within = dimension.within
        counts = np.array([len(own) for own in within], np.int64)
        leaves = np.concatenate([*within]), np.cumsum(counts) - counts, counts
        return cls(dimension, paths, (paths >= 0).sum(axis=1), leaves)

    def steps(self, own: IntArray, other: IntArray) -> tuple[IntArray, IntArray]:
        """Return which groups change where one takes from another one, or from nowhere (-1): those
        that one of them alone is in; and 1 where they rise, -1 where they fall, 0 for no group."""
        ours = self.paths[own]
        theirs = np.where((other >= 0)[:, None], self.paths[other], -1)
        shared = (ours[:, :, None] == theirs[:, None, :]) & (ours[:, :, None] >= 0)
        rises = ((ours >= 0) & ~shared.any(axis=2)).astype(np.int64)
        falls = ((theirs >= 0) & ~shared.any(axis=1)).astype(np.int64)
        return np.hstack([ours, theirs]), np.hstack([rises, -falls])


@dataclass(frozen=True)
class _Drawn:
    """Boxes about cells that change (``changes``): groups by dimension, and their direction."""

    changes: IntArray
    steps: Sequence[tuple[IntArray, IntArray]]

    @property
    def corners(self) -> list[tuple[int, ...]]:
        """The corners of all boxes, by their steps."""
        return [*itertools.product(*(range(groups.shape[1]) for groups, _ in self.steps))]

    def at(self, corner: Sequence[int], rows: IntArray) -> tuple[IntArray, IntArray]:
        """Return the groups of one corner of some boxes, and by how much it changes."""
        pairs = [*zip(self.steps, corner, strict=True)]
        places = np.stack([groups[rows, at] for (groups, _), at in pairs], axis=1)
        signs = np.prod([signs[rows, at] for (_, signs), at in pairs], axis=0)
        return np.maximum(places, 0), self.changes[rows] * signs


class Corners:
    """Looks for such witnesses of the targets of one release."""

    def __init__(
        self, system: System, boxes: Boxes, random: np.random.Generator, clock: Clock
    ) -> None:
        self._system, self._boxes, self._random, self._clock = system, boxes, random, clock
        self._axes = [_Axis.of(dimension) for dimension in boxes.dimensions]
        shape = [int(axis.depth.max(initial=0)) + 1 for axis in self._axes]
        self._tables = np.zeros(shape, np.bool_)  # the levels that a table has
        self._tables[self._depths(boxes.place)] = True
        widest = max(len(axis.dimension.finest) for axis in self._axes) + 1
        self._portion = max(1, _PLACES // widest)  # the boxes that are drawn together

    def find(self, witnesses: Witnesses, targets: Sequence[Target]) -> None:
        """Find witnesses of some targets, until one more sweep over them finds few."""
        left = witnesses.open(targets)
        for _ in range(_SWEEPS):
            before = len(left)
            for first in range(0, before, self._portion):
                self._clock.check("audit of hidden cells")
                self._sweep(witnesses, left[first : first + self._portion])
            left = witnesses.open(left)
            if before - len(left) <= _FEW * before:
                break

    def _sweep(self, witnesses: Witnesses, targets: Sequence[Target]) -> None:
        cells = np.array([cell for cell, _ in targets], np.int64)
        changes = np.array([sign * witnesses.wanted((cell, sign)) for cell, sign in targets])
        steps, rows = [], np.arange(len(cells))
        for number, axis in enumerate(self._axes):
            own, other, some = self._drawn(number, cells, changes, witnesses.movable)
            groups, signs = axis.steps(own, other)
            used = signs.any(axis=0)
            steps.append((groups[:, used], signs[:, used]))
            rows = rows[some[rows]]
        drawn = _Drawn(changes, steps)
        if len(drawn.corners) > _CORNERS:
            return
        for corner in drawn.corners:
            found, by = drawn.at(corner, rows)
            _, possible = self._possible(found, by, cells[rows], witnesses.movable)
            rows = rows[possible]
        if not len(rows):
            return
        moves = [drawn.at(corner, rows) for corner in drawn.corners]
        by = np.stack([moved for _, moved in moves], axis=1)
        at = np.stack([self._boxes.cells_at(places) for places, _ in moves], axis=1)
        for of_one, moved in zip(at, np.where(at < 0, 0, by), strict=True):
            witnesses.add(of_one[moved != 0], moved[moved != 0])

    def _drawn(
        self, number: int, cells: IntArray, changes: IntArray, movable: BoolArray
    ) -> tuple[IntArray, IntArray, BoolArray]:
        """Return each cell's finest group of a dimension, another one that it can take from (-1:
        nowhere; all groups above its own change as it does), and whether there is one."""
        axis, place = self._axes[number], self._boxes.place[cells]
        leaves, begins, counts = axis.leaves
        group = place[:, number]
        own = leaves[begins[group] + (self._random.random(len(cells)) * counts[group]).astype(int)]
        finest = axis.dimension.finest
        count = len(finest) + 1
        places = np.repeat(place, count, axis=0)
        places[:, number] = np.tile(np.r_[finest, axis.dimension.top], len(cells))
        by = np.repeat(-changes, count)
        by[count - 1 :: count] *= -1
        _, possible = self._possible(places, by, np.repeat(cells, count), movable)
        possible = possible.reshape(len(cells), count)
        possible[:, :-1] &= ~(axis.paths[finest] == group[:, None, None]).any(axis=2)
        drawn = (self._random.random(possible.shape) * possible).argmax(axis=1)
        return own, np.r_[finest, -1][drawn], possible[np.arange(len(cells)), drawn]

    def _possible(
        self, places: IntArray, by: IntArray, targets: IntArray, movable: BoolArray
    ) -> tuple[IntArray, BoolArray]:
        """Return the cells at some places, and whether they can change by so much: as ``movable``
        ones that no sole contributor but that of the target knows, or as no table has them."""
        system = self._system
        found = self._boxes.cells_at(places)
        owner = system.owner[found]
        known = (owner > 0) & (owner != system.owner[targets])
        can = movable[found] & ~known & (by >= -system.room[found])
        absent = ~self._tables[self._depths(places)]
        return found, np.asarray(np.where(found >= 0, can, absent) | (by == 0), np.bool_)

    def _depths(self, places: IntArray) -> tuple[IntArray, ...]:
        pairs = zip(self._axes, places.T, strict=True)
        return tuple(axis.depth[groups] for axis, groups in pairs)


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
"""A target moves by so many units at most: amounts are counted in larger units than 1 where they
are large."""
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
        """Return a program of cells in which changes cost the same, except those of known cells."""
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
