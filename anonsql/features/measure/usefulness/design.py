"""What a regression explains and by what: a design that the source decides, as matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from anonsql.errors import PolicyError
from anonsql.features.measure.usefulness.coding import BinnedColumn, CodedTables

INDICATORS = 12
"""The most frequent values of a column without order that have an indicator, but for the first."""
LIMIT = 100_000
"""Different rows of source or draw that a regression is fitted to, at most."""
AT = "measure.target"

FloatArray = NDArray[np.float64]


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
            f"{name!r} is not among the columns that source and completed release have.",
            f"Name one of {', '.join(by_name)}.",
        )
    target = by_name[name]
    counts = tables.counts(target)[0]
    values = int((counts[1:] > 0).sum())
    linear = target.scale is not None and target.scale.distinct > 2
    if target.ordered and target.scale is None:
        raise PolicyError.at(
            AT,
            f"{name!r} is {target.column.family}, or has one value.",
            "Name a column of numbers, or of words with two values or more.",
        )
    if not linear and values < 2:
        raise PolicyError.at(AT, f"{name!r} has one value.", "Name a column that has two or more.")
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
