"""What a measure of a release is: a name, a formula in words, and how it is computed from the
release's figures. Each measure is one file, named in :mod:`anonsql.measures.registry`.

Suppressed entries count as wholly lost in every measure over entries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass
class Figures:
    """What measures are computed from: ``rows`` of the source, ``suppressed`` of which are not
    released, and k. The others are None, or empty, where a release has nothing of the kind.

    ``classes`` counts equivalence classes, ``squares`` is the sum of their squared sizes; of rings,
    whose rows are in no class, only the first is given. By attribute: its ``weights``, what it
    ``lost`` (the mean over all rows of the loss of their values), its ``levels`` and ``heights``.
    ``penalty`` is the mean over entries of the certainty penalty, ``own`` what a method measures
    itself, by the measure's name.
    """

    rows: int
    suppressed: int = 0
    k: int = 1
    classes: float | None = None
    squares: int | None = None
    weights: Mapping[int, float] = field(default_factory=dict)
    lost: Mapping[int, float] = field(default_factory=dict)
    levels: Mapping[int, int] | None = None
    heights: Mapping[int, int] = field(default_factory=dict)
    penalty: float | None = None
    own: Mapping[str, float] = field(default_factory=dict)

    @property
    def released(self) -> int:
        """The rows that are not suppressed."""
        return self.rows - self.suppressed


@dataclass(frozen=True)
class Measure:
    """A measure: its ``name`` in documents and in ``method.minimize``, its ``formula`` in words
    with its source and its best value, and its value ``of`` a release (None where it says nothing
    of it). Where a search may minimize it, ``cost`` is what is minimized; ``by_levels`` says
    whether the levels of a generalization alone bound that from below, however many rows are
    suppressed; what a level adds to the bound may not depend on the levels of other attributes."""

    name: str
    formula: str
    of: Callable[[Figures], float | None]
    cost: Callable[[Figures], float] | None = None
    by_levels: bool = False


def from_method(name: str, formula: str) -> Measure:
    """Return a measure that a method computes itself."""
    return Measure(name, formula, lambda figures: figures.own.get(name))
