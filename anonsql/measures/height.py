"""The height of a generalization in its lattice."""

from anonsql.measures.base import Figures, Measure


def _sum(figures: Figures) -> float:
    """Return the sum of the levels (Incognito, section 2)."""
    return float(sum((figures.levels or {}).values()))


HEIGHT = Measure(
    "height",
    "sum of the levels; 0 is best",
    lambda figures: None if figures.levels is None else _sum(figures),
    cost=_sum,
    by_levels=True,
)
