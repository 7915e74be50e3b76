"""Estimate how far the nodes of a lattice are from satisfying, from a few counted ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from anonsql.system.arrays import np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def forecast(shape: Sequence[int], scores: Mapping[int, float]) -> NDArray[np.float64]:
    """Return an estimated score for every node of a lattice of a ``shape`` (levels per attribute),
    from the ``scores`` of some nodes by number. A score is positive where a node is expected to
    fail. It is estimated as a sum of one contribution per attribute and level (least squares); the
    scores nearest to zero weigh most in the fit."""
    places = np.array(np.unravel_index(np.array(list(scores)) - 1, shape))
    steps = [(axis, level) for axis, levels in enumerate(shape) for level in range(1, levels)]
    features = np.array(
        [np.ones(places.shape[1]), *(places[axis] >= level for axis, level in steps)]
    ).T
    mask = np.array(list(scores.values()))
    weighted = features / (0.3 + np.abs(mask))[:, None]
    fit = np.linalg.solve(
        weighted.T @ features + 0.1 * np.eye(features.shape[1]), weighted.T @ mask
    )
    expected = np.full(shape, fit[0])
    for (axis, level), share in zip(steps, fit[1:], strict=True):
        np.moveaxis(expected, axis, 0)[level:] += share
    return expected
