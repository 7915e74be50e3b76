"""Databases as the data plane by SQLAlchemy: the common part of their engines.

Statements are those of the templates, translated by sqlglot and executed by SQLAlchemy Core, on a
connection without implicit transactions.
"""

from __future__ import annotations

import datetime as dt
import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import sqlalchemy
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    InterfaceError,
    NoSuchModuleError,
    OperationalError,
    PendingRollbackError,
    ResourceClosedError,
)

from anonsql.engines.base import Column, Context, Export, Key, Relation
from anonsql.engines.errors import lost_connection, unnamed
from anonsql.engines.exported_columns import write_csv
from anonsql.engines.server import SeparateEngine
from anonsql.errors import (
    AnonsqlError,
    BusyError,
    InvariantError,
    PolicyError,
    ResourceError,
    SqlError,
)
from anonsql.policy.databases import of_several_tables
from anonsql.policy.locations import Location
from anonsql.policy.source import Source
from anonsql.system.journal import Statement

FAILURES = (DBAPIError, PendingRollbackError, ResourceClosedError)
_FULL = re.compile(
    r"disk (is )?full|no space left|out of memory|table .* is full|disk quota|errno: 28", re.I
)
_UNWRITTEN = re.compile(r"disk i/o error", re.I)
_LOCKED = re.compile(
    r"database( table| schema)? is locked|lock wait timeout|deadlock found|lock request", re.I
)
_LOST = re.compile(
    r"gone away|lost connection|server has gone|connection was killed|broken pipe|not connected"
    r"|connection reset|server shutdown|closed connection|interface error",
    re.I,
)
_DENIED = re.compile(
    r"access denied|command denied|permission denied|not authorized|readonly|read-only", re.I
)
_NAMES_ONLY = re.compile(r"no such (table|column|function)|syntax error|near \"", re.I)
Fault = Literal["lost", "locked", "full", "names"]
"""What went wrong: the connection was lost, a lock was not to be had, there is no space; or the
message quotes names and never values."""
_PLAIN = {"no_parameters": True}
_AT_ONCE = 10_000
"""The rows that are fetched at a time on their way to a file, or bound to a statement."""


@dataclass(frozen=True)
class Driver:
    """A driver of a server: its ``name`` in SQLAlchemy, the ``title`` of the servers of its URLs
    with an ``example``, and how a connection is ``opened``, where that is not as usual."""

    name: str
    title: str
    example: str
    opened: Callable[..., Any] | None = None

    def connect(self, location: Location, **arguments: Any) -> sqlalchemy.Connection:
        """Return a connection without implicit transactions, whose messages show no values: raise
        PolicyError if the URL is not for this driver, and the driver's own errors."""
        try:
            engine = sqlalchemy.create_engine(
                sqlalchemy.make_url(location.url).set(drivername=self.name),
                poolclass=sqlalchemy.NullPool,
                isolation_level="AUTOCOMMIT",
                hide_parameters=True,
                connect_args={"connect_timeout": 15, **arguments},
            )
            if self.opened is not None:
                sqlalchemy.event.listen(engine, "do_connect", self.opened)
            return engine.connect()
        except (ArgumentError, NoSuchModuleError, ValueError, TypeError):
            text = f"{self.title} does not understand this URL."
            raise PolicyError.at("source.database", text, f"E.g. {self.example}.") from None


class SQLAlchemyEngine(SeparateEngine):
    """One run's data plane in the database at ``place``. All of a run sees one state of the
    source, or else the engine compares it at the end."""

    failures: tuple[type[Exception], ...] = FAILURES
    codes: Mapping[int, Fault] = {}
    """The numbers of the database's errors."""

    def __init__(
        self, location: Location, context: Context, connection: sqlalchemy.Connection
    ) -> None:
        super().__init__(location, context)
        self._connection = connection

    def require_unchanged(self) -> None:
        """Do nothing: the transaction sees one state of the source."""

    def _send(self, template: str, sql: str) -> list[tuple[Any, ...]]:
        with self._statement(template, sql) as entry:
            result = self._connection.exec_driver_sql(sql, execution_options=_PLAIN)
            rows = [tuple(row) for row in result] if result.returns_rows else []
            entry.rows = len(rows) or max(0, result.rowcount)
        return rows

    def close(self) -> None:
        self._connection.close()
        self._connection.engine.dispose()

    def _error(self, error: Exception, template: str, sql: str) -> AnonsqlError:
        return error_of(error, template, sql, self.codes)


class SourceViewEngine(SQLAlchemyEngine):
    """A database that releases one table at a time, which is read through a view that evens out
    types. Rows come and go by Python."""

    folder: str
    """Where the database's own templates are."""
    searchable = False
    spells = "few"
    leaving = "engines/sqlalchemy_engine/rows"
    takes: Literal["rows"] = "rows"

    def __init__(
        self, location: Location, context: Context, connection: sqlalchemy.Connection
    ) -> None:
        super().__init__(location, context, connection)
        self._views: dict[Relation, tuple[Relation, list[Column]]] = {}

    # what databases differ in

    @abstractmethod
    def type_name(self, kind: str) -> str:
        """Return the database's name of a type of DuckDB's."""

    def bound(self, value: object) -> object:
        """Return a value of Python's as the driver takes it."""
        return value

    @abstractmethod
    def _columns(self, relation: Relation) -> list[Column]:
        """Return the columns of a relation that is no view of this engine."""

    # source

    def columns(self, relation: Relation) -> list[Column]:
        return self._views[relation][1] if relation in self._views else self._columns(relation)

    def open_beside(self, source: Source, where: str) -> Relation:
        """Raise PolicyError: several tables are released elsewhere."""
        raise self._of_one_table(where)

    def beside(self, relation: Relation) -> list[str]:
        """Raise PolicyError: several tables are released elsewhere."""
        raise self._of_one_table("DATABASE")

    def _of_one_table(self, where: str) -> PolicyError:
        text = f"{self._place} is a database from which only one table at a time can be released."
        return PolicyError.at(
            where, text, f"Several tables can be released from {of_several_tables()}."
        )

    def _keys(self, relation: Relation) -> list[Key]:
        """Return the keys that the database declares of a table: its own, and its references to
        others."""
        while relation in self._views:
            relation = self._views[relation][0]
        inspector = sqlalchemy.inspect(self._connection)
        schema, name = relation[0] if len(relation) > 1 else None, relation[-1]
        with self._translated("sqlalchemy_engine/keys"):
            primary = inspector.get_pk_constraint(name, schema)["constrained_columns"]
            unique = [
                tuple(constraint["column_names"])
                for constraint in inspector.get_unique_constraints(name, schema)
            ]
            unique += [
                tuple(name for name in index["column_names"] if name is not None)
                for index in inspector.get_indexes(name, schema)
                if index["unique"] and None not in index["column_names"]
            ]
            foreign = inspector.get_foreign_keys(name, schema)
        result = [Key("primary", tuple(primary))] if primary else []
        result += [Key("unique", names) for names in dict.fromkeys(unique)]
        return result + [
            Key("refers", tuple(row["constrained_columns"]), row["referred_table"])
            for row in foreign
        ]

    def _declared(self, relation: Relation) -> list[tuple[str, sqlalchemy.types.TypeEngine[Any]]]:
        with self._translated("sqlalchemy_engine/columns"):
            inspector = sqlalchemy.inspect(self._connection)
            rows = inspector.get_columns(relation[-1], relation[0])
        return [(row["name"], row["type"]) for row in rows]

    # scratch

    def load(
        self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]]
    ) -> None:
        self.drop(table)
        self.create((table,), columns)
        self._insert(table, [name for name, _ in columns], rows)

    def drop(self, *tables: str) -> None:
        for table in tables:
            self.query("engines/sqlalchemy_engine/drop", table=table)

    def receive(self, table: str, carried: Export) -> None:
        """Raise InvariantError: tables of other engines arrive as rows."""
        raise InvariantError(f"the table {table} was copied to a database that takes rows")

    def create(self, table: Relation, columns: Sequence[tuple[str, str]]) -> None:
        """Make an empty table."""
        typed = [(name, self.type_name(kind)) for name, kind in columns]
        self.query(f"{self.folder}/create", table=table, columns=typed)

    def _insert(self, table: str, names: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        if not rows:
            return
        columns: list[sqlalchemy.ColumnClause[Any]] = [sqlalchemy.column(name) for name in names]
        marks: dict[Any, Any] = {
            column: sqlalchemy.bindparam(f"p{position}") for position, column in enumerate(columns)
        }
        insert = sqlalchemy.table(table, *columns).insert().values(marks)
        with self._statement("sqlalchemy_engine/insert") as entry:
            for first in range(0, len(rows), _AT_ONCE):
                entry.moved(first, len(rows), "rows")
                some = rows[first : first + _AT_ONCE]
                bound = [{f"p{n}": self.bound(cell) for n, cell in enumerate(row)} for row in some]
                self._connection.execute(insert, bound)
            entry.rows = len(rows)

    def _write(self, path: Path, sql: str, columns: Sequence[Column], entry: Statement) -> int:
        options = {**_PLAIN, "stream_results": True, "yield_per": _AT_ONCE}
        flags = [column.kind == "boolean" for column in columns]
        rows = self._connection.exec_driver_sql(sql, execution_options=options)
        return write_csv(path, (map(_text, row, flags) for row in entry.counted(rows)))


def _text(value: Any, flag: bool) -> str | None:
    if value is None:
        return None
    if flag:
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float):
        return repr(value)
    return value.isoformat(sep=" ") if isinstance(value, dt.datetime) else str(value)


def error_of(error: Exception, template: str, sql: str, codes: Mapping[int, Fault]) -> AnonsqlError:
    """Return anonsql's error (:mod:`anonsql.errors`) for an exception of SQLAlchemy, of a database
    with numbered errors (``codes``). A message that may quote data goes into ``detail``, which is
    not printed."""
    original = error.orig if isinstance(error, DBAPIError) else error
    arguments: tuple[object, ...] = getattr(original, "args", ())
    code = arguments[0] if arguments and isinstance(arguments[0], int) else 0
    text = str(arguments[1] if code and len(arguments) > 1 else original).strip()
    fault = codes.get(code)
    lost = isinstance(error, (PendingRollbackError, ResourceClosedError, InterfaceError))
    if lost or fault == "lost" or getattr(error, "connection_invalidated", False):
        return lost_connection("the database")
    operational = isinstance(error, OperationalError)
    if operational and _LOST.search(text):
        return lost_connection("the database")
    if fault == "locked" or (operational and _LOCKED.search(text)):
        return BusyError(
            "The database could not get a lock because another process holds it. Wait until it"
            " has finished, then run again."
        )
    if fault == "full" or _FULL.search(text):
        reason = "the database's disk or memory is full. Free some space and run again"
        return ResourceError(template, reason, sql, text)
    if _UNWRITTEN.search(text):
        reason = "a file of the database cannot be written or read: the disk is full, a size limit"
        return ResourceError(template, f"{reason} was reached, or the file is damaged", sql, text)
    if fault == "names" or (not code and (_NAMES_ONLY.search(text) or _DENIED.search(text))):
        first = text.splitlines()[0] if text else type(original).__name__
        remedy = ". Ask the owner for the privilege" if _DENIED.search(text) else ""
        return SqlError(template, f"{first}{remedy}", sql, text)
    return SqlError(template, unnamed(original, f" {code}" if code else ""), sql, text)
