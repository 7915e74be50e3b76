"""Utility measures of a full-domain generalization, from class sizes and mean losses by level: no
row is read.

Suppressed entries count as wholly lost in every measure over entries.
"""

from __future__ import annotations

from collections.abc import Mapping

from anonsql.search.found import ClassSizes
from anonsql.search.frequency import FrequencySets
from anonsql.search.measure import Measured
from anonsql.star.cells import Star
from anonsql.star.lattice import Levels
from anonsql.system.numbers import rounded

FORMULAS = {
    "loss": (
        "mean over cells of (leaves under the released value - 1) / (leaves of the domain - 1),"
        " weighted; a suppressed cell counts 1, a withheld one 0 (LM, Iyengar 2002); 0 is best"
    ),
    "gcp": (
        "mean over cells of (data values under the released value - 1) / (data values of the column"
        " - 1); a suppressed cell counts 1; 0 is best"
    ),
    "group_gcp": (
        "of anatomy: gcp as if every row had the values of its whole group, as set (Wong, Mamoulis,"
        " Cheung 2010, 7.4); 0 is best"
    ),
    "precision": (
        "1 - mean over cells of level / height of the hierarchy; a suppressed cell counts its whole"
        " height (Prec, Sweeney 2002); 1 is best"
    ),
    "discernibility": (
        "sum of squared class sizes + suppressed rows * all rows (DM, Bayardo and Agrawal 2005);"
        " not of rings, whose rows are in no class; the number of rows is best"
    ),
    "average_class_size": "released rows / classes / k (C_AVG, LeFevre et al. 2006); 1 is best",
    "height": "sum of the levels; 0 is best",
    "weighted-height": "sum of weight * level; 0 is best",
    "ncp": (
        "of local: sum over released cells that are not withheld of width / width of the domain, or"
        " leaves under the released value / leaves of the hierarchy, 0 for a single value (NCP, Li,"
        " He, Sun 2019, 3.2.2); 0 is best"
    ),
    "suppressed_share": "suppressed rows / all rows; 0 is best",
    "sensitive_share": (
        "of anatomy: the greatest share of a sensitive value in a group; 1/l at most, less is"
        " better"
    ),
}


def height(levels: Levels) -> int:
    """Return the sum of the levels (Incognito, section 2)."""
    return sum(levels.values())


def weighted_height(star: Star, levels: Levels) -> float:
    """Return the sum of weight times level."""
    return sum(each.policy.weight * levels[each.index] for each in star.attributes)


def loss(
    star: Star,
    levels: Levels,
    suppressed: int = 0,
    suppressed_loss: Mapping[int, float] | None = None,
) -> float:
    """Return the loss metric LM, weighted by the attributes' weights. With the defaults it is that
    without suppression, a lower bound for any suppression."""
    total = sum(each.policy.weight for each in star.attributes)
    lost = 0.0
    for each in star.attributes:
        extra = suppressed - (suppressed_loss or {}).get(each.index, 0.0)
        lost += each.policy.weight * (
            star.losses[each.index][levels[each.index]] + extra / star.rows
        )
    return lost / total


def precision_loss(star: Star, levels: Levels, suppressed: int = 0) -> float:
    """Return 1 - Prec: the mean of level / height over entries, suppressed entries counting 1."""
    shares = [levels[each.index] / each.height for each in star.attributes]
    kept = (star.rows - suppressed) / star.rows
    return sum(kept * share + (1 - kept) for share in shares) / len(shares)


def discernibility(star: Star, sizes: ClassSizes) -> int:
    """Return the discernibility metric, in squared rows."""
    return sizes.squares + sizes.suppressed * star.rows


def average_class_size(star: Star, sizes: ClassSizes, k: int) -> float:
    """Return the released rows per equivalence class, in multiples of k; infinite when nothing is
    released."""
    return (star.rows - sizes.suppressed) / sizes.classes / k if sizes.classes else float("inf")


def value(metric: str, star: Star, node: Measured, k: int) -> float:
    """Return the value of a measure to be minimized, by its name in ``method.minimize``."""
    suppressed = node.sizes.suppressed
    if metric == "loss":
        return loss(star, node.levels, suppressed, node.suppressed_loss)
    if metric == "precision":
        return precision_loss(star, node.levels, suppressed)
    if metric == "discernibility":
        return float(discernibility(star, node.sizes))
    if metric == "average_class_size":
        return average_class_size(star, node.sizes, k)
    if metric == "height":
        return float(height(node.levels))
    if metric == "weighted-height":
        return weighted_height(star, node.levels)
    raise KeyError(metric)


def bound(metric: str, star: Star, levels: Levels) -> float:
    """Return the least value the measure can have at these levels, however many rows are
    suppressed; 0 when the levels say nothing about it."""
    if metric == "height":
        return float(height(levels))
    if metric == "weighted-height":
        return weighted_height(star, levels)
    if metric == "loss":
        return loss(star, levels)
    return precision_loss(star, levels) if metric == "precision" else 0.0


def gcp(sets: FrequencySets, classes: str, node: Measured) -> float:
    """Return the global certainty penalty of a node (Wong, Mamoulis, Cheung 2010, Def. 8) over all
    rows, from the table ``classes`` of its verdicts; only leaves that occur in the data count (or
    in the population, where there is one)."""
    star = sets.star
    rows = sets.engine.query(
        "measures/gcp", classes=classes, attributes=star.attributes, levels=node.levels
    )
    lost = sum(float(penalty) for _, penalty in rows) + node.sizes.suppressed * len(star.attributes)
    return lost / (star.rows * len(star.attributes))


def all_metrics(star: Star, node: Measured, k: int, global_penalty: float) -> dict[str, float]:
    """Return every measure of FORMULAS for the chosen node."""
    measured = {
        "loss": value("loss", star, node, k),
        "gcp": global_penalty,
        "precision": 1 - precision_loss(star, node.levels, node.sizes.suppressed),
        "discernibility": discernibility(star, node.sizes),
        "average_class_size": average_class_size(star, node.sizes, k),
        "height": height(node.levels),
        "weighted-height": weighted_height(star, node.levels),
        "suppressed_share": node.sizes.suppressed / star.rows,
    }
    return {name: rounded(measure) for name, measure in measured.items()}
