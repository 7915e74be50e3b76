"""Verification of what relocation changed (Nergiz, Gök, Özkanlı 2013, Definitions 6 and 9), from
``assigned`` and ``groups`` as they are released, by statements that share nothing with those that
chose what to relocate."""

from __future__ import annotations

from typing import Any

from anonsql.engines.base import Engine
from anonsql.release.recoding import ByGroups, Recoding, Relocation


def offences(engine: Engine, recoding: Recoding, by: ByGroups, promised: Relocation) -> list[str]:
    """Return the offences: more entries than are stated or allowed do not stand for what they were
    made from, or a chi-squared test tells the group sizes from those before."""
    parameters: dict[str, Any] = {
        "attributes": recoding.attributes,
        "split": by.split,
        "valued": recoding.valued,
        "forms": by.forms,
    }
    changed, names = (
        dict(engine.query("verification/relocated", at="grp", **parameters)),
        {each.index: each.name for each in recoding.attributes},
    )
    done = promised.done
    found = [
        f"{cells:,} cells of {names[index]!r} are not those of their rows, and"
        f" {done.changed[index]:,} are told"
        for index, cells in changed.items()
        if cells > done.changed[index]
    ]
    if sum(changed.values()) > promised.max_cells:
        found.append(
            f"{sum(changed.values()):,} cells are not those of their rows, and"
            f" {promised.max_cells:,} may be changed"
        )
    if max(changed.values(), default=0) > done.rows:
        found.append(f"cells of more rows were changed than the {done.rows:,} that are told")
    if promised.levels is not None:
        confused = engine.query("verification/homes", levels=promised.levels, **parameters)[0][0]
    else:
        confused = sum(
            cells for _, cells in engine.query("verification/relocated", at="home", **parameters)
        )
    if confused:
        found.append(
            f"rows are said to come from groups that they do not belong to, in {confused:,} cases"
        )
    return found + (
        _statistical(engine, promised, parameters) if promised.alpha is not None else []
    )


def _statistical(engine: Engine, promised: Relocation, parameters: dict[str, Any]) -> list[str]:
    """Return the offences of the group sizes by Pearson's test, sizes as anybody with the release
    can count them; groups that are suppressed count as unchanged."""
    from scipy.stats import chi2  # takes long to load

    before, statistic, strangers, emptied = engine.query(
        "verification/relocated_groups", **parameters
    )[0]
    if (
        promised.levels is None
    ):  # the release does not tell emptied regions apart: they are one group, of the same statistic
        before -= max(0, emptied - 1)
    else:
        before += engine.query(
            "verification/suppressed_groups", levels=promised.levels, **parameters
        )[0][0]
    if strangers:
        return [f"{strangers:,} groups had no rows before relocation"]
    if before > 1 and chi2.sf(float(statistic), before - 1) < promised.alpha:
        return [
            "a chi-squared test tells the group sizes from those before relocation at the level"
            f" {promised.alpha}"
        ]
    return (
        []
        if before > 1 or float(statistic) == 0
        else ["rows were moved, and there was one group only"]
    )
