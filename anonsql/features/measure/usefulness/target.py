"""What a regression of a target, and a model that predicts it, lose with a completed release. Rows
of source and draws come to this process, as different rows with how often each occurs; of more than
a hundred thousand different ones, a sample that their content decides. The source's own model is
judged by five folds. The model of a draw is trained on all of its rows and predicts all rows of the
source, so the loss may be a little below 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import sparse

from anonsql.errors import PolicyError
from anonsql.features.measure.document import (
    Coefficient,
    Interval,
    Learned,
    TargetUsefulness,
)
from anonsql.features.measure.usefulness.coding import (
    CodedTables,
    Design,
    FloatArray,
    Predict,
    Sample,
    Train,
    design_of,
    sampled,
    with_terms,
)
from anonsql.features.read.pooling import rubin
from anonsql.policy.measuring import Model
from anonsql.system.clock import Progress
from anonsql.system.numbers import rounded

FOLDS = 5
_SEED = 0
Name = Literal["accuracy", "auc", "r_squared"]
_RIDGE = 1e-3
"""Added to the diagonal of the information, so that terms that do not vary, or separate wholly,
have a coefficient near 0, or a finite one, and a wide interval."""
_STEPS = 50
_CLOSE = 1e-9


def target_usefulness(
    tables: CodedTables, target: str, model: Model, progress: Progress
) -> TargetUsefulness:
    """Return how well a target is explained on release and source. Raise PolicyError if it cannot
    be explained, or the model's package is missing."""
    train = _regression if model == "regression" else trees()
    design = design_of(tables, target)
    source = sampled(tables, design, 0)
    design = with_terms(design, source)
    draws = [own for draw in tables.draws if len((own := sampled(tables, design, draw)).weights)]
    if not design.terms or not draws:
        raise PolicyError.at(
            "measure.target",
            f"no other column can predict {target!r}: all have only one value.",
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
        sampled=rows < int(tables.counts(design.target)[0][1:].sum()),
        inside=sum(one.inside for one in coefficients),
        overlap=rounded(sum(one.overlap for one in coefficients) / len(coefficients)),
        turned=sum(one.turned for one in coefficients),
        coefficients=coefficients,
        model=model,
        learned=_learned(design, source, draws, train),
    )


def _fit(design: Design, sample: Sample) -> Fit:
    fit = linear if design.kind == "linear" else logistic
    return fit(design.matrix(sample), design.outcomes(sample), sample.weights)


def _coefficients(
    design: Design, source: Sequence[Interval], released: Sequence[Interval]
) -> list[Coefficient]:
    """The intercept, which is the first, is none."""
    return [
        Coefficient(
            column=term.column.name,
            value=term.value,
            source=one,
            release=two,
            inside=one.low <= two.estimate <= one.high,
            overlap=rounded(overlap((one.low, one.high), (two.low, two.high))),
            turned=one.low * one.high > 0
            and two.low * two.high > 0
            and one.estimate * two.estimate < 0,
        )
        for term, one, two in zip(design.terms, source[1:], released[1:], strict=True)
    ]


def _intervals(fits: Sequence[Fit]) -> list[Interval]:
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
    y = design.outcomes(source)
    names: tuple[Name, ...] = ("r_squared",) if design.kind == "linear" else ("accuracy", "auc")
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


def _regression(design: Design, sample: Sample) -> Predict:
    fit = _fit(design, sample)

    def predict(rows: Sample) -> FloatArray:
        x = design.matrix(rows)
        if design.kind == "linear":
            return np.asarray(x @ fit.coefficients)
        return probability(x, fit.coefficients)

    return predict


@dataclass(frozen=True)
class Fit:
    """Coefficients and their variances."""

    coefficients: FloatArray
    variances: FloatArray


def linear(x: FloatArray, y: FloatArray, weights: FloatArray) -> Fit:
    """Return the least squares of rows that occur ``weights`` times."""
    inverse = _inverse(sparse.csr_array(x), weights)
    coefficients = inverse @ (x.T @ (weights * y))
    left = float((weights * (y - x @ coefficients) ** 2).sum())
    variance = left / max(float(weights.sum()) - x.shape[1], 1.0)
    return Fit(coefficients, np.array(variance * np.diag(inverse)))


def logistic(x: FloatArray, y: FloatArray, weights: FloatArray) -> Fit:
    """Return the maximum likelihood, by Newton's method; steps that make it less are halved."""

    terms = sparse.csr_array(x)

    def likelihood(coefficients: FloatArray) -> float:
        scores = terms @ coefficients
        lost = _RIDGE * float(coefficients @ coefficients) / 2
        return float((weights * (y * scores - np.logaddexp(0, scores))).sum()) - lost

    coefficients = np.zeros(x.shape[1])
    best = likelihood(coefficients)
    for _ in range(_STEPS):
        chance = probability(terms, coefficients)
        gradient = terms.T @ (weights * (y - chance)) - _RIDGE * coefficients
        step = _inverse(terms, weights * chance * (1 - chance)) @ gradient
        size = 1.0
        while (value := likelihood(coefficients + size * step)) < best and size > _CLOSE:
            size /= 2
        coefficients = coefficients + size * step if value >= best else coefficients
        if value - best < _CLOSE * max(abs(best), 1.0):
            break
        best = value
    chance = probability(terms, coefficients)
    variances = np.array(np.diag(_inverse(terms, weights * chance * (1 - chance))))
    return Fit(coefficients, variances)


def probability(x: Any, coefficients: FloatArray) -> FloatArray:
    """Return the probabilities that a logistic regression gives rows."""
    return np.asarray(1 / (1 + np.exp(-np.clip(x @ coefficients, -500, 500))))


def _inverse(terms: Any, weights: FloatArray) -> FloatArray:
    """Return the inverse of the information of weighted rows; most of their terms are 0."""
    information = (terms.T @ (sparse.diags_array(weights) @ terms)).toarray()
    return np.linalg.inv(information + _RIDGE * np.eye(len(information)))


def overlap(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Return the mean of the shares that two intervals have in common (Karr, Kohnen, Oganian,
    Reiter, Sanil 2006)."""
    common = min(one[1], other[1]) - max(one[0], other[0])
    widths = one[1] - one[0], other[1] - other[0]
    if common < 0:
        return 0.0
    return sum(common / width if width else 1.0 for width in widths) / 2


def accuracy(y: FloatArray, chance: FloatArray, weights: FloatArray) -> float:
    """Return the share of rows whose more probable outcome is the right one."""
    return float((weights * ((chance > 0.5) == (y > 0.5))).sum() / weights.sum())


def auc(y: FloatArray, scores: FloatArray, weights: FloatArray) -> float:
    """Return the area under the ROC curve: the chance that a row with the outcome has a greater
    score than one without it, ties counted as one half; one half if all outcomes are equal."""
    _, places = np.unique(scores, return_inverse=True)
    with_it = np.bincount(places, weights * y)
    without = np.bincount(places, weights * (1 - y))
    pairs = float(with_it.sum() * without.sum())
    if not pairs:
        return 0.5
    below = np.cumsum(without) - without
    return float((with_it * (below + without / 2)).sum() / pairs)


def r_squared(y: FloatArray, guesses: FloatArray, weights: FloatArray) -> float:
    """Return the share of the variance that guesses explain; below 0 where the mean is better."""
    mean = float(np.average(y, weights=weights))
    spread = float((weights * (y - mean) ** 2).sum())
    return 1 - float((weights * (y - guesses) ** 2).sum()) / spread if spread else 0.0


_MEASURES: dict[Name, Callable[[FloatArray, FloatArray, FloatArray], float]] = {
    "accuracy": accuracy,
    "auc": auc,
    "r_squared": r_squared,
}


def trees() -> Train:
    """Return a function that trains trees; raise PolicyError if scikit-learn is not installed."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise PolicyError.at(
            "measure.model",
            "trees need scikit-learn, which is not installed.",
            "Install anonsql[models], or leave `model` out.",
        ) from None
    return _trees


def _trees(design: Design, sample: Sample) -> Predict:
    """One thread makes the trees: more wait for each other where other processes work."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from threadpoolctl import threadpool_limits

    bins, numbers = design.predictors
    words = [place for place, own in enumerate(bins) if not design.binned[own].ordered]

    def features(rows: Sample) -> FloatArray:
        return np.column_stack([rows.bins[:, bins].astype(float), rows.numbers[:, numbers]])

    y = design.outcomes(sample)
    if design.kind == "logistic" and len(np.unique(y)) < 2:  # no model is trained on one outcome
        only = float(y[0])
        return lambda rows: np.full(len(rows.weights), only)
    settings: dict[str, Any] = {"random_state": _SEED, "categorical_features": words or None}
    linear = design.kind == "linear"
    kind = HistGradientBoostingRegressor if linear else HistGradientBoostingClassifier
    with threadpool_limits(1):
        model = kind(**settings).fit(features(sample), y, sample_weight=sample.weights)

    def predict(rows: Sample) -> FloatArray:
        with threadpool_limits(1):
            if linear:
                return np.asarray(model.predict(features(rows)))
            return np.asarray(model.predict_proba(features(rows))[:, 1])

    return predict
