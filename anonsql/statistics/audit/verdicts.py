"""Which cells fail: from what was shown of unknowns to what is said of cells."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from anonsql.statistics.audit.search import Search
from anonsql.statistics.audit.system import Flags, Real, System, Whole


@dataclass(frozen=True)
class Failing:
    """A cell that is not protected: in tables that were exhibited it goes from ``low`` to ``high``;
    nothing below ``least`` or above ``greatest`` is possible (infinite where that is not known).
    Both are the same where the interval is exact. ``coalition`` is the number of the coalition that
    learns it, None where everybody does."""

    cell: int
    low: float
    high: float
    least: float
    greatest: float
    coalition: int | None = None


@dataclass(frozen=True)
class Wants:
    """By how much cells must go ``up`` and ``down``, and unknowns must ``rise`` and ``fall`` for
    their sake; ``several`` are those with cells that differ in that. ``members`` are the cells by
    unknown: those of unknown ``i`` from ``start[i]`` to ``start[i + 1]``."""

    up: Real
    down: Real
    rise: Real
    fall: Real
    several: Flags
    members: Whole
    start: Whole


def wants_of(system: System, up: Real, down: Real) -> Wants:
    """Return what unknowns must do for the sake of their cells."""
    rise, fall = np.zeros(system.size), np.zeros(system.size)
    cells = np.flatnonzero(system.unknown >= 0)
    cells = cells[np.argsort(system.unknown[cells], kind="stable")]
    unknown, same = system.unknown[cells], system.sign[cells] > 0
    start = np.searchsorted(unknown, np.arange(system.size + 1))
    rises = np.where(same, up[cells], down[cells])
    falls = np.where(same, down[cells], up[cells])
    np.maximum.at(rise, unknown, rises)
    np.maximum.at(fall, unknown, falls)
    asks = (rises > 0) | (falls > 0)
    differs = asks & ((rises < rise[unknown]) | (falls < fall[unknown]))
    several = np.zeros(system.size, bool)
    several[unknown[differs]] = True
    return Wants(up, down, rise, fall, several, cells, start)


def failing_of(
    search: Search, wants: Wants, cells: Whole, coalition: int | None = None
) -> list[Failing]:
    """Return those of some cells that are not shown to go where they must."""
    shown, system = search.shown, search.shown.system
    at, same = system.unknown[cells], system.sign[cells] > 0
    moves = at >= 0

    def of_cells(up: Real, down: Real) -> tuple[Real, Real]:
        if not system.size:
            return np.zeros(len(cells)), np.zeros(len(cells))
        rise, fall = np.where(same, up[at], down[at]), np.where(same, down[at], up[at])
        return np.where(moves, rise, 0.0), np.where(moves, fall, 0.0)

    rise, fall = of_cells(shown.up, shown.down)
    most_rise, most_fall = of_cells(search.most_up, search.most_down)
    fails = (rise < wants.up[cells] * search.less) | (fall < wants.down[cells] * search.less)
    value = shown.values[cells]
    columns = zip(
        cells[fails].tolist(),
        (value - fall)[fails].tolist(),
        (value + rise)[fails].tolist(),
        (value - most_fall)[fails].tolist(),
        (value + most_rise)[fails].tolist(),
        strict=True,
    )
    return [Failing(*column, coalition) for column in columns]


def exact(search: Search, failing: list[Failing]) -> list[Failing]:
    """Return the same with exact intervals, as far as there is time."""
    system = search.shown.system
    cells = np.array([one.cell for one in failing], np.int64)
    unknowns = system.unknown[cells]
    for unknown in np.unique(unknowns[unknowns >= 0]):
        search.ends(int(unknown))
    search.shown.check()
    result = []
    for one, unknown in zip(failing, unknowns.tolist(), strict=True):
        if unknown < 0:
            result.append(one)
            continue
        ends = [
            float(shown)
            for shown in (
                search.shown.down[unknown],
                search.shown.up[unknown],
                search.most_down[unknown],
                search.most_up[unknown],
            )
        ]
        if system.sign[one.cell] < 0:
            ends = [ends[1], ends[0], ends[3], ends[2]]
        value = float(search.shown.values[one.cell])
        result.append(
            replace(
                one,
                low=value - ends[0],
                high=value + ends[1],
                least=value - ends[2],
                greatest=value + ends[3],
            )
        )
    return result
