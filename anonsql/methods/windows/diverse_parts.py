"""Parts for ring generalization that keep l-diversity (Wong, Mamoulis, Cheung 2010, section 6, with
another ring).

The paper orders the rows of a part so that no l consecutive ones share a sensitive value, and uses
windows of l rows. Each generalized tuple then covers l different values, but that does not bound
what an attacker learns. A person at ring position i may be any of the w tuples that cover position
i, and the attacker learns the sensitive values released with these, which come from rows of up to
2w-1 positions. Take values a b c a b c, w = l = 3: where the assignment releases row 0 as tuple 0
and row 3 as tuple 1 or 2, the three tuples that may be person 2 carry a, a and another value, so
person 2 has value a with probability 2/3, not 1/3.

Here the window is widened instead: w >= l * f, where no value occurs more than f times in the part.
Whatever the assignment, the w tuples that may be a person carry each value at most f <= w/l times;
each tuple is the person's with probability 1/w (see :mod:`anonsql.methods.windows.permutations`),
so each value is with probability at most 1/l. To keep windows small, parts are cut into pieces in
which no value occurs often. As the sensitive values need no order, every ring stays in
lexicographic order.

With several columns, the *need* of a set of rows is max(k, l of a column * rows of its most
frequent category, for every column). A set of rows can be a part if it has at least as many rows as
it needs; the need is its window. The union of two disjoint sets that can be parts can be one too,
so joining parts always ends: at the latest with the whole table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonsql.methods.windows.pieces import PieceTable, cut_up
from anonsql.system.arrays import IntArray, RandomBytes


def divide(
    sizes: IntArray,
    depths: IntArray,
    categories: Sequence[IntArray],
    least: Sequence[int],
    k: int,
    *,
    random: RandomBytes,
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Divide items (see :class:`anonsql.methods.windows.lexicographic.Items`) into parts. Return
    part, item and rows of each segment, and the windows of the parts.

    This is Fig. 8 of the paper, except that no rows move: a run that cannot be a part is joined
    with the next run as long as that cannot be one either; then, until it can be a part, with the
    neighbour that makes it one, or with the smaller if both or neither do. Raise ValueError if not
    even the whole table can be a part.
    """
    table = PieceTable(sizes, np.cumsum(depths > 0), categories, least, k)
    every = np.arange(len(sizes), dtype=np.int64)
    starts, ends = np.zeros(1, np.int64), np.full(1, len(sizes), np.int64)
    if int(table.needs(np.zeros_like(every), every)[0]) > int(sizes.sum()):
        raise ValueError("the table as a whole does not keep the promise")
    rows_before = np.append(0, np.cumsum(sizes))
    final: list[tuple[int, int]] = []
    for depth in range(1, int(depths.max()) + 1):
        divisible = rows_before[ends] - rows_before[starts] >= 2 * k
        final += zip(starts[~divisible].tolist(), ends[~divisible].tolist(), strict=True)
        starts, ends = starts[divisible], ends[divisible]
        if not len(starts):
            break
        mixed, starts, ends = joined_runs(table, starts, ends, (depths > 0) & (depths <= depth))
        final += mixed
    final += zip(starts.tolist(), ends.tolist(), strict=True)
    return cut_up(table, sorted(final), random)


@dataclass
class _Block:
    """Neighbouring runs: first item, item after the last, rows (by category), least window."""

    start: int
    end: int
    rows: int
    counts: list[dict[int, int]]
    need: int
    runs: int = 1

    def need_with(self, other: _Block, least: Sequence[int]) -> int:
        need = max(self.need, other.need)
        for column, (ours, theirs) in enumerate(zip(self.counts, other.counts, strict=True)):
            few, many = sorted((ours, theirs), key=len)
            need = max(
                need,
                least[column] * max(rows + many.get(category, 0) for category, rows in few.items()),
            )
        return need

    def join(self, other: _Block, least: Sequence[int]) -> None:
        self.need = self.need_with(other, least)
        for column, (ours, theirs) in enumerate(zip(self.counts, other.counts, strict=True)):
            few, many = sorted((ours, theirs), key=len)
            for category, rows in few.items():
                many[category] = many.get(category, 0) + rows
            self.counts[column] = many
        self.start, self.end = min(self.start, other.start), max(self.end, other.end)
        self.rows, self.runs = self.rows + other.rows, self.runs + other.runs


def joined_runs(
    table: PieceTable, starts: IntArray, ends: IntArray, begins: NDArray[np.bool_]
) -> tuple[list[tuple[int, int]], IntArray, IntArray]:
    """Divide parts into runs where ``begins`` is true, and join these until all can be parts.
    Return parts of several runs, which are final, and start and end of the others."""
    lengths = ends - starts
    item = np.arange(int(lengths.sum())) + np.repeat(
        starts - (np.cumsum(lengths) - lengths), lengths
    )
    parent = np.repeat(np.arange(len(starts)), lengths)
    fresh = begins[item] | (np.diff(parent, prepend=-1) > 0)
    run = np.cumsum(fresh) - 1
    first = np.flatnonzero(fresh)
    run_parent, run_start = parent[first], item[first]
    run_end = item[np.append(first[1:], len(item)) - 1] + 1
    rows = np.bincount(run, weights=table.sizes[item]).astype(np.int64)
    needs = table.needs(run, item)
    troubled = np.zeros(len(starts), np.bool_)
    troubled[run_parent[needs > rows]] = True
    fine = ~troubled[run_parent]
    singles = list(zip(run_start[fine].tolist(), run_end[fine].tolist(), strict=True))
    mixed: list[tuple[int, int]] = []
    for blocks in _blocks(table, run, item, run_parent, ~fine):
        for block in _settled(blocks, table.least):
            (mixed if block.runs > 1 else singles).append((block.start, block.end))
    pure = np.array(sorted(singles), np.int64).reshape(-1, 2)
    return mixed, pure[:, 0], pure[:, 1]


def _blocks(
    table: PieceTable, run: IntArray, item: IntArray, parents: IntArray, wanted: NDArray[np.bool_]
) -> list[list[_Block]]:
    kept = wanted[run]
    if not np.any(kept):
        return []
    item = item[kept]
    _, group = np.unique(run[kept], return_inverse=True)
    first = np.flatnonzero(np.diff(group, prepend=-1))
    starts, ends = item[first].tolist(), (item[np.append(first[1:], len(item)) - 1] + 1).tolist()
    rows = np.bincount(group, weights=table.sizes[item]).astype(np.int64).tolist()
    needs = table.needs(group, item).tolist()
    counts: list[list[dict[int, int]]] = [[{} for _ in table.least] for _ in starts]
    for column in range(len(table.least)):
        for of, category, count in zip(
            *(array.tolist() for array in table.counts(column, group, item)), strict=True
        ):
            counts[of][column][category] = count
    runs: list[list[_Block]] = []
    before = -1
    for number, parent in enumerate(parents[wanted].tolist()):
        if parent != before:
            runs.append([])
        runs[-1].append(
            _Block(starts[number], ends[number], rows[number], counts[number], needs[number])
        )
        before = parent
    return runs


def _settled(runs: list[_Block], least: Sequence[int]) -> list[_Block]:
    """Join the runs of one part from left to right, until each can be a part."""
    done: list[_Block] = []
    waiting = runs[::-1]
    while waiting:
        block = waiting.pop()
        while block.need > block.rows:
            following = waiting[-1] if waiting else None
            previous = done[-1] if done else None
            if following is not None and (previous is None or following.need > following.rows):
                block.join(waiting.pop(), least)
            elif previous is not None and (
                following is None or _better(block, previous, following, least)
            ):
                block.join(done.pop(), least)
            else:
                block.join(waiting.pop(), least)
        done.append(block)
    return done


def _better(block: _Block, one: _Block, other: _Block, least: Sequence[int]) -> bool:
    lacking = [block.need_with(entry, least) > block.rows + entry.rows for entry in (one, other)]
    return (lacking[0], one.rows) <= (lacking[1], other.rows)
