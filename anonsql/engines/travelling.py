"""Columns on their way to a release file: how the file on the way holds them, and the type that they get at its end.

Every value must arrive with the text that it left with. Which types are sure of that is in :mod:`anonsql.column_types`; of the others
the values themselves decide: a column is text when one of them would not come back from its type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from anonsql import column_types
from anonsql.column_types import TEXT, FileKind
from anonsql.engines.base import Column, Export

if TYPE_CHECKING:
    from anonsql.engines.duckdb import DuckDBEngine


@dataclass(frozen=True)
class Travelling(Column):
    """A column on its way to a release file: ``plain`` where the file on the way keeps its values, else as ``text``, bytes as
    ``hex`` digits. ``type`` is the one that it gets in the release file."""

    form: Literal["plain", "text", "hex"] = "plain"


def in_parquet(columns: Sequence[Column], kind: FileKind) -> list[Travelling]:
    """DuckDB's columns as Parquet carries them."""
    return [
        Travelling(
            each.name,
            column_types.in_file(each.type, kind),
            form="plain" if column_types.travels_in_parquet(each.type) else "text",
        )
        for each in columns
    ]


def as_text(columns: Sequence[Column]) -> list[Travelling]:
    """A server's columns as a CSV file carries them."""
    return [
        Travelling(
            each.name,
            column_types.of_server(each.type),
            form="hex" if each.type == "BLOB" else "text",
        )
        for each in columns
    ]


def from_spark(columns: Sequence[Column], kind: FileKind) -> list[Travelling]:
    """Spark's columns as its own Parquet files carry them; what is nested or of no type of DuckDB becomes text."""
    simple = [each.type in ("VARCHAR[]", column_types.of_server(each.type)) for each in columns]
    texts, plain = as_text(columns), in_parquet(columns, kind)
    return [plain[n] if kept else texts[n] for n, kept in enumerate(simple)]


def rows_of(export: Export) -> dict[str, Any]:
    """What templates that read an export take."""
    return {
        "paths": [str(path) for path in export.paths],
        "format": export.format,
        "columns": export.columns,
    }


def settled(reader: DuckDBEngine, export: Export) -> Export:
    """An export whose columns have types that all their values come back from: text where one would not. What DuckDB wrote must come
    back with its own text; what a server wrote, which spells some values another way, must have a meaning at all."""
    doubtful = [
        number
        for number, each in enumerate(export.columns)
        if isinstance(each, Travelling) and each.form == "text" and _is_doubtful(each.type)
    ]
    if not doubtful:
        return export
    misfits = reader.query(
        "duckdb/misfits", doubtful=doubtful, spelled=export.relation is None, **rows_of(export)
    )[0]
    lost = {number for number, count in zip(doubtful, misfits, strict=True) if count}
    columns = [
        replace(each, type=TEXT) if number in lost else each
        for number, each in enumerate(export.columns)
    ]
    return replace(export, columns=columns)


def _is_doubtful(type_spelling: str) -> bool:
    """Whether texts of a column may be none of its type's: not of whole numbers and the like, which travel as text from servers."""
    sure = ("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "VARCHAR", "UUID")
    return type_spelling not in (*sure, "FLOAT", "DOUBLE")
