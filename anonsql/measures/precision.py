"""Precision."""

from anonsql.measures.base import Figures, Measure


def _lost(figures: Figures) -> float:
    """Return 1 - Prec: the mean of level / height over entries, suppressed entries counting 1."""
    levels = figures.levels or {}
    shares = [levels[index] / height for index, height in figures.heights.items()]
    kept = figures.released / figures.rows
    return sum(kept * share + (1 - kept) for share in shares) / len(shares)


PRECISION = Measure(
    "precision",
    "1 - mean over cells of level / height of the hierarchy; a suppressed cell counts its whole"
    " height (Prec, Sweeney 2002); 1 is best",
    lambda figures: None if figures.levels is None else 1 - _lost(figures),
    cost=_lost,
    by_levels=True,
)
