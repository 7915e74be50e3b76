"""Figures of a full-domain generalization, from class sizes and mean losses by level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anonsql.engines.base import Engine
from anonsql.measures.registry import COSTS, Figures, weighted_loss
from anonsql.search.roll_up import Measured
from anonsql.star.cells import Star
from anonsql.star.lattice import Lattice, Levels
from anonsql.system.arrays import np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def at_levels(
    star: Star,
    levels: Levels,
    suppressed: int = 0,
    suppressed_loss: float = 0.0,
) -> Figures:
    """Return the figures that do not depend on class sizes. ``suppressed_loss`` is the sum over
    suppressed rows of the loss that they would have had; what they lost more is dealt to all
    attributes alike."""
    return Figures(
        star.rows,
        suppressed,
        weights=star.weights,
        lost={
            index: star.losses[index][levels[index]] + (suppressed - suppressed_loss) / star.rows
            for index in star.weights
        },
        levels=levels,
        heights=star.heights,
    )


def of_node(star: Star, node: Measured, k: int, penalty: float | None = None) -> Figures:
    """Return all figures of a node; its certainty ``penalty`` is that of :func:`gcp`."""
    figures = at_levels(star, node.levels, node.sizes.suppressed, node.suppressed_loss)
    figures.k, figures.penalty = k, penalty
    figures.classes, figures.squares = node.sizes.classes, node.sizes.squares
    return figures


def loss(
    star: Star,
    levels: Levels,
    suppressed: int = 0,
    suppressed_loss: float = 0.0,
) -> float:
    """Return the weighted loss metric LM; with the defaults a lower bound for any suppression."""
    return weighted_loss(at_levels(star, levels, suppressed, suppressed_loss))


def value(metric: str, star: Star, node: Measured, k: int) -> float:
    """Return the value of a measure to be minimized, by its name in ``method.minimize``."""
    return COSTS[metric][0](of_node(star, node, k))


def bound(metric: str, star: Star, levels: Levels) -> float:
    """Return the least value of a measure at these levels, whatever is suppressed."""
    cost, by_levels = COSTS[metric]
    return cost(at_levels(star, levels)) if by_levels else 0.0


def bounds(metric: str, star: Star, lattice: Lattice) -> NDArray[np.float64] | None:
    """Return the :func:`bound` of every node; None when levels say nothing about the measure. What
    an attribute's level adds does not depend on the other attributes."""
    if not COSTS[metric][1]:
        return None
    bottom = dict(zip(lattice.attributes, lattice.bottom, strict=True))
    least = bound(metric, star, bottom)
    mask = np.full(lattice.shape, least)
    for axis, attribute in enumerate(lattice.attributes):
        levels = range(lattice.bottom[axis], lattice.top[axis] + 1)
        added = [bound(metric, star, {**bottom, attribute: level}) - least for level in levels]
        mask += np.array(added).reshape([-1 if axis == at else 1 for at in range(mask.ndim)])
    return mask


def gcp(engine: Engine, star: Star, classes: str, node: Measured) -> float:
    """Return the global certainty penalty of a node (Wong, Mamoulis, Cheung 2010, Def. 8) over all
    rows, from ``classes``; only leaves that occur in the data or the population count."""
    rows = engine.query(
        "measures/gcp", classes=classes, attributes=star.attributes, levels=node.levels
    )
    lost = sum(float(penalty) for _, penalty in rows) + node.sizes.suppressed * len(star.attributes)
    return lost / (star.rows * len(star.attributes))
