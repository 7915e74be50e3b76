"""Class sizes and suppressed losses of given nodes, many at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonsql.search.kept import KnownSizes
from anonsql.search.results import ClassSizes
from anonsql.search.roll_up import RollUps
from anonsql.star.lattice import Levels


@dataclass(frozen=True)
class Measured:
    """A node with its class sizes and, by attribute, the loss that its suppressed rows would have
    had if they were released."""

    levels: Levels
    sizes: ClassSizes
    suppressed_loss: Mapping[int, float]


def measure(
    roll_ups: RollUps, nodes: Sequence[Levels], known: KnownSizes | None = None
) -> list[Measured]:
    """Return some nodes with their class sizes and suppressed losses, in the order given."""
    sizes = roll_ups.sizes(nodes, known)
    suppressing = [number for number, each in enumerate(sizes) if each.suppressed]
    losses = dict(
        zip(
            suppressing,
            roll_ups.suppressed_losses([nodes[number] for number in suppressing]),
            strict=True,
        )
    )
    return [
        Measured(levels, each, losses.get(number, {}))
        for number, (levels, each) in enumerate(zip(nodes, sizes, strict=True))
    ]
