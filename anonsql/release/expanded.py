"""The view ``<table>__expanded`` of a release: what every cell can be, and with what
probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonsql.engines.base import Column, Part, Target


@dataclass(frozen=True)
class Shown:
    """A column of the released rows; ``bucket`` is the column that has a bucket where its cell is
    withheld, if any can be."""

    column: Column
    bucket: str | None = None


@dataclass(frozen=True)
class InBuckets:
    """A bucketized column: its released values lie in the table ``part``, with the columns
    ``bucket`` (called so in the rows too), that of the column's name, and ``count``."""

    column: Column
    bucket: str
    part: Part
    count: str = "count"


def stage(
    target: Target, record: str, shown: Sequence[Shown], buckets: Sequence[InBuckets]
) -> None:
    """Add the view (record_id, column_name, value, probability) to the staged tables: a released
    label has probability 1, a withheld value is each of its bucket's, with its share there. Values
    are text; a record's probabilities are 1 in all for each of its columns. ``record`` is the
    column that tells rows apart. Where the release cannot hold views, nothing is done."""
    target.stage_view("expanded", "release/expanded", record=record, shown=shown, buckets=buckets)
