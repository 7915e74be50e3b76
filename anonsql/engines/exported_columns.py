"""Columns on their way from an engine to a release file: how the file that the engine exports holds
them, and the type that they get in the release.

Every value must keep its text on the way: checksums verify that the same rows leave one engine and
arrive in a file. The types that guarantee it are listed in :mod:`anonsql.engines.column_types`. For
other types the values decide: a column becomes text when one value, cast to the column's type and
back, would have another text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from anonsql.engines import column_types
from anonsql.engines.base import Column, Engine, Export, Relation
from anonsql.engines.column_types import TEXT, FileKind
from anonsql.errors import PolicyError

_ONLY_DUCKDB = "HUGEINT"
"""The type of DuckDB's sums, which other engines lack: it becomes a BIGINT."""
Form = Literal["plain", "text", "hex", "moment"]
_FORMS: dict[str, Form] = {
    "BLOB": "hex",
    **dict.fromkeys(("DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"), "moment"),
}


@dataclass(frozen=True)
class ExportedColumn(Column):
    """A column of an exported file. ``type`` is its type in the release file. The exported file has
    its values in a ``form``: ``plain`` as they are; as ``text``; bytes as ``hex`` digits; or dates
    and timestamps (``moment``) as text, with years before Christ as DuckDB writes them."""

    form: Form = "plain"


def in_parquet(columns: Sequence[Column], kind: FileKind) -> list[ExportedColumn]:
    """Return DuckDB's columns as a Parquet file holds them."""
    return [
        ExportedColumn(
            column.name,
            column_types.in_file(column.type, kind),
            bound=column.bound,
            form="plain" if column_types.travels_in_parquet(column.type) else "text",
        )
        for column in columns
    ]


def as_text(columns: Sequence[Column]) -> list[ExportedColumn]:
    """Return a server's columns as a CSV file holds them."""
    return [
        ExportedColumn(
            column.name,
            column_types.of_server(column.type),
            bound=column.bound,
            form=_FORMS.get(column.type, "text"),
        )
        for column in columns
    ]


def write_csv(path: Path, rows: Iterable[Iterable[str | None]]) -> int:
    """Write rows of texts to a CSV file, NULL as an empty field, behind a field that keeps lines
    from being empty; return their number."""
    count = 0
    with path.open("w", encoding="utf-8", newline="") as out:
        for row in rows:
            fields = ("" if text is None else '"' + text.replace('"', '""') + '"' for text in row)
            out.write('"1",' + ",".join(fields) + "\n")
            count += 1
    return count


def rows_of(export: Export) -> dict[str, Any]:
    """Return the parameters of templates that read the rows of an export."""
    return {
        "paths": [str(path) for path in export.paths],
        "format": export.format,
        "columns": export.columns,
    }


def bring(
    maker: Engine, table: str, receiver: Engine, folder: Path, columns: Sequence[str] = ()
) -> None:
    """Bring a table of an embedded DuckDB (``maker``) to another engine, all its columns or some;
    ``folder`` is the run's private one."""
    travelling = [
        replace(column, type="BIGINT") if column.type == _ONLY_DUCKDB else column
        for column in maker.columns((table,))
        if not columns or column.name in columns
    ]
    if receiver.takes == "rows":
        rows = maker.query("star/workbench/rows", table=table, columns=travelling)
        receiver.load(table, [(column.name, column.type) for column in travelling], rows)
        return
    receiver.drop(table)
    file = folder / f"from-workbench-{table}"
    receiver.receive(table, maker.carry(table, travelling, file, receiver.takes))


def with_safe_types(reader: Engine, export: Export) -> Export:
    """Return an export in which a column is text if its type does not suit all of its values.

    Values that DuckDB wrote must keep their very text in the type. Values that a server wrote must
    only be readable, as a server spells some values otherwise than DuckDB. Raise PolicyError when a
    column of bounds would have to become text.
    """
    doubtful = [
        number
        for number, column in enumerate(export.columns)
        if isinstance(column, ExportedColumn)
        and column.form in ("text", "moment")
        and not column_types.is_sure(column.type)
    ]
    if not doubtful:
        return export
    misfits = reader.query(
        "engines/duckdb/misfits",
        doubtful=doubtful,
        spelled=export.relation is None,
        **rows_of(export),
    )[0]
    unsuited = {number for number, count in zip(doubtful, misfits, strict=True) if count}
    for number in sorted(unsuited):
        _require_no_bound(export.columns[number])
    columns = [
        replace(column, type=TEXT) if number in unsuited else column
        for number, column in enumerate(export.columns)
    ]
    return replace(export, columns=columns)


def _require_no_bound(column: Column) -> None:
    if column.bound:
        raise PolicyError.at(
            f"columns.{column.name[:-3]}",
            f"bounds of its values do not fit {column.type}, and a bound cannot be text.",
            "Set `release.bounds: false`, or cast the column to VARCHAR in a view.",
        )


Spelling = Literal["text", "moment", "bytes", "number", "output"]
_ALIKE = ("VARCHAR", "UUID", "TIME")
_MOMENTS = ("DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE")


@dataclass(frozen=True)
class Written:
    """A column whose values can be spelled the same way by sender and receiver, and how: ``text``
    as it is, ``moment`` and ``number`` in one format for all engines, ``bytes`` by their digest,
    ``output`` as PostgreSQL prints types that are text elsewhere."""

    name: str
    spelling: Spelling


def content(
    engine: Engine, relation: Relation, columns: Sequence[Column], sender: Engine
) -> tuple[int, ...]:
    """Return the checksums of a table, the same on every engine and for any order of rows: the
    number of rows, of values in each column, and three sums of digits of the rows' MD5 over the
    columns, by their text. ``columns`` have the types that they had with the ``sender``."""
    spelled = [(column.name, _spelling(column, sender)) for column in columns]
    written = [Written(name, spelling) for name, spelling in spelled if spelling is not None]
    rows = engine.query("verification/content", table=relation, columns=columns, written=written)
    return tuple(int(value) for value in rows[0])


def _spelling(column: Column, sender: Engine) -> Spelling | None:
    """Return how both sides spell a column's values; None if they cannot: floating point and nested
    values of Spark, which its files keep unchanged, and types that some databases write in their
    own way."""
    if sender.spells == "few":
        return "text" if column.kind in ("integer", "text", "date") else None
    if column.kind in ("integer", "boolean", "decimal") or column.type in _ALIKE:
        return "text"
    if column.type == "BLOB":
        return "bytes"
    if sender.spells == "files":
        return "text" if column.type == "DATE" else None
    if column.type in _MOMENTS:
        return "moment"
    return "number" if column.kind == "float" else "output"
