"""Verification of relocation (Nergiz, Gök, Özkanlı 2013, Definitions 6 and 9): how many entries it
changed, and whether the groups' new sizes can be told from the old ones.

Both are recomputed from the scratch tables ``assigned`` and ``groups``, by statements that share
nothing with those that chose which rows to move.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from anonsql.engines.base import Engine
from anonsql.release.recoding import ByGroups, Recoding, Relocation


def offences(engine: Engine, recoding: Recoding, by: ByGroups, promised: Relocation) -> list[str]:
    """Return the offences: more released entries do not stand for their rows' true values than
    ``promised`` states or allows, rows come from groups that are not theirs, or a chi-squared test
    tells the groups' sizes from those before relocation. ``by`` has the form of the released
    values."""
    parameters: dict[str, Any] = {
        "attributes": recoding.attributes,
        "split": by.split,
        "valued": recoding.valued,
        "forms": by.forms,
    }
    changed = dict(engine.query("verification/relocated", at="grp", **parameters))
    names = {attribute.index: attribute.name for attribute in recoding.attributes}
    stated = promised.done
    texts = [
        f"{cells:,} cells of {names[index]!r} are not those of their rows, and"
        f" {stated.changed[index]:,} are stated"
        for index, cells in changed.items()
        if cells > stated.changed[index]
    ]
    if sum(changed.values()) > promised.max_cells:
        texts.append(
            f"{sum(changed.values()):,} cells are not those of their rows, and"
            f" {promised.max_cells:,} may be changed"
        )
    if max(changed.values(), default=0) > stated.rows:
        texts.append(f"cells of more rows were changed than the {stated.rows:,} that are stated")
    if promised.levels is not None:
        wrong_homes = engine.query("verification/homes", levels=promised.levels, **parameters)
        confused = wrong_homes[0][0]
    else:
        wrong_homes = engine.query("verification/relocated", at="home", **parameters)
        confused = sum(cells for _, cells in wrong_homes)
    if confused:
        texts.append(
            f"rows are said to come from groups that they do not belong to, in {confused:,} cases"
        )
    if promised.alpha is not None:
        texts += _size_offences(engine, promised, promised.alpha, parameters)
    return texts


def _size_offences(
    engine: Engine, promised: Relocation, alpha: Decimal, parameters: dict[str, Any]
) -> list[str]:
    """Return the offences of the groups' sizes by Pearson's test at the significance level
    ``alpha``. The sizes are those that anybody with the release can count; suppressed groups count
    as unchanged."""
    from scipy.stats import chi2  # takes long to load

    groups, statistic, new_groups, emptied = engine.query(
        "verification/relocated_groups", **parameters
    )[0]
    if promised.levels is None:
        # a release of regions does not tell emptied ones apart: they are one group, and the
        # statistic stays as it is
        groups -= max(0, emptied - 1)
    else:
        suppressed = engine.query(
            "verification/suppressed_groups", levels=promised.levels, **parameters
        )
        groups += suppressed[0][0]
    if new_groups:
        return [f"{new_groups:,} groups had no rows before relocation"]
    if groups > 1:
        if chi2.sf(float(statistic), groups - 1) < alpha:
            return [
                "a chi-squared test tells the group sizes from those before relocation at the level"
                f" {alpha}"
            ]
        return []
    if float(statistic) != 0:
        return ["rows were moved, and there was one group only"]
    return []
