"""How verification compares a released column with the expected one: by text, wherever the engine
finds values equal whose texts differ.

An engine finds 1e20 and 99999999999999999999 equal once one of them is a DOUBLE, and 0.0 equal to
-0.0, 1 month to 30 days, 1.0 to 1.00. A column is compared as it is only where its type in the
release is exactly the expected one, and equal values of that type have the same text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anonsql.engines import column_types
from anonsql.engines.base import Column, Engine, Relation
from anonsql.release.columns import ReleasedColumn


def as_compared(
    engine: Engine, table: Relation, released: Sequence[ReleasedColumn]
) -> list[ReleasedColumn]:
    """Return the columns of a table of a release, with ``as_text`` set where they have to be
    compared by text."""
    types = {column.name: column.type for column in engine.columns(table)}
    return [
        replace(column, as_text=_weak(column) or not _same(types.get(column.name, ""), column.type))
        for column in released
    ]


def before_replacement(released: Sequence[ReleasedColumn]) -> list[ReleasedColumn]:
    """Return the columns as scratch tables have them: replaced columns have their own values."""
    return [
        replace(column, type=column.column.type, as_text=not column.column.exact, replaced=None)
        if column.replaced
        else column
        for column in released
    ]


def _weak(released: ReleasedColumn) -> bool:
    """Return whether equal values of a column that is released as it is, of a bound or of a mean,
    may differ."""
    column = Column(released.name, released.type, released.column.comparable)
    return released.kind in ("kept", "lo", "hi", "mean", "median") and not column.exact


def _same(one: str, other: str) -> bool:
    return column_types.parse(one).spelling == column_types.parse(other).spelling
