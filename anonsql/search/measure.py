"""Class sizes and suppressed losses of given nodes, many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonsql.search.results import ClassSizes
from anonsql.search.roll_up import RollUps
from anonsql.star.lattice import Levels


@dataclass(frozen=True)
class Measured:
    """A node with its class sizes and the sum over its suppressed rows of the loss that they would
    have had if they were released: the mean of their attributes' losses by weight."""

    levels: Levels
    sizes: ClassSizes
    suppressed_loss: float


def measure(roll_ups: RollUps, nodes: Sequence[Levels]) -> list[Measured]:
    """Return some nodes with their class sizes and suppressed losses, in the order given."""
    return [
        Measured(levels, sizes, lost)
        for levels, (sizes, lost) in zip(nodes, roll_ups.measured(nodes), strict=True)
    ]
