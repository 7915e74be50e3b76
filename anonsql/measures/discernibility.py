"""The discernibility metric."""

from anonsql.measures.base import Figures, Measure


def _discernibility(figures: Figures) -> float:
    """Return it in squared rows."""
    return (figures.squares or 0) + figures.suppressed * figures.rows


DISCERNIBILITY = Measure(
    "discernibility",
    "sum of squared class sizes + suppressed rows * all rows (DM, Bayardo and Agrawal 2005);"
    " not of rings, whose rows are in no class; the number of rows is best",
    lambda figures: None if figures.squares is None else _discernibility(figures),
    cost=_discernibility,
)
