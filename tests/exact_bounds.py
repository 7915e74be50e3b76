"""What hidden cells can be, exactly: linear programs in fractions, and all tables of whole numbers.

What the audit is held against, and what attackers of tests use: written from the relations alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from anonsql.statistics.relations import Relations

Row = list[Fraction]


def _constraints(
    relations: Relations, values: Sequence[int], free: Sequence[int]
) -> tuple[list[tuple[Row, Fraction]], list[tuple[Row, Fraction]]]:
    """Return equalities and inequalities (at most) over the free cells: factors and right side."""
    equal, most = [], []
    column = {cell: number for number, cell in enumerate(free)}

    def line(entries: Sequence[tuple[int, int]]) -> tuple[Row, Fraction]:
        row, right = [Fraction(0)] * len(free), Fraction(0)
        for cell, factor in entries:
            if cell in column:
                row[column[cell]] += factor
            else:
                right -= factor * Fraction(values[cell])
        return row, right

    matrix = relations.matrix.tocsr()
    for number, exact in enumerate(relations.exact):
        span = slice(matrix.indptr[number], matrix.indptr[number + 1])
        cells, signs = matrix.indices[span].tolist(), matrix.data[span].tolist()
        entries = list(zip(cells, signs, strict=True))
        if exact:
            equal.append(line(entries))
            continue
        most.append(line(entries))
        (whole,) = [cell for cell, sign in entries if sign > 0]
        most += [line([(cell, 1), (whole, -1)]) for cell, sign in entries if sign < 0]
    return equal, most


def _eliminated(equal: list[tuple[Row, Fraction]], size: int) -> tuple[list[Row], list[int]]:
    """Return the equalities in reduced row echelon form (right side last) and their pivots."""
    rows = [[*row, right] for row, right in equal]
    pivots: list[int] = []
    for column in range(size):
        at = next((n for n in range(len(pivots), len(rows)) if rows[n][column]), None)
        if at is None:
            continue
        top = len(pivots)
        rows[top], rows[at] = rows[at], rows[top]
        rows[top] = [entry / rows[top][column] for entry in rows[top]]
        for n, row in enumerate(rows):
            if n != top and row[column]:
                factor = row[column]
                rows[n] = [a - factor * b for a, b in zip(row, rows[top], strict=True)]
        pivots.append(column)
    return rows[: len(pivots)], pivots


def _greatest(rows: list[Row], room: Row, cost: Row) -> Fraction | None:
    """Return the greatest ``cost @ y`` where ``rows @ y <= room`` and ``y >= 0``; ``room >= 0``.

    Simplex in a tableau by Bland's rule; None where there is no end."""
    count, size = len(rows), len(cost)
    slack = [[Fraction(int(i == j)) for j in range(count)] for i in range(count)]
    table = [[*row, *unit, end] for row, unit, end in zip(rows, slack, room, strict=True)]
    basis = list(range(size, size + count))
    aim = [*cost, *[Fraction(0)] * (count + 1)]
    while True:
        enters = next((j for j in range(size + count) if aim[j] > 0), None)
        if enters is None:
            return -aim[-1]
        ratios = [
            (row[-1] / row[enters], basis[i], i) for i, row in enumerate(table) if row[enters] > 0
        ]
        if not ratios:
            return None
        _, _, leaves = min(ratios)
        pivot = table[leaves][enters]
        table[leaves] = [entry / pivot for entry in table[leaves]]
        for i, row in enumerate(table):
            if i != leaves and row[enters]:
                factor = row[enters]
                table[i] = [a - factor * b for a, b in zip(row, table[leaves], strict=True)]
        factor = aim[enters]
        aim = [a - factor * b for a, b in zip(aim, table[leaves], strict=True)]
        basis[leaves] = enters


def exact_bounds(
    relations: Relations,
    values: Sequence[int],
    free: Sequence[int],
    cells: Sequence[int] | None = None,
    *,
    least: Sequence[int] | None = (),
) -> dict[int, tuple[Fraction | None, Fraction | None]]:
    """Return the smallest and largest value of ``cells`` (all ``free`` ones by default) that is
    consistent with the others' values, None where there is none. Whole numbers are not asked for.
    No cell is below its ``least`` value, 0 where nothing is said; None: any may be negative."""
    equal, most = _constraints(relations, values, free)
    reduced, pivots = _eliminated(equal, len(free))
    parameters = [column for column in range(len(free)) if column not in pivots]
    true = [Fraction(int(values[cell])) for cell in free]
    # a cell's change by the changes of the parameters: what is eliminated follows from them
    moves = [[Fraction(int(column == p)) for p in parameters] for column in range(len(free))]
    for row, pivot in zip(reduced, pivots, strict=True):
        moves[pivot] = [-row[p] for p in parameters]
    rows, room = [], []
    if least is not None:
        floor = [Fraction(least[cell]) if len(least) else Fraction(0) for cell in free]
        rows += [[-entry for entry in move] for move in moves]
        room += [value - low for value, low in zip(true, floor, strict=True)]
    for row, right in most:
        through = [
            sum((row[c] * moves[c][p] for c in range(len(free))), Fraction(0))
            for p in range(len(parameters))
        ]
        rows.append(through)
        room.append(right - sum((a * b for a, b in zip(row, true, strict=True)), Fraction(0)))
    split = [[*row, *(-entry for entry in row)] for row in rows]
    found = {}
    for cell in free if cells is None else cells:
        move = moves[list(free).index(cell)]
        cost = [*move, *(-entry for entry in move)]
        up = _greatest(split, room, cost)
        down = _greatest(split, room, [-entry for entry in cost])
        value = Fraction(int(values[cell]))
        found[cell] = (None if down is None else value - down, None if up is None else value + up)
    return found


def whole_tables(
    relations: Relations, values: Sequence[int], free: Sequence[int]
) -> Iterator[tuple[int, ...]]:
    """Yield all consistent tables of whole numbers >= 0, as the values of the free cells, whose
    bounds must be finite."""
    bounds = exact_bounds(relations, values, free)
    ranges = []
    for cell in free:
        low, high = bounds[cell]
        assert low is not None and high is not None
        ranges.append((-(-low.numerator // low.denominator), high.numerator // high.denominator))
    equal, most = _constraints(relations, values, free)
    both = [(row, right, True) for row, right in equal] + [(r, right, False) for r, right in most]

    def possible(chosen: list[int]) -> bool:
        rest = ranges[len(chosen) :]
        for row, right, balanced in both:
            known = sum(a * b for a, b in zip(row, chosen, strict=False) if a)
            ends = [(a * low, a * high) for a, (low, high) in zip(row[len(chosen) :], rest) if a]
            if known + sum(min(pair) for pair in ends) > right:
                return False
            if balanced and known + sum(max(pair) for pair in ends) < right:
                return False
        return True

    def extend(chosen: list[int]) -> Iterator[tuple[int, ...]]:
        if not possible(chosen):
            return
        if len(chosen) == len(free):
            yield tuple(chosen)
            return
        low, high = ranges[len(chosen)]
        for value in range(low, high + 1):
            yield from extend([*chosen, value])

    yield from extend([])


def whole_bounds(
    relations: Relations, values: Sequence[int], free: Sequence[int]
) -> dict[int, tuple[int, int]]:
    """Return the smallest and largest value of every free cell over all tables of whole numbers."""
    tables = np.array(list(whole_tables(relations, values, free)))
    return {
        cell: (int(tables[:, number].min()), int(tables[:, number].max()))
        for number, cell in enumerate(free)
    }
