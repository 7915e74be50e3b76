"""Changed values against their source: they must be what the secret of the keys of cells makes of
it, computed again apart from the database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cache, partial

from anonsql.policy.protect import Protect
from anonsql.statistics import keys, perturbation
from anonsql.statistics.cubes import Shown
from anonsql.statistics.rounding import by_key, holds
from anonsql.system.arrays import BoolArray, IntArray, np
from anonsql.verification.statistics.recounted import Recounted

_SECOND = Decimal("0.5")


def offences(
    protect: Protect,
    measures: Sequence[Shown],
    cells: Recounted,
    secret: str,
    *,
    additive: bool,
) -> list[str]:
    """Return what is wrong with changed values: those that are not what they must be, and cells
    that are hidden or shown against the threshold."""
    drawn = cache(partial(keys.streams, cells.counted["ck"], secret))
    people = _changed(protect, None, cells, drawn)
    found = []
    for position, measure in enumerate(measures, start=1):
        shown, hidden = cells.counted[f"b{position}"], cells.counted[f"h{position}"] == 1
        if additive:
            found += _sums(protect, measure, cells, shown, hidden)
            continue
        few = (people > 0) & (people < (protect.threshold or 0))
        if wrong := int((hidden != few).sum()):
            found.append(f"{measure.name}: {wrong:,} cells are hidden or shown against the rule")
        expected = _changed(protect, measure, cells, drawn)
        if protect.by == "cell-key":
            expected = np.where(people == 0, 0, expected)
        if wrong := int(((shown != expected) & ~hidden).sum()):
            found.append(f"{measure.name}: {wrong:,} values are not what their keys make of them")
    return found


def _changed(
    protect: Protect, measure: Shown | None, cells: Recounted, drawn: Callable[[str], IntArray]
) -> IntArray:
    """Return what the values of a measure become, of people where none is given, by the numbers
    that are ``drawn`` for the cells by a name."""
    column = "people" if measure is None else measure.counted
    values, summed = cells.counted[column], None if measure is None else measure.sum
    what = "count" if summed is None else f"sum of {summed.column.name}"
    if protect.by == "rounding":
        return by_key(values, _base(protect, measure), drawn(f"rounded {what}")[int(column == "n")])
    settings, numbers = protect.cell_key, drawn(what)
    if summed is None:
        table = perturbation.table(settings.variance, settings.largest, least=settings.least)
        return values + table.noise(values, numbers[int(column == "n")])
    made = perturbation.factors(settings.deviation, settings.greatest, second=_SECOND)
    first, second = (cells.counted[f"{name}{summed.index}"] for name in "xy")
    return values + made.noise(first, numbers[0]) + made.noise(second, numbers[1], rank=2)


def _base(protect: Protect, measure: Shown | None) -> int:
    """Return what the values of a measure are multiples of, in units of its last digit."""
    rounding = protect.rounding
    if measure is None or measure.sum is None:
        return rounding.base
    return rounding.bases[measure.name] * measure.sum.unit


def _sums(
    protect: Protect,
    measure: Shown,
    cells: Recounted,
    shown: IntArray,
    hidden: BoolArray,
) -> list[str]:
    """Return what is wrong with rounded values whose totals are said to be the sums of their
    parts."""
    values, base = cells.counted[measure.counted], _base(protect, measure)
    far = (np.abs(shown - values) >= base) | (shown % base != 0)
    people, least = cells.counted["people"], protect.threshold or 0
    # a rounded count of people is less than a base off the true one
    nearest = protect.rounding.base
    against = hidden & (people >= least + nearest)
    against |= ~hidden & (people >= nearest) & (people <= least - nearest)
    found = []
    if wrong := int(against.sum()) if least else int(hidden.sum()):
        found.append(f"{measure.name}: {wrong:,} cells are hidden or shown against the rule")
    if wrong := int((far & ~hidden).sum()):
        found.append(f"{measure.name}: {wrong:,} values are no multiple beside the source's")
    if not hidden.any() and not holds(cells.relations_of(measure), shown):
        found.append(f"{measure.name}: a total is not the sum of its parts")
    return found
