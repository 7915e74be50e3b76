"""Source and completed table, coded alike, by bins that the source decides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from anonsql.engines.base import ORDERED, Column, Engine, OfColumn, Relation
from anonsql.system.arrays import IntArray

QUANTILES = 10
"""Bins of numbers and dates."""
FREQUENT = 20
"""The most frequent values of other columns, which are bins of their own."""
REST = FREQUENT + 1
"""The bin of all other values."""
SIZE = REST + 1
"""One more than the last bin: 0 is NULL."""
_NUMBERS = ("integer", "decimal", "float")
_FURTHEST = 1e6
"""Standard deviations from the mean beyond which a number counts as none."""


@dataclass(frozen=True)
class Scale:
    """The mean and the standard deviation of a column of numbers, and how many it has."""

    mean: float
    deviation: float
    distinct: int

    @property
    def shown(self) -> tuple[float, float, float, float]:
        """Mean, deviation, and the least and the greatest number that counts."""
        reach = _FURTHEST * self.deviation
        return self.mean, self.deviation, self.mean - reach, self.mean + reach


@dataclass(frozen=True)
class BinnedColumn(OfColumn):
    """A column of the source with its number, and the same ``completed``. ``scale`` is None unless
    it has numbers that differ; ``known``: it is quasi-identifying."""

    index: int
    column: Column
    completed: Column
    known: bool = True
    scale: Scale | None = None

    @property
    def ordered(self) -> bool:
        """Whether it has numbers or dates."""
        return self.column.kind in ORDERED


@dataclass(frozen=True)
class _Side(OfColumn):
    index: int
    column: Column
    ordered: bool


@dataclass
class CodedTables:
    """The table ``useful_rows``: ``rows`` of the source and of each draw (``released``), by the
    bins of ``columns``. ``draws`` are their numbers."""

    engine: Engine
    columns: Sequence[BinnedColumn]
    draws: Sequence[int] = ()
    rows: int = 0
    released: Sequence[int] = ()
    _counts: dict[tuple[int, ...], IntArray] = field(default_factory=dict)

    def counts(self, *columns: BinnedColumn) -> IntArray:
        """Return the rows by bins of up to three columns, of shape (1 + draws, SIZE, …)."""
        key = tuple(column.index for column in columns)
        if key not in self._counts:
            found = self.engine.numbers("features/measure/usefulness/counts", columns=columns)
            result = np.zeros((1 + len(self.draws), *[SIZE] * len(columns)), dtype=np.int64)
            if found:
                draw, *bins, rows = found
                sides = np.searchsorted(np.array([0, *self.draws]), draw)
                result[(sides, *bins)] = rows
            self._counts[key] = result
        return self._counts[key]

    def sides(self, draws: Sequence[int]) -> list[int]:
        """Return the places of draws among all: the source's is 0."""
        by_draw = {draw: side for side, draw in enumerate([0, *self.draws])}
        return [by_draw[draw] for draw in draws]

    def usual(self, column: BinnedColumn) -> tuple[int, int]:
        """Return the most frequent bin of a column in the source, and in all draws."""
        counts = self.counts(column)
        return int(counts[0].argmax()), int(counts[1:].sum(axis=0).argmax())

    def close(self) -> None:
        """Remove the scratch table."""
        self.engine.drop("useful_rows")


def comparable(
    source: Sequence[Column], completed: Sequence[Column], known: Sequence[str]
) -> list[BinnedColumn]:
    """Return the columns that both tables have and whose values can be grouped; the first column of
    the completed one numbers its draws."""
    there = {column.name: column for column in completed[1:]}
    both = [
        (column, there[column.name])
        for column in source
        if column.name in there
        and column.comparable
        and "other" not in (column.kind, there[column.name].kind)
        and (column.kind in ORDERED) == (there[column.name].kind in ORDERED)
    ]
    return [
        BinnedColumn(index, column, other, column.name in known)
        for index, (column, other) in enumerate(both, start=1)
    ]


def code(
    engine: Engine, source: Relation, completed: Relation, columns: Sequence[BinnedColumn]
) -> CodedTables | None:
    """Return both tables, coded in ``useful_rows``; None without rows or columns to compare."""
    if not columns:
        return None
    for column in columns:
        template = "cuts" if column.ordered else "words"
        engine.drop(f"useful_{template}_{column.index}")
        engine.run(
            f"features/measure/usefulness/{template}",
            source=source,
            a=column,
            bins=QUANTILES if column.ordered else FREQUENT,
        )
    scaled = [_with_scale(engine, source, column) for column in columns]
    engine.drop("useful_rows")
    engine.run(
        "features/measure/usefulness/rows",
        draw=engine.columns(completed)[0].name,
        sides=[
            (source, False, [_Side(one.index, one.column, one.ordered) for one in scaled]),
            (completed, True, [_Side(one.index, one.completed, one.ordered) for one in scaled]),
        ],
        bins=QUANTILES,
        rest=REST,
        scales={one.index: one.scale.shown for one in scaled if one.scale is not None},
    )
    for column in columns:
        engine.drop(f"useful_{'cuts' if column.ordered else 'words'}_{column.index}")
    return _counted(CodedTables(engine, scaled))


def _counted(tables: CodedTables) -> CodedTables | None:
    found: list[Any] = tables.engine.numbers(
        "features/measure/usefulness/counts", columns=tables.columns[:1]
    )
    draw, rows = (found[0], found[2]) if found else (np.zeros(0), np.zeros(0))
    draws = sorted({int(number) for number in draw} - {0})
    tables.draws = draws
    tables.rows = int(rows[draw == 0].sum())
    tables.released = [int(rows[draw == number].sum()) for number in draws]
    if not tables.rows or not draws:
        tables.close()
        return None
    return tables


def _with_scale(engine: Engine, source: Relation, column: BinnedColumn) -> BinnedColumn:
    if column.column.kind not in _NUMBERS:
        return column
    ((mean, variance, distinct),) = engine.query(
        "features/measure/usefulness/scale", source=source, a=column
    )
    if distinct < 2:
        return column
    scale = Scale(float(mean), math.sqrt(float(variance)), int(distinct))
    known = scale.deviation > 0 and math.isfinite(scale.deviation)
    return replace(column, scale=scale if known else None)
