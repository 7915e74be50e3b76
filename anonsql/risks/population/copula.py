"""How likely a row's values are met once only in the population, by a Gaussian copula over the
shares of values in each column (Rocher, Hendrickx, de Montjoye, Nature Communications 10:3069,
2019). Unlike models of class sizes it says so of each row, also of what the sample never met."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri, roots_legendre

from anonsql.risks.population.class_sizes import FloatArray

IntArray = npt.NDArray[np.int64]
_DRAWN = 1_000
_SEED = 2019
_BINS = 12
"""The most parts that a column is cut into where its correlation with another is looked for."""
_POINTS = 509
"""Points that the probability of a row's box is integrated by."""
_PRIMES = np.array([2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71])
MOST_COLUMNS = len(_PRIMES)
_STRONGEST = 0.99
_NODES, _WEIGHTS = roots_legendre(48)


@dataclass(frozen=True)
class Found:
    """Of the classes with the positions ``drawn``, one for each row that was drawn: ``unique`` (xi)
    is the likelihood that the row is unique in the population, ``right`` (kappa) that who matches
    it with a person of these values is right."""

    drawn: IntArray
    unique: FloatArray
    right: FloatArray


def estimate(codes: IntArray, counts: IntArray, members: float) -> Found:
    """Return the likelihoods for up to 1,000 rows of a sample, drawn without replacement and alike
    at each call. ``codes``: by class and column the rank of its value, from 0 without gaps;
    ``counts``: the rows of each class, one or more in all; ``members``: N, those of the population.
    At most MOST_COLUMNS columns may have more than one value."""
    ends = np.cumsum(counts)
    rows = int(ends[-1])
    picked = np.random.default_rng(_SEED).choice(rows, min(rows, _DRAWN), replace=False)
    drawn = np.searchsorted(ends, np.sort(picked), side="right")
    varying = codes[:, codes.max(axis=0) > 0]
    bounds = [_bounds(column, counts) for column in varying.T]
    chance = np.ones(len(drawn))
    if bounds:
        lower = np.column_stack(
            [cuts[column[drawn]] for cuts, column in zip(bounds, varying.T, strict=True)]
        )
        upper = np.column_stack(
            [cuts[column[drawn] + 1] for cuts, column in zip(bounds, varying.T, strict=True)]
        )
        chance = boxes(lower, upper, correlations(varying, counts))
    chance = np.clip(chance, 1e-300, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        missed = np.log1p(-chance)
        unique = np.exp((members - 1) * missed) if members > 1 else np.ones(len(drawn))
        right = -np.expm1(members * missed) / (members * chance)
    return Found(drawn, unique, np.minimum(right, 1.0))


def _bounds(column: IntArray, counts: IntArray) -> FloatArray:
    """Return the normal quantiles between a column's values, from -inf to inf."""
    shares = np.bincount(column, weights=counts) / counts.sum()
    cuts = ndtri(np.concatenate([[0.0], np.cumsum(shares)]).clip(0, 1))
    cuts[-1] = np.inf
    return np.asarray(cuts, np.float64)


def correlations(codes: IntArray, counts: IntArray) -> FloatArray:
    """Return the matrix of the copula's correlations, positive definite: each pair's is the one at
    which the copula gives the mutual information that the pair has in the sample, less what chance
    alone gives (Miller, Madow 1955), both in columns cut into parts; its sign is that of the
    correlation of ranks."""
    found = np.eye(codes.shape[1])
    parts = [_parts(column, counts) for column in codes.T]
    for i, j in combinations(range(len(parts)), 2):
        found[i, j] = found[j, i] = _correlation(parts[i], parts[j], counts)
    values, vectors = np.linalg.eigh(found)
    if values[0] >= 1e-6:
        return found
    mended = (vectors * np.maximum(values, 1e-4)) @ vectors.T
    scale = np.sqrt(np.diag(mended))
    return np.asarray(mended / np.outer(scale, scale), np.float64)


def _parts(column: IntArray, counts: IntArray) -> IntArray:
    """Return the part of its column that each class is in: neighbouring values, of much the same
    number of rows."""
    rows = np.bincount(column, weights=counts)
    if len(rows) <= _BINS:
        return column
    middles = (np.cumsum(rows) - rows / 2) / rows.sum()
    _, parts = np.unique((middles * _BINS).astype(np.int64), return_inverse=True)
    return np.asarray(parts, np.int64)[column]


def _correlation(first: IntArray, second: IntArray, counts: IntArray) -> float:
    joint = np.zeros((first.max() + 1, second.max() + 1))
    np.add.at(joint, (first, second), counts)
    total = joint.sum()
    seen = np.count_nonzero(joint.sum(axis=1)), np.count_nonzero(joint.sum(axis=0))
    wanted = _information(joint / total) - (seen[0] - 1) * (seen[1] - 1) / (2 * total)
    if wanted <= 0 or min(seen) < 2:
        return 0.0
    below = [np.cumsum(joint.sum(axis=axis) / total) for axis in (1, 0)]
    ranks = [(ends + np.append(0, ends[:-1])) / 2 - 0.5 for ends in below]
    sign = 1.0 if ranks[0] @ joint @ ranks[1] >= 0 else -1.0
    cuts = [ndtri(ends[:-1].clip(1e-12, 1 - 1e-12)) for ends in below]

    def beyond(rho: float) -> float:
        given = _table(cuts[0], cuts[1], below[0], below[1], sign * rho)
        return _information(given) - float(wanted)

    if beyond(_STRONGEST) <= 0:
        return sign * _STRONGEST
    return sign * float(brentq(beyond, 0.0, _STRONGEST, xtol=1e-4))


def _information(joint: FloatArray) -> float:
    """Return the mutual information (nats) of a table of probabilities."""
    alone = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    held = (joint > 0) & (alone > 0)
    return float(np.sum(joint[held] * np.log(joint[held] / alone[held])))


def _table(
    a: FloatArray, b: FloatArray, below_a: FloatArray, below_b: FloatArray, rho: float
) -> FloatArray:
    """Return the probabilities of the parts between cuts of two normal variables, by Plackett's
    integral over the angle from 0 to arcsin rho of the density."""
    half = np.arcsin(rho) / 2
    angles = half * (_NODES + 1)
    x, y = a[:, None, None], b[None, :, None]
    exponent = -(x * x + y * y - 2 * x * y * np.sin(angles)) / (2 * np.cos(angles) ** 2)
    more = half * (np.exp(exponent) @ _WEIGHTS) / (2 * np.pi)
    ends = np.outer(np.append(0, below_a), np.append(0, below_b))
    ends[1:-1, 1:-1] += more
    return np.maximum(np.diff(np.diff(ends, axis=0), axis=1), 0.0)


def boxes(lower: FloatArray, upper: FloatArray, correlation: FloatArray) -> FloatArray:
    """Return the probabilities of boxes (one a row) under the normal distribution of a correlation
    matrix, by Genz (1992): its error is relative to the probability, however small this is."""
    root = np.linalg.cholesky(correlation)
    columns = lower.shape[1]
    steps = np.sqrt(_PRIMES[:columns])
    points = np.abs(2 * np.modf(np.outer(np.arange(1, _POINTS + 1), steps))[0] - 1)
    found = np.empty(len(lower))
    for start in range(0, len(lower), 250):
        part = slice(start, start + 250)
        chance = np.ones((len(lower[part]), _POINTS))
        drawn: list[FloatArray] = []
        for j in range(columns):
            shift = sum((root[j, i] * drawn[i] for i in range(j)), np.zeros_like(chance))
            low = (lower[part, j, None] - shift) / root[j, j]
            high = (upper[part, j, None] - shift) / root[j, j]
            turned = low > 0  # the lower tail is exact where the upper one is 1
            low, high = np.where(turned, -high, low), np.where(turned, -low, high)
            first = ndtr(low)
            width = ndtr(high) - first
            chance *= width
            inner = ndtri(np.clip(first + points[:, j] * width, 1e-300, 1 - 1e-16))
            drawn.append(np.where(turned, -inner, inner))
        found[part] = chance.mean(axis=1)
    return found
