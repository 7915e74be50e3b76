"""How rows become released rows with their groups and buckets, and the view of the values that
every entry can be."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from anonsql.engines.base import Column, Part
from anonsql.engines.target import Target
from anonsql.grammar.forms import Looks
from anonsql.hierarchies.dimensions import Attribute
from anonsql.methods.local.patterns import Marks
from anonsql.policy.local import bucket_name, bucket_parts
from anonsql.policy.method import Form
from anonsql.release import expanded
from anonsql.release.columns import COUNT, RECORD, ReleasedColumn
from anonsql.release.expanded import ExpandedColumn, InBuckets
from anonsql.release.recoding import By, looks_of
from anonsql.star.bucket_promises import Bucketized
from anonsql.star.coded import Coded


@dataclass(frozen=True)
class ByBuckets(By):
    """The scratch tables ``bucketed`` (see :mod:`anonsql.methods.local.buckets`), of rows with
    their groups and buckets, and ``groups``; the form of each attribute's values by index; and the
    marks, which name the columns that have buckets."""

    forms: Mapping[int, Form]
    marks: Marks
    dealt: Sequence[Bucketized]

    arrays: bool = False

    @property
    def withheld(self) -> Collection[int]:
        """The attributes that are withheld in some rows."""
        return self.marks.conditions

    def number(self, released: ReleasedColumn) -> int:
        """Return the number of a released column in the names of ``bucketed``: k<number> of a kept
        one, b<number> of a bucket."""
        if released.kind == "bucket":
            return next(
                column.index
                for column in self.marks.bucketized
                if column.name == released.column.name
            )
        return next(
            (
                number
                for number, column in enumerate(self.marks.kept, start=1)
                if column.name == released.column.name
            ),
            0,
        )

    @property
    def parts(self) -> dict[Part, Coded]:
        """The tables of buckets, and the column of each."""
        parts = bucket_parts([column.name for column in self.marks.bucketized])
        return {parts[column.name]: column for column in self.marks.bucketized}

    def columns(self, coded: Coded) -> list[Column]:
        """Return the columns of the table of a column's buckets."""
        return [
            Column(bucket_name(coded.name), "BIGINT"),
            Column(coded.name, coded.cast or coded.column.released_type),
            COUNT,
        ]

    def described(self, attribute: Attribute) -> tuple[int | None, Looks]:
        """See :class:`By`."""
        looks = looks_of(attribute, self.forms[attribute.index])
        if attribute.index in self.marks.conditions:
            looks = looks._replace(text=f"{looks.text}; nothing where it is sensitive")
        return None, looks


def stage_view(target: Target, released: Sequence[ReleasedColumn], by: ByBuckets) -> None:
    """Add a view over the staged tables: every value that each entry can be."""
    semi = {value.name for value in by.marks.semi}
    labels = [Column(column.name, "VARCHAR") for column in released if column.kind == "label"]
    shown = [
        ExpandedColumn(label, bucket_name(label.name) if label.name in semi else None)
        for label in labels
    ]
    buckets = [
        InBuckets(by.columns(column)[1], bucket_name(column.name), part)
        for part, column in by.parts.items()
    ]
    expanded.stage(target, RECORD.name, shown, buckets)
