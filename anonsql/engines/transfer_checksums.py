"""Checksums of a table's content, to verify that the rows that left one engine are those that
arrived in a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from anonsql.engines.base import Column, Engine, Relation
from anonsql.sql.dialects import Dialect

Spelling = Literal["text", "moment", "bytes", "number", "output"]
_ALIKE = ("VARCHAR", "UUID", "TIME")
_LOOSE: tuple[Dialect, ...] = ("sqlite", "mysql")
"""The databases that write only some types as others do."""
_MOMENTS = ("DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE")


@dataclass(frozen=True)
class Written:
    """A column whose values can be spelled the same way by sender and receiver, and how: ``text``
    as it is, ``moment`` and ``number`` in one format for all engines, ``bytes`` by their digest,
    ``output`` as PostgreSQL prints types that are text elsewhere."""

    name: str
    spelling: Spelling


def content(
    engine: Engine, relation: Relation, columns: Sequence[Column], sender: Dialect
) -> tuple[int, ...]:
    """Return the checksums of a table, the same on every engine and for any order of rows: the
    number of rows, of values in each column, and three sums of digits of the rows' MD5 over the
    columns, by their text. ``columns`` have the types that they had with the ``sender``."""
    spelled = [(column.name, _spelling(column, sender)) for column in columns]
    written = [Written(name, spelling) for name, spelling in spelled if spelling is not None]
    rows = engine.query("verification/content", table=relation, columns=columns, written=written)
    return tuple(int(value) for value in rows[0])


def _spelling(column: Column, sender: Dialect) -> Spelling | None:
    """Return how both sides spell a column's values; None where they cannot: floating point and
    nested values of Spark, which its files hold unchanged, and what SQLite and MariaDB write in
    their own way."""
    if sender in _LOOSE:
        return "text" if column.kind in ("integer", "text", "date") else None
    if column.kind in ("integer", "boolean", "decimal") or column.type in _ALIKE:
        return "text"
    if column.type == "BLOB":
        return "bytes"
    if sender == "spark":
        return "text" if column.type == "DATE" else None
    if column.type in _MOMENTS:
        return "moment"
    return "number" if column.kind == "float" else "output"
