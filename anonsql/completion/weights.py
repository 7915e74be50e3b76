"""How likely the atoms of a column are, by its released labels.

By maximum likelihood: the labels are sets that the values are known to lie in, and the weights are
those under which the sets are likeliest (Turnbull 1976; the steps are those of EM, Dempster, Laird
and Rubin 1977). They begin even, each value as likely as any other, and stop early: what is left of
the even weights keeps them from following chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from anonsql.completion.atoms import Ranges
from anonsql.system.arrays import IntArray, np

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


@dataclass(frozen=True)
class Labels:
    """What the labels of a column stand for, as arrays: of every range the number of its ``label``,
    in order, and its atoms from ``first`` to before ``end``; of every label its number of
    ``rows``."""

    label: IntArray
    first: IntArray
    end: IntArray
    rows: IntArray

    @classmethod
    def of(cls, labels: Sequence[Ranges], rows: Iterable[int]) -> Labels:
        """Return labels given by the ranges of each."""
        return cls(
            np.repeat(np.arange(len(labels)), [len(ranges) for ranges in labels]),
            np.asarray([start for ranges in labels for start, _ in ranges], dtype=np.int64),
            np.asarray([stop for ranges in labels for _, stop in ranges], dtype=np.int64),
            np.asarray(list(rows), dtype=np.int64),
        )


def evenly(width: Sequence[float] | IntArray) -> Weights:
    """Return weights, adding up to 1, by which every value is as likely as any other."""
    even = np.asarray(width, dtype=np.float64)
    greatest = float(even.max(initial=0.0))
    if not greatest:
        return even
    even = np.where(even > 0, np.maximum(even / greatest, _LEAST), 0.0)
    return even / float(np.cumsum(even)[-1])


def likeliest(width: Sequence[float] | IntArray, labels: Labels, steps: int = STEPS) -> Weights:
    """Return the weights of atoms after some EM steps from even ones."""
    weights = evenly(width)
    counted = labels.rows.astype(np.float64)
    total = float(np.cumsum(counted)[-1]) if len(counted) else 0.0
    if not total:
        return weights
    label, first, end = labels.label, labels.first, labels.end
    for _ in range(steps):
        before = np.concatenate(([0.0], np.cumsum(weights)))
        mass = np.bincount(label, before[end] - before[first], len(counted))
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
