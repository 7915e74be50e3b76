"""Any database as the data plane, by SQLAlchemy: what all of them share.

Statements are those of the templates, translated by sqlglot and executed by SQLAlchemy Core. What
differs from database to database, its subclasses say: how a session begins, where scratch tables
lie, what types are called, and how the source is read.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal

import sqlalchemy

from anonsql.engines.base import Column, Context, Export, Key, Relation
from anonsql.engines.exported_columns import write_csv
from anonsql.engines.server import SeparateEngine
from anonsql.engines.sqlalchemy_engine.errors import translated
from anonsql.errors import InvariantError, PolicyError
from anonsql.policy.databases import of_several_tables
from anonsql.policy.locations import Location
from anonsql.policy.source import Source
from anonsql.sql import templates
from anonsql.sql.dialects import Dialect
from anonsql.system.journal import Statement

_PLAIN = {"no_parameters": True}
_AT_ONCE = 10_000
"""The rows that are fetched at a time on their way to a file, or bound to a statement."""


class SQLAlchemyEngine(SeparateEngine):
    """One run's data plane in the database at ``place``, by a connection without implicit
    transactions."""

    dialect: Dialect
    folder: str
    """Where the database's own templates are."""
    searchable = False
    leaving = "engines/sqlalchemy_engine/rows"
    takes: Literal["rows"] = "rows"

    def __init__(
        self, location: Location, context: Context, connection: sqlalchemy.Connection
    ) -> None:
        self._place, self._context, self._connection = location, context, connection

    # what databases differ in

    def type_name(self, kind: str) -> str:
        """Return the database's name of a type of DuckDB's."""
        raise NotImplementedError

    def bound(self, value: object) -> object:
        """Return a value of Python's as the driver takes it."""
        return value

    def columns(self, relation: Relation) -> list[Column]:
        """Return the columns of a relation in order."""
        raise NotImplementedError

    # source

    def open_beside(self, source: Source, where: str) -> Relation:
        """Raise PolicyError: several tables are released elsewhere."""
        raise self._of_one_table(where)

    def beside(self, relation: Relation) -> list[str]:
        """Raise PolicyError: several tables are released elsewhere."""
        raise self._of_one_table("DATABASE")

    def _of_one_table(self, where: str) -> PolicyError:
        text = f"{self._place} is a database that one table at a time is released from."
        return PolicyError.at(where, text, f"Several are released from {of_several_tables()}.")

    def keys(self, relation: Relation) -> list[Key]:
        """Return the keys that the database declares of a table: its own, and its references to
        others."""
        if (table := self.declared(relation)) is None:
            return []
        inspector, schema, name = sqlalchemy.inspect(self._connection), *table
        with translated("sqlalchemy_engine/keys", ""):
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

    def declared(self, relation: Relation) -> tuple[str | None, str] | None:
        """Return the schema and name of the table that a relation shows; None where it shows
        none."""
        return (relation[0], relation[1]) if len(relation) > 1 else (None, relation[0])

    def require_unchanged(self) -> None:
        """Do nothing: the transaction sees one state of the source."""

    # statements

    def run(self, template: str, **parameters: Any) -> None:
        """Execute one template."""
        self.query(template, **parameters)

    def query(self, template: str, **parameters: Any) -> list[tuple[Any, ...]]:
        """Return the rows of one template."""
        return self.send(template, templates.render(template, self.dialect, **parameters))

    def load(
        self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]]
    ) -> None:
        """Make or replace a scratch table of rows that Python has."""
        self.drop(table)
        self.create((table,), columns)
        self.insert((table,), [name for name, _ in columns], rows)

    def drop(self, table: str) -> None:
        """Remove a scratch table."""
        self.query("engines/sqlalchemy_engine/drop", table=table)

    def receive(self, table: str, carried: Export) -> None:
        """Raise InvariantError: tables of other engines arrive as rows."""
        raise InvariantError(f"the table {table} was carried to a database that takes rows")

    # for the target

    def create(self, table: Relation, columns: Sequence[tuple[str, str]]) -> None:
        """Make an empty table."""
        typed = [(name, self.type_name(kind)) for name, kind in columns]
        name = f"{self.folder}/create"
        self.send(name, templates.render(name, self.dialect, table=table, columns=typed))

    def insert(
        self, table: Relation, names: Sequence[str], rows: Sequence[Sequence[object]]
    ) -> None:
        """Put rows that Python has into a table, as bound values."""
        if not rows:
            return
        columns: list[sqlalchemy.ColumnClause[Any]] = [sqlalchemy.column(name) for name in names]
        schema = table[0] if len(table) > 1 else None
        into = sqlalchemy.table(table[-1], *columns, schema=schema).insert()
        marks: dict[Any, Any] = {
            column: sqlalchemy.bindparam(f"p{position}") for position, column in enumerate(columns)
        }
        with self._statement("sqlalchemy_engine/insert") as entry:
            for first in range(0, len(rows), _AT_ONCE):
                entry.moved(first, len(rows), "rows")
                some = rows[first : first + _AT_ONCE]
                bound = [{f"p{n}": self.bound(cell) for n, cell in enumerate(row)} for row in some]
                self._connection.execute(into.values(marks), bound)
            entry.rows = len(rows)

    def send(self, template: str, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a statement in the database's own dialect."""
        with self._statement(template, sql) as entry:
            result = self._connection.exec_driver_sql(sql, execution_options=_PLAIN)
            rows = [tuple(row) for row in result] if result.returns_rows else []
            entry.rows = len(rows) or max(0, result.rowcount)
        return rows

    def close(self) -> None:
        """Close all connections."""
        self._connection.close()
        self._connection.engine.dispose()

    def _write(self, path: Path, sql: str, columns: Sequence[Column], entry: Statement) -> int:
        options = {**_PLAIN, "stream_results": True, "yield_per": _AT_ONCE}
        flags = [column.kind == "boolean" for column in columns]
        rows = self._connection.exec_driver_sql(sql, execution_options=options)
        return write_csv(path, (map(_text, row, flags) for row in entry.counted(rows)))

    def _translated(self, template: str, sql: str) -> AbstractContextManager[None]:
        return translated(template, sql)


def _text(value: Any, flag: bool) -> str | None:
    """Return the text of a value on its way to a file; ``flag``: whether it is a boolean."""
    if value is None:
        return None
    if flag:
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float):
        return repr(value)
    return value.isoformat(sep=" ") if isinstance(value, dt.datetime) else str(value)
