"""The view ``<table>__expanded`` of a release: every value that each entry can be, with its
probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonsql.engines.base import Column, Part
from anonsql.engines.target import Target


@dataclass(frozen=True)
class ExpandedColumn:
    """A column of released rows; ``bucket`` has bucket numbers where entries are withheld."""

    column: Column
    bucket: str | None = None


@dataclass(frozen=True)
class InBuckets:
    """A bucketized column: its values are released in the table ``part``, with the columns
    ``bucket`` (the name that it has in the rows too), the column's own name, and ``count``."""

    column: Column
    bucket: str
    part: Part
    count: str = "count"


def stage(
    target: Target, record: str, shown: Sequence[ExpandedColumn], buckets: Sequence[InBuckets]
) -> None:
    """Add the view (record_id, column_name, value, probability) to the staged tables. A released
    label has probability 1; a withheld entry is each value of its bucket with the probability of
    that value's share there. Values are text; the probabilities of a record sum to 1 for each of
    its columns. ``record`` is the column that identifies rows. Where the release cannot hold views,
    do nothing."""
    target.stage_view("expanded", "release/expanded", record=record, shown=shown, buckets=buckets)
