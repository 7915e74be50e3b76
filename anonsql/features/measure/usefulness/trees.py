"""Gradient boosted trees of scikit-learn, which predict a target."""

from __future__ import annotations

from typing import Any

import numpy as np

from anonsql.errors import PolicyError
from anonsql.features.measure.usefulness.design import Design, FloatArray, Predict, Sample, Train

_SEED = 0


def trainer() -> Train:
    """Return what trains trees; raise PolicyError where scikit-learn is not installed."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise PolicyError.at(
            "measure.model",
            "trees need scikit-learn, which is not installed.",
            "Install anonsql[models], or leave `model` out.",
        ) from None
    return _train


def _train(design: Design, sample: Sample) -> Predict:
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
