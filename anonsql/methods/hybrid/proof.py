"""Prove a staged release by relocation (Nergiz, Gök, Özkanlı 2013, Definitions 6 and 9): how many
entries it changed, and whether the groups' new sizes can be distinguished from the old ones.

Both are recomputed from the scratch tables ``assigned`` and ``groups``, by statements that share
nothing with the choice of rows to move.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from anonsql.engines.base import Engine
from anonsql.release.recoding import Recoding

if TYPE_CHECKING:
    from anonsql.methods.hybrid.method import ByRelocation


def offences(engine: Engine, recoding: Recoding, by: ByRelocation) -> list[str]:
    """Return the offences: more untrue released entries than stated or allowed, rows from groups
    that are not theirs, or a chi-squared test that distinguishes the groups' sizes from the sizes
    before relocation."""
    parameters: dict[str, Any] = {
        "attributes": recoding.attributes,
        "split": by.split,
        "valued": recoding.valued,
        "forms": by.forms,
    }
    changed = dict(engine.query("methods/hybrid/proof/untrue", at="grp", **parameters))
    names = {attribute.index: attribute.name for attribute in recoding.attributes}
    stated = by.done
    texts = [
        f"{cells:,} cells of {names[index]!r} differ from their rows, but"
        f" {stated.changed[index]:,} are stated"
        for index, cells in changed.items()
        if cells > stated.changed[index]
    ]
    if sum(changed.values()) > by.max_cells:
        texts.append(
            f"{sum(changed.values()):,} cells differ from their rows, but at most"
            f" {by.max_cells:,} may be changed"
        )
    if max(changed.values(), default=0) > stated.rows:
        texts.append(f"cells of more rows were changed than the stated {stated.rows:,}")
    if by.levels is not None:
        wrong_homes = engine.query("methods/hybrid/proof/homes", levels=by.levels, **parameters)
        confused = wrong_homes[0][0]
    else:
        wrong_homes = engine.query("methods/hybrid/proof/untrue", at="home", **parameters)
        confused = sum(cells for _, cells in wrong_homes)
    if confused:
        texts.append(
            f"rows are stated to come from groups that they do not belong to, in {confused:,} cases"
        )
    if by.alpha is not None:
        texts += _size_offences(engine, by, by.alpha, parameters)
    return texts


def _size_offences(
    engine: Engine, by: ByRelocation, alpha: Decimal, parameters: dict[str, Any]
) -> list[str]:
    """Return the offences of the sizes by Pearson's test at the level ``alpha``, as far as they can
    be counted in the release; suppressed groups count as unchanged."""
    from scipy.stats import chi2  # takes long to load

    groups, statistic, new_groups, emptied = engine.query(
        "methods/hybrid/proof/group_sizes", **parameters
    )[0]
    if by.levels is None:
        # a release of regions does not distinguish emptied ones: they are one group, and the
        # statistic stays as it is
        groups -= max(0, emptied - 1)
    else:
        suppressed = engine.query(
            "methods/hybrid/proof/suppressed_groups", levels=by.levels, **parameters
        )
        groups += suppressed[0][0]
    if new_groups:
        return [f"{new_groups:,} groups had no rows before relocation"]
    if groups > 1:
        if chi2.sf(float(statistic), groups - 1) < alpha:
            return [
                "a chi-squared test distinguishes the group sizes from those before relocation"
                f" at the level {alpha}"
            ]
        return []
    if float(statistic) != 0:
        return ["rows were moved, but there was only one group"]
    return []
