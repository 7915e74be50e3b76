"""Verification of what relocation changed (Nergiz, Gök, Özkanlı 2013, Definitions 6 and 9), from ``assigned`` and ``groups`` as they are
released, by statements that share nothing with those that chose."""

from __future__ import annotations

from typing import Any

from anonsql.engines.base import Engine
from anonsql.recoding import ByGroups, Recoding, Relocation


def offences(engine: Engine, recoding: Recoding, by: ByGroups, promised: Relocation) -> list[str]:
    """More cells that do not stand for what they were made from than are told or may be, and group sizes that a chi-squared test
    tells from those before."""
    told: dict[str, Any] = {"attributes": recoding.attributes, "split": by.split, "valued": recoding.valued, "forms": by.forms}
    changed = sum(count for _, count in engine.query("verify/relocated", **told))
    found = []
    if changed > min(promised.cells, promised.max_cells):
        found.append(f"{changed:,} cells are not those of their rows; {promised.cells:,} were to be changed, {promised.max_cells:,} may be")
    if promised.levels is not None and (confused := engine.query("verify/homes", levels=promised.levels, **told)[0][0]):
        found.append(f"{confused:,} groups that rows were moved from are not those of the generalization")
    if promised.alpha is not None:
        found += _statistical(engine, float(promised.alpha), told)
    return found


def _statistical(engine: Engine, alpha: float, told: dict[str, Any]) -> list[str]:
    """What Pearson's test says of the group sizes."""
    from scipy.stats import chi2  # takes long to load

    before, statistic, strangers = engine.query("verify/relocated_groups", **told)[0]
    if strangers:
        return [f"{strangers:,} groups had no rows before relocation"]
    if before > 1 and chi2.sf(float(statistic), before - 1) < alpha:
        return [f"a chi-squared test tells the group sizes from those before relocation at the level {alpha}"]
    return [] if before > 1 or float(statistic) == 0 else ["rows were moved, and there was one group only"]
