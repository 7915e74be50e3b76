"""Linear programs over some of the unknowns.

With the unknowns outside fixed at 0 (*inside*) what is found is a table; with the rows left out
that reach outside (*around*) nothing beyond what is found is possible. Both are the exact extremes
where nothing is outside."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, csr_array, eye_array, hstack, vstack

from anonsql.statistics.audit.system import Flags, Real, System, Whole

_REWARD = 1e4
"""What a target's unit is worth against a unit of change elsewhere: tables that change few cells
are whole numbers more often."""


@dataclass(frozen=True)
class Piece:
    """Some unknowns, the rows they are in and their bounds, in units of ``scale``."""

    unknowns: Whole
    rows: csr_array
    within: Flags
    lower: Real
    upper: Real
    low: Real
    high: Real
    scale: float
    integral: bool


class Pieces:
    """Cuts pieces out of a system. ``known`` unknowns cannot change."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.rows = csr_array(vstack([system.equal, system.most])).astype(np.float64)
        self.columns = csc_array(self.rows)
        self.length = np.diff(self.rows.indptr)
        equal = system.equal.shape[0]
        self.upper = np.concatenate([np.zeros(equal), system.room])
        self.lower = np.concatenate([np.zeros(equal), np.full(len(system.room), -np.inf)])
        self.low, self.high = system.low.copy(), system.high.copy()

    def know(self, unknowns: Whole) -> None:
        """Fix unknowns at 0, and all others at what they were."""
        self.low[:], self.high[:] = self.system.low, self.system.high
        self.low[unknowns] = self.high[unknowns] = 0

    def around(self, unknown: int, size: int) -> tuple[Whole, bool]:
        """Return the unknowns next to one, about ``size`` or all that there are, and whether that
        is all that is connected with it."""
        seen = np.array([unknown])
        fresh = seen
        while len(seen) < size:
            rows = _gather(self.columns, fresh)
            found = np.unique(_gather(self.rows, np.unique(rows)))
            fresh = found[~np.isin(found, seen, assume_unique=True)]
            if not len(fresh):
                return np.sort(seen), True
            seen = np.concatenate([seen, fresh])
        return np.sort(seen[:size]), False

    def cut(self, unknowns: Whole, scale: float) -> Piece:
        """Return a piece."""
        part = csr_array(self.columns[:, unknowns])
        touched = np.flatnonzero(np.diff(part.indptr))
        part = csr_array(part[touched])
        return Piece(
            unknowns,
            part,
            np.diff(part.indptr) == self.length[touched],
            self.lower[touched] / scale,
            self.upper[touched] / scale,
            self.low[unknowns] / scale,
            self.high[unknowns] / scale,
            scale,
            self.system.integral,
        )


def _gather(matrix: csr_array | csc_array, lines: Whole) -> Whole:
    """Return the positions of all entries of some lines (rows of csr, columns of csc)."""
    start, end = matrix.indptr[lines], matrix.indptr[lines + 1]
    count = end - start
    shift = np.repeat(start - np.concatenate([[0], np.cumsum(count)[:-1]]), count)
    return np.asarray(matrix.indices[shift + np.arange(count.sum())])


def table_for(
    piece: Piece, targets: Whole, wanted: Real, seconds: float, *, whole: bool = False
) -> Real | None:
    """Return changes of the piece's unknowns, others being 0, that bring the ``targets`` (positions
    in the piece) as near as can be to ``wanted`` (more or less than 0), and change little else;
    None where the solver finds none. ``whole`` asks for whole numbers."""
    size, count = len(piece.unknowns), len(targets)
    signs, wish = np.sign(wanted), np.abs(wanted) / piece.scale
    pick = csr_array((-signs, (np.arange(count), targets)), shape=(count, size))
    rows = vstack(
        [
            hstack([piece.rows, -piece.rows, csr_array((piece.rows.shape[0], count))]),
            hstack([pick, -pick, eye_array(count)]),
        ]
    )
    lower = np.concatenate([piece.lower, np.full(count, -np.inf)])
    upper = np.concatenate([piece.upper, np.zeros(count)])
    cost = np.concatenate([np.ones(2 * size), np.full(count, -_REWARD)])
    highest = np.concatenate([piece.high, -piece.low, wish])
    program = _Program(cost, csr_array(rows), lower, upper, np.zeros(len(cost)), highest)
    found = _solved(program, seconds, whole=whole)
    if found is None:
        return None
    return (found[:size] - found[size : 2 * size]) * piece.scale


def extreme(
    piece: Piece, target: int, sign: int, seconds: float, *, around: bool, whole: bool = False
) -> tuple[float, Real] | None:
    """Return by how much the target can go up (``sign`` 1) or down (-1) at most, and such changes;
    infinity and none where nothing holds it, None where the solver does not say.

    ``around`` leaves out the rows that reach out of the piece.
    """
    keep = piece.within if around else np.ones(len(piece.within), bool)
    cost = np.zeros(len(piece.unknowns))
    cost[target] = -sign
    rows, lower, upper = piece.rows[keep], piece.lower[keep], piece.upper[keep]
    program = _Program(cost, rows, lower, upper, piece.low, piece.high)
    found = _solved(program, seconds, whole=whole)
    if found is None:
        return None
    if not len(found):
        return np.inf, found
    return max(0.0, float(sign * found[target])) * piece.scale, found * piece.scale


@dataclass(frozen=True)
class _Program:
    """Make ``cost @ x`` least where ``lower <= rows @ x <= upper`` and ``low <= x <= high``."""

    cost: Real
    rows: csr_array
    lower: Real
    upper: Real
    low: Real
    high: Real


def _solved(program: _Program, seconds: float, *, whole: bool) -> Real | None:
    """Return the solution that HiGHS finds, an empty one where it says that there is no end, None
    where it says nothing."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # slow to import

    constraint = LinearConstraint(program.rows, program.lower, program.upper)
    result = milp(
        program.cost,
        integrality=np.full(len(program.cost), int(whole)),
        bounds=Bounds(program.low, program.high),
        constraints=constraint if program.rows.shape[0] else (),
        options={"time_limit": max(seconds, 0.01), "mip_rel_gap": 0.0},
    )
    if result.status == 0 and result.x is not None:
        return np.asarray(result.x)
    return np.zeros(0) if result.status == 3 else None
