"""SQLite as the data plane: a scratch file of the run's own is the main database, to which source
and releases are attached.

One transaction reads the source, so all of a run sees it as it was when it began. The source is
attached read-only, and read through a view of the session that evens out SQLite's differences:
columns hold values of any type, and may compare text without case.
"""

from __future__ import annotations

import datetime as dt
import os
import secrets
import sqlite3
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy
from sqlalchemy import types
from sqlalchemy.exc import DBAPIError

from anonsql.engines import contents
from anonsql.engines.attached import AttachingEngine
from anonsql.engines.base import Column, Context, Relation, own_templates
from anonsql.engines.contents import Item
from anonsql.engines.sqlalchemy_engine.engine import SourceViewEngine
from anonsql.engines.sqlite import functions
from anonsql.errors import AnonsqlError, BusyError, InvariantError, PolicyError, VerificationError
from anonsql.policy.locations import Location
from anonsql.policy.source import Source
from anonsql.sql import templates
from anonsql.sql.dialects import Dialect
from anonsql.system import database_files

_DECLARED: tuple[tuple[type[types.TypeEngine[Any]], str], ...] = (
    (types.Boolean, "BOOLEAN"),
    (types.DateTime, "TIMESTAMP"),
    (types.Date, "DATE"),
    (types.BigInteger, "BIGINT"),
    (types.Integer, "INTEGER"),
    (types.Float, "DOUBLE"),
    (types.Numeric, "DOUBLE"),
    (types.LargeBinary, "BLOB"),
    (types.String, "VARCHAR"),
    (types.Time, "VARCHAR"),
)
"""DuckDB's names of declared types, the first that fits. SQLite holds decimals as floating
point."""
DECLARED = frozenset({"", *(name for _, name in _DECLARED)})
"""The types that tables of a release can declare; none where values are of several types."""
_STORED = ("integer", "real", "text", "blob")
_KINDS = {"integer": "BIGINT", "real": "DOUBLE", "text": "VARCHAR", "blob": "BLOB"}


class SQLiteEngine(SourceViewEngine, AttachingEngine):
    """One run's data plane over the SQLite file at ``place``."""

    dialect: Dialect = "sqlite"
    folder = "engines/sqlite"
    strict_types = False
    decimal_type = "DOUBLE"  # it has no decimals
    keeps_view_text = True
    own = own_templates(
        "sqlite",
        hex_number="engines/sqlite/hex_number",
        domains="engines/sqlalchemy_engine/domains",
        keyed_hash="engines/sqlite/keyed_hash",
        scratch_view="engines/session_view",
    )

    def __init__(self, location: Location, context: Context) -> None:
        file = context.workspace / f"scratch-{secrets.token_hex(4)}.sqlite"
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
        super().__init__(location, context, _connect(file))
        for name in ("quiet", "fast", "careful", "memory", "like"):
            self.query("engines/sqlite/setting", setting=name)
        self._in_transaction = False

    @property
    def _driver(self) -> sqlite3.Connection:
        driver = self._connection.connection.driver_connection
        if not isinstance(driver, sqlite3.Connection):
            raise InvariantError("SQLite's connection is not that of Python's driver")
        return driver

    # source

    def _open(self, source: Source, location: Location, name: str, where: str) -> Relation:
        """Attach the file read-only, and make the view that the table is read through; the
        population may be another table of the source's file."""
        table, path = source.table or "", location.path
        schema = "source" if path == self._place.path and self.attached("source") else name
        if not self.attached(schema):
            self.attach(path, schema, where.removesuffix("table") + "database")
        self._begin()
        known = self.tables(schema)
        if table not in known:
            raise self._no_table(table, where, path, known)
        view, shown = ("temp", f"{name}_rows"), (schema, table)
        columns = self._examined(shown)
        self.query("engines/sqlite/source", view=view[-1], table=shown, columns=columns)
        self._views[view] = (shown, columns)
        return view

    def _begin(self) -> None:
        if not self._in_transaction:
            self.query("engines/sqlite/begin")
            self._in_transaction = True

    def _examined(self, table: Relation) -> list[Column]:
        declared = self.columns(table)
        counts = self.query("engines/sqlite/stored", table=table, columns=declared)
        facts = iter(counts[0])
        made = []
        for column in declared:
            stored = {kind for kind in _STORED if next(facts)}
            odd = next(facts)
            known = "BIGINT" if column.kind == "integer" else column.type
            made.append(Column(column.name, _type_of(known, stored, odd)))
        return made

    def _columns(self, relation: Relation) -> list[Column]:
        declared = self._declared(("main", *relation)[-2:])
        return [Column(name, _name_of(kind)) for name, kind in declared]

    def describe_view(self, view: Relation, shown: Relation, columns: Sequence[Column]) -> None:
        """Take note of the columns of a view: SQLite knows no types of expressions."""
        self._views[view] = (shown, list(columns))

    def require_plain(self, relations: Sequence[Relation], _where: str) -> None:
        for relation in relations:
            if len(relation) > 1 and relation[-1] in self._named(relation[0], "view"):
                raise VerificationError([contents.refusal([f"view {relation[-1]}"])])

    # files

    def attach(self, path: Path, name: str, where: str, *, writable: bool = False) -> None:
        """Attach a SQLite file; raise PolicyError at ``where`` when it is not one."""
        if not writable:
            database_files.require_readable(path, where)
            if not database_files.is_sqlite(path):
                raise PolicyError.at(
                    where,
                    f"{path} is not an SQLite database.",
                    "Name an SQLite database, or a DuckDB file.",
                )
        url = f"file:{quote(str(path))}?mode={'rwc' if writable else 'ro'}"
        sql = templates.render("engines/sqlite/attach", "sqlite", name=name)
        with self._context.journal.statement("data", "engines/sqlite/attach"):
            try:
                self._connection.exec_driver_sql(sql, (url,))
                if not writable:  # a file is only read when it is looked into
                    self.query("engines/sqlite/objects", database=name, own=True)
            except DBAPIError as error:
                raise _unreadable(path, where, error) from None

    def detach(self, name: str) -> None:
        """Detach an attached file, if it is attached. Changes by the transaction are kept."""
        if not self.attached(name):
            return
        if self._in_transaction:
            self.query("engines/sqlite/commit")
            self._in_transaction = False
        self.query("engines/sqlite/detach", name=name)

    def attached(self, name: str) -> bool:
        """Return whether a file is attached under a name."""
        return name in [row[1] for row in self.query("engines/sqlite/databases")]

    def tables(self, database: str) -> list[str]:
        return self._named(database, "table") + self._named(database, "view")

    def _items(self, database: str) -> Sequence[Item]:
        rows = self.query("engines/sqlite/objects", database=database, own=False)
        return [Item(kind, name) for kind, name in rows]

    def copy_view(self, original: str, database: str, view: str) -> None:
        """Give a file that is attached for writing a view of another attached file."""
        self.query("engines/sqlite/setting", setting="schema")
        self.query("engines/sqlite/copied_view", original=original, database=database, view=view)
        self.query("engines/sqlite/setting", setting="no schema")

    def _named(self, schema: str, wanted: str) -> list[str]:
        rows = self.query("engines/sqlite/objects", database=schema, own=True)
        return [name for kind, name in rows if kind == wanted]

    # statements

    def stage(
        self, table: Relation, template: str, columns: Sequence[Column], **parameters: Any
    ) -> None:
        """Make a table of the rows of a template, in the order of its column
        ``parameters['ordering']`` or sorted (see the base class), with the types of its
        columns."""
        self.create(table, [(column.name, column.type) for column in columns])
        names = [column.name for column in columns]
        settings = {**parameters, "table": table, "names": names, "select": template}
        self.query("release/filled", **settings)

    def type_name(self, kind: str) -> str:
        """Return the name that a type is declared by: decimals are floating point."""
        if kind.startswith("MIXED"):
            return ""
        return "DOUBLE" if kind.startswith("DECIMAL") else kind

    def bound(self, value: object) -> object:
        """Return a value of Python's as the driver takes it: decimals are floating point, dates are
        text."""
        if isinstance(value, Decimal):
            return float(value)
        if isinstance(value, dt.datetime):
            whole, point, fraction = str(value).partition(".")
            return whole + (point + fraction).rstrip("0")
        return value if isinstance(value, (str, int, float, bytes, type(None))) else str(value)

    def interrupt(self) -> None:
        self._driver.interrupt()

    def close(self) -> None:
        """Close the connection; scratch goes with the run's private folder."""
        try:
            if self._in_transaction:
                self.query("engines/sqlite/rollback")
        except AnonsqlError:
            pass  # closing rolls back, too
        finally:
            super().close()


def _connect(file: Path) -> sqlalchemy.Connection:
    url = sqlalchemy.URL.create(
        "sqlite", database=f"file:{quote(str(file))}", query={"uri": "true"}
    )
    engine = sqlalchemy.create_engine(
        url, poolclass=sqlalchemy.NullPool, isolation_level="AUTOCOMMIT", hide_parameters=True
    )
    connection = engine.connect()
    driver = connection.connection.driver_connection
    if not isinstance(driver, sqlite3.Connection):
        raise InvariantError("SQLite's connection is not that of Python's driver")
    functions.register(driver)
    return connection


def _unreadable(path: Path, where: str, error: DBAPIError) -> AnonsqlError:
    text = str(error.orig)
    if "locked" in text:
        return BusyError(
            f"{path} is locked. Wait until the other process has finished writing, then run again."
        )
    remedy = "A file in WAL mode needs its -shm file, and write access to the folder."
    return PolicyError.at(where, f"{path} cannot be opened: {text}.", remedy)


def _name_of(type_engine: types.TypeEngine[Any]) -> str:
    """Return a declared type in DuckDB's spelling; an unknown name is MIXED."""
    return next((name for kind, name in _DECLARED if isinstance(type_engine, kind)), "MIXED")


def _type_of(declared: str, stored: set[str], odd: int) -> str:
    """Return the type that suits all values of a column: its declared one, or, where it has none,
    that of its values. ``stored`` are the storage classes of its values, ``odd`` is the number of
    those that are none of the declared type for another reason."""
    if declared == "MIXED":
        if stored <= {"integer", "real"} and len(stored) == 2:
            return "DOUBLE"
        return _KINDS[next(iter(stored), "text")] if len(stored) < 2 else _mixed("", stored)
    suits = {"BIGINT": {"integer"}, "BOOLEAN": {"integer"}, "DOUBLE": {"integer", "real"}}
    suited = suits.get(declared, {"blob"} if declared == "BLOB" else {"text"})
    return declared if stored <= suited and not odd else _mixed(declared, stored)


def _mixed(declared: str, stored: set[str]) -> str:
    inside = [declared] * bool(declared) + sorted(name.upper() for name in stored)
    return f"MIXED({', '.join(inside)})"
