"""The source as a relation of DuckDB: an attached table, a table in scratch of a CSV file or of a
query's rows, or a view of a Parquet file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from anonsql.engines import mending
from anonsql.engines.base import Column, FoundSource, Relation
from anonsql.engines.duckdb import csv_findings, csv_reader, source_files
from anonsql.errors import InvariantError, PolicyError, Problem, SqlError
from anonsql.grammar.literals import UnsupportedError
from anonsql.policy.source import Source, SourceColumn
from anonsql.sql.templates import SelectQuery
from anonsql.system import database_files, encodings
from anonsql.system.numbers import counted

if TYPE_CHECKING:
    from anonsql.engines.duckdb.engine import DuckDBEngine


def make(engine: DuckDBEngine, source: Source, path: Path, name: str, where: str) -> Relation:
    """Make a table or file readable and return its relation; the attached database, the view or
    the loaded table is called after ``name``."""
    database_files.require_readable(path, f"{where}.file" if source.file else f"{where}.database")
    if source.file is None:
        engine.watched.append(database_files.signature(path))
        if source.query is not None:
            return _ask(engine, source.query, path, name, where)
        if source.table is None:
            raise InvariantError("a database is given without a table")
        return engine.attach_table(path, name, source.table, where)
    engine.watched.append(database_files.signature(path))
    if source_files.kind_of(path, source, f"{where}.file") == "parquet":
        if source.of_csv:
            at = f"{where}.{source.of_csv[0]}"
            text = "this is for CSV files, and the file is Parquet."
            remedy = (
                "Leave it out, or convert values in a view of a DuckDB file and name that view."
            )
            raise PolicyError.at(at, text, remedy)
        found = engine.query("engines/duckdb/parquet_names", path=str(path))
        names = [column for (column,) in found]
        source_files.require_distinct(names)
        source = source.for_columns(names, where)
        return _view_parquet(engine, source, path, name, where)
    csv_reader.take_in(engine, source, path, name, where)
    return (f"{name}_rows",)


def find(engine: DuckDBEngine, source: Source, path: Path) -> FoundSource:
    """Return the source completed by the format that its CSV file shows."""
    if source.file is None:
        return FoundSource(source)
    database_files.require_readable(path, "source.file")
    if source_files.kind_of(path, source, "source.file") == "parquet":
        return FoundSource(source)
    found = source.encoding or encodings.encoding_of(encodings.blocks(path), path, "source.file")
    known = source.model_copy(update={"encoding": None if found == "utf-8" else found})
    return csv_findings.find(engine, known, path)


def _ask(engine: DuckDBEngine, text: str, path: Path, name: str, where: str) -> Relation:
    """Read a query's rows from a DuckDB file into scratch, once: its result may differ the next
    time. Raise PolicyError if it does more than read, or fails."""
    from anonsql.grammar import selects  # with sqlglot, which takes long to load

    try:
        query = SelectQuery(selects.read(text, name))
    except UnsupportedError as error:
        raise PolicyError.at(
            f"{where}.query", f"{error}.", "Give one SELECT over tables and views of the file."
        ) from None
    engine.attach(path, name, f"{where}.database")
    engine.reads_more = True
    try:
        engine.run("engines/duckdb/from_query", table=f"{name}_rows", query=query)
    except SqlError as error:
        engine.require_unchanged()
        remedy = "Test the query in a client of DuckDB on the file."
        raise PolicyError.at(f"{where}.query", f"it fails: {error.reason}.", remedy) from None
    return (f"{name}_rows",)


def _view_parquet(
    engine: DuckDBEngine, source: Source, path: Path, name: str, where: str
) -> Relation:
    """Make a view of a Parquet file, with its values mended, then with the types that the policy
    gives."""
    rows, types = (f"{name}_rows",), {n: each for n, each in source.columns.items() if each.sql}
    plain = (f"{name}_file",) if types else rows
    engine.run("engines/duckdb/parquet_view", path=str(path), name=plain)
    file = mending.view(engine, plain, source, where) if source.mends else plain
    if not types:
        return file
    columns = _given_types(engine, types, file)
    engine.run("engines/duckdb/typed_view", file=file, name=rows, columns=columns)
    return rows


def _given_types(
    engine: DuckDBEngine, types: Mapping[str, SourceColumn], table: Relation
) -> list[Column]:
    """Return the columns of a file whose types the policy gives. Raise PolicyError where a value is
    of another type."""
    columns = [Column(name, each.sql or "") for name, each in types.items()]
    counts = engine.query("engines/duckdb/uncast", table=table, columns=columns)[0]
    problems = [
        Problem(
            f"source.columns.{column.name}.type",
            f"{counted(count, 'row')} of the file cannot be read as {types[column.name].type}.",
            "Name a type that all values have, or correct these values.",
        )
        for column, count in zip(columns, counts, strict=True)
        if count
    ]
    if problems:
        raise PolicyError(problems)
    return columns
