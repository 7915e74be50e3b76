"""Linear and logistic regression of weighted rows, gradient boosted trees of scikit-learn, and how
well scores separate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from anonsql.errors import PolicyError
from anonsql.features.measure.usefulness.design import Design, FloatArray, Predict, Sample, Train

_RIDGE = 1e-3
"""Added to the diagonal of the information, so that terms that do not vary, or separate wholly,
have a coefficient near 0, or a finite one, and a wide interval."""
_STEPS = 50
_CLOSE = 1e-9
_SEED = 0


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
    """Return how far two intervals overlap: the mean of the shares that each has of what both have
    in common, 0 where that is nothing (Karr, Kohnen, Oganian, Reiter, Sanil 2006)."""
    common = min(one[1], other[1]) - max(one[0], other[0])
    widths = one[1] - one[0], other[1] - other[0]
    if common < 0:
        return 0.0
    return sum(common / width if width else 1.0 for width in widths) / 2


def accuracy(y: FloatArray, chance: FloatArray, weights: FloatArray) -> float:
    """Return the share of rows of which the more probable outcome is the right one."""
    return float((weights * ((chance > 0.5) == (y > 0.5))).sum() / weights.sum())


def auc(y: FloatArray, scores: FloatArray, weights: FloatArray) -> float:
    """Return the area under the ROC curve: the chance that a row with the outcome has a greater
    score than one without it, of equal scores one half; one half where all rows are alike."""
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


def trees() -> Train:
    """Return what trains trees; raise PolicyError where scikit-learn is not installed."""
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
    """Return what predicts by trees of a sample. They are made by one thread: more of them wait for
    each other where other processes work."""
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
