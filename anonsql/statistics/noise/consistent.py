"""Noisy values made consistent: the nearest ones, by least squares weighted by the variance of
their noise, so that totals are the sums of their parts and counts are not negative.

Only noisy values are used, so publication reveals no more (post-processing). Consistency reduces
noise, as any reader who knows the sums can do: a cell's parts and wholes also estimate it (Hay and
others, Boosting the Accuracy of Differentially Private Histograms Through Consistency, VLDB
2010)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anonsql.statistics.relations import Relations
from anonsql.system.arrays import IntArray, np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_STEPS = 2_000
"""The greatest number of alternations between the nearest values that add up and the nearest that
are not negative."""
_INSIDE = -0.4
"""Values above it are rounded to 0 or more, so that every value is rounded by less than a half."""
_EXACT = 1e-6
"""The greatest error of a relation before values are rounded, in units; for values too large for
this precision in floating point, ``_RELATIVE`` of them, and ``_MOST`` at most."""
_RELATIVE = 2e-14
_MOST = 0.05


def consistent(
    relations: Relations, noisy: IntArray, variances: Floats, *, non_negative: bool
) -> IntArray | None:
    """Return whole numbers close to noisy values. Before rounding, the values keep all relations,
    and rounding changes each by at most a half: a whole of n parts is off their sum by (n + 1) / 2
    at most. ``variances`` are the noise variances of every cell. None where no such values were
    found, or values are too large for a precision of a half.

    The nearest values of both kinds at once are approached by Dykstra's alternating projections."""
    found = nearest(relations, noisy.astype(float), variances, non_negative=non_negative)
    if found is None:
        return None
    whole = np.rint(found).astype(np.int64)
    return np.maximum(whole, 0) if non_negative else whole


def nearest(
    relations: Relations,
    noisy: Floats,
    variances: Floats,
    *,
    non_negative: bool,
    inside: float = _INSIDE,
    moved: float = 0.01,
) -> Floats | None:
    """Return the values that keep the relations and are nearest to noisy ones; where they may not
    be negative no less than ``inside``, and near the nearest ones: the last step moved none by more
    than a share of the deviation of its noise (``moved``)."""
    exact = max(_EXACT, _RELATIVE * float(np.abs(noisy).max(initial=0)))
    if exact > _MOST:
        return None
    adding = _Adding(relations, variances, exact)
    values = adding.nearest(noisy)
    if not non_negative:
        return values if adding.holds(values) else None
    lacking = np.zeros(len(noisy))
    deviation = np.sqrt(variances)
    before = noisy
    for _ in range(_STEPS):
        allowed = np.maximum(values + lacking, 0)
        lacking = values + lacking - allowed
        near = values.min(initial=0) >= inside and bool(
            (np.abs(allowed - before) <= moved * deviation).all()
        )
        if near and adding.holds(values):
            return values
        before = allowed
        values = adding.nearest(allowed)
    return None


class _Adding:
    """Projections onto the values that keep all relations."""

    def __init__(self, relations: Relations, variances: Floats, exact: float) -> None:
        from scipy.sparse import csr_array

        self._exact = exact
        self._matrix = csr_array(relations.matrix, dtype=float)
        self._transposed = csr_array(self._matrix.T)
        # only ratios count
        self._spread = variances / (variances.max(initial=0) or 1.0)
        self._diagonal = (self._matrix**2) @ self._spread if len(variances) else np.zeros(0)
        self._forces: Any = np.zeros(self._matrix.shape[0])

    def nearest(self, values: Floats) -> Floats:
        """Return the nearest values that keep all relations, which begins from what the last call
        found: it is asked for points that come ever closer together."""
        if not self._matrix.shape[0]:
            return values
        self._forces = self._solve(self._matrix @ values, self._forces)
        moved: Floats = self._spread * (self._transposed @ self._forces)
        return values - moved

    def holds(self, values: Floats) -> bool:
        if not self._matrix.shape[0]:
            return True
        return float(np.abs(self._matrix @ values).max()) <= self._exact

    def _solve(self, right: Floats, start: Floats) -> Floats:
        """Return forces that relations pull their cells with so that they hold, by conjugate
        gradients (some relations follow from others, so that there are several solutions)."""
        result = start.copy()
        rest = right - self._times(result)
        limit = self._exact / 10
        turned = rest / self._diagonal
        way, size = turned.copy(), float(rest @ turned)
        for _ in range(1_000):
            if float(np.abs(rest).max()) <= limit or size == 0:
                break
            pulled = self._times(way)
            step = size / float(way @ pulled)
            result += step * way
            rest -= step * pulled
            turned = rest / self._diagonal
            size, before = float(rest @ turned), size
            way = turned + (size / before) * way
        return result

    def _times(self, forces: Floats) -> Floats:
        result: Floats = self._matrix @ (self._spread * (self._transposed @ forces))
        return result
