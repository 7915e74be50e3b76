"""Columns on their way to a release file: how the exported file holds them, and the type that they
get in the release.

Every value must keep its text on the way. The types that guarantee it are listed in
:mod:`anonsql.engines.column_types`; of other types the values decide: a column becomes text when
the text of one value would change in its type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from anonsql.engines import column_types
from anonsql.engines.base import Column, Engine, Export
from anonsql.engines.column_types import TEXT, FileKind
from anonsql.errors import PolicyError

Form = Literal["plain", "text", "hex", "moment"]
_FORMS: dict[str, Form] = {
    "BLOB": "hex",
    **dict.fromkeys(("DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"), "moment"),
}


@dataclass(frozen=True)
class Travelling(Column):
    """A column on its way to a release file. The exported file holds its values in a ``form``:
    ``plain`` as they are, as ``text``, bytes as ``hex`` digits, or a ``moment`` with years before
    Christ as DuckDB writes them. ``type`` is its type in the release file."""

    form: Form = "plain"


def in_parquet(columns: Sequence[Column], kind: FileKind) -> list[Travelling]:
    """Return DuckDB's columns as a Parquet file holds them."""
    return [
        Travelling(
            each.name,
            column_types.in_file(each.type, kind),
            bound=each.bound,
            form="plain" if column_types.travels_in_parquet(each.type) else "text",
        )
        for each in columns
    ]


def as_text(columns: Sequence[Column]) -> list[Travelling]:
    """Return a server's columns as a CSV file holds them."""
    return [
        Travelling(
            each.name,
            column_types.of_server(each.type),
            bound=each.bound,
            form=_FORMS.get(each.type, "text"),
        )
        for each in columns
    ]


def from_spark(columns: Sequence[Column], kind: FileKind) -> list[Travelling]:
    """Return Spark's columns as its own Parquet files hold them; nested types and types that DuckDB
    lacks become text."""
    simple = [each.type in ("VARCHAR[]", column_types.of_server(each.type)) for each in columns]
    texts, plain = as_text(columns), in_parquet(columns, kind)
    return [plain[n] if kept else texts[n] for n, kept in enumerate(simple)]


def rows_of(export: Export) -> dict[str, Any]:
    """Return the parameters of templates that read an export."""
    return {
        "paths": [str(path) for path in export.paths],
        "format": export.format,
        "columns": export.columns,
    }


def settled(reader: Engine, export: Export) -> Export:
    """Return an export whose columns have types that all their values can be cast back to: text
    where one cannot. Values that DuckDB wrote must keep their text; values that a server wrote,
    which spells some another way, must only be readable."""
    doubtful = [
        number
        for number, each in enumerate(export.columns)
        if isinstance(each, Travelling)
        and each.form in ("text", "moment")
        and not column_types.is_sure(each.type)
    ]
    if not doubtful:
        return export
    misfits = reader.query(
        "engines/duckdb/misfits",
        doubtful=doubtful,
        spelled=export.relation is None,
        **rows_of(export),
    )[0]
    lost = {number for number, count in zip(doubtful, misfits, strict=True) if count}
    for number in sorted(lost):
        _require_no_bound(export.columns[number])
    columns = [
        replace(each, type=TEXT) if number in lost else each
        for number, each in enumerate(export.columns)
    ]
    return replace(export, columns=columns)


def _require_no_bound(column: Column) -> None:
    """Raise PolicyError when a column that would have to become text is a column of bounds."""
    if column.bound:
        raise PolicyError.at(
            f"columns.{column.name[:-3]}",
            f"bounds of its values do not fit {column.type}, and a bound cannot be text.",
            "Set `release.bounds: false`, or cast the column to VARCHAR in a view.",
        )
