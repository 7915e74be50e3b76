"""The height of a generalization, by the weights of its attributes."""

from anonsql.measures.base import Figures, Measure


def _sum(figures: Figures) -> float:
    """Return the sum of weight times level."""
    levels = figures.levels or {}
    return float(sum(weight * levels[index] for index, weight in figures.weights.items()))


WEIGHTED_HEIGHT = Measure(
    "weighted-height",
    "sum of weight * level; 0 is best",
    lambda figures: None if figures.levels is None else _sum(figures),
    cost=_sum,
    by_levels=True,
)
