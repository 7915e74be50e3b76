"""The choice of cells to hide besides primary ones: for each primary cell that is not protected
yet, the cheapest changes by which it moves as far as it must (Kelly, Golden and Assad 1992). Every
cell that changes is hidden from then on, and costs the next programs next to nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from anonsql.errors import PrivacyError
from anonsql.statistics.suppression.boxes import Boxes
from anonsql.statistics.suppression.programs import Program
from anonsql.statistics.suppression.search import MOST, SMALL, Search, require
from anonsql.statistics.suppression.system import System
from anonsql.statistics.suppression.witnesses import Target
from anonsql.system.arrays import BoolArray, IntArray, RealArray, np
from anonsql.system.clock import Clock

_HIDDEN = 1e-3
"""What a hidden cell costs, as a share of the cheapest published one."""
_OWNED = 2.0
"""How many times its amount a hidden cell costs that a sole contributor knows."""
_CELLS, _NEAR = 1_500_000, 120
"""The cells of the boxes of all targets together, and of each at least, in tables that are too
large for programs of all cells."""
_BATCH = 1_000
"""The targets of large tables after which simple witnesses are looked for again."""
_AT_ONCE, _FEW = 24, 1_000
"""The targets of one program, and the cells from which on there is more than one."""
_KEPT = 1000.0
"""How many times as much a kept cell costs."""
_BETWEEN = 24
"""The programs for single targets after which all others are looked at again."""
_SIZES = (300, 1_000)
"""The cells of boxes for one target, one after the other, where there are more than SMALL."""
_AGAIN = 20_000
"""The effort of publishing again, where that of the choice is not more: cells of all programs.
Effort is no time, so that the same cells are hidden in every run."""
_MOST_AGAIN = 10_000
"""The targets of a choice at most after which cells are published again."""
_STARTS, _QUICK = 8, 40_000
"""How often the choice begins anew by another order at most, and the effort of all."""
_SPREAD = 0.7
"""How far prices differ from start to start: the standard deviation of their logarithms."""


@dataclass(frozen=True)
class Task:
    """What is chosen: cells of the present release to hide besides the ``primary`` ones, so that
    all targets of the ``systems``, of measures that hide the same cells, are protected. Hiding a
    cell loses its ``cost``. Cells that are ``kept`` (by how much they are wanted; 0: not) are
    hidden only where a primary cell cannot be protected by cells that are wanted less. ``progress``
    is called with how many targets are protected, and how many there are."""

    systems: Sequence[System]
    boxes: Boxes | None
    primary: BoolArray
    cost: RealArray
    kept: IntArray
    clock: Clock
    progress: Callable[[int, int], None]


def hide(task: Task) -> BoolArray:
    """Return which cells of the present release are hidden. Small choices are made several times,
    by another order of targets and other prices, and the choice that loses least is taken. Raise
    PrivacyError where no choice protects all primary cells."""
    first = Choice(task, 0)
    best, effort = first.hide(), first.effort
    for start in range(1, _STARTS):
        if effort * (start + 1) / start > _QUICK or (best == task.primary).all():
            break
        choice = Choice(task, start)
        found = choice.hide()
        effort += choice.effort
        if _lost(task, found) < _lost(task, best):
            best = found
    return best


def _lost(task: Task, hidden: BoolArray) -> tuple[int, float]:
    return int(task.kept[hidden & ~task.primary].sum()), float(task.cost[hidden].sum())


class Choice:
    """One choice of cells to hide. ``start`` is the number of the order of targets."""

    def __init__(self, task: Task, start: int) -> None:
        self.hidden = task.primary.copy()
        self._task, self._start = task, start
        self._chance = np.random.default_rng(start)
        self._searches = [
            Search(system, task.boxes, task.primary, task.clock) for system in task.systems
        ]
        self._least = float(task.cost[task.cost > 0].min(initial=1.0))
        spread = _SPREAD if start else 0.0
        self._taste = np.exp(self._chance.normal(0, spread, len(task.primary)))
        self._public = np.zeros(len(task.primary), np.bool_)  # what is tried to be published

    def hide(self) -> BoolArray:
        """Return the hidden cells; raise PrivacyError where no choice protects all primary ones."""
        for search in self._searches:
            near = _CELLS // max(len(search.witnesses.targets), 1)
            if near < int(self._choosable(search, 0).sum()):
                self._protect_by_boxes(search, max(near, _NEAR))
            self._protect(search)
        self._publish_again(self.effort + max(_AGAIN, self.effort))
        return self.hidden

    @property
    def effort(self) -> int:
        """The cells of all programs together."""
        return sum(search.effort for search in self._searches)

    def _protect(self, search: Search) -> None:
        while True:
            search.many(search.witnesses.targets)
            left = search.witnesses.open()
            if not left:
                return
            total = len(search.witnesses.targets)
            self._task.progress(total - len(left), total)
            order = self._chance.permutation(len(left))  # targets of one program are far away
            left = [left[number] for number in order.tolist()]
            if self._start % 2 == 0:
                left.sort(key=lambda target: -search.witnesses.wanted(target))
            for first in range(0, _BETWEEN, _AT_ONCE):
                self._pay_for_several(search, left[first : first + _AT_ONCE])
            for target in left[:_BETWEEN]:
                if not self._pay(search, target):
                    self._task.clock.check("choice of hidden cells")
                    raise PrivacyError(
                        "no choice of hidden cells was found that protects all primary cells: begin"
                        " at a coarser level, or use fewer dimensions in a table, which allows more choices"
                    )

    def _protect_by_boxes(self, search: Search, near: int) -> None:
        """Hide cells of a large table until witnesses protect most targets of a system: for one
        after the other what the cheapest changes of so many cells ``near`` it need."""
        left = sorted(search.witnesses.open(), key=lambda target: -search.witnesses.wanted(target))
        prices, of_hidden = self._prices(search), self._prices_of_hidden(search)
        choosable = self._choosable(search, 0)
        for number, target in enumerate(left):
            if number % _BATCH == 0 and search.corners is not None:
                search.corners.find(search.witnesses, left[number:])
            if search.witnesses.protected(target):
                continue
            self._task.clock.check("choice of hidden cells")
            self._task.progress(number, len(left))
            found = self._changes(search, target, near, choosable, prices)
            if found is not None:
                self._hide(found[0])
                prices[found[0]] = of_hidden[found[0]]
                search.witnesses.add(*found)

    def _pay_for_several(self, search: Search, targets: Sequence[Target]) -> None:
        """Hide what the cheapest changes need in which several targets move at once, in tables in
        which programs for one take long; where such changes are not found nothing is hidden."""
        open_ = [target for target in targets if search.witnesses.attackers(target) is None]
        choosable = self._choosable(search, 0)
        whole = int(choosable.sum())
        if whole <= _FEW or not open_:
            return
        size = whole if whole <= SMALL else _SIZES[-1]
        prices = self._prices(search)
        cells = search.around(open_[0][0], size, choosable, self._scores(search, prices))
        chosen = {cell: sign for cell, sign in open_ if cell in cells}
        wanted = {cell: search.witnesses.wanted((cell, sign)) for cell, sign in chosen.items()}
        unit = search.unit([*chosen.items()])
        program = self._priced(search, cells, prices, unit, max(wanted.values()))
        for target in chosen.items():
            require(program, target, wanted[target[0]])
        changes = program.once(search.seconds)
        search.effort += len(cells)
        if changes is not None:
            moved = np.flatnonzero(changes)
            self._hide(cells[moved])
            search.witnesses.add(cells[moved], changes[moved])

    def _pay(self, search: Search, target: Target, most: float = np.inf) -> bool:
        """Hide what the cheapest changes for a target need; return whether it is protected, and
        what is hidden for it costs less than ``most``."""
        while not search.witnesses.protected(target):
            self._task.clock.check("choice of hidden cells")
            best = self._cheapest(search, target)
            if best is None or self._price(best[0]) >= most:
                return False
            most -= self._price(best[0])
            self._hide(best[0])
            before = search.witnesses.attackers(target)
            if not search.witnesses.add(*best) or search.witnesses.attackers(target) == before:
                return False
        return True

    def _cheapest(self, search: Search, target: Target) -> tuple[IntArray, IntArray] | None:
        """Return the cells, and by how much they change, of the cheapest changes that protect a
        target from more attackers than before; None where there are none."""
        levels = [0] if self._public.any() else np.unique(np.r_[0, self._task.kept]).tolist()
        for kept in levels:
            for attackers in search.witnesses.together(target):
                choosable = search.unknown(self._choosable(search, kept), attackers)
                whole = int(choosable.sum())
                sizes = [whole, *_SIZES] if whole <= SMALL else [*_SIZES, min(whole, MOST)]
                best: tuple[IntArray, IntArray] | None = None
                for size in sizes:
                    if best is not None and (size >= SMALL or not self._price(best[0])):
                        break
                    found = self._changes(search, target, size, choosable)
                    if found is None:
                        continue
                    if best is None or self._price(found[0]) < self._price(best[0]):
                        best = found
                    if size == whole:
                        break
                if best is not None:
                    return best
        return None

    def _changes(
        self,
        search: Search,
        target: Target,
        size: int,
        choosable: BoolArray,
        prices: RealArray | None = None,
    ) -> tuple[IntArray, IntArray] | None:
        prices = self._prices(search) if prices is None else prices
        wanted = search.witnesses.wanted(target)
        cells = search.around(target[0], size, choosable, self._scores(search, prices))
        search.effort += len(cells)
        program = self._priced(search, cells, prices, search.unit([target]), wanted)
        require(program, target, wanted)
        changes = program.changes(search.seconds, search.random)
        if changes is None:
            return None
        moved = np.flatnonzero(changes)
        return cells[moved], changes[moved]

    @staticmethod
    def _priced(
        search: Search, cells: IntArray, prices: RealArray, unit: int, wanted: int
    ) -> Program:
        units = -(-wanted // unit)
        reach = np.clip(np.minimum(search.system.room[cells] / unit, units), 0.05, None)
        return Program.of(search.system, cells, unit, prices[cells] / units, prices[cells] / reach)

    def _prices(self, search: Search) -> RealArray:
        """Return what each cell costs in programs: what hiding it loses, next to nothing where it
        is hidden, and more where a sole contributor knows it."""
        hidden = self._prices_of_hidden(search)
        return np.asarray(
            np.where(search.witnesses.movable, hidden, self._costs(search)), np.float64
        )

    def _costs(self, search: Search) -> RealArray:
        cost = np.full(len(search.system.room), self._least)
        wanted = np.where(self._task.kept > 0, _KEPT, 1.0)
        cost[: search.system.size] = wanted * self._taste * self._task.cost
        return cost

    def _prices_of_hidden(self, search: Search) -> RealArray:
        owned = (search.system.owner > 0) & (self._start % 3 < 2)
        return np.where(owned, _OWNED * self._costs(search), _HIDDEN * self._least)

    @staticmethod
    def _scores(search: Search, prices: RealArray) -> RealArray:
        """Return how dear cells are, by their ``prices``, for the room that they have."""
        size = search.system.size
        room = np.minimum(search.system.room[:size], 1e6)
        return np.asarray(prices[:size] / np.maximum(room, 0.02), np.float64)

    def _choosable(self, search: Search, kept: int) -> BoolArray:
        """Return the cells that may change, or be hidden and are wanted no more than so."""
        choosable = search.witnesses.movable.copy()
        choosable[: search.system.size] |= (self._task.kept <= kept) & ~self._public
        return choosable & ~search.system.closed

    def _price(self, cells: IntArray) -> float:
        own = cells[cells < len(self.hidden)]
        return float(self._task.cost[own[~self.hidden[own]]].sum())

    def _hide(self, cells: IntArray) -> None:
        own = cells[cells < len(self.hidden)]
        self.hidden[own] = True
        for search in self._searches:
            search.witnesses.movable[own] = True

    def _publish_again(self, most: int) -> None:
        if sum(len(search.witnesses.targets) for search in self._searches) > _MOST_AGAIN:
            return
        secondary = np.flatnonzero(self.hidden & ~self._task.primary & (self._task.cost > 0))
        order = np.lexsort((-self._task.cost[secondary], -self._task.kept[secondary]))
        for cell in secondary[order].tolist():
            if self.effort > most:
                return
            self._try_without(cell)

    def _try_without(self, cell: int) -> None:
        before = self.hidden.copy(), [search.witnesses.copied() for search in self._searches]
        self.hidden[cell], self._public[cell] = False, True
        if not self._mended(cell):
            self.hidden = before[0]
            for search, witnesses in zip(self._searches, before[1], strict=True):
                search.witnesses = witnesses
        self._public[cell] = False

    def _mended(self, cell: int) -> bool:
        left = float(self._task.cost[cell])
        for search in self._searches:
            lost = search.witnesses.without(cell)
            if len(lost) > _BETWEEN:
                search.many(lost)
            for target in search.witnesses.open(lost):
                hidden = self.hidden.copy()
                if not self._pay(search, target, left):
                    return False
                left -= float(self._task.cost[self.hidden & ~hidden].sum())
        return True
