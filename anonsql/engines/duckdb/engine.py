"""DuckDB as the data plane: source attached read-only, scratch in memory (spilling to a private
folder)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from anonsql.engines import contents
from anonsql.engines.attached import AttachingEngine
from anonsql.engines.base import (
    Column,
    Context,
    Engine,
    Export,
    FoundSource,
    Key,
    Relation,
    own_templates,
)
from anonsql.engines.column_types import FileKind
from anonsql.engines.contents import Item
from anonsql.engines.duckdb import source_tables
from anonsql.engines.duckdb.session import DuckDBSession, columnwise
from anonsql.engines.exported_columns import ExportedColumn, in_parquet, rows_of
from anonsql.errors import (
    BusyError,
    PolicyError,
    ResourceError,
    SqlError,
    VerificationError,
)
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import Location
from anonsql.policy.source import Source
from anonsql.sql.dialects import Dialect
from anonsql.system import database_files
from anonsql.system.journal import Plane


def settings_of(settings: EngineSettings, spill: Path) -> dict[str, str]:
    """Return DuckDB's settings for the limits of a run; spilled data is plaintext, so it goes to a
    private folder."""
    spill.mkdir(exist_ok=True)
    options = {"temp_directory": str(spill)}
    if settings.memory_limit:
        options["memory_limit"] = settings.memory_limit
    if settings.threads:
        options["threads"] = str(settings.threads)
    return options


class DuckDBEngine(DuckDBSession, AttachingEngine):
    """One run's data plane over the source at ``place``."""

    dialect: Dialect = "duckdb"
    own = own_templates("duckdb")
    embedded = True
    keeps_view_text = True
    default_schema = "main"
    takes: Literal["parquet", "csv"] = "parquet"

    def __init__(self, location: Location, context: Context, plane: Plane = "data") -> None:
        Engine.__init__(self, location, context)
        limits = settings_of(context.settings, context.workspace / "spill")
        DuckDBSession.__init__(self, None, context.journal, plane, limits)
        if context.confined is not None:
            release = dict.fromkeys(map(str, (context.confined, context.confined.resolve())))
            paths = [f"{path}{log}" for path in release for log in ("", ".wal")]
            self.run("engines/duckdb/confined_files", paths=paths)
            self.run("engines/duckdb/confined_folders", folders=[*release, str(context.workspace)])
            self.run("engines/duckdb/confined")
        self.watched: list[database_files.Signature] = []
        self.reads_more = False  # a view or a query may go by more than files: by the day
        self._attached: dict[str, Path] = {}
        self._objects: dict[database_files.Signature, Sequence[Item]] = {}
        self._listed: dict[str, list[tuple[Any, ...]]] = {}
        self._described: dict[Relation, list[Column]] = {}

    @contextmanager
    def within_memory(self, memory: str | None) -> Iterator[None]:
        """Use no more than so much memory meanwhile, where that is possible."""
        with suppress(ResourceError):  # what cannot be written to disk stays
            self._limit_memory(memory)
        try:
            yield
        finally:
            self._limit_memory(self._context.settings.memory_limit)

    def _limit_memory(self, memory: str | None) -> None:
        if memory is not None:
            self.run("engines/duckdb/memory", limit=memory)

    # source

    def _open(self, source: Source, location: Location, name: str, where: str) -> Relation:
        """Find a table of the source's file, which is attached once; attach another file, load the
        CSV file or the query's rows, or make a view of the Parquet file."""
        attached = location.path == self._place.path and "source" in self._attached
        if name not in ("source", "population") or (source.table and attached):
            return self._find(location.path, "source", source.table or "", where)
        return source_tables.make(self, source, location.path, name, where.rpartition(".")[0])

    def _as_said(self, relation: Relation, source: Source, where: str) -> Relation:
        """Files are mended on their way in, before their values get types."""
        return super()._as_said(relation, source, where) if source.file is None else relation

    def find_source(self, source: Source) -> FoundSource:
        return source_tables.find(self, source, self._place.path)

    def beside(self, relation: Relation) -> list[str]:
        return [name for inside, name, _ in self._tables(relation[0]) if inside == relation[1]]

    def attach(self, path: Path, name: str, where: str) -> None:
        """Attach a DuckDB file read-only; raise PolicyError at ``where`` when it is not one."""
        try:
            self.run("engines/duckdb/attach", path=str(path), name=name)
            self._attached[name] = path
        except SqlError as error:
            remedy = (
                "Name a DuckDB database file."
                if where != "source.database"
                else "For CSV and Parquet use `file:`."
            )
            raise PolicyError.at(
                where, f"{path} cannot be opened: {error.reason}.", remedy
            ) from None

    def attach_table(self, path: Path, database: str, table: str, where: str) -> Relation:
        """Attach a DuckDB file read-only under the name ``database`` and find one of its tables or
        views."""
        self.attach(path, database, f"{where}.database")
        return self._find(path, database, table, f"{where}.table")

    def _find(self, path: Path, database: str, table: str, where: str) -> Relation:
        for schema, name, view in sorted(self._tables(database), key=lambda row: row[0] != "main"):
            if table in (name if schema == "main" else None, f"{schema}.{name}"):
                self.reads_more = self.reads_more or view
                return (database, schema, name)
        known = self.tables(database)
        raise self._no_table(table, where, path, known)

    def columns(self, relation: Relation) -> list[Column]:
        if relation not in self._described:
            rows = self.query("engines/duckdb/describe", relation=relation)
            columns = [Column(name, kind) for name, kind, *_ in rows]
            if len(relation) == 1 or relation[0] not in self._attached:
                return columns
            self._described[relation] = columns
        return list(self._described[relation])

    def _keys(self, relation: Relation) -> list[Key]:
        if len(relation) == 1:
            return []
        rows = self.query("engines/duckdb/keys", relation=relation)
        own = (
            {column.name.lower(): column.name for column in self.columns(relation)} if rows else {}
        )
        return [
            Key(
                kind,
                tuple(own.get(name.lower(), name) for name in names),
                other if schema == "main" else f"{schema}.{other}",
                (schema, other),
            )
            for kind, names, schema, other in rows
        ]

    def tables(self, database: str) -> list[str]:
        """Return the tables and views of an attached database; ``schema.name`` outside its main
        schema."""
        rows = self._tables(database)
        return [name if inside == "main" else f"{inside}.{name}" for inside, name, _ in rows]

    def _tables(self, database: str) -> list[tuple[Any, ...]]:
        """Return schema and name of the tables of a database, and whether they are views: attached
        databases are only read, and never change."""
        if database not in self._listed:
            rows = self.query("engines/duckdb/tables", database=database)
            if database not in self._attached:
                return rows
            self._listed[database] = rows
        return self._listed[database]

    def detach(self, name: str) -> None:
        self.run("engines/duckdb/detach", name=name)
        self._attached.pop(name, None)
        self._listed.pop(name, None)
        self._described = {one: own for one, own in self._described.items() if one[0] != name}

    def _items(self, database: str) -> Sequence[Item]:
        """Return everything that an attached database holds. Of a file that is as it was when it
        was looked into before, that is known."""
        path = self._attached.get(database)
        now = None if path is None else database_files.signature(path)
        if now is None or now not in self._objects:
            items = [
                Item(kind, name, detail="" if main else "another schema")
                for kind, main, name in self.query("engines/duckdb/objects", database=database)
            ]
            if now is None:
                return items
            self._objects[now] = items
        return self._objects[now]

    def require_plain(self, relations: Sequence[Relation], _where: str) -> None:
        """Raise VerificationError when a published table is a view, or its file has macros: a view
        calls the macros of its file as functions, and may read any file of this machine. Each file
        is examined once, as DuckDB lists macros slowly."""
        inside = [relation for relation in relations if len(relation) == 3]
        views = {f"view {relation[-1]}" for relation in inside}
        code = [
            words
            for database in dict.fromkeys(relation[0] for relation in inside)
            for words in self.unexpected_objects(database, [], [])
            if words in views or words.startswith("macro ")
        ]
        if code:
            raise VerificationError([contents.refusal(code)])

    def require_unchanged(self) -> None:
        """Raise BusyError when a file of the source or population has gone or changed since it was
        opened."""
        if any(database_files.changed(signature) for signature in self.watched):
            raise BusyError(
                "The source file changed during the run, or was removed. Nothing was published;"
                " run again."
            )

    def files(self) -> Sequence[database_files.Signature] | None:
        """Return the files that the source and the population consist of; see the base class."""
        return None if self.reads_more else self.watched

    # statements

    def load(
        self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]]
    ) -> None:
        values = columnwise(rows) or [[] for _ in columns]
        self.query("engines/duckdb/load", values, table=table, columns=columns)

    def drop(self, *tables: str) -> None:
        if there := self._made.intersection(tables):
            self._made -= there
            self.run("engines/duckdb/drop", tables=sorted(there))

    def carry(
        self,
        table: str,
        columns: Sequence[Column],
        file: Path,
        kind: Literal["parquet", "csv"] | None = None,
    ) -> Export:
        path = file.with_suffix(f".{kind or self.takes}")
        shared = {"table": table, "columns": columns, "format": kind or self.takes}
        self.run("engines/duckdb/carry", path=str(path), **shared)
        travelling = [
            ExportedColumn(column.name, column.type, bound=column.bound) for column in columns
        ]
        return Export([path], kind or self.takes, travelling, None)

    def receive(self, table: str, carried: Export) -> None:
        self.run("engines/duckdb/received", table=table, **rows_of(carried))
        for path in carried.paths if carried.format == "csv" else ():
            path.unlink()

    def export(
        self,
        template: str,
        columns: Sequence[Column],
        file: Path,
        kind: FileKind = "duckdb",
        **parameters: Any,
    ) -> Export:
        """Write the rows of a template to a Parquet file; the finished release is read by this
        engine itself."""
        path, travelling = file.with_suffix(".parquet"), in_parquet(columns, kind)
        shared = {**parameters, "columns": travelling, "path": str(path)}
        self.run("engines/duckdb/copy", select=template, **shared)
        return Export([path], "parquet", travelling, None)
