"""Spark as the data plane: a session of its own on a local master, a cluster, or a Spark Connect
server.

Scratch tables are real tables in a database of their own, so that each is computed once, under a
view that has their name; only rows that come from Python are views alone.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from anonsql.engines import column_types
from anonsql.engines.base import Column, Context, Export, Relation, own_templates
from anonsql.engines.column_types import FileKind
from anonsql.engines.exported_columns import ExportedColumn, as_text, in_parquet, write_csv
from anonsql.engines.server import ServerEngine
from anonsql.engines.spark.session import (
    JAVA_ERRORS,
    as_json,
    connection_error,
    divide_shuffles,
    error_of,
    one_text,
    open_session,
)
from anonsql.errors import AnonsqlError, BusyError, PolicyError, SqlError
from anonsql.policy.locations import PARQUET, Location
from anonsql.policy.source import Source
from anonsql.sql import templates
from anonsql.sql.dialects import Dialect
from anonsql.sql.templates import backquoted
from anonsql.sql.translation import type_name
from anonsql.system.journal import Statement

_CREATED = re.compile(r"CREATE TABLE `(?P<name>(?:[^`]|``)+)`\s")
_VALUES_AT_MOST = 2000
_LEFT_AT_MOST = 16
"""The scratch tables that are left until the end when nothing needs them any more."""
_TYPES = {
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "VARCHAR",
    "array<string>": "VARCHAR[]",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
    "binary": "BLOB",
}
_DRAWN = "drawn_rows"
_NOT_COMPARABLE = ("map", "variant")


def _size_of(files: Sequence[str]) -> int:
    paths = [Path(unquote(urlsplit(file).path)) for file in files]
    return sum(path.stat().st_size for path in paths if path.is_file())


class SparkEngine(ServerEngine):
    """One run's data plane in the Spark at ``place``."""

    dialect: Dialect = "spark"
    leaving = "engines/spark/texts"
    spells = "files"
    own = own_templates(
        "spark",
        hex_number="engines/spark/hex_number",
        scratch_view="engines/session_view",
        stored_order="",
        without="engines/spark/without",
        view_text="",  # views read other views, whose names change
    )

    failures = (*JAVA_ERRORS, PySparkException, ConnectionError, EOFError)

    def __init__(self, location: Location, context: Context) -> None:
        super().__init__(location, context)
        self._local = location.url.startswith("local[")  # its tables' files are this machine's
        self.takes = "parquet" if self._local else "rows"
        self._spark, self._ours = open_session(location, context)
        self._before = self._spark.catalog.currentDatabase()
        self._folder = context.workspace / "spark"
        self._made: dict[str, str] = {}  # the tables that views show
        self._dropped: list[str] = []
        self._numbers = count(1)
        self._opened: list[Relation] = []
        self._path = ""
        self._watched: list[str] = []

    @property
    def forgets(self) -> bool:
        """Whether its own catalog ends with this run."""
        return (
            self._ours
            and not self._place.url.startswith("sc://")
            and self._spark.conf.get("spark.sql.catalogImplementation") == "in-memory"
        )

    # source

    def _open(self, source: Source, location: Location, name: str, where: str) -> Relation:
        """Find a table, or make a view of a Parquet file or folder. The files of the source, and of
        the tables read next to it, are watched."""
        path = ""
        if source.file is not None:
            path = self._view(source.file, location.path, name)
        relation = (f"{name}_rows",) if path else self.find(source.table or "", where)
        if name == "source":
            self._path, self._opened = path, []
        if name != "population":
            self._opened.append(relation)
            self._watched = self._files()
        if name == "source" and self._local:
            divide_shuffles(self._spark, self._context, _size_of(self._watched))
        return relation

    def beside(self, relation: Relation) -> list[str]:
        return self.names_in(relation[:-1]) or []

    def _view(self, file: str, on_disk: Path, name: str) -> str:
        if on_disk.suffix.lower() not in (*PARQUET, ""):
            where = "source.file" if name == "source" else "privacy.population.file"
            raise PolicyError.at(
                where,
                "Spark can read only Parquet files here.",
                "Convert the file, or leave `database` out.",
            )
        path = file if "://" in file else str(on_disk)
        with self._translated("spark/read"):
            self._spark.read.parquet(path).createOrReplaceTempView(f"{name}_rows")
        return path

    def find(self, table: str, where: str) -> Relation:
        parts = tuple(table.split("."))
        relation = parts if len(parts) > 1 else (self._before, *parts)
        with self._translated("spark/find"):
            if all(parts) and self._spark.catalog.tableExists(backquoted(relation)):
                return relation
            there = len(parts) > 1 and self._spark.catalog.databaseExists(backquoted(parts[:-1]))
        rows = self.query("engines/spark/tables", schema=parts[:-1] if there else ())
        known = [f"{schema}.{name}" for schema, name, own in rows if not own]
        raise self._no_table(table, where, known, "Write tables with their schema: schema.table.")

    def _files(self) -> list[str]:
        with self._translated("spark/files"):
            if self._path:
                return sorted(self._spark.read.parquet(self._path).inputFiles())
            files: list[str] = []
            for relation in self._opened:
                self._spark.catalog.refreshTable(backquoted(relation))
                files += self._table(relation).inputFiles()
            return sorted(files)

    def _table(self, relation: Relation) -> DataFrame:
        return self._spark.table(backquoted(relation))

    def columns(self, relation: Relation) -> list[Column]:
        with self._translated("spark/columns"):
            rows = self._table(relation).dtypes
        return [
            Column(name, _type(type_text), not type_text.startswith(_NOT_COMPARABLE))
            for name, type_text in rows
        ]

    def require_plain(self, relations: Sequence[Relation], where: str) -> None:
        """Do nothing: Spark's own functions take precedence over a catalog's, and releases are
        views here."""

    def require_unchanged(self) -> None:
        """Raise BusyError when the source is read from other files than at the beginning."""
        if not self._watched:  # the source is not open yet, or not read from files
            return
        try:
            texts = self._files()
        except SqlError:  # the files are gone
            texts = []
        if texts != self._watched:
            raise BusyError("The source changed during the run. Nothing was published; run again.")

    # statements

    def run(self, template: str, /, **parameters: Any) -> None:
        self.require_scratch()
        sql = templates.render(template, "spark", **parameters)
        created = _CREATED.match(sql)
        if created is None:
            self._send(template, sql)
            return
        name = created["name"].replace("``", "`")
        table = f"{name}__{next(self._numbers)}"
        head = f"CREATE TABLE {backquoted(table)} "
        self._send(template, head + sql[created.end() :])
        self._made[name] = table
        with self._translated(template, sql):
            self._table((table,)).createOrReplaceTempView(backquoted(name))

    def _send(self, template: str, sql: str) -> list[tuple[Any, ...]]:
        with self._statement(template, sql) as entry:
            rows = [tuple(row) for row in self._spark.sql(sql).collect()]
            entry.rows = len(rows)
        return rows

    def load(
        self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]]
    ) -> None:
        typed = [(name, type_name(kind, "spark")) for name, kind in columns]
        nested = any(kind.endswith("[]") for _, kind in columns)
        if rows and len(rows) <= _VALUES_AT_MOST and not nested:
            with self._translated("spark/load"):
                frame = one_text(self._spark, as_json(rows), "given")
                frame.createOrReplaceTempView(backquoted(_given(table)))
            self.query("engines/spark/values", table=table, columns=typed, given=_given(table))
            return
        schema = ", ".join(f"{backquoted(name)} {kind}" for name, kind in typed)
        with self._statement("spark/load") as entry:
            frame = self._spark.createDataFrame([tuple(row) for row in rows], schema)
            frame.createOrReplaceTempView(backquoted(table))
            entry.rows = len(rows)

    def drop(self, *tables: str) -> None:
        """Remove scratch views. The tables that they show go at the end, or where there are many: a
        statement costs more than the space of a few."""
        for table in tables:
            self._spark.catalog.dropTempView(_given(table))
            self._spark.catalog.dropTempView(table)
            if table in self._made:
                self._dropped.append(self._made.pop(table))
        while len(self._dropped) > _LEFT_AT_MOST:
            self.query("engines/spark/drop", table=(self._scratch, self._dropped.pop(0)))

    def receive(self, table: str, carried: Export) -> None:
        """Make a view of another engine's Parquet files; a table of the name is removed."""
        self.drop(table)
        schema = ", ".join(
            f"{backquoted(column.name)} {type_name(column.type, 'spark')}"
            for column in carried.columns
        )
        with self._translated("spark/receive"):
            reader = self._spark.read.schema(schema).option("datetimeRebaseMode", "CORRECTED")
            frame = reader.parquet(*(_literally(path) for path in carried.paths))
            frame.createOrReplaceTempView(backquoted(table))

    def leave(self, table: str, columns: Sequence[Column], file: Path, kind: FileKind) -> Export:
        """Return the Parquet files of a scratch table on this machine; from elsewhere its rows are
        fetched into a CSV file."""
        if self._local:
            paths = sorted((self._folder / self._made[table]).glob("part-*.parquet"))
            return Export(paths, "parquet", _in_files(columns, kind), (table,), columns)
        return super().leave(table, columns, file, kind)

    def _write(self, path: Path, sql: str, _columns: Sequence[Column], entry: Statement) -> int:
        """Write rows of text to a file, one partition in memory at a time."""
        rows = self._spark.sql(sql).toLocalIterator(prefetchPartitions=False)
        return write_csv(path, entry.counted(rows))

    def _error(self, error: Exception, template: str, sql: str) -> AnonsqlError:
        if isinstance(error, (ConnectionError, EOFError)):
            return connection_error(error, "Spark")
        return error_of(error, template, sql)

    # for the target

    def stage(
        self, table: Relation, template: str, columns: Sequence[Column], **parameters: Any
    ) -> None:
        """Make a table of the rows of a template, in the order of its column
        ``parameters['ordering']``; where that is None, sorted on each machine.

        Columns keep neither comments nor declared lengths of the source.

        Machines get their rows by a hash of their content and sort these, so that the rows are
        computed and written once; ranges would have to be measured first, in another pass. The
        place of a row depends only on its released values: were a machine lost, its rows would get
        the same place when they are computed again.
        """
        if parameters["ordering"] is not None:
            super().stage(table, template, columns, **parameters)
            return
        self.require_scratch()
        sql = templates.render(template, "spark", **parameters)
        with self._translated(template, sql):
            rows = self._spark.sql(sql)
            rows.createOrReplaceTempView(_DRAWN)
        kinds = dict(rows.dtypes)
        types = [(column.name, _plain_type(kinds[column.name])) for column in columns]
        self.run("engines/spark/sorted", table=table, types=types, sorted=columns, rows=_DRAWN)
        self._spark.catalog.dropTempView(_DRAWN)

    @property
    def trial_schema(self) -> str:
        """The scratch database: a release is staged in its final place."""
        return self.require_scratch()

    def names_in(self, schema: Relation) -> list[str] | None:
        """Return the tables and views of a schema; None when there is no such schema."""
        with self._translated("spark/names_in"):
            if not self._spark.catalog.databaseExists(backquoted(schema)):
                return None
        return [
            name for _, name, own in self.query("engines/spark/tables", schema=schema) if not own
        ]

    def is_view(self, relation: Relation) -> bool:
        """Return whether a relation of a schema is a view."""
        with self._translated("spark/is_view"):
            return self._spark.catalog.getTable(backquoted(relation)).tableType == "VIEW"

    def odd_columns(self, relation: Relation) -> list[str]:
        """Return the columns of a table or view with a type that no release has, or with further
        properties in the catalog: comments, declared lengths or others."""
        with self._translated("spark/odd_columns"):
            fields = self._table(relation).schema.fields
        return [
            field.name
            for field in fields
            if field.metadata or not column_types.is_plain(_type(field.dataType.simpleString()))
        ]

    def interrupt(self) -> None:
        self._spark.interruptAll()

    def close(self) -> None:
        """Remove scratch; end the session, and Spark itself where this run started it."""
        try:
            if self._scratch:
                self.query("engines/spark/drop_schema", schema=self._scratch)
        except (AnonsqlError, PySparkException):
            pass  # Spark is gone; the next run on this release removes what is left
        finally:
            if self._ours:
                self._spark.stop()

    def _make_scratch(self) -> str:
        """Make the scratch database; leftovers of an earlier run on this release are removed."""
        owner = self._context.release or secrets.token_hex(16)
        scratch = f"anonsql_{hashlib.sha256(owner.encode()).hexdigest()[:16]}"
        with self._translated("spark/scratch"):
            there = self._spark.catalog.databaseExists(backquoted(scratch))
        if there:
            self.query("engines/spark/drop_schema", schema=scratch)
        location = self._folder.as_uri() if self._local else None
        self.query("engines/spark/create_schema", schema=scratch, location=location)
        with self._translated("spark/scratch"):
            self._spark.catalog.setCurrentDatabase(scratch)
        return scratch


def _in_files(columns: Sequence[Column], kind: FileKind) -> list[ExportedColumn]:
    """Return columns as Spark's own Parquet files hold them; nested types and types that DuckDB
    lacks become text."""
    known = [
        column.type in ("VARCHAR[]", column_types.of_server(column.type)) for column in columns
    ]
    texts, plain = as_text(columns), in_parquet(columns, kind)
    return [plain[n] if is_known else texts[n] for n, is_known in enumerate(known)]


def _literally(path: Path) -> str:
    """Return a file of this machine as Spark reads it and no other: its characters are no
    pattern."""
    return "file:" + re.sub(r"([\\*?{}\[\]])", r"\\\1", str(path))


def _given(table: str) -> str:
    return f"{table}_given"


def _plain_type(kind: str) -> str | None:
    """Return the type of Spark that a column gets in a release: text where a release has no such
    type, or one of a declared length; None where it stays as it is, nested."""
    if kind.startswith(("varchar(", "char(")) or not column_types.is_plain(_type(kind)):
        return "string"
    return None if "<" in kind else kind


def _type(type_text: str) -> str:
    """Return a type in DuckDB's spelling; one that DuckDB lacks keeps Spark's, in capitals."""
    if type_text in _TYPES:
        return _TYPES[type_text]
    if type_text.startswith("decimal("):
        return type_text.upper()
    return "VARCHAR" if type_text.startswith(("varchar(", "char(")) else type_text.upper()
