"""What a regression of a target, and a model that predicts it, lose when they are made from a
completed release.

Both work on rows: those of source and draws come to this process, by bins and standardized numbers,
as different rows with how often each occurs; where there are more than a hundred thousand different
ones, a sample of these that their content decides. So whoever measures must be allowed to see the
source's rows.

A release has all rows of its source, so none are left that it was not made from. Of the source's
own model the accuracy is found by five folds: it predicts rows that it was not trained on. The
model of a completed draw is trained on all of its rows and predicts all rows of the source. What is
lost so may be a little below 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from anonsql.errors import PolicyError
from anonsql.features.measure.usefulness import fitting
from anonsql.features.measure.usefulness.coding import CodedTables
from anonsql.features.measure.usefulness.design import (
    Design,
    FloatArray,
    Predict,
    Sample,
    Train,
    design_of,
    sampled,
    with_terms,
)
from anonsql.features.measure.usefulness.document import (
    Coefficient,
    Interval,
    Learned,
    TargetUsefulness,
)
from anonsql.features.measure.usefulness.fitting import Fit
from anonsql.features.read.pooling import rubin
from anonsql.policy.measuring import Model
from anonsql.system.clock import Progress
from anonsql.system.numbers import rounded

FOLDS = 5
_SEED = 0
Name = Literal["accuracy", "auc", "r_squared"]


def target_usefulness(
    tables: CodedTables, target: str, model: Model, progress: Progress
) -> TargetUsefulness:
    """Return what the release says of a target, beside what the source says. Raise PolicyError for
    a target that cannot be explained, or a model whose package is missing."""
    train = _regression if model == "regression" else fitting.trees()
    design = design_of(tables, target)
    source = sampled(tables, design, 0)
    design = with_terms(design, source)
    draws = [own for draw in tables.draws if len((own := sampled(tables, design, draw)).weights)]
    if not design.terms or not draws:
        raise PolicyError.at(
            "measure.target",
            f"no other column explains {target!r}: all have one value.",
            "Name another target.",
        )
    progress("usefulness: regression", 0, 2)
    fitted = _fit(design, source)
    released = [_fit(design, draw) for draw in draws]
    coefficients = _coefficients(design, _intervals([fitted]), _intervals(released))
    progress("usefulness: regression", 1, 2)
    rows = int(source.weights.sum())
    return TargetUsefulness(
        target=target,
        kind=design.kind,
        outcome=design.outcome,
        rows=rows,
        sampled=rows < _known(tables, design),
        inside=sum(one.inside for one in coefficients),
        overlap=rounded(sum(one.overlap for one in coefficients) / len(coefficients)),
        turned=sum(one.turned for one in coefficients),
        coefficients=coefficients,
        model=model,
        learned=_learned(design, source, draws, train),
    )


def _known(tables: CodedTables, design: Design) -> int:
    """Return how many rows of the source have a target."""
    counts = tables.counts(design.target)[0]
    return int(counts[1:].sum())


def _fit(design: Design, sample: Sample) -> Fit:
    fit = fitting.linear if design.kind == "linear" else fitting.logistic
    return fit(design.matrix(sample), design.outcomes(sample), sample.weights)


def _coefficients(
    design: Design, source: Sequence[Interval], released: Sequence[Interval]
) -> list[Coefficient]:
    """Return the coefficients of the terms: the intercept, which is the first, is none."""
    return [
        Coefficient(
            column=term.column.name,
            value=term.value,
            source=one,
            release=two,
            inside=one.low <= two.estimate <= one.high,
            overlap=rounded(fitting.overlap((one.low, one.high), (two.low, two.high))),
            turned=one.low * one.high > 0
            and two.low * two.high > 0
            and one.estimate * two.estimate < 0,
        )
        for term, one, two in zip(design.terms, source[1:], released[1:], strict=True)
    ]


def _intervals(fits: Sequence[Fit]) -> list[Interval]:
    """Return the coefficients that fits of the same design give together, by Rubin's rules."""
    pooled = [
        rubin(
            [float(fit.coefficients[place]) for fit in fits],
            [float(fit.variances[place]) for fit in fits],
        )
        for place in range(len(fits[0].coefficients))
    ]
    return [
        Interval(estimate=rounded(one.estimate), low=rounded(one.low), high=rounded(one.high))
        for one in pooled
    ]


def _learned(
    design: Design, source: Sample, draws: Sequence[Sample], train: Train
) -> list[Learned]:
    """Return how well models of source and draws predict the source's rows."""
    y, names = design.outcomes(source), _names(design)
    chance = np.random.default_rng(_SEED)
    folds = chance.multinomial(source.weights.astype(np.int64), [1 / FOLDS] * FOLDS).astype(float)
    guesses = []
    for fold in folds.T:
        rest = source.weights - fold
        part = Sample(source.bins[rest > 0], source.numbers[rest > 0], rest[rest > 0])
        guesses.append(train(design, part)(source))
    joined = np.concatenate(guesses), np.tile(y, FOLDS), folds.T.ravel()
    released = [train(design, draw)(source) for draw in draws]
    result = []
    for name in names:
        own = _MEASURES[name](joined[1], joined[0], joined[2])
        other = float(np.mean([_MEASURES[name](y, one, source.weights) for one in released]))
        result.append(
            Learned(
                measure=name, source=rounded(own), release=rounded(other), lost=rounded(own - other)
            )
        )
    return result


def _names(design: Design) -> tuple[Name, ...]:
    return ("r_squared",) if design.kind == "linear" else ("accuracy", "auc")


_MEASURES: dict[Name, Callable[[FloatArray, FloatArray, FloatArray], float]] = {
    "accuracy": fitting.accuracy,
    "auc": fitting.auc,
    "r_squared": fitting.r_squared,
}


def _regression(design: Design, sample: Sample) -> Predict:
    """Return what predicts by a regression of a sample."""
    fit = _fit(design, sample)

    def predict(rows: Sample) -> FloatArray:
        x = design.matrix(rows)
        if design.kind == "linear":
            return np.asarray(x @ fit.coefficients)
        return fitting.probability(x, fit.coefficients)

    return predict
