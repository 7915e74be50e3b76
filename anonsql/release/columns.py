"""The columns of a release's rows, whatever the method: which there are, in which order, and with
what names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from anonsql.engines import column_types
from anonsql.engines.base import Column
from anonsql.errors import Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.columns import ColumnPolicy, Replacement
from anonsql.policy.local import bucket_name
from anonsql.policy.table_plan import TablePlan

GROUP = Column("group_id", "BIGINT")
COUNT = Column("count", "BIGINT")
RECORD = Column("record_id", "BIGINT")
"""Columns that methods add: the number of a row's group (which joins anatomy's two tables), the
count of a sensitive value in a group or bucket, and a fresh number of the row (local)."""


Kind = Literal["label", "lo", "hi", "mean", "median", "kept", "record", "group", "bucket"]
_ENDS: tuple[Kind, ...] = ("lo", "hi")
AVERAGE_TYPE = "DOUBLE"
"""The type of means and medians: the exact sum of the values over their number, so that engines
agree to the last digit as long as the sum has no more than 15 digits."""


@dataclass(frozen=True)
class ReleasedColumn:
    """One column of the release: a generalized label, a bound of it, the mean or median of the
    values of all rows with equal labels, a source column kept unchanged, or the number of the row,
    of its group, or of the bucket that its sensitive value is in.

    ``position`` counts from 1; a ``hidden`` column is NULL in masked rows; verification compares an
    ``as_text`` column as text. An identifying column that is ``replaced`` is kept until the rows
    are written: scratch tables have its own values.
    """

    position: int
    name: str
    kind: Kind
    type: str
    column: Column
    attribute: Attribute | None = None
    hidden: bool = False
    as_text: bool = False
    replaced: Replacement | None = None

    @property
    def averaged(self) -> bool:
        """Whether it is a mean or a median."""
        return self.kind in ("mean", "median")


def not_averaged(policy: TablePlan, columns: Sequence[Column]) -> list[Problem]:
    """Return a problem for each mean or median of values that have no exact sum."""
    return [
        Problem(
            f"columns.{column.name}.values",
            f"the column is {column.family}, and its values have no exact sum.",
            "Leave it out, or cast the column to a decimal with fixed digits in a view.",
        )
        for column in columns
        if column.name in policy.averages
        and (column.kind not in ("integer", "decimal") or column.unbounded)
    ]


def not_numeric_weights(
    columns: Sequence[Column], settings: Mapping[str, ColumnPolicy], where: str = "columns"
) -> list[Problem]:
    """Return a problem for each column that is to be the weight of its table and has no numbers;
    ``where`` is the part of the policy that has the ``settings``."""
    return [
        Problem(
            f"{where}.{column.name}.role",
            f"a weight must be a number, and the column is {column.family}.",
            "Make the column insensitive, or cast it to a number in a view.",
        )
        for column in columns
        if column.name in settings
        and settings[column.name].role == "weight"
        and column.kind not in ("integer", "decimal", "float")
    ]


def released_columns(
    policy: TablePlan, columns: Sequence[Column], attributes: Sequence[Attribute]
) -> list[ReleasedColumn]:
    """Return the columns of the release's rows: the source's in their order, without identifying
    ones that are not replaced, each followed by its bounds and buckets. If sensitive values are in
    a separate table, numbers of groups and rows replace them."""
    by_name = {attribute.name: attribute for attribute in attributes}
    made: list[ReleasedColumn] = []

    def add(
        name: str,
        kind: Kind,
        kind_type: str,
        column: Column,
        attribute: Attribute | None = None,
        *,
        hidden: bool = False,
    ) -> None:
        made.append(ReleasedColumn(len(made) + 1, name, kind, kind_type, column, attribute, hidden))

    if policy.bucketized is not None:
        add(RECORD.name, "record", RECORD.type, RECORD)
        add(GROUP.name, "group", GROUP.type, GROUP)
    for column in columns:
        attribute = by_name.get(column.name)
        if attribute is not None:
            add(column.name, "label", policy.label_type, column, attribute)
            for kind in _ENDS if attribute.bounds_type else ():
                add(f"{column.name}_{kind}", kind, attribute.bounds_type or "", column, attribute)
            if (average := policy.averages.get(column.name)) is not None:
                add(f"{column.name}_{average}", average, AVERAGE_TYPE, column, attribute)
        elif (replaced := policy.replaced.get(column.name)) is not None:
            made.append(_replaced(len(made) + 1, column, replaced))
        elif column.name not in (*policy.removed, *policy.apart):
            add(
                column.name,
                "kept",
                column.released_type,
                column,
                hidden=policy.columns[column.name].suppressed == "mask",
            )
        if column.name in (policy.bucketized or ()):
            add(bucket_name(column.name), "bucket", "BIGINT", column)
    if policy.separated is not None:
        add(GROUP.name, "group", GROUP.type, GROUP)
    return made


def _replaced(position: int, column: Column, by: Replacement) -> ReleasedColumn:
    """Return the column of the release that replaces an identifying one. A surrogate would link a
    masked row with others, and is NULL there."""
    types = {"surrogate": "BIGINT", "constant": "VARCHAR", "null": column.released_type}
    hidden = by == "surrogate"
    return ReleasedColumn(
        position, column.name, "kept", types[by], column, hidden=hidden, replaced=by
    )


def added_names(policy: TablePlan) -> list[str]:
    """Return the names that the method adds: numbers of rows, groups and buckets."""
    if policy.bucketized is not None:
        return [RECORD.name, GROUP.name, *map(bucket_name, policy.bucketized)]
    return [GROUP.name] if policy.separated is not None else []


def same_names(released: Sequence[ReleasedColumn]) -> list[Problem]:
    """Return a problem for columns that differ in case alone: a file cannot have both."""
    first: dict[str, str] = {}
    problems = []
    for column in released:
        name = column.column.name
        if column.kind in ("label", "kept") and first.setdefault(name.lower(), name) != name:
            text = (
                f"the names of this column and of {first[name.lower()]!r} differ only in case,"
                " and files cannot distinguish such columns."
            )
            remedy = (
                "Rename one of them in a view, make it identifying, or release to a schema of the"
                " server."
            )
            problems.append(Problem(f"columns.{name}", text, remedy))
    return problems


def without_surrogates(released: Sequence[ReleasedColumn]) -> list[Problem]:
    """Return a problem for surrogates of values that can be equal with different texts."""
    return [
        Problem(
            f"columns.{column.name}.replace",
            f"its type is {column.column.family}, whose equal values can have different texts, so"
            " surrogates could distinguish them.",
            "Cast the column to text in a view, or set `replace: null`.",
        )
        for column in released
        if column.replaced == "surrogate"
        and column.column.kind != "text"
        and (column.column.kind == "other" or not column.column.exact)
    ]


def not_in_csv(released: Sequence[ReleasedColumn]) -> list[Problem]:
    """Return a problem for each column whose values a CSV file could not give back as they were."""
    return [
        Problem(
            f"columns.{column.name}",
            f"CSV cannot store values of type {column.column.family}.",
            "Release to a file that ends in .parquet, a folder or a database, cast the column in a"
            " view, or make it identifying.",
        )
        for column in released
        if column.kind == "kept" and not column_types.fits_csv(column.type)
    ]


def name_clashes(policy: TablePlan, released: Sequence[ReleasedColumn]) -> list[Problem]:
    """Return a problem for each bounds column, and each column that the method adds, whose name
    another column of the source or the release has, whatever the case."""
    names = [name.lower() for name in policy.columns] + [
        column.name.lower() for column in released if column.kind in _ENDS or column.averaged
    ]
    clashing = [
        Problem(
            f"columns.{column.column.name}",
            f"its {column.kind if column.averaged else 'bounds'} column {column.name!r} would"
            " have the same name as another column.",
            "Rename that column in a view, or "
            + ("leave `values` out." if column.averaged else "set `release.bounds: false`."),
        )
        for column in released
        if (column.kind in _ENDS or column.averaged) and names.count(column.name.lower()) > 1
    ]
    added = [
        (column.name, names) for column in released if column.kind in ("record", "group", "bucket")
    ]
    added += [(COUNT.name, [name.lower()]) for name in policy.tabled]
    return clashing + [
        Problem(
            "method.type",
            f"its column {name!r} would have the same name as another column.",
            "Rename that column in a view.",
        )
        for name, others in added
        if name.lower() in others
    ]
