"""The average size of equivalence classes."""

from anonsql.measures.base import Figures, Measure


def _average(figures: Figures) -> float:
    """Return the released rows per equivalence class, in multiples of k; infinite when nothing is
    released."""
    return figures.released / figures.classes / figures.k if figures.classes else float("inf")


AVERAGE_CLASS_SIZE = Measure(
    "average_class_size",
    "released rows / classes / k (C_AVG, LeFevre et al. 2006); 1 is best",
    lambda figures: None if figures.classes is None else _average(figures),
    cost=_average,
)
