"""The identifiers of safe harbor in the columns of a policy, as one table shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from anonsql.engines.base import Column, Engine, Relation
from anonsql.policy import hierarchy as hierarchies
from anonsql.policy.changes import Change, Given
from anonsql.policy.columns import GENERALIZED, KEPT, ColumnPolicy
from anonsql.policy.table_plan import TablePlan
from anonsql.risks.contents import looking as contents
from anonsql.risks.safe_harbor.looks import Identifier, Look, Seen, looks

_NUMBERS = ("integer", "decimal", "float")
_OLD = 90
_REMOVE = "Make the column identifying, which removes it."
_WAYS = {
    "dates other than the year": (
        "Generalize it by a hierarchy `date` with a min_level from the year on, or remove it."
    ),
    "ages over 89": (
        "Generalize it by `{type: ages}` with min_level 1, or top-code it: `change: {top: {value:"
        " 90}}`."
    ),
    "geographic subdivisions smaller than a state": (
        "Remove it, or generalize it to states or coarser: whether labels are, you must see."
    ),
}
_ZIP = "Generalize it by `{type: us-zip}` with min_level 1, or remove it."
_BORN = (
    "A year of birth tells an age over 89: bottom-code it, `change: {bottom: {value: …}}`, so that"
    " the oldest are one group, or remove it."
)
_YEARS = "Nothing finer than a year is released; see that no year of birth tells an age over 89."
_TWENTY_THOUSAND = (
    "Whether more than 20,000 people live in each area of three digits cannot be told here:"
    " `{type: us-zip}` makes those 000 that the census found to have fewer."
)
_BY_CENSUS = (
    "Areas of three digits with at most 20,000 people become 000 by the censuses of 2000 and 2010;"
    " whether newer figures ask for more, you must see."
)


@dataclass(frozen=True)
class Found:
    """A column that looks like an identifier: how it is released, whether it ``passes`` where safe
    harbor does not allow it, and what is to be done or seen."""

    column: str
    kind: Identifier
    by: Seen
    released: str
    passes: bool
    says: str


def identifiers(
    engine: Engine, table: Relation, rows: int, policy: TablePlan, *, released: bool
) -> list[Found]:
    """Return the columns of a policy that look like identifiers. The ``table`` of so many rows is
    the release (``released``), whose kept columns alone have their values, or the source."""
    present = {one.name: one for one in engine.columns(table) if one.name in policy.columns}
    own = [
        column
        for name, column in present.items()
        if not released or policy.columns[name].role in KEPT
    ]
    held = contents.look(engine, table, own, rows)
    found = {
        name: looks(name, present.get(name), frozenset(held[name].kinds if name in held else ()))
        for name in policy.columns
    }
    ages = [
        column
        for column in own
        if column.kind in _NUMBERS
        and any(look.kind == "ages over 89" for look in found[column.name])
    ]
    greatest = _greatest(engine, table, ages)
    return [
        Found(
            name,
            look.kind,
            look.by,
            form(policy.columns[name]),
            *judged(policy.columns[name], look, greatest.get(name), changed=released),
        )
        for name, seen in found.items()
        for look in seen
    ]


def _greatest(engine: Engine, table: Relation, columns: Sequence[Column]) -> dict[str, float]:
    if not columns:
        return {}
    parameters = {"relation": table, "columns": columns, "shares": [Decimal(1)]}
    rows = engine.query("risks/kept/quantiles", **parameters)
    return {
        column.name: float(value)
        for column, (_, value) in zip(columns, rows, strict=True)
        if value is not None
    }


def form(column: ColumnPolicy) -> str:
    """Return in what form a policy releases a column."""
    if column.role == "identifying":
        if column.replace is None:
            return "removed"
        words = {"surrogate": "a surrogate", "null": "NULL", "constant": "a constant"}
        return f"replaced by {words[column.replace]}"
    if column.role in GENERALIZED:
        level = column.min_level or 0
        return f"generalized, to level {level} at least" if level else "generalized where needed"
    return "as it is" if column.change is None else "changed"


def judged(
    column: ColumnPolicy, look: Look, greatest: float | None, *, changed: bool
) -> tuple[bool, str]:
    """Return whether what a column looks like is released in a form that is not allowed, and the
    remedy or what is left to see. ``greatest`` is that of numbers, ``changed`` by the policy or as
    before."""
    if column.role == "identifying":
        return False, "Nothing of it is released."
    if _hidden(column):
        return False, "All values become one."
    if look.kind == "ages over 89":
        if look.birth_year:
            coded = column.change is not None and column.change.bottom is not None
            return not coded, "See that those over 89 are one group." if coded else _BORN
        if greatest is not None and greatest < _OLD:
            return False, "No value is above 89."
        if _one_group(column, greatest, changed=changed):
            return False, "Ages from 90 on are one group."
    if look.kind == "dates other than the year" and _years(column):
        return False, _YEARS
    if look.zip_code:
        three = _three_digits(column)
        return three is None, three or _ZIP
    if isinstance(column.hierarchy, hierarchies.CountriesHierarchy):
        return False, "A country is no subdivision of a state."
    return True, _WAYS.get(look.kind, _REMOVE)


def _hidden(column: ColumnPolicy) -> bool:
    """Return whether the policy asks for the top level, where it says which that is."""
    level, made = column.min_level or 0, column.hierarchy
    match made:
        case hierarchies.SuppressionHierarchy():
            top = 1
        case hierarchies.MaskHierarchy():
            top = made.length
        case hierarchies.IntervalHierarchy():
            top = len(made.widths) + 1
        case (
            hierarchies.BreaksHierarchy()
            | hierarchies.DateHierarchy()
            | hierarchies.OrderHierarchy()
            | hierarchies.TableHierarchy()
        ):
            top = len(made.levels) + 1
        case hierarchies.UsZipHierarchy():
            top = 3
        case _:
            return False
    return _generalized(column) and level >= top


def _generalized(column: ColumnPolicy) -> bool:
    """Return whether no value is released as it is, nor a mean of values."""
    return column.role in GENERALIZED and bool(column.min_level) and column.values is None


def _one_group(column: ColumnPolicy, greatest: float | None, *, changed: bool) -> bool:
    """Return whether all ages from 90 on have one label."""
    if column.change is not None:
        return _top_coded(column.change, greatest, changed=changed)
    if not _generalized(column):
        return False
    level, made = column.min_level or 0, column.hierarchy
    if isinstance(made, hierarchies.AgesHierarchy):
        return True
    if isinstance(made, hierarchies.BreaksHierarchy) and not made.of_dates:
        return all(float(str(at)) <= _OLD for at in made.levels[level - 1])
    if isinstance(made, hierarchies.IntervalHierarchy) and greatest is not None:
        width, origin = float(made.widths[level - 1]), float(made.origin)
        return (_OLD - origin) // width == (greatest - origin) // width
    return False


def _top_coded(change: Change, greatest: float | None, *, changed: bool) -> bool:
    """Return whether no age above 90 is released."""
    if change.top is None:
        return False
    if isinstance(change.top, Given) and change.top.value <= _OLD:
        return True
    return changed and greatest is not None and greatest <= _OLD


def _years(column: ColumnPolicy) -> bool:
    """Return whether nothing finer than a year is released of a date."""
    if not _generalized(column):
        return False
    level, made = column.min_level or 0, column.hierarchy
    if isinstance(made, hierarchies.DateHierarchy):
        return made.levels[level - 1] in ("year", "decade")
    if isinstance(made, hierarchies.BreaksHierarchy) and made.of_dates:
        breaks = made.levels[level - 1]
        return all(isinstance(at, date) and (at.month, at.day) == (1, 1) for at in breaks)
    return False


def _three_digits(column: ColumnPolicy) -> str | None:
    """Return what is left to see where at most three digits of a ZIP code are released, or None."""
    if not _generalized(column):
        return None
    level, made = column.min_level or 0, column.hierarchy
    if isinstance(made, hierarchies.UsZipHierarchy):
        return _BY_CENSUS
    if isinstance(made, hierarchies.MaskHierarchy) and made.start == "right":
        return _TWENTY_THOUSAND if made.length - level <= 3 else None
    return None
