"""Consistent tables by small moves: whole numbers that are added to unknowns at once without a change
of anything that is published.

Relations among the unknowns are made triangular; each unknown that none determines gives one move:
it goes up by 1, and the others follow. A walk begins at the true table and adds moves, up or down,
as long as no bound is broken: every table on the way is consistent. That needs no program, and shows
most of what is to be shown of large systems. Moves are checked, all of them, against the relations
themselves before the first step: it does not matter how they were found.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from anonsql.statistics.audit.system import Flags, Real, System, Whole
from anonsql.statistics.elimination import PRIME, eliminated

Balanced = Callable[[csc_array], Flags]
"""Says of moves, a row an unknown and a column a move, which change nothing that is published."""
_LARGEST = 4
"""The most that a move changes an unknown by."""
_MOST_ENTRIES = 60_000_000
_TRIED = 400
"""Moves that are tried for one unknown before the walk begins anew, and again then."""


@dataclass(frozen=True)
class Moves:
    """Moves by column: what each changes, and of every unknown the moves that change it, short ones
    first."""

    starts: Whole
    unknowns: NDArray[np.int32]
    changes: NDArray[np.int8]
    of_unknown: csr_array

    def of(self, move: int) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        """Return the unknowns that a move changes, and by how much."""
        part = slice(self.starts[move], self.starts[move + 1])
        return self.unknowns[part], self.changes[part]


def moves_of(system: System, balanced: Balanced) -> Moves | None:
    """Return the moves of a system that are ``balanced``; None where they would be too many entries,
    or there are none."""
    entries = system.equal.tocoo()
    steps = eliminated(
        entries.row.astype(np.int64), entries.col.astype(np.int64), entries.data.astype(np.int64)
    )
    determined = {pivot for pivot, _ in steps}
    free = [unknown for unknown in range(system.size) if unknown not in determined]
    vectors: dict[int, dict[int, int]] = {
        unknown: {number: 1} for number, unknown in enumerate(free)
    }
    total = len(free)
    for pivot, relation in reversed(steps):
        vector = _given(pivot, relation, vectors)
        vectors[pivot] = vector
        total += len(vector)
        if total > _MOST_ENTRIES:
            return None
    matrix = _matrix(system, vectors, len(free), total)
    return _moves(csc_array(matrix[:, balanced(matrix)]))


def _given(
    pivot: int, relation: dict[int, int], vectors: dict[int, dict[int, int]]
) -> dict[int, int]:
    """Return what an unknown changes by with every free one, by those of its relation."""
    inverse = -pow(relation[pivot], -1, PRIME)
    result: dict[int, int] = {}
    for unknown, entry in relation.items():
        if unknown == pivot:
            continue
        factor = inverse * entry % PRIME
        for number, change in vectors[unknown].items():
            after = (result.get(number, 0) + factor * change) % PRIME
            if after:
                result[number] = after
            else:
                result.pop(number, None)
    return result


def _matrix(
    system: System, vectors: dict[int, dict[int, int]], count: int, total: int
) -> csc_array:
    """Return the vectors that are small whole numbers: a row an unknown, a column a move, the short
    ones first."""
    rows = np.empty(total, np.int32)
    columns, changes = np.empty(total, np.int32), np.empty(total, np.int64)
    at = 0
    for unknown, vector in vectors.items():
        size = len(vector)
        rows[at : at + size] = unknown
        columns[at : at + size] = list(vector)
        changes[at : at + size] = list(vector.values())
        at += size
    vectors.clear()
    changes[changes > PRIME // 2] -= PRIME
    large = np.zeros(count, bool)
    large[columns[np.abs(changes) > _LARGEST]] = True
    length = np.bincount(columns, minlength=count)
    order = np.flatnonzero(~large)
    order = order[np.argsort(length[order], kind="stable")]
    number = np.full(count, -1, np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    kept = number[columns] >= 0
    rows, columns, changes = rows[kept], number[columns[kept]], changes[kept].astype(np.int8)
    return csc_array((changes, (rows, columns)), shape=(system.size, len(order)))


def _moves(matrix: csc_array) -> Moves | None:
    """Return the columns as moves; None where there are none."""
    if not matrix.shape[1]:
        return None
    matrix.sort_indices()
    by_unknown = csr_array(matrix)
    by_unknown.sort_indices()
    return Moves(
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int32),
        matrix.data,
        by_unknown,
    )


class Walk:
    """A walk over consistent tables. ``up`` and ``down`` are by how much every unknown went up and
    down (both >= 0) in some table of it."""

    def __init__(self, system: System, moves: Moves) -> None:
        self._moves = moves
        self._low, self._high = system.low, system.high
        self.up, self.down = np.zeros(system.size), np.zeros(system.size)
        self._now = np.zeros(system.size)

    def run(self, rise: Real, fall: Real, until: float) -> None:
        """Let unknowns go up and down as far as is asked for, where short moves do it."""
        for sign, asked, reached in ((-1, fall, self.down), (1, rise, self.up)):
            wanting = np.flatnonzero(asked > reached)
            for count, unknown in enumerate(wanting[np.argsort(asked[wanting], kind="stable")]):
                if count % 256 == 0 and time.monotonic() > until:
                    return
                if reached[unknown] < asked[unknown]:
                    self._toward(int(unknown), sign, float(asked[unknown]))

    def _toward(self, unknown: int, sign: int, asked: float) -> None:
        """Go on until an unknown is as far from the true table as is asked for; from the true table
        where that fails from where the walk is."""
        for anew in (False, True):
            if anew:
                self._now[:] = 0
            if self._go(unknown, sign, asked):
                return

    def _go(self, unknown: int, sign: int, asked: float) -> bool:
        by_unknown = self._moves.of_unknown
        part = slice(by_unknown.indptr[unknown], by_unknown.indptr[unknown + 1])
        moves, own = by_unknown.indices[part], by_unknown.data[part]
        now = self._now
        for move, change in zip(moves[:_TRIED].tolist(), own[:_TRIED].tolist(), strict=True):
            left = asked - sign * now[unknown]
            if left <= 0:
                return True
            unknowns, changes = self._moves.of(move)
            step = changes.astype(np.float64) * (sign if change > 0 else -sign)
            here = now[unknowns]
            room = np.where(step > 0, self._high[unknowns] - here, here - self._low[unknowns])
            times = min(np.floor((room / np.abs(step)).min()), np.ceil(left / abs(change)))
            if times < 1:
                continue
            here += times * step
            now[unknowns] = here
            self.up[unknowns] = np.maximum(self.up[unknowns], here)
            self.down[unknowns] = np.maximum(self.down[unknowns], -here)
        return bool(sign * now[unknown] >= asked)
