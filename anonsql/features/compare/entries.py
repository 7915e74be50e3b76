"""What the entries of a staged release still tell, column by column: how wide the intervals of
numbers and dates are, and how many entries stand for one value, or for any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from anonsql.engines.base import Column
from anonsql.features.compare.document import ColumnEntries
from anonsql.features.measure.comparing import WITHHELD, MeasuredRelease
from anonsql.hierarchies.dimensions import Attribute
from anonsql.release.columns import ReleasedColumn
from anonsql.star.coded import Coded
from anonsql.system.numbers import rounded

_DATES = ("date", "timestamp")


def column_entries(
    made: MeasuredRelease, sizes: Mapping[int, tuple[int, int]]
) -> list[ColumnEntries]:
    """Return what the released rows tell of each quasi-identifying column; ``sizes`` are the
    numbers of values that each has in the source, by index. Needs the tables of
    :func:`anonsql.features.measure.comparing.understand` and ``count_rows``."""
    bounds = {column.name: column for column in made.job.counted.released if column.kind == "lo"}
    return [
        _entries(made, attribute, sizes[attribute.index][0], bounds.get(f"{attribute.name}_lo"))
        for attribute in made.job.counted.attributes
    ]


def _entries(
    made: MeasuredRelease, column: Attribute, size: int, lo: ReleasedColumn | None
) -> ColumnEntries:
    """Return what the released rows tell of a column that has ``size`` values in the source;
    ``lo`` is the column of its lower bounds, where there is one."""
    rows_of: Counter[int] = Counter()
    for label, count in made.release.engine.query("features/measure/label_rows", a=column):
        rows_of[1 if label == WITHHELD else made.widths[column.index][label]] += count
    rows = max(rows_of.total(), 1)
    within = None
    if lo is not None:
        bounds = Coded(column.index, Column(lo.name, lo.type))
        ((within,),) = made.release.engine.query(
            "features/compare/width", table=made.release.rows, name=column.name, a=bounds
        )
    is_date = lo is not None and Column(lo.name, lo.type).kind in _DATES
    form = made.job.policy.method.form(ordered=lo is not None, least=column.min_level)
    return ColumnEntries(
        column=column.name,
        ordered=lo is not None,
        within=None if within is None else rounded(within),
        unit="days" if is_date else None,
        sets=form == "set",
        values=_ninetieth(rows_of, rows),
        size=size,
        exact=rounded(rows_of[1] / rows),
        anything=rounded(rows_of[size] / rows) if size > 1 else 0.0,
    )


def _ninetieth(rows_of: Mapping[int, int], rows: int) -> int:
    """Return the number of values that nine of ten rows do not exceed, of rows by the number of
    values that they stand for."""
    upto = 0
    for values, count in sorted(rows_of.items()):
        upto += count
        if 10 * upto >= 9 * rows:
            return values
    return 0
