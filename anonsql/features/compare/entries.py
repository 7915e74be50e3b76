"""How exact the entries of a staged release are, column by column, also in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from anonsql.engines.base import Column
from anonsql.features.compare.document import ColumnEntries, CompareLine
from anonsql.features.measure.comparing import WITHHELD, MeasuredRelease
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.methods import traits
from anonsql.release.columns import ReleasedColumn
from anonsql.star.coded import Coded
from anonsql.system.numbers import percent, rounded

_DATES = ("date", "timestamp")


def column_entries(
    made: MeasuredRelease, sizes: Mapping[int, tuple[int, int]]
) -> list[ColumnEntries]:
    """Return how exactly the released rows show each quasi-identifying column; ``sizes`` are its
    values in the source. Needs ``comparing.understand`` and ``count_rows``."""
    bounds = {column.name: column for column in made.job.counted.released if column.kind == "lo"}
    return [
        _entries(made, attribute, sizes[attribute.index][0], bounds.get(f"{attribute.name}_lo"))
        for attribute in made.job.counted.attributes
    ]


def _entries(
    made: MeasuredRelease, column: Attribute, size: int, lo: ReleasedColumn | None
) -> ColumnEntries:
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
        values=_most(rows_of, rows),
        size=size,
        exact=rounded(rows_of[1] / rows),
        anything=rounded(rows_of[size] / rows) if size > 1 else 0.0,
    )


def _most(rows_of: Mapping[int, int], rows: int) -> int:
    """Return the number of values that nine of ten rows do not exceed."""
    upto = 0
    for values, count in sorted(rows_of.items()):
        upto += count
        if 10 * upto >= 9 * rows:
            return values
    return 0


def in_words(line: CompareLine) -> str:
    """Return how exact the released rows of a policy are."""
    words = [f"For 90 % of the released rows: {', '.join(map(_ninetieth, line.columns))}."]
    shares = [text for column in line.columns if not column.ordered and (text := _shares(column))]
    if shares:
        words.append(f"Of all rows: {'; '.join(shares)}.")
    if not traits(line.method).equal_rows_are_classes:
        words.append("Sets overlap: rows that look alike are no class.")
    return " ".join(words)


def _ninetieth(column: ColumnEntries) -> str:
    name, within = column.column, column.within or 0.0
    if column.values <= 1:
        return f"{name} exact"
    if column.values >= column.size:
        return f"{name} `*`"
    number = f"{within:,.0f}" if within == int(within) or abs(within) >= 100 else f"{within:.3g}"
    width = f"{number} {column.unit or ''}".rstrip()
    if column.within is None or column.sets:
        apart = f" at most {width} apart" if column.within is not None else ""
        return f"{name} one of {column.values:,} values{apart}"
    return f"{name} within {width}"


def _shares(column: ColumnEntries) -> str:
    """Return the shares of exact entries and of `*`; empty where it is all or none."""
    said = [f"exact in {percent(column.exact)}"] if 0 < column.exact < 1 else []
    said += [f"`*` in {percent(column.anything)}"] if 0 < column.anything < 1 else []
    return f"{column.column} {', '.join(said)}" if said else ""
