"""How likely the atoms of a column are, by its released labels.

By maximum likelihood: the labels are sets that the values are known to lie in, and the weights are
those under which the sets are likeliest (Turnbull 1976; the steps are those of EM, Dempster, Laird
and Rubin 1977). They begin even, each value as likely as any other, and stop early: what is left of
the even weights keeps them from following chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from anonsql.completion.atoms import Ranges
from anonsql.system.arrays import np

if TYPE_CHECKING:
    import numpy.typing as npt

Weights: TypeAlias = "npt.NDArray[np.float64]"
STEPS = 20
"""The greatest number of EM steps."""
ENOUGH = 1e-4
"""EM stops where no more than this share of all rows moves from one atom to another."""
_LEAST = 1e-15
"""The least weight of what may be drawn, as a share of the greatest: what is less is lost in sums
of floating point."""


def evenly(width: Sequence[float]) -> Weights:
    """Return weights, adding up to 1, by which every value is as likely as any other."""
    even = np.asarray(width, dtype=np.float64)
    greatest = float(even.max(initial=0.0))
    if not greatest:
        return even
    even = np.where(even > 0, np.maximum(even / greatest, _LEAST), 0.0)
    return even / float(np.cumsum(even)[-1])


def likeliest(
    width: Sequence[float], labels: Sequence[Ranges], rows: Sequence[int], steps: int = STEPS
) -> Weights:
    """Return the weights of atoms after some EM steps from even ones: ``labels`` as ranges of
    atoms, each with its number of ``rows``."""
    weights = evenly(width)
    counted = np.asarray(rows, dtype=np.float64)
    total = float(np.cumsum(counted)[-1]) if len(counted) else 0.0
    if not total:
        return weights
    label = np.repeat(np.arange(len(labels)), [len(ranges) for ranges in labels])
    first = np.asarray([start for ranges in labels for start, _ in ranges], dtype=np.int64)
    end = np.asarray([stop for ranges in labels for _, stop in ranges], dtype=np.int64)
    for _ in range(steps):
        before = np.concatenate(([0.0], np.cumsum(weights)))
        mass = np.bincount(label, before[end] - before[first], len(labels))
        share = np.divide(counted, mass, out=np.zeros_like(mass), where=mass > 0)[label]
        starts = np.bincount(first, share, len(weights) + 1)
        stops = np.bincount(end, share, len(weights) + 1)
        factor = np.maximum(np.cumsum(starts - stops)[:-1], 0.0) / total
        new = weights * factor
        moved = float(np.cumsum(np.abs(new - weights))[-1]) / 2
        weights = new
        if moved < ENOUGH:
            break
    return weights
