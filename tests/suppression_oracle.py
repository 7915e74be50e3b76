"""Which cells hide least, exactly, and whether hidden cells protect: the oracle of suppression.

The model is that of Fischetti and Salazar (2001): a set of hidden cells is right when for every
primary cell, and for every attacker, there is a movement of hidden cells that changes no sum, leaves
every cell what it must have at least, and raises (lowers) the primary cell by what is asked. By
linear duality each movement that is missing is an inequality of the hidden cells. The least cost is
found by adding inequalities until nothing is missing. Their multipliers are rounded to fractions
before they are added, so they hold exactly. Nothing bounds how far a cell can rise."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import highspy
import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_array

from .suppression_examples import Example

_DENOMINATOR = 5040
"""Multipliers are fractions of it."""
_SLACK = 1e-7
_INSIDE = 1e-3
"""How much a cell that is not hidden moves where an inequality is looked for, so that few such cells
are in it."""


class InfeasibleError(Exception):
    """Not even hiding all cells protects the primary ones."""


class _OverError(Exception):
    """The time is over."""


@dataclass(frozen=True)
class Question:
    """A movement that must exist: a primary ``cell`` changes by ``amount`` in the direction of
    ``sign`` while the cells that an attacker ``knows`` stay the same."""

    cell: int
    sign: int
    amount: int
    knows: tuple[int, ...] = ()

    def __str__(self):
        """Return it in words."""
        known = f" beside known {list(self.knows)}" if self.knows else ""
        return f"cell {self.cell} cannot {'rise' if self.sign > 0 else 'fall'}{known}"


def questions(example: Example, *, alone: bool = True) -> list[Question]:
    """Return the movements that must exist: of outsiders, and of those who are ``alone`` in a cell
    where amounts are added; they look for no more than how large the others are at most."""
    asked = []
    coalitions = [
        tuple(np.flatnonzero(example.holder == who).tolist())
        for who in np.unique(example.holder[example.holder > 0])
        if alone and "amount" in example.micro.policy["statistics"]["of"]
    ]
    for cell in np.flatnonzero(example.primary).tolist():
        others = [known for known in coalitions if cell not in known]
        if example.rise[cell]:
            rise = int(example.rise[cell])
            asked += [Question(cell, 1, rise, known) for known in [(), *others]]
        if example.fall[cell]:
            asked.append(Question(cell, -1, int(example.fall[cell])))
    return asked


def matrix_of(example: Example) -> csr_array:
    """Return the sums that tie cells together: of each row the whole is 1 and its parts are −1."""
    rows, columns, signs = [], [], []
    for number, (whole, parts) in enumerate(example.relations):
        rows += [number] * (1 + len(parts))
        columns += [whole, *parts]
        signs += [1.0, *[-1.0] * len(parts)]
    shape = (len(example.relations), len(example.cells))
    return csr_array((signs, (rows, columns)), shape=shape)


def protected(example: Example, hidden: np.ndarray) -> list[str]:
    """Return what is wrong with hidden cells: primary cells that are shown, and movements that no
    linear program finds, or none in whole numbers."""
    return list(offences(example, hidden))


def offences(example: Example, hidden: np.ndarray) -> Iterator[str]:
    """Yield what is wrong with hidden cells, one after another: see :func:`protected`."""
    hidden = np.asarray(hidden, bool)
    yield from (f"cell {cell} is shown" for cell in np.flatnonzero(example.primary & ~hidden))
    matrix = matrix_of(example)
    for question in questions(example):
        free = hidden.copy()
        free[list(question.knows)] = False
        if not free[question.cell]:
            continue
        columns = np.flatnonzero(free)
        lines, none = matrix[:, columns], np.zeros(len(example.relations))
        low, high = -example.room[columns].astype(float), np.full(len(columns), np.inf)
        at = columns == question.cell
        beyond = question.sign * question.amount < low[at].item()
        low[at] = high[at] = question.sign * question.amount
        cost = np.zeros(len(columns))
        found = linprog(cost, A_eq=lines, b_eq=none, bounds=np.stack([low, high], 1))
        if beyond or found.status:
            yield str(question)
        elif not _is_table(found.x, lines, low, high):
            sums, whole = [LinearConstraint(lines, 0, 0)], np.ones(len(columns))
            found = milp(cost, constraints=sums, bounds=Bounds(low, high), integrality=whole)
            if not _is_table(found.x, lines, low, high):
                yield f"{question} in whole numbers"


def _is_table(moved, lines, low, high):
    """Return whether a movement, in the nearest whole numbers, changes no sum and keeps to its
    bounds."""
    if moved is None:
        return False
    moved = np.round(moved)
    return not (lines @ moved).any() and bool(((low <= moved) & (moved <= high)).all())


def optimum(
    example: Example, seconds: float, *, alone: bool = True
) -> tuple[int, np.ndarray] | None:
    """Return the least cost of protected cells, and which are hidden; None where the time is over,
    in seconds of the processor.
    Without ``alone`` contributors know nothing of their own cells."""
    found = search(example, seconds, alone=alone)
    if found.hidden is None:
        return None
    return int(example.cost[found.hidden].sum()), found.hidden


@dataclass
class Found:
    """A lower bound of the cost, and the hidden cells with this label, unless the time is over."""

    bound: int
    hidden: np.ndarray | None = None


def search(example: Example, seconds: float, *, alone: bool = True) -> Found:
    """Return the hidden cells of least cost; where the time is over, the least cost as far as it is
    known."""
    found = Found(int(example.cost[example.primary].sum()))
    try:
        job = _Search(example, found, time.process_time() + seconds, alone=alone)
        job.relax()
        hidden = job.solve()
        while job.cut(hidden.astype(float), whole=True):
            hidden = job.solve()
    except _OverError:
        return found
    found.hidden = hidden
    return found


@dataclass
class _Search:
    """The choice of hidden cells as an integer program that grows."""

    example: Example
    found: Found
    end: float
    alone: bool
    pool: dict[Question, list[np.ndarray]] = field(default_factory=dict)

    def __post_init__(self):
        self.matrix = matrix_of(self.example)
        self.questions = questions(self.example, alone=self.alone)
        self.outside = [question for question in self.questions if not question.knows]
        self.movements = _Movements(self.matrix, self.example)
        everything = np.ones(len(self.example.cells))
        for question in self.questions:
            self.left()
            if self.movements.ask(question, everything)[0]:
                raise InfeasibleError(str(question))
        count, primary = len(everything), self.example.primary.astype(float)
        self.model = _quiet()
        self.model.addVars(count, primary, everything)
        self.model.changeColsCost(count, np.arange(count, dtype=np.int32), self.example.cost)
        for whole, parts in self.example.relations:
            # in a cheapest choice every hidden cell moves, and never alone in a relation
            for cell in (line := [whole, *parts]):
                others = [other for other in line if other != cell]
                self.add([*others, cell], [*[1.0] * len(others), -1.0], 0.0)

    def add(self, cells, factors, least):
        self.model.addRow(
            least, highspy.kHighsInf, len(cells), np.array(cells, np.int32), np.array(factors)
        )

    def know(self, bound):
        """Note a lower bound of the cost, which is a whole number."""
        if bound > self.found.bound:
            self.found.bound = math.ceil(bound - 1e-6 * bound)

    def left(self):
        if (left := self.end - time.process_time()) <= 0:
            raise _OverError
        return left

    def relax(self):
        """Add inequalities as long as they raise the bound of the linear relaxation."""
        before = 0.0
        for _ in range(50):
            self.left()
            self.model.run()
            self.know(bound := self.model.getObjectiveValue())
            x = np.array(self.model.getSolution().col_value)
            if not self.cut(x, whole=False) or bound < before + 1e-4 * max(before, 1):
                break
            before = bound
        count = len(self.example.cells)
        kinds = [highspy.HighsVarType.kInteger] * count
        self.model.changeColsIntegrality(count, np.arange(count, dtype=np.int32), np.array(kinds))

    def solve(self):
        """Return the cheapest choice that the inequalities allow."""
        self.model.setOptionValue("time_limit", self.model.getRunTime() + self.left())
        self.model.run()
        self.know(self.model.getInfo().mip_dual_bound)
        if self.model.getModelStatus() == highspy.HighsModelStatus.kTimeLimit:
            raise _OverError
        assert self.model.getModelStatus() == highspy.HighsModelStatus.kOptimal
        return np.array(self.model.getSolution().col_value) > 0.5

    def cut(self, x, *, whole):
        """Add the inequalities that a choice breaks; return how many."""
        added = 0
        for question in self.questions if whole else self.outside:
            self.left()
            if whole and self._seen(question, x > 0.5):
                continue
            cells, factors = self._broken(question, x, whole=whole)
            if len(cells):
                self.add(cells, factors, 1.0)
                added += 1
        return added

    def _seen(self, question, hidden):
        """Return whether a movement that was found is one of these cells and answers a question."""
        same = (question.cell, question.sign)
        return any(
            not (moved & ~hidden).any() and not moved[list(question.knows)].any()
            for moved in self.pool.get(same, [])
        )

    def _broken(self, question, x, *, whole):
        """Return the cells and factors of an inequality that a choice breaks, if there is one."""
        for inside in (_INSIDE, 0.0) if whole else (_INSIDE,):
            lacks, multipliers, moved = self.movements.ask(question, x, inside)
            if lacks:
                cells, factors = self._inequality(question, multipliers)
                if len(cells) and factors @ x[cells] < 1 - 1e-6:
                    return cells, factors
                assert inside or not whole, "a movement is missing, and no inequality says so"
        if whole:
            self.pool.setdefault((question.cell, question.sign), []).append(moved)
        return [], []

    def _inequality(self, question, multipliers):
        """Return the cells of which some must be hidden, by the multipliers of sums: any that fall
        enough, or one that rises."""
        example, cell = self.example, question.cell
        rounded = np.round(multipliers * _DENOMINATOR)
        of = self.matrix.T @ rounded
        if not of[cell]:
            return [], []
        of *= -question.sign / of[cell]
        factors = np.where(of > 0, 1.0, np.minimum(1, -of * example.room / question.amount))
        factors[[cell, *question.knows]] = 0
        rest = 1 - factors[example.primary].sum()
        if rest <= 0:
            return [], []
        factors = np.where(example.primary, 0, np.minimum(factors, rest) / rest)
        cells = np.flatnonzero(factors)
        return cells, factors[cells]


class _Movements:
    """A linear program of movements, whose bounds and costs change from question to question."""

    def __init__(self, matrix, example):
        self.example, (rows, count) = example, matrix.shape
        self.all = np.arange(count, dtype=np.int32)
        self.model = _quiet()
        self.model.addVars(count, np.zeros(count), np.zeros(count))
        self.model.changeObjectiveSense(highspy.ObjSense.kMaximize)
        for row in range(rows):
            line = slice(matrix.indptr[row], matrix.indptr[row + 1])
            cells = matrix.indices[line].astype(np.int32)
            self.model.addRow(0.0, 0.0, len(cells), cells, matrix.data[line])
        self.last = 0

    def ask(self, question, x, inside=0.0):
        """Return whether a movement is missing, the multipliers that show it, and which cells move
        else. Cells that are hidden by a half may move by a half of what is asked."""
        amount, room = float(question.amount), self.example.room.astype(float)
        part = np.minimum(x + inside, 1)
        high = np.where(x > 1 - 1e-9, np.inf, amount * part)
        low = -np.where(x > 1 - 1e-9, room, np.minimum(room, amount) * part)
        high[list(question.knows)] = low[list(question.knows)] = 0
        high[question.cell] = amount if question.sign > 0 else 0
        low[question.cell] = -min(amount, room[question.cell]) if question.sign < 0 else 0
        self.model.changeColsBounds(len(x), self.all, low, high)
        self.model.changeColCost(self.last, 0.0)
        self.model.changeColCost(question.cell, float(question.sign))
        self.last = question.cell
        self.model.run()
        solution = self.model.getSolution()
        moved = np.array(solution.col_value)
        lacks = abs(moved[question.cell]) < amount * (1 - _SLACK)
        return lacks, np.array(solution.row_dual), np.abs(moved) > 1e-9


def _quiet():
    """Return an empty program of one thread."""
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("threads", 1)
    model.setOptionValue("mip_rel_gap", 0.0)
    return model
