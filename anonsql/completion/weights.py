"""How likely the atoms of a column are, by its released labels.

By maximum likelihood: the labels are sets that contain the values, and the weights make these sets
likeliest (Turnbull 1976; by the steps of EM, Dempster, Laird and Rubin 1977). They begin even, each
value as likely as any other, and stop early: the rest of the even weights keeps them from following
chance.

Some methods release a class by the least and greatest of its values, or by the set of them. Then
each of these values is also known to occur in the class: a value of share p that n rows draw occurs
n·p / (1 − (1 − p)^n) times on average, given that it occurs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from anonsql.completion.atoms import Ranges
from anonsql.system.arrays import BoolArray, IntArray, np

if TYPE_CHECKING:
    import numpy.typing as npt

Weights: TypeAlias = "npt.NDArray[np.float64]"
STEPS = 20
"""The greatest number of EM steps."""
ENOUGH = 1e-4
"""EM stops where no more than this share of all rows moves from one atom to another."""
_LEAST_SHARE = 1e-9
"""The least share by which it is computed how often a value occurs: that of one is 1 then."""
_LEAST = 1e-15
"""The least weight of a value that may be drawn, as a share of the greatest: smaller ones are lost
in sums of floating point."""


@dataclass(frozen=True)
class Labels:
    """The ranges of a column's labels, as arrays: of every range the number of its ``label``, in
    order, and its atoms from ``first`` to before ``end``; of every label its number of ``rows``."""

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

    @cached_property
    def _joined(self) -> bool:
        """Whether the atoms of every label are one range."""
        return np.array_equal(self.label, np.arange(len(self.rows)))

    def hold(self, label: IntArray, atom: IntArray) -> BoolArray:
        """Return whether labels, by number, include atoms."""
        inside: BoolArray
        if self._joined:
            inside = (self.first[label] <= atom) & (atom < self.end[label])
            return inside
        most = int(self.end.max(initial=0)) + 1
        starts = self.label * most + self.first
        own = np.searchsorted(starts, label * most + atom, side="right") - 1
        inside = (own >= 0) & (self.label[own] == label) & (atom < self.end[own])
        return inside

    def mass(self, weights: Weights) -> Weights:
        """Return the weight of all atoms of each label."""
        before = np.concatenate(([0.0], np.cumsum(weights)))
        between = before[self.end] - before[self.first]
        return np.bincount(self.label, between, len(self.rows)).astype(np.float64)


@dataclass(frozen=True)
class Occurring:
    """Values that are known to occur: by entry the number of a ``label``, the ``size`` of classes
    that have it (rows), how many such ``classes`` there are, and the ``atom`` that occurs in each
    of them."""

    label: IntArray
    size: IntArray
    classes: IntArray
    atom: IntArray

    @cached_property
    def _group(self) -> IntArray:
        """The number of the label and size of each entry."""
        keys = self.label * (int(self.size.max(initial=0)) + 1) + self.size
        group: IntArray = np.unique(keys, return_inverse=True)[1]
        return group

    @cached_property
    def turn(self) -> IntArray:
        """The place of each entry among those of its label and size, from 0."""
        order = np.argsort(self._group, kind="stable")
        sizes = np.bincount(self._group)
        turn = np.empty_like(order)
        turn[order] = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return turn

    def placed(self, weights: Weights, mass: Weights) -> Weights:
        """Return for each entry how many rows of a class are given the atom before the others
        draw: so many that it occurs as often as is expected of a class that has it. ``mass`` is
        the weight of all atoms of each label."""
        inside = mass[self.label]
        share = np.divide(weights[self.atom], inside, out=np.zeros(len(inside)), where=inside > 0)
        placed = chance_of_placing(share, self.size)
        total = np.bincount(self._group, placed)[self._group]
        fitting: Weights = placed * np.minimum(1.0, self.size / np.maximum(total, 1e-12))
        return fitting


def chance_of_placing(share: Weights, size: IntArray) -> Weights:
    """Return how often rows are given a value that is known to occur before all of them draw, by
    its share of what they draw and the number of rows: so that it occurs as often as is expected
    where it does."""
    share = np.clip(share, _LEAST_SHARE, 1.0)
    others = _power(1.0 - share, size - 1)
    placed: Weights = np.minimum(size * share * others / (1.0 - others * (1.0 - share)), 1.0)
    return placed


def _power(base: Weights, times: IntArray) -> Weights:
    """Return numbers to whole powers by products alone, which every processor rounds the same."""
    result = np.ones(len(base))
    while times.any():
        result = np.where(times & 1, result * base, result)
        base, times = base * base, times >> 1
    return result


def evenly(width: Sequence[float] | IntArray) -> Weights:
    """Return weights, adding up to 1, by which every value is as likely as any other."""
    even = np.asarray(width, dtype=np.float64)
    greatest = float(even.max(initial=0.0))
    if not greatest:
        return even
    even = np.where(even > 0, np.maximum(even / greatest, _LEAST), 0.0)
    return even / float(np.cumsum(even)[-1])


def likeliest(
    width: Sequence[float] | IntArray,
    labels: Labels,
    occurring: Occurring | None = None,
    steps: int = STEPS,
) -> Weights:
    """Return the weights of atoms after some EM steps from even ones."""
    weights = evenly(width)
    counted = labels.rows.astype(np.float64)
    total = float(np.cumsum(counted)[-1]) if len(counted) else 0.0
    if not total:
        return weights
    label, first, end = labels.label, labels.first, labels.end
    for _ in range(steps):
        mass = labels.mass(weights)
        drawing, new = counted, np.zeros(len(weights))
        if occurring is not None:
            placed = occurring.classes * occurring.placed(weights, mass)
            drawing = np.maximum(counted - np.bincount(occurring.label, placed, len(counted)), 0)
            new = np.bincount(occurring.atom, placed, len(weights)) / total
        share = np.divide(drawing, mass, out=np.zeros_like(mass), where=mass > 0)[label]
        starts = np.bincount(first, share, len(weights) + 1)
        stops = np.bincount(end, share, len(weights) + 1)
        factor = np.maximum(np.cumsum(starts - stops)[:-1], 0.0) / total
        new = new + weights * factor
        moved = float(np.cumsum(np.abs(new - weights))[-1]) / 2
        weights = new
        if moved < ENOUGH:
            break
    return weights
