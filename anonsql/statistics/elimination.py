"""Relations made triangular, modulo a prime: sparse Gaussian elimination."""

from __future__ import annotations

import heapq
from typing import TypeAlias

from anonsql.system.arrays import IntArray

PRIME = 2**31 - 1
"""Products of two numbers below it fit into 64 bits."""
Whole = IntArray
Step: TypeAlias = tuple[int, dict[int, int]]
"""A cell, and the relation that gives it: factors by cell, its own among them."""


def eliminated(row: Whole, column: Whole, sign: Whole) -> list[Step]:
    """Return cells and the relations that give them, in the order of elimination: each by cells
    that are given later, or by none. The relations are given by their entries.

    The shortest relation gives the cell that is in the fewest others, and a cell that is in one
    relation is given by it: so few new entries arise.
    """
    rows: dict[int, dict[int, int]] = {}
    places: dict[int, set[int]] = {}
    for at, name, entry in zip(row.tolist(), column.tolist(), sign.tolist(), strict=True):
        rows.setdefault(at, {})[name] = entry % PRIME
        places.setdefault(name, set()).add(at)
    steps = []
    waiting = [(len(entries), row) for row, entries in rows.items()]
    heapq.heapify(waiting)
    single = [column for column, where in places.items() if len(where) == 1]
    while rows:
        while single:
            pivot = single.pop()
            where = places.get(pivot, ())
            if len(where) == 1:
                row = next(iter(where))
                entries = rows.pop(row)
                steps.append((pivot, entries))
                _leave(entries, row, places, single)
                del places[pivot]
        if not waiting:
            break
        length, row = heapq.heappop(waiting)
        found = rows.get(row)
        if found is None or len(found) != length:
            continue
        del rows[row]
        if not found:
            continue
        _leave(found, row, places, single)
        pivot = min(found, key=lambda column: len(places[column]))
        steps.append((pivot, found))
        inverse = pow(found[pivot], -1, PRIME)
        for other in places.pop(pivot):
            changed = rows[other]
            _subtract(changed, found, changed[pivot] * inverse % PRIME, other, places, single)
            changed.pop(pivot, None)
            heapq.heappush(waiting, (len(changed), other))
    return steps


def _leave(
    entries: dict[int, int],
    row: int,
    places: dict[int, set[int]],
    single: list[int],
) -> None:
    """Take a relation away from the places of its cells."""
    for column in entries:
        where = places[column]
        where.discard(row)
        if len(where) == 1:
            single.append(column)


def _subtract(
    changed: dict[int, int],
    found: dict[int, int],
    factor: int,
    name: int,
    places: dict[int, set[int]],
    single: list[int],
) -> None:
    """Subtract a multiple of one relation from another, in place."""
    for column, entry in found.items():
        before = changed.get(column)
        if before is None:
            changed[column] = -factor * entry % PRIME
            places[column].add(name)
            continue
        after = (before - factor * entry) % PRIME
        if after:
            changed[column] = after
            continue
        del changed[column]
        where = places.get(column)
        if where is not None:
            where.discard(name)
            if len(where) == 1:
                single.append(column)
