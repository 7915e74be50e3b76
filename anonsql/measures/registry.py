"""The measures of how useful a release is. Suppressed entries count as wholly lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from anonsql.system.numbers import rounded


@dataclass
class Figures:
    """What measures are computed from: ``rows`` of the source, ``suppressed`` of which are not
    released, and k. Others are None, or empty, where a release has nothing of the kind. ``squares``
    is the sum of squared class sizes; rings have none. By attribute: ``weights``, ``lost`` (the
    mean loss over all rows), ``levels`` and ``heights``. ``penalty`` is the mean certainty penalty;
    ``own`` are a method's own measures."""

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
    """A measure: its ``name`` in documents and in ``method.minimize``, its ``formula`` in words,
    and its value ``of`` a release, if any. A search minimizes the ``cost``; ``by_levels``: levels
    alone bound it from below, and what a level adds does not depend on other attributes."""

    name: str
    formula: str
    of: Callable[[Figures], float | None]
    cost: Callable[[Figures], float] | None = None
    by_levels: bool = False


def weighted_loss(figures: Figures) -> float:
    """Return the mean loss of the attributes, weighted by their weights."""
    lost = sum(figures.weights[index] * value for index, value in figures.lost.items())
    return lost / sum(figures.weights.values())


def _precision_lost(figures: Figures) -> float:
    """Return 1 - Prec: the mean of level / height over entries, suppressed entries counting 1."""
    levels = figures.levels or {}
    shares = [levels[index] / height for index, height in figures.heights.items()]
    kept = figures.released / figures.rows
    return sum(kept * share + (1 - kept) for share in shares) / len(shares)


def _discernibility(figures: Figures) -> float:
    """Return the discernibility metric, in squared rows."""
    return (figures.squares or 0) + figures.suppressed * figures.rows


def _average_class_size(figures: Figures) -> float:
    """Infinite when nothing is released."""
    return figures.released / figures.classes / figures.k if figures.classes else float("inf")


def _height(figures: Figures) -> float:
    return float(sum((figures.levels or {}).values()))


def _weighted_height(figures: Figures) -> float:
    levels = figures.levels or {}
    return float(sum(weight * levels[index] for index, weight in figures.weights.items()))


def _from_method(name: str, formula: str) -> Measure:
    return Measure(name, formula, lambda figures: figures.own.get(name))


MEASURES: tuple[Measure, ...] = (
    Measure(
        "loss",
        "mean over cells of (leaves under the released value - 1) / (leaves of the domain - 1),"
        " weighted; a suppressed cell counts 1, a withheld one 0 (LM, Iyengar 2002); 0 is best",
        weighted_loss,
        cost=weighted_loss,
        by_levels=True,
    ),
    Measure(
        "gcp",
        "mean over cells of (data values under the released value - 1) / (data values of the column"
        " - 1); a suppressed cell counts 1; 0 is best",
        lambda figures: figures.penalty,
    ),
    _from_method(
        "group_gcp",
        "of anatomy: gcp as if every row had the values of its whole group, as a set (Wong,"
        " Mamoulis, Cheung 2010, 7.4); 0 is best",
    ),
    Measure(
        "precision",
        "1 - mean over cells of level / height of the hierarchy; a suppressed cell counts its whole"
        " height (Prec, Sweeney 2002); 1 is best",
        lambda figures: None if figures.levels is None else 1 - _precision_lost(figures),
        cost=_precision_lost,
        by_levels=True,
    ),
    Measure(
        "discernibility",
        "sum of squared class sizes + suppressed rows * all rows (DM, Bayardo and Agrawal 2005);"
        " not of rings, whose rows form no classes; the number of rows is best",
        lambda figures: None if figures.squares is None else _discernibility(figures),
        cost=_discernibility,
    ),
    Measure(
        "average_class_size",
        "released rows / classes / k (C_AVG, LeFevre et al. 2006); 1 is best",
        lambda figures: None if figures.classes is None else _average_class_size(figures),
        cost=_average_class_size,
    ),
    Measure(
        "height",
        "sum of the levels; 0 is best",
        lambda figures: None if figures.levels is None else _height(figures),
        cost=_height,
        by_levels=True,
    ),
    Measure(
        "weighted-height",
        "sum of weight * level; 0 is best",
        lambda figures: None if figures.levels is None else _weighted_height(figures),
        cost=_weighted_height,
        by_levels=True,
    ),
    _from_method(
        "ncp",
        "of local: sum over released cells that are not withheld of width / width of the domain, or"
        " leaves under the released value / leaves of the hierarchy, 0 for a single value (NCP, Li,"
        " He, Sun 2019, 3.2.2); 0 is best",
    ),
    Measure(
        "suppressed_share",
        "suppressed rows / all rows; 0 is best",
        lambda figures: figures.suppressed / figures.rows,
    ),
    _from_method(
        "sensitive_share",
        "of anatomy: the largest share of a sensitive value in a group; at most 1/l, lower is"
        " better",
    ),
)
"""In the order in which reports show them. Those that have a cost are the choices of
``method.minimize``."""
FORMULAS = {measure.name: measure.formula for measure in MEASURES}
COSTS = {
    measure.name: (measure.cost, measure.by_levels)
    for measure in MEASURES
    if measure.cost is not None
}


def measured(figures: Figures) -> dict[str, float]:
    """Return every measure that says something of a release with these figures."""
    values = {measure.name: measure.of(figures) for measure in MEASURES}
    return {name: rounded(value) for name, value in values.items() if value is not None}
