"""The loss metric."""

from anonsql.measures.base import Figures, Measure


def weighted_loss(figures: Figures) -> float:
    """Return the mean loss of the attributes, weighted by their weights."""
    lost = sum(figures.weights[index] * value for index, value in figures.lost.items())
    return lost / sum(figures.weights.values())


LOSS = Measure(
    "loss",
    "mean over cells of (leaves under the released value - 1) / (leaves of the domain - 1),"
    " weighted; a suppressed cell counts 1, a withheld one 0 (LM, Iyengar 2002); 0 is best",
    weighted_loss,
    cost=weighted_loss,
    by_levels=True,
)
