"""Source and completed table with the same codes, by bins that the source decides; and as the
matrices of a regression's design."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from anonsql.engines.base import ORDERED, Column, Engine, OfColumn, Relation
from anonsql.errors import PolicyError
from anonsql.query.expected_counts import QUANTILES
from anonsql.system.arrays import IntArray

FREQUENT = 20
"""The most frequent values of other columns, which are bins of their own."""
REST = FREQUENT + 1
"""The bin of all other values."""
SIZE = REST + 1
"""One more than the last bin: 0 is NULL."""
_NUMBERS = ("integer", "decimal", "float")
_FURTHEST = 1e6
"""Standard deviations from the mean beyond which a number counts as none."""
INDICATORS = 12
"""The most frequent values of a column without order with an indicator, except the first."""
LIMIT = 100_000
"""Different rows of source or draw that a regression is fitted to, at most."""
AT = "measure.target"
FloatArray = NDArray[np.float64]


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
class Side(OfColumn):
    """A column as one of both tables has it."""

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
    engine: Engine, source: Relation, completed: Relation | None, columns: Sequence[BinnedColumn]
) -> CodedTables | None:
    """Return both tables, or the source alone, coded in ``useful_rows``; None without rows or columns
    to compare."""
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
    sides = [(source, False, [Side(one.index, one.column, one.ordered) for one in scaled])]
    if completed is not None:
        other = [Side(one.index, one.completed, one.ordered) for one in scaled]
        sides.append((completed, True, other))
    engine.run(
        "features/measure/usefulness/rows",
        draw=None if completed is None else engine.columns(completed)[0].name,
        sides=sides,
        bins=QUANTILES,
        rest=REST,
        scales={one.index: one.scale.shown for one in scaled if one.scale is not None},
    )
    engine.drop(
        *(f"useful_{'cuts' if column.ordered else 'words'}_{column.index}" for column in columns)
    )
    return _counted(CodedTables(engine, scaled), alone=completed is None)


def _counted(tables: CodedTables, *, alone: bool) -> CodedTables | None:
    found: list[Any] = tables.engine.numbers(
        "features/measure/usefulness/counts", columns=tables.columns[:1]
    )
    draw, rows = (found[0], found[2]) if found else (np.zeros(0), np.zeros(0))
    draws = sorted({int(number) for number in draw} - {0})
    tables.draws = draws
    tables.rows = int(rows[draw == 0].sum())
    tables.released = [int(rows[draw == number].sum()) for number in draws]
    if not tables.rows or not (draws or alone):
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


@dataclass(frozen=True)
class Sample:
    """Different rows with how often each occurs: ``bins`` and ``numbers`` (in the source's standard
    deviations, 0 where there is none) of shapes (rows, columns)."""

    bins: NDArray[np.int64]
    numbers: FloatArray
    weights: FloatArray


@dataclass(frozen=True)
class Term:
    """A column of the design: numbers and dates as they are (``value`` None), of another column the
    indicator of one bin, or of all rare ones and NULL (0)."""

    column: BinnedColumn
    value: int | None = None
    shift: float = 0.0
    spread: float = 1.0


@dataclass(frozen=True)
class Design:
    """The ``target`` with its kind (logistic: the bin ``top`` against all others), the sampled
    columns, and the terms that explain the target."""

    target: BinnedColumn
    kind: Literal["linear", "logistic"]
    outcome: str
    top: int
    binned: Sequence[BinnedColumn]
    numbers: Sequence[BinnedColumn]
    terms: Sequence[Term] = ()

    @property
    def predictors(self) -> tuple[list[int], list[int]]:
        """Return the positions, among sampled bins and numbers, of the columns that explain."""
        return tuple(  # type: ignore[return-value]
            [place for place, own in enumerate(group) if own.index != self.target.index]
            for group in (self.binned, self.numbers)
        )

    def matrix(self, sample: Sample) -> FloatArray:
        """Return the terms' values: (rows, 1 + terms), the first 1."""
        parts = [np.ones(len(sample.weights))]
        bins = {column.index: place for place, column in enumerate(self.binned)}
        numbers = {column.index: place for place, column in enumerate(self.numbers)}
        for term in self.terms:
            index = term.column.index
            if term.column.scale is not None:
                values = sample.numbers[:, numbers[index]]
            elif term.value is None:
                values = sample.bins[:, bins[index]].astype(float)
            elif term.value:
                values = (sample.bins[:, bins[index]] == term.value).astype(float)
            else:
                own = sample.bins[:, bins[index]]
                values = ((own == 0) | (own > INDICATORS)).astype(float)
            parts.append((values - term.shift) / term.spread)
        return np.column_stack(parts)

    def outcomes(self, sample: Sample) -> FloatArray:
        """Return the target's values: numbers in standard deviations, or 1 and 0."""
        if self.kind == "linear":
            place = [column.index for column in self.numbers].index(self.target.index)
            return np.asarray(sample.numbers[:, place])
        place = [column.index for column in self.binned].index(self.target.index)
        return np.asarray(sample.bins[:, place] == self.top, dtype=float)


Predict = Callable[[Sample], FloatArray]
"""Returns the numbers, or the probabilities of the outcome, that a model gives rows."""
Train = Callable[[Design, Sample], Predict]


def design_of(tables: CodedTables, name: str) -> Design:
    """Return the design for a target; raise PolicyError where it cannot be explained."""
    by_name = {column.name: column for column in tables.columns}
    if name not in by_name:
        raise PolicyError.at(
            AT,
            f"{name!r} is not a column of both source and completed release.",
            f"Name one of {', '.join(by_name)}.",
        )
    target = by_name[name]
    counts = tables.counts(target)[0]
    values = int((counts[1:] > 0).sum())
    linear = target.scale is not None and target.scale.distinct > 2
    if target.ordered and target.scale is None:
        raise PolicyError.at(
            AT,
            f"{name!r} is {target.column.family}, or has only one value.",
            "Name a column of numbers, or of words with at least two values.",
        )
    if not linear and values < 2:
        raise PolicyError.at(
            AT, f"{name!r} has only one value.", "Name a column with at least two values."
        )
    top = int(counts[1:].argmax()) + 1
    others = [column for column in tables.columns if column.index != target.index]
    numbers = [column for column in others if column.scale is not None]
    binned = [column for column in others if column.scale is None]
    outcome = (
        "its number, in standard deviations"
        if linear
        else "its more frequent value"
        if values == 2
        else "its most frequent value, against all others"
    )
    return Design(
        target,
        "linear" if linear else "logistic",
        outcome,
        top,
        binned if linear else [*binned, target],
        [*numbers, target] if linear else numbers,
    )


def sampled(tables: CodedTables, design: Design, draw: int) -> Sample:
    """Return the rows of the source (0) or a draw with a target; of many a sample that their
    content decides."""
    linear = design.kind == "linear"
    columns: list[Any] = tables.engine.numbers(
        "features/measure/usefulness/sample",
        draw=draw,
        binned=design.binned,
        numbers=design.numbers,
        known=design.target if linear else None,
        limit=LIMIT,
    )
    if not columns:
        empty = np.zeros((0, 0))
        return Sample(empty.astype(np.int64), empty, np.zeros(0))
    middle = len(design.binned)
    size = len(columns[-1])
    bins = np.column_stack([np.zeros((size, 0), dtype=np.int64), *columns[:middle]])
    numbers = np.column_stack([np.zeros((size, 0)), *columns[middle:-1]]) / 1e6
    weights = columns[-1].astype(float)
    if linear:
        return Sample(bins, numbers, weights)
    known = bins[:, [column.index for column in design.binned].index(design.target.index)] > 0
    return Sample(bins[known], numbers[known], weights[known])


def with_terms(design: Design, source: Sample) -> Design:
    """Return the design with the terms that vary in the source. The most frequent value of a column
    without order has no indicator: others are compared with it."""
    places = {column.index: place for place, column in enumerate(design.binned)}
    terms: list[Term] = []
    for column in [*design.numbers, *design.binned]:
        if column.index == design.target.index:
            continue
        if column.scale is not None:
            terms.append(Term(column))
            continue
        bins = source.bins[:, places[column.index]]
        if column.ordered:
            mean = float(np.average(bins, weights=source.weights))
            spread = float(np.average((bins - mean) ** 2, weights=source.weights)) ** 0.5
            terms += [Term(column, None, mean, spread)] if spread else []
            continue
        known = set(np.unique(np.where(bins > INDICATORS, 0, bins)).tolist())
        if len(known) > 1:
            base = min(known - {0})
            terms += [
                Term(column, value) for value in sorted(known - {base}, key=lambda v: v or 99)
            ]
    return replace(design, terms=terms)
