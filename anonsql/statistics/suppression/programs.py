"""Linear programs over some cells: the cheapest changes that move what must move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anonsql.statistics.suppression.system import Part, System
from anonsql.system.arrays import BoolArray, IntArray, RealArray, np

_FAR = 1e15
"""No change is larger, in units of a program."""
_WHOLE = 1e-6
"""A change that is nearer to a whole number is one."""
_SPREADS = (0.3, 0.6, 0.9) * 4
"""How far prices are changed at random, again and again, where the cheapest changes are
fractions."""
_PLAIN, _MODEST = 2_000, 1e6
"""The variables of programs at most that are solved as they are, without simplifying them first,
and the units that they must move at most."""
BRANCHED, _NODES = 1_000, 200
"""The cells of programs that are solved by branch and bound at most, and the nodes of each."""


@dataclass(frozen=True)
class Program:
    """Changes of some ``cells`` of a system, all others staying as they are, in multiples of a
    ``unit``. Moving up and down by one costs ``up`` and ``down``; cells move up by ``least_up`` or
    more and ``most_up`` at most, and the same down."""

    system: System
    cells: IntArray
    unit: int
    up: RealArray
    down: RealArray
    least_up: RealArray
    most_up: RealArray
    least_down: RealArray
    most_down: RealArray

    @classmethod
    def of(
        cls, system: System, cells: IntArray, unit: int, up: RealArray, down: RealArray
    ) -> Program:
        """Return the program in which every cell may move as far as it has room."""
        nothing = np.zeros(len(cells))
        most_down = np.minimum(np.floor(system.room[cells] / unit), _FAR)
        most_up = np.full(len(cells), _FAR)
        return cls(system, cells, unit, up, down, nothing, most_up, nothing.copy(), most_down)

    def once(self, seconds: float) -> IntArray | None:
        """Return the cheapest changes, a cell each; None unless found in whole numbers."""
        return self._solved(seconds, np.ones(2 * len(self.cells)))[1]

    def changes(
        self, seconds: float, chance: np.random.Generator, most: int = BRANCHED
    ) -> IntArray | None:
        """Return cheap changes in whole numbers, a cell each; None where none were found: where
        the cheapest ones are fractions, those by other prices, or of programs of no more than so
        many cells (``most``) by branch and bound."""
        for spread in (0.0, *_SPREADS):
            factors = chance.uniform(1 - spread, 1 + spread, 2 * len(self.cells))
            feasible, found = self._solved(seconds, factors)
            if found is not None or not feasible:
                return found
        if len(self.cells) > most:
            return None
        return self._solved(seconds, np.ones(2 * len(self.cells)), whole=True)[1]

    def _solved(
        self, seconds: float, factors: RealArray, *, whole: bool = False
    ) -> tuple[bool, IntArray | None]:
        """Return whether there are changes, and the cheapest in whole numbers, if these were found;
        prices are multiplied by ``factors``."""
        matrix = self.system.part(self.cells)
        cost = np.r_[self.up, self.down] * factors
        low, high = np.r_[self.least_up, self.least_down], np.r_[self.most_up, self.most_down]
        found = _optimum(
            matrix.split, np.zeros(matrix.rows), (cost, low, high), seconds, whole=whole
        )
        if found is None:
            return False, None
        count = len(self.cells)
        changes = found[:count] - found[count:]
        rounded = np.rint(changes)
        fractions = np.abs(changes - rounded) > _WHOLE
        if fractions.any():
            better = _rounded(matrix, changes, fractions, seconds)
            if better is None:
                return True, None
            rounded[fractions] = better
        return True, np.asarray(rounded, np.int64) * self.unit


def _rounded(
    matrix: Part, changes: RealArray, fractions: BoolArray, seconds: float
) -> RealArray | None:
    """Return the changes that are no whole numbers, each rounded up or down so that the constraints
    hold; None where no such rounding was found."""
    below = np.floor(changes[fractions])
    whole = np.rint(changes)
    whole[fractions] = below
    none, one = np.zeros(len(below)), np.ones(len(below))
    bounds = none, none, one
    found = _optimum(matrix.of(fractions), -matrix.moved(whole), bounds, seconds, whole=True)
    return None if found is None else below + np.rint(found)


def _optimum(
    matrix: Part,
    moved: RealArray,
    bounds: tuple[RealArray, RealArray, RealArray],
    seconds: float,
    *,
    whole: bool,
) -> RealArray | None:
    """Return what HiGHS finds where the rows are ``moved`` by so much; None where it finds nothing.
    ``bounds`` are the cost of each column, the least it can be, and the most."""
    import highspy  # slow to import

    if seconds <= 0:
        return None
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = len(bounds[0]), matrix.rows
    program.col_cost_, program.col_lower_, program.col_upper_ = bounds
    program.row_lower_ = program.row_upper_ = moved
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_ = matrix.begins
    program.a_matrix_.index_ = matrix.places
    program.a_matrix_.value_ = matrix.values.astype(np.float64)
    if whole:
        program.integrality_ = [highspy.HighsVarType.kInteger] * program.num_col_
    # not highspy.Highs(), which prints the version of HiGHS
    solver: Any = highspy._core._Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    if not whole and program.num_col_ <= _PLAIN and bounds[1].max(initial=0) <= _MODEST:
        solver.setOptionValue("simplex_scale_strategy", 0)  # all entries are 1 or -1
        solver.setOptionValue("presolve", "off")
    solver.setOptionValue("mip_rel_gap", 0.05)
    solver.setOptionValue("mip_max_nodes", _NODES)
    if np.isfinite(seconds):
        solver.setOptionValue("time_limit", seconds)
    solver.passModel(program)
    solver.run()
    info = solver.getInfo()
    if info.primal_solution_status != 2:  # a feasible point
        return None
    if not whole and solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return np.asarray(solver.getSolution().col_value)
