"""Every measure of how useful a release is that is computed with it, and its values."""

from __future__ import annotations

from anonsql.measures.average_class_size import AVERAGE_CLASS_SIZE
from anonsql.measures.base import Figures, Measure
from anonsql.measures.discernibility import DISCERNIBILITY
from anonsql.measures.gcp import GCP
from anonsql.measures.group_gcp import GROUP_GCP
from anonsql.measures.height import HEIGHT
from anonsql.measures.loss import LOSS
from anonsql.measures.ncp import NCP
from anonsql.measures.precision import PRECISION
from anonsql.measures.sensitive_share import SENSITIVE_SHARE
from anonsql.measures.suppressed_share import SUPPRESSED_SHARE
from anonsql.measures.weighted_height import WEIGHTED_HEIGHT
from anonsql.system.numbers import rounded

MEASURES: tuple[Measure, ...] = (
    LOSS,
    GCP,
    GROUP_GCP,
    PRECISION,
    DISCERNIBILITY,
    AVERAGE_CLASS_SIZE,
    HEIGHT,
    WEIGHTED_HEIGHT,
    NCP,
    SUPPRESSED_SHARE,
    SENSITIVE_SHARE,
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
