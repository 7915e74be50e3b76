"""Special uniques: by how few columns each row of a table is the only one of its kind (SUDA2:
Elliot, Manning, Ford 2002; Manning, Haglin, Keane 2008).

A minimal sample unique of a row is a set of columns in which no other row has its values, while in
every subset of it another has. Sets are judged by their number of columns, few first; a row that is
alone in a set is alone in every larger one, so it is left aside there, and is in no other row's
way: the pass of Incognito turned round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import factorial
from typing import Any

from anonsql.engines.base import Engine, Relation
from anonsql.risks.kept.counting import Compared

_BITS = 62
"""Sets that one whole number has bits for."""
_AT_ONCE = 12
"""Sets that one statement groups by."""


@dataclass(frozen=True)
class Subset:
    """The ``positions`` of columns from 1, its ``number`` among the sets as large, from 0.
    ``masks`` are pairs (n, bits): the bits of a row's b<n> by which it is alone in a smaller
    subset."""

    positions: tuple[int, ...]
    number: int
    masks: Sequence[tuple[int, int]]

    @property
    def bit(self) -> int:
        """Its own bit, in the whole number ``number // _BITS``."""
        return 1 << self.number % _BITS


@dataclass(frozen=True)
class SpecialUniques:
    """``subsets``: the rows by minimal set of columns; ``least``: by the fewest columns that rows
    are alone in, their number, and the sum and the greatest of their scores."""

    subsets: Mapping[tuple[str, ...], int]
    least: Mapping[int, tuple[int, float, float]]

    @property
    def rows(self) -> int:
        """The rows that are alone in some set that was looked at."""
        return sum(rows for rows, _, _ in self.least.values())


def special_uniques(
    engine: Engine,
    table: Relation,
    columns: Sequence[Compared],
    largest: int,
    masked: Sequence[str] = (),
) -> SpecialUniques:
    """Return what rows are alone in, in sets of up to ``largest`` columns; rows that are ``*`` in
    all columns ``masked`` are none."""
    count = len(columns)
    largest = min(largest, count)
    cells = "suda_cells_1"
    engine.drop(cells)
    engine.run("risks/suda/cells", table=table, columns=columns, masked=masked)
    found: list[dict[str, Any]] = []
    by_subset: dict[tuple[str, ...], int] = {}
    before: list[Subset] = []
    for level in range(1, largest + 1):
        subsets = list(_subsets(count, level, before))
        tables = _found(engine, cells, level, subsets)
        score = factorial(count - level)
        found += [{"name": name, "level": level, "score": score} for name in tables]
        for number, rows in engine.query("risks/suda/subsets", found=tables):
            names = tuple(columns[at - 1].name for at in subsets[number].positions)
            by_subset[names] = rows
        if level < largest:
            bits = _in_parts(subsets, _BITS)
            into = f"suda_cells_{level + 1}"
            engine.drop(into)
            engine.run(
                "risks/suda/lowered",
                into=into,
                cells=cells,
                found=tables,
                columns=columns,
                bits=bits,
                full=[(1 << len(some)) - 1 for some in bits],
            )
            engine.drop(cells)
            cells = into
        before = subsets
    least = {
        columns_alone: (int(rows), float(total), float(greatest))
        for columns_alone, rows, total, greatest in engine.query("risks/suda/summary", found=found)
    }
    engine.drop(*(table_found["name"] for table_found in found), cells)
    return SpecialUniques(by_subset, least)


def _subsets(count: int, level: int, before: Sequence[Subset]) -> Iterator[Subset]:
    """``before`` are the sets of the level before."""
    numbers = {subset.positions: subset for subset in before}
    for number, positions in enumerate(combinations(range(1, count + 1), level)):
        masks: dict[int, int] = {}
        for smaller in combinations(positions, level - 1) if level > 1 else ():
            subset = numbers[smaller]
            at = subset.number // _BITS
            masks[at] = masks.get(at, 0) | subset.bit
        yield Subset(positions, number, list(masks.items()) or [(0, 0)])


def _in_parts(subsets: Sequence[Subset], size: int) -> list[Sequence[Subset]]:
    return [subsets[start : start + size] for start in range(0, len(subsets), size)]


def _found(engine: Engine, cells: str, level: int, subsets: Sequence[Subset]) -> list[str]:
    names = []
    for part, some in enumerate(_in_parts(subsets, _AT_ONCE), start=1):
        names.append(f"suda_found_{level}_{part}")
        engine.drop(names[-1])
        engine.run("risks/suda/found", into=names[-1], cells=cells, subsets=some)
    return names
