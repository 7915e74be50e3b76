"""The risk of a release together with the one that it replaces: rows that came or left in between,
in numbers below k. Ten rows of a class yesterday and eleven today single out the eleventh, and
levels that differ cut each other's classes (Ganta, Kasiviswanathan and Smith, Composition attacks
and auxiliary information in data privacy, KDD 2008). Only rows that the two releases show are
counted, so the count is a lower limit: rows that others replaced in their class are not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from anonsql.engines.base import ReleaseTables
from anonsql.errors import Problem
from anonsql.grammar.forms import Looks, column_of
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.columns import GENERALIZED
from anonsql.system.numbers import counted

Level = tuple[int | None, Looks]
"""The level of a column's labels, where all have the same, and a description of them."""
WHERE = "privacy.over_time"
REMEDY = "Set `privacy: {over_time: {key: …}}`, see `anonsql guide over-time`."


@dataclass(frozen=True)
class Label:
    """A column of labels of one of two releases, at the ``place`` of its combination (from 1). If
    ``raised``, its level is ``lower`` than ``higher``, that of the other release. ``top`` is the
    label of the highest level, where that is ``higher``; ``null`` is NULL's label there."""

    place: int
    name: str
    text: bool
    raised: bool = False
    index: int = 0
    lower: int = 0
    higher: int = 0
    top: str | None = None
    null: str | None = None


@dataclass(frozen=True)
class ReleaseDifference:
    """``rows`` that came to or left ``classes`` in numbers below k; how many (``cut``) of the new
    release's ``of`` classes cut classes of the other; and the columns whose levels ``changed``. If
    not ``known``, labels are not those of the hierarchies, and nothing was counted."""

    rows: int = 0
    classes: int = 0
    cut: int = 0
    of: int = 0
    changed: tuple[str, ...] = ()
    known: bool = True


def compared(
    staged: ReleaseTables,
    replaced: ReleaseTables,
    attributes: Sequence[Attribute],
    levels: Mapping[str, tuple[Level, Level]],
    k: int,
) -> ReleaseDifference:
    """Compare the classes of a staged release with the classes of the one that it replaces.
    ``levels`` are the levels of both, by column. Where they differ, dimension tables must be in the
    staged release's engine."""
    leveled = all(level is not None for both in levels.values() for level, _ in both)
    changed = tuple(name for name, (new, old) in levels.items() if leveled and new != old)
    if changed and not all(_fits(attribute, levels[attribute.name][1]) for attribute in attributes):
        return ReleaseDifference(changed=changed, known=False)
    types = {column.name: column.type for column in staged.engine.columns(staged.rows)}
    sides = [
        {
            "new": not which,
            "table": release.rows,
            "labels": [
                _label(
                    position,
                    attribute,
                    levels[attribute.name],
                    which,
                    types[attribute.name],
                    leveled=leveled,
                )
                for position, attribute in enumerate(attributes, start=1)
            ],
        }
        for which, release in enumerate((staged, replaced))
    ]
    parameters = {"sides": sides, "common": not leveled, "k": k}
    row = staged.engine.query("risks/replaced/compared", **parameters)[0]
    rows, classes, cut, of, unknown = map(int, row)
    if unknown:
        return ReleaseDifference(changed=changed, known=False)
    return ReleaseDifference(rows, classes, cut, of, changed)


def _fits(attribute: Attribute, level: Level) -> bool:
    """Return whether a level of a release, which may have been edited, is one of the hierarchy."""
    number, looks = level
    return (
        isinstance(number, int) and number <= attribute.height and attribute.looks(number) == looks
    )


def _label(
    position: int,
    attribute: Attribute,
    levels: tuple[Level, Level],
    which: int,
    kind: str,
    *,
    leveled: bool,
) -> Label:
    plain = Label(position, attribute.name, text=not kind.endswith("]"))
    lower, higher = levels[which][0], levels[1 - which][0]
    if not leveled or lower is None or higher is None or lower >= higher:
        return plain
    nulls = attribute.null_labels
    return replace(
        plain,
        raised=True,
        index=attribute.index,
        lower=lower,
        higher=higher,
        top=attribute.top if higher == attribute.height else None,
        null=nulls[higher] if nulls is not None else None,
    )


def warning(difference: ReleaseDifference, k: int) -> Problem | None:
    """Return the warning about two releases; None where they reveal nothing."""
    names = ", ".join(difference.changed)
    levels = f"the levels of {names} differ from those of the release that will be replaced"
    if not difference.known:
        text = f"{levels}, and it is not known how many rows both releases together distinguish."
        return Problem(WHERE, text, REMEDY)
    apart = (
        f"{counted(difference.rows, 'row')} can be distinguished by comparing this release with"
        f" the earlier one: {counted(difference.classes, 'class', 'classes')} grew or shrank by"
        f" fewer than k={k}"
    )
    classes = counted(difference.of, "class", "classes")
    cut = f"{levels}, and {difference.cut:,} of {classes} cut across its classes"
    if difference.rows and difference.cut:
        return Problem(WHERE, f"{apart}; {cut}.", REMEDY)
    if difference.rows:
        return Problem(WHERE, f"{apart}.", REMEDY)
    if difference.cut:
        return Problem(WHERE, f"{cut}, so both releases together may narrow down rows.", REMEDY)
    return None


def labels_of(release: ReleaseTables) -> dict[str, Level]:
    """Return the levels and looks of the columns of labels, as ``__columns`` of a release says."""
    return {
        one.name: (one.level, Looks(str(one.form), str(one.looks_like)))
        for one in release.stated_columns
        if one.role in GENERALIZED and column_of(one.name, one.form) is None
    }
