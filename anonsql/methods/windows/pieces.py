"""Cut parts into pieces in which no sensitive value is frequent, so that windows stay small (see
:mod:`anonsql.methods.windows.diverse_parts`).

A part is halved, rows in their order, as long as both halves can be parts: that keeps neighbours
together. A part that cannot be halved is dealt to pieces at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonsql.system.arrays import IntArray, RandomBytes

TRIES = 16
"""How many numbers of pieces are tried with several sensitive columns, where it is uncertain which
numbers are possible."""


@dataclass(frozen=True)
class PieceTable:
    """Items and their promise; items that differ in sensitive values alone share ``cells``."""

    sizes: IntArray
    cells: IntArray
    categories: Sequence[IntArray]
    least: Sequence[int]
    k: int

    def counts(
        self, column: int, group: IntArray, item: IntArray
    ) -> tuple[IntArray, IntArray, IntArray]:
        """Return group (numbered without gaps), category and rows of some items."""
        category = self.categories[column][item]
        width = int(category.max()) + 1
        keys, numbers = np.unique(group * width + category, return_inverse=True)
        rows = np.bincount(numbers, weights=self.sizes[item]).astype(np.int64)
        return keys // width, keys % width, rows

    def needs(self, group: IntArray, item: IntArray) -> IntArray:
        """Return the least window of each group of items."""
        needs = np.full(int(group.max()) + 1, self.k, np.int64)
        for column, least in enumerate(self.least):
            of, _, rows = self.counts(column, group, item)
            np.maximum.at(needs, of, least * rows)
        return needs

    def rows(self, start: int, end: int, random: RandomBytes) -> IntArray:
        """Return the rows of some items, as item numbers; equal rows are in random order."""
        rows = np.repeat(np.arange(start, end), self.sizes[start:end])
        lot = np.frombuffer(random(8 * len(rows)), np.uint64)
        ordered: IntArray = rows[np.lexsort((lot, self.cells[rows]))]
        return ordered


def cut_up(
    table: PieceTable, parts: Sequence[tuple[int, int]], random: RandomBytes
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return the parts (first item, item after the last) as segments. Parts whose window is larger
    than k are halved and dealt to pieces, as long as that makes it smaller."""
    part, item, count, windows = [], [], [], []
    lengths = np.array([end - start for start, end in parts], np.int64)
    needs = table.needs(np.repeat(np.arange(len(parts)), lengths), np.arange(len(table.sizes)))
    made = 0
    for (start, end), need in zip(parts, needs.tolist(), strict=True):
        if need <= table.k:
            part.append(np.full(end - start, made))
            item.append(np.arange(start, end))
            count.append(table.sizes[start:end])
            windows.append(np.full(1, need))
            made += 1
            continue
        rows = table.rows(start, end, random)
        categories = [np.unique(one[rows], return_inverse=True)[1] for one in table.categories]
        for first, last in _halves(categories, table.least, table.k):
            of_piece = [array[first:last] for array in categories]
            piece = _pieces(of_piece, table.least, table.k, random)
            keys, numbers = np.unique(
                piece * len(table.sizes) + rows[first:last], return_counts=True
            )
            part.append(made + keys // len(table.sizes))
            item.append(keys % len(table.sizes))
            count.append(numbers.astype(np.int64))
            windows.append(_needs(piece, of_piece, table.least, table.k))
            made += len(windows[-1])
    return (
        np.concatenate(part),
        np.concatenate(item),
        np.concatenate(count),
        np.concatenate(windows),
    )


def _halves(categories: Sequence[IntArray], least: Sequence[int], k: int) -> list[tuple[int, int]]:
    """Return stretches of rows that can be parts, halved as long as both halves can be."""
    stretches, waiting = [], [(0, len(categories[0]))]
    while waiting:
        start, end = waiting.pop()
        middle = (start + end) // 2
        halves = [(middle, end), (start, middle)]
        if all(_stands(categories, least, k, *halve) for halve in halves):
            waiting += halves
        else:
            stretches.append((start, end))
    return stretches


def _stands(
    categories: Sequence[IntArray], least: Sequence[int], k: int, start: int, end: int
) -> bool:
    rows = end - start
    return rows >= k and all(
        bound * int(np.bincount(category[start:end]).max()) <= rows
        for category, bound in zip(categories, least, strict=True)
    )


def _pieces(
    categories: Sequence[IntArray], least: Sequence[int], k: int, random: RandomBytes
) -> IntArray:
    """Return the piece that each row goes to, so that every piece can be a part; all to one piece
    where the rows must stay together.

    Rows that are dealt in turn to r pieces, one category after another, give each piece floor(n/r)
    or more rows and at most ceil(f/r) of a category with f, so r pieces are possible with one
    sensitive column if k and l * ceil(f/r) are at most floor(n/r). Where shares are near 1/l,
    rounding makes that fail. Then rows are dealt in floor(n/l) rounds, each of at least l rows and
    no category twice, and the rounds in turn to pieces of at least k/l rounds. With several columns
    nothing is guaranteed: some numbers of pieces are tried. Of the possible numbers, the one with
    the smallest windows, over all rows, is chosen.
    """
    total = len(categories[0])
    greatest = [int(np.bincount(category).max()) for category in categories]
    first = max(range(len(least)), key=lambda column: least[column] * greatest[column])
    ordered = [
        categories[first],
        *(array for column, array in enumerate(categories) if column != first),
    ]
    numbers = np.arange(total // k, 1, -1, dtype=np.int64)
    for column, most in enumerate(greatest):
        numbers = numbers[least[column] * -(-most // numbers) <= total // numbers]
    tried = (
        np.unique(np.geomspace(1, max(len(numbers), 1), TRIES).astype(np.int64)) - 1
        if len(least) > 1
        else np.zeros(1, np.int64)
    )
    rounds = total // least[first]
    plans = [(value, value) for value in (numbers[tried].tolist() if len(numbers) else [])]
    plans.append((rounds, rounds // -(-k // least[first])))
    best, narrowest = np.zeros(total, np.int64), None
    for rounds, number in plans:
        if number < 2 or (narrowest is not None and rounds == number):
            continue
        piece = _dealt(ordered, rounds, number, random)
        needs, sizes = _needs(piece, categories, least, k), np.bincount(piece, minlength=number)
        width = int((needs * sizes).sum())
        if np.all(needs <= sizes) and (narrowest is None or width < narrowest):
            best, narrowest = piece, width
    return best


def _dealt(
    categories: Sequence[IntArray], rounds: int, number: int, random: RandomBytes
) -> IntArray:
    """Deal rows to rounds and rounds to pieces, both in turn: rows sorted by the first column, the
    most frequent category first. Return the piece of each row.

    How many rows of a category each piece gets follows from counts; which rows is random, all ways
    being equally likely. So of all tables with the same counts in the part none is likelier than
    another to have been divided so, and the pieces reveal only their counts. (Pieces of
    neighbouring rows lose less, by a tenth to a half; but an attacker who knows the method could
    test for which values the rows would have been divided so, and this has been observed to reveal
    them.)
    """
    counts = np.bincount(categories[0])
    order = np.lexsort((*categories[:0:-1], categories[0], -counts[categories[0]]))
    different = np.zeros(len(order), np.bool_)
    for category in categories:
        different |= np.diff(category[order], prepend=-1) != 0
    block = np.cumsum(different)
    turn = np.arange(len(order)) % rounds % number
    lot = np.frombuffer(random(8 * len(order)), np.uint64)
    piece = np.empty(len(order), np.int64)
    piece[order[np.lexsort((lot, block))]] = turn
    return piece


def _needs(
    piece: IntArray, categories: Sequence[IntArray], least: Sequence[int], k: int
) -> IntArray:
    number = int(piece.max()) + 1
    needs = np.full(number, k, np.int64)
    for category, bound in zip(categories, least, strict=True):
        width = int(category.max()) + 1
        counts = np.bincount(piece * width + category, minlength=number * width).reshape(
            number, width
        )
        needs = np.maximum(needs, bound * counts.max(axis=1))
    return needs
