"""MariaDB and MySQL as the data plane: a scratch database of the run's own, one connection, and the
types of these servers in DuckDB's names.

These servers end a transaction wherever a table is created, and a statement that writes reads the
newest rows, not a snapshot. So a run that publishes compares a fingerprint of the source at the end
with that of its beginning. The source is read through a view of the scratch database that evens out
types, and compares text byte by byte, whatever its collation.

A named lock of the server says that a scratch database is in use; it ends with its connection. The
next run removes the scratch of runs that died.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy
from sqlalchemy import types
from sqlalchemy.dialects import mysql
from sqlalchemy.exc import DBAPIError

from anonsql.engines.base import VIEW_PARTS, Column, Context, Relation, own_templates
from anonsql.engines.errors import FULL, NO_DATABASE, REFUSED, UNREACHABLE, no_connection
from anonsql.engines.server import ServerEngine
from anonsql.engines.sqlalchemy_engine.engine import Driver, Fault, SourceViewEngine
from anonsql.errors import AnonsqlError, BusyError, PolicyError
from anonsql.policy.locations import Location
from anonsql.policy.source import Source
from anonsql.sql.dialects import Dialect

_DRIVER = Driver(
    "mysql+pymysql", "MariaDB's driver", "mariadb://user:${PASSWORD}@host:3306/database"
)
_MODE = "STRICT_ALL_TABLES,PIPES_AS_CONCAT,NO_ENGINE_SUBSTITUTION"
"""Values must fit their columns, and a backslash in a literal is an escape, as sqlglot writes them.
It is set before SQLAlchemy reads the server's tables, as their definitions depend on it."""
CODES: Mapping[int, Fault] = {
    **dict.fromkeys((2006, 2013, 2055, 1053, 1927, 1317), "lost"),  # the last: a query was killed
    **dict.fromkeys((1205, 1213), "locked"),
    **dict.fromkeys((1021, 1041, 1114, 3), "full"),
    **dict.fromkeys((1044, 1045, 1054, 1059, 1064, 1142, 1143, 1146, 1227, 1305), "names"),
}
_REASONS = {
    1045: REFUSED,
    1044: ("the user is not allowed to use this database.", "Ask its owner for the privilege."),
    1049: NO_DATABASE,
    1040: FULL,
}


def connect(location: Location) -> sqlalchemy.Connection:
    """Return a connection without implicit transactions."""
    try:
        return _DRIVER.connect(location, charset="utf8mb4", sql_mode=_MODE)
    except DBAPIError as error:
        code = error.orig.args[0] if error.orig is not None and error.orig.args else 0
        raise no_connection(str(location), *_REASONS.get(code, UNREACHABLE)) from None


_REFLECTED: tuple[tuple[type[types.TypeEngine[Any]], str, str], ...] = (
    (mysql.TINYINT, "TINYINT", ""),
    (mysql.SMALLINT, "SMALLINT", ""),
    (mysql.YEAR, "INTEGER", "SIGNED"),
    (mysql.BIT, "BIGINT", "SIGNED"),
    (types.BigInteger, "BIGINT", ""),
    (types.Integer, "INTEGER", ""),
    (mysql.DOUBLE, "DOUBLE", ""),
    (mysql.FLOAT, "DOUBLE", "FLOAT"),
    (types.Float, "DOUBLE", ""),
    (types.DateTime, "TIMESTAMP", ""),
    (types.Date, "DATE", ""),
    (types.Time, "VARCHAR", "CHAR"),
    (types.LargeBinary, "BLOB", ""),
    (types.VARBINARY, "BLOB", ""),
    (types.BINARY, "BLOB", ""),
    (types.Enum, "VARCHAR", "CHAR"),
    (mysql.SET, "VARCHAR", "CHAR"),
    (types.JSON, "VARCHAR", "CHAR"),
    (types.String, "VARCHAR", "TEXT"),
    (types.Uuid, "VARCHAR", "CHAR"),
)
"""Reflected types, DuckDB's names of them, and how the source's view casts them: the first that
fits."""
NAMES = {
    **{name: name for name in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DOUBLE", "DATE")},
    **{f"U{name}": f"{name} UNSIGNED" for name in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")},
    "BOOLEAN": "BOOLEAN",
    "FLOAT": "DOUBLE",
    "HUGEINT": "DECIMAL(39, 0)",
    "TIMESTAMP": "DATETIME(6)",
    "BLOB": "LONGBLOB",
}
_LONGEST = 500
"""The longest text that is a VARCHAR in a scratch table; a row of them must fit 64 KB."""


def type_of(type_engine: types.TypeEngine[Any]) -> tuple[str, str]:
    """Return a reflected type in DuckDB's spelling, and how the source's view casts it."""
    if isinstance(type_engine, mysql.TINYINT) and type_engine.display_width == 1:
        return "BOOLEAN", ""
    if isinstance(type_engine, (mysql.DECIMAL, mysql.NUMERIC)):
        digits, scale = type_engine.precision or 10, type_engine.scale or 0
        return (f"DECIMAL({digits},{scale})" if digits <= 38 else "DECIMAL"), ""
    if (
        isinstance(type_engine, mysql.DOUBLE) and type_engine.scale is not None
    ):  # a DOUBLE writes its digits
        return "DOUBLE", "FLOAT"
    for kind, name, cast in _REFLECTED:
        if isinstance(type_engine, kind):
            unsigned = getattr(type_engine, "unsigned", False) and name != "DOUBLE"
            return ("U" * bool(unsigned)) + name, cast
    return "UNKNOWN", ""


def sized(kind: str, values: Sequence[object]) -> str:
    """Return the type of a column of a scratch table that holds some values: a VARCHAR that all of
    them fit, where they are short."""
    if kind not in ("VARCHAR", "UUID"):
        return kind
    longest = max((len(str(value)) for value in values if value is not None), default=1)
    return f"VARCHAR({max(longest, 1)})" if longest <= _LONGEST else kind


_LITERAL = re.compile(r"'(?:[^'\\]|''|\\.)*'")
_NAMED = re.compile(r"(?P<path>`(?:[^`]|``)+`(?:\.`(?:[^`]|``)+`)*)(?P<call>\()?")
_PART = re.compile(r"`((?:[^`]|``)+)`")
SCRATCH = re.compile(r"anonsql_scratch_[0-9a-f]{16}")


class MariaDBEngine(SourceViewEngine, ServerEngine):
    """One run's data plane on the server at ``place``."""

    dialect: Dialect = "mysql"
    folder = "engines/mariadb"
    codes = CODES
    decimal_type = "DECIMAL(38,{})"
    longest_name = 64
    name_limit = "64 characters that are allowed"
    own = own_templates(
        "mariadb",
        hex_number="engines/mariadb/hex_number",
        domains="engines/sqlalchemy_engine/domains",
        stored_order="",  # MariaDB counts rows as they are read, MySQL does not
    )

    def __init__(self, location: Location, context: Context) -> None:
        super().__init__(location, context, connect(location))
        self._watched: list[tuple[Relation, list[Column], list[tuple[Any, ...]]]] = []
        self._begin()

    def _begin(self) -> None:
        version, self._id = self.query("engines/mariadb/me")[0]
        self.is_mariadb = mariadb = "mariadb" in str(version).lower()
        self._collation = "utf8mb4_nopad_bin" if mariadb else "utf8mb4_0900_bin"
        if mariadb:
            order = {"stored_order": "engines/mariadb/stored_order"}
            self.own = {**type(self).own, **order}
        self.query("engines/mariadb/charset", collation=self._collation)
        self.query("engines/mariadb/session", mariadb=mariadb)

    # source

    def _open(self, source: Source, location: Location, name: str, where: str) -> Relation:
        shown = self.find(source.table or "", where)
        self._require_safe(shown, where)
        casts = self._casts(shown)
        flags = [column for column, _ in casts if column.kind == "boolean"]
        if flags:
            odd = self.query("engines/mariadb/flags", table=shown, columns=flags)[0]
            wide = {flag.name for flag, count in zip(flags, odd, strict=True) if count}
            casts = [
                (Column(column.name, "TINYINT"), cast) if column.name in wide else (column, cast)
                for column, cast in casts
            ]
        view, text = (self.require_scratch(), f"{name}_rows"), self._collation
        self.query("engines/mariadb/source", view=view, table=shown, casts=casts, collation=text)
        columns = [column for column, _ in casts]
        self._views[view] = (shown, columns)
        if self._context.exclusive:
            self._watched.append((view, columns, self._fingerprint(view, columns)))
        return view

    def _tables(self) -> list[Relation]:
        return [(schema, name) for schema, name in self.query("engines/mariadb/tables")]

    def find(self, table: str, where: str) -> Relation:
        own = sqlalchemy.make_url(self._place.url).database
        rows = self._tables()
        named = [row for row in rows if table == ".".join(row)]
        named = named or [row for row in rows if row == (own, table)]
        if not named:
            known = [name if schema == own else f"{schema}.{name}" for schema, name in rows]
            raise self._no_table(table, where, known, f"The role sees {len(known)} tables.")
        return named[0]

    def _require_safe(self, relation: Relation, where: str) -> None:
        """Raise PolicyError when reading a view could run functions of its owner with the rights of
        this session."""
        owners = self.query("engines/mariadb/views", relation=relation)
        if owners and owners[0][0] == "INVOKER" and not owners[0][1]:
            raise PolicyError.at(
                where,
                f"reading {'.'.join(relation)}, a view with SQL SECURITY INVOKER, can run code of"
                " another user with the rights of this user.",
                "Ask its owner to make it with SQL SECURITY DEFINER, or make a view of your own.",
            )
        if function := self._function_below(relation):
            raise PolicyError.at(
                where,
                f"reading {'.'.join(relation)}, a view, calls the function {function}: the"
                " function sees the values passed to it, and anonsql cannot check what it does"
                " with them.",
                "Remove the function from the view, or copy the rows into a table.",
            )

    def _function_below(self, relation: Relation) -> str:
        """Return a stored function that a view, or a view that it reads, calls, empty where none
        does: the server writes the names of its own functions without quotes."""
        known, waiting = {relation}, [relation]
        while waiting:
            for _, _, text in self.query("engines/mariadb/views", relation=waiting.pop()):
                for named in _NAMED.finditer(_LITERAL.sub("''", text or "")):
                    path = tuple(part.replace("``", "`") for part in _PART.findall(named["path"]))
                    if named["call"]:
                        return ".".join(path)
                    if len(path) > 1 and path[:2] not in known:
                        known.add(path[:2])
                        waiting.append(path[:2])
        return ""

    def require_plain(self, relations: Sequence[Relation], where: str) -> None:
        """Raise PolicyError at ``where`` when a table of a release is a view, or reading a view of
        one could run code."""
        for relation in relations:
            if not self.query("engines/mariadb/views", relation=relation):
                continue
            if relation[-1].rpartition("__")[2] not in VIEW_PARTS:
                raise PolicyError.at(
                    where, f"{'.'.join(relation)} is a view, not a table of a release.", "Drop it."
                )
            self._require_safe(relation, where)

    def _columns(self, relation: Relation) -> list[Column]:
        return [column for column, _ in self._casts((self._scratch, *relation)[-2:])]

    def _casts(self, relation: Relation) -> list[tuple[Column, str]]:
        typed = [(name, *type_of(kind)) for name, kind in self._declared(relation)]
        return [(Column(name, kind), cast) for name, kind, cast in typed]

    def require_unchanged(self) -> None:
        """Raise BusyError when the source has another content than at the beginning of a run that
        publishes."""
        for view, columns, before in self._watched:
            if self._fingerprint(view, columns) != before:
                raise BusyError(
                    "The source changed during the run. Nothing was published; run again."
                )

    def _fingerprint(self, view: Relation, columns: Sequence[Column]) -> list[tuple[Any, ...]]:
        return self.query("engines/mariadb/fingerprint", relation=view, columns=columns)

    def _readable(self, table: str) -> Relation:
        return self.find(table, "query")

    # scratch

    def _make_scratch(self) -> str:
        """Make the scratch database; that of runs that died is removed."""
        for name in self.scratches():
            if self.query("engines/mariadb/free", name=name)[0][0]:
                self.query("engines/mariadb/drop_database", name=name)
        made = f"anonsql_scratch_{secrets.token_hex(8)}"
        self.lock(made)
        try:
            self.query("engines/mariadb/create_database", name=made, collation=self._collation)
        except AnonsqlError as error:
            if "denied" not in str(error):
                raise
            remedy = "Its administrator can: GRANT ALL ON `anonsql\\_scratch\\_%`.* TO that user."
            text = f"the user is not allowed to create scratch databases on {self.host}."
            raise PolicyError.at("source.database", text, remedy) from None
        self.query("engines/mariadb/use", name=made)
        return made

    def scratches(self) -> list[str]:
        """Return the scratch databases that the user sees."""
        rows = [row[0] for row in self.query("engines/mariadb/databases")]
        return [name for name in rows if SCRATCH.fullmatch(name)]

    def lock(self, name: str, seconds: int = 0) -> bool:
        """Take a named lock of the server until the connection ends; return False if another
        session has it."""
        return bool(self.query("engines/mariadb/lock", name=name, seconds=seconds)[0][0])

    def lock_release(self, schema: str, table: str) -> None:
        """Keep other runs from a release until the connection ends; raise BusyError where another
        one has it."""
        name = f"{schema}.{table}"
        lock = f"anonsql_release_{hashlib.sha256(name.encode()).hexdigest()[:32]}"
        if not self.lock(lock, seconds=3):
            holder = self.query("engines/mariadb/holder", name=lock)[0][0]
            raise BusyError(
                f"{name} on {self.host} is locked by connection {holder}, another run."
                " Wait until it has finished, then run again."
            )

    def run(self, template: str, /, **parameters: Any) -> None:
        self.require_scratch()
        super().run(template, **parameters)

    def load(
        self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]]
    ) -> None:
        """Make or replace a scratch table of rows that Python has; its texts are as wide as the
        longest of them."""
        self.require_scratch()
        wide = [
            (name, sized(kind, [row[position] for row in rows]))
            for position, (name, kind) in enumerate(columns)
        ]
        super().load(table, wide, rows)

    def drop(self, *tables: str) -> None:
        if self._scratch:
            super().drop(*tables)

    def type_name(self, kind: str) -> str:
        """Return the server's name of a type of DuckDB's."""
        if kind in NAMES:
            return NAMES[kind]
        plain = re.fullmatch(r"(VARCHAR|DECIMAL)\(.*\)", kind)
        return kind if plain else "LONGTEXT"

    def bound(self, value: object) -> object:
        """Return a value of Python's as the driver takes it."""
        return value.replace(tzinfo=None) if isinstance(value, dt.datetime) else value

    def interrupt(self) -> None:
        """Ask the server, by a second connection, to end the statement that runs."""
        try:
            with connect(self._place) as other:
                other.exec_driver_sql(f"KILL QUERY {int(self._id)}")
                other.engine.dispose()
        except (AnonsqlError, DBAPIError):
            pass  # the server is gone, and the statement with it

    def close(self) -> None:
        """Remove the scratch database and close the connection."""
        try:
            if self._scratch:
                self.query("engines/mariadb/drop_database", name=self._scratch)
        except AnonsqlError:
            pass  # the server is gone; the next run removes it
        finally:
            super().close()
