"""Relations made triangular, modulo a prime: sparse Gaussian elimination."""

from __future__ import annotations

import heapq
from typing import TypeAlias

from anonsql.system.arrays import IntArray

PRIME = 2**31 - 1
"""Products of two numbers below it fit into 64 bits."""
Step: TypeAlias = tuple[int, dict[int, int]]
"""A cell, and the relation that gives it: factors by cell, its own among them."""


def eliminated(row: IntArray, column: IntArray, sign: IntArray) -> list[Step]:
    """Return cells and the relations that give them, in the order of elimination: each by cells
    that are given later, or by none. The relations are given by their entries.

    The shortest relation gives the cell that is in the fewest others, and a cell that is in one
    relation is given by it: so few new entries arise.
    """
    return _Elimination(row, column, sign).steps()


class _Elimination:
    """Relations that are left, by number: factors by cell; and of every cell the relations that it
    is in. ``_single`` are cells that are, or were, in one."""

    def __init__(self, row: IntArray, column: IntArray, sign: IntArray) -> None:
        self._rows: dict[int, dict[int, int]] = {}
        self._places: dict[int, set[int]] = {}
        for number, cell, entry in zip(row.tolist(), column.tolist(), sign.tolist(), strict=True):
            self._rows.setdefault(number, {})[cell] = entry % PRIME
            self._places.setdefault(cell, set()).add(number)
        self._single = [cell for cell, where in self._places.items() if len(where) == 1]

    def steps(self) -> list[Step]:
        """Eliminate until no relation is left."""
        steps = list[Step]()
        waiting = [(len(entries), number) for number, entries in self._rows.items()]
        heapq.heapify(waiting)
        while self._rows:
            self._give_single(steps)
            if not waiting:
                break
            length, number = heapq.heappop(waiting)
            if len(self._rows.get(number, ())) != length or not length:
                continue
            entries = self._leave(number)
            pivot = min(entries, key=lambda cell: len(self._places[cell]))
            steps.append((pivot, entries))
            inverse = pow(entries[pivot], -1, PRIME)
            for other in self._places.pop(pivot):
                changed = self._rows[other]
                self._subtract(other, entries, changed[pivot] * inverse % PRIME)
                changed.pop(pivot, None)
                heapq.heappush(waiting, (len(changed), other))
        return steps

    def _give_single(self, steps: list[Step]) -> None:
        """Let relations give the cells that are in no other."""
        while self._single:
            pivot = self._single.pop()
            where = self._places.get(pivot, set())
            if len(where) == 1:
                steps.append((pivot, self._leave(next(iter(where)))))
                del self._places[pivot]

    def _leave(self, number: int) -> dict[int, int]:
        """Take a relation away, and return it."""
        entries = self._rows.pop(number)
        for cell in entries:
            self._forget(cell, number)
        return entries

    def _forget(self, cell: int, number: int) -> None:
        """Note that a cell is no longer in a relation."""
        where = self._places.get(cell)
        if where is None:
            return
        where.discard(number)
        if len(where) == 1:
            self._single.append(cell)

    def _subtract(self, number: int, entries: dict[int, int], factor: int) -> None:
        """Subtract a multiple of a relation from another."""
        changed = self._rows[number]
        for cell, entry in entries.items():
            before = changed.get(cell)
            after = ((before or 0) - factor * entry) % PRIME
            if after:
                changed[cell] = after
                if before is None:
                    self._places[cell].add(number)
            elif before is not None:
                del changed[cell]
                self._forget(cell, number)
