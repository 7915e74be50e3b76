"""PostgreSQL as the data plane: one connection and one transaction a run.

The transaction is REPEATABLE READ, so all of a run sees the source as it was at the start. Scratch
is in a schema made inside it: whatever ends a run early, the server rolls it all back.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import psycopg
from sqlalchemy.exc import SQLAlchemyError

from anonsql.engines.base import Column, Context, Export, Key, Relation, own_templates
from anonsql.engines.postgres.session import (
    FAILURES,
    LockedError,
    NamedRelation,
    OthersCode,
    Waiting,
    connect,
    error_of,
    foreign_code,
    matches,
    require_one,
    schemas_of,
)
from anonsql.engines.server import ServerEngine
from anonsql.engines.sqlalchemy_engine.engine import SQLAlchemyEngine
from anonsql.errors import AnonsqlError, BusyError, PolicyError
from anonsql.policy.locations import Location
from anonsql.policy.source import Source
from anonsql.sql import templates
from anonsql.sql.dialects import Dialect
from anonsql.sql.translation import translate, type_name
from anonsql.system.journal import Statement

_MIB = 1 << 20
_CREATED = re.compile(r'CREATE (?:UNLOGGED )?TABLE (?P<name>"(?:[^"]|"")+") AS')
_NEEDS_SORTING = re.compile(r"\b(?:ORDER BY|OVER|DISTINCT)\b")
_SECONDS, _LOOK = 3, 0.3
"""How long a run waits for the lock of a release, and for who has it to be found out."""
_USUAL = 60
"""Seconds that all other statements wait for a lock: the session's own setting."""
_TEMPORARY = "pg_temp"
"""The schema of a session's temporary tables, in which no other session can create objects."""
_TYPES = {
    "smallint": "SMALLINT",
    "integer": "INTEGER",
    "bigint": "BIGINT",
    "real": "FLOAT",
    "double precision": "DOUBLE",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "text": "VARCHAR",
    "text[]": "VARCHAR[]",
    "name": "VARCHAR",
    "uuid": "UUID",
    "bytea": "BLOB",
    "numeric": "DECIMAL",
}
_TYPE_PATTERNS = (
    (r"character varying(\(\d+\))?", "VARCHAR"),
    (r'(character|bpchar)(\(\d+\))?|"char"|citext', "BPCHAR"),
    (r"timestamp(\(\d\))? without time zone", "TIMESTAMP"),
    (r"timestamp(\(\d\))? with time zone", "TIMESTAMP WITH TIME ZONE"),
    (r"time(\(\d\))? without time zone", "TIME"),
)


class PostgresEngine(SQLAlchemyEngine, ServerEngine):
    """One run's data plane on the server at ``place``."""

    dialect: Dialect = "postgres"
    failures = FAILURES
    own = own_templates(
        "postgres",
        fence="engines/postgres/fence",
        hex_number="engines/postgres/hex_number",
        keyed_hash="engines/postgres/keyed_hash",
        stored_order="engines/postgres/stored_order",
        without="engines/postgres/without",
    )
    default_schema = "public"
    decimal_type = "DECIMAL"  # of so many digits as each value has
    longest_name = 63
    name_limit = "63 bytes that PostgreSQL allows"
    leaving = "engines/postgres/copy_out"
    takes: Literal["csv"] = "csv"

    def __init__(self, location: Location, context: Context) -> None:
        super().__init__(location, context, connect(location, context.purpose))
        self._waiting = Waiting(location, context.purpose, self._driver.info.backend_pid)
        self._made: set[str] = set()
        self._in_transaction = False
        self._sorting = True
        self._version = self._driver.info.server_version
        if self._driver.info.parameter_status("server_encoding") != "UTF8":
            self.blanks = "".join(sign for sign in self.blanks if sign.isascii())
        threads = context.settings.threads
        self._execute("engines/postgres/session", version=self._version, threads=threads)

    @property
    def _driver(self) -> psycopg.Connection[Any]:
        return self._connection.connection.driver_connection  # type: ignore[return-value]

    def length_of(self, name: str) -> int:
        """Return the bytes of a name."""
        return len(name.encode())

    # source

    def _open(self, source: Source, _location: Location, _name: str, where: str) -> Relation:
        relation = self.find(source.table or "", where)
        self._require_code_of(relation, where, owners=True)
        return relation

    def _tables(self) -> list[Relation]:
        rows = self.query("engines/postgres/tables")
        return [(schema, name) for schema, name, readable in rows if readable]

    def beside(self, relation: Relation) -> list[str]:
        return [name for schema, name in self._tables() if schema == relation[0]]

    def require_plain(self, relations: Sequence[Relation], where: str) -> None:
        """Raise PolicyError at ``where`` when reading a table of a release would run code of other
        roles; a release itself contains no code. Relations that this role owns are trusted."""
        for relation in relations:
            self._require_code_of(relation, where, owners=False)

    def _require_code_of(self, relation: Relation, where: str, *, owners: bool) -> None:
        parameters = {"relation": relation, "owners": owners, "version": self._version}
        rows = self.query("engines/postgres/others_code", **parameters)
        codes = [OthersCode(*row) for row in rows]
        if codes and (owners or not codes[0].own_relation):
            raise PolicyError.at(where, *foreign_code(".".join(relation), codes))

    def find(self, table: str, where: str) -> Relation:
        rows = [NamedRelation(*row) for row in self.query("engines/postgres/tables")]
        setting, role = self.query("engines/postgres/own_path")[0]
        path = schemas_of(setting, role)
        if not (named := matches(table, rows, path)):
            known = [name if schema in path else f"{schema}.{name}" for schema, name, _ in rows]
            raise self._no_table(table, where, known, f"The database has {len(known)} tables.")
        schema, name, readable = require_one(table, named, where)
        if not readable:
            remedy = (
                f"Its owner can: GRANT USAGE ON SCHEMA {schema} TO {role}; GRANT SELECT ON"
                f" {schema}.{name} TO {role}."
            )
            raise PolicyError.at(where, f"the role {role} may not read {schema}.{name}.", remedy)
        return (schema, name)

    def columns(self, relation: Relation) -> list[Column]:
        path = relation if len(relation) > 1 else (self._scratch, *relation)
        rows = self.query("engines/postgres/columns", relation=path)
        return [
            Column(name, "ENUM" if enumeration else _type(type_text), comparable)
            for name, type_text, enumeration, comparable in rows
        ]

    def _keys(self, relation: Relation) -> list[Key]:
        rows = self.query("engines/postgres/keys", relation=relation)
        return [Key(kind, tuple(names), other, tuple(at)) for kind, names, other, *at in rows]

    # statements

    def run(self, template: str, /, **parameters: Any) -> None:
        """Execute one template. The tables that it creates are scratch: not logged, and analysed
        for the planner."""
        self.require_scratch()
        unlogged = self._scratch != _TEMPORARY
        sql = translate(templates.render(template, **parameters), "postgres", unlogged=unlogged)
        created = _CREATED.match(sql)
        made = [created["name"][1:-1].replace('""', '"')] if created else []
        analyses = [templates.render("engines/postgres/analyze", table=name) for name in made]
        self._send(template, ";\n".join([sql, *analyses]))
        self._made.update(made)

    def query(self, template: str, /, **parameters: Any) -> list[tuple[Any, ...]]:
        """Return the rows of one template, inside the transaction."""
        self._begin()
        return self._execute(template, **parameters)

    def load(
        self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]]
    ) -> None:
        with self._copying("engines/postgres/copy_in", table, columns) as (copy, entry):
            for row in entry.counted(rows, len(rows)):
                copy.write_row(row)

    def receive(self, table: str, carried: Export) -> None:
        columns, path = [(column.name, column.type) for column in carried.columns], carried.paths[0]
        total = path.stat().st_size // _MIB
        with (
            path.open("rb") as file,
            self._copying("engines/postgres/receive", table, columns) as (copy, entry),
        ):
            while block := file.read(_MIB):
                copy.write(block)
                entry.moved(file.tell() // _MIB, total, "MiB")
        path.unlink()

    @contextmanager
    def _copying(
        self, template: str, table: str, columns: Sequence[tuple[str, str]]
    ) -> Iterator[tuple[psycopg.Copy, Statement]]:
        self._create(table, columns)
        sql = templates.render(template, "postgres", table=table)
        with self._statement(template, sql) as entry, self._driver.cursor() as cursor:
            with cursor.copy(sql) as copy:
                yield copy, entry
            entry.rows = cursor.rowcount
        self._execute("engines/postgres/analyze", table=table)

    def _create(self, table: str, columns: Sequence[tuple[str, str]]) -> None:
        self.require_scratch()
        self.drop(table)
        self._execute(
            "engines/postgres/create",
            table=table,
            columns=[(name, type_name(kind, "postgres")) for name, kind in columns],
            temporary=self._scratch == _TEMPORARY,
        )
        self._made.add(table)

    def drop(self, *tables: str) -> None:
        """Remove scratch tables. They are emptied first, which alone frees their space before the
        transaction ends."""
        if there := self._made.intersection(tables):
            self._execute("engines/postgres/forget", tables=sorted(there))
            self._made -= there

    # for the target

    def execute(self, template: str, **parameters: Any) -> list[tuple[Any, ...]]:
        """Execute one template as it stands, inside the transaction."""
        self.require_scratch()
        return self._execute(template, **parameters)

    def lock(self, what: str, template: str, **parameters: Any) -> None:
        """Execute a template that takes a lock, and wait no longer for it than a moment; raise
        BusyError that says who has ``what``."""
        self.execute("engines/postgres/lock_timeout", seconds=_SECONDS)
        try:
            sql = templates.render(template, "postgres", **parameters)
            self._send(template, sql, patience=_LOOK)
        except LockedError:
            who = self._waiting.holders or "another run"
            raise BusyError(
                f"{what} is locked by {who}. Wait until it has finished, then run again."
            ) from None
        self.execute("engines/postgres/lock_timeout", seconds=_USUAL)

    def commit(self) -> None:
        """Drop the scratch schema and commit the transaction."""
        self._execute("engines/postgres/drop_schema", schema=self._scratch)
        self._execute("engines/postgres/transaction", to="commit")
        self._in_transaction = False
        self._sorting = True
        self._scratch = ""

    def interrupt(self) -> None:
        """Ask the server to end the statement that runs."""
        self._driver.cancel_safe(timeout=15)

    def close(self) -> None:
        """Roll back the transaction, with all scratch tables, and close the connection."""
        try:
            if self._in_transaction:
                self._execute("engines/postgres/transaction", to="roll back")
        except (AnonsqlError, SQLAlchemyError):
            pass  # the server is gone, and the transaction with it
        finally:
            super().close()

    def _begin(self) -> None:
        if not self._in_transaction:
            self._execute("engines/postgres/transaction", to="begin")
            self._in_transaction = True

    def _make_scratch(self) -> str:
        """Make the scratch schema. A reader of a release, who may create none, works in the
        session's own schema of temporary tables."""
        self._begin()
        role, database, may_create, temporary, read_only = self._execute("engines/postgres/me")[0]
        if read_only:
            raise PolicyError.at(
                "source.database",
                f"{self.host} is read-only.",
                "Name the primary server, where scratch tables can be made.",
            )
        if not may_create and temporary and self._context.reading:
            self._execute("engines/postgres/search_path", schemas=[_TEMPORARY])
            return _TEMPORARY
        if not may_create:
            text = (
                f"the role {role} may not create schemas in the database {database}, and scratch"
                " tables need a schema."
            )
            raise PolicyError.at(
                "source.database",
                text,
                f'Its owner can: GRANT CREATE ON DATABASE "{database}" TO "{role}".',
            )
        scratch = f"anonsql_{secrets.token_hex(8)}"
        self._execute("engines/postgres/create_schema", schema=scratch, unless_there=False)
        self._execute("engines/postgres/search_path", schemas=[scratch])
        return scratch

    def _execute(self, template: str, **parameters: Any) -> list[tuple[Any, ...]]:
        return self._send(template, templates.render(template, "postgres", **parameters))

    def _plan(self, sql: str) -> None:
        """Keep the planner from sorting the rows of a statement that only groups them. It cannot
        estimate how few groups generalized values make, and assumes about as many as rows: too many
        for a hash table, so that it would sort whole tables on disk."""
        if not self._in_transaction:
            return
        ordered = bool(_NEEDS_SORTING.search(sql))
        sorting = ordered or (self._sorting and "GROUP BY" not in sql)
        if sorting != self._sorting:
            self._sorting = sorting
            self._execute("engines/postgres/sorting", allowed=sorting)

    def _send(
        self, template: str, sql: str, patience: float | None = None
    ) -> list[tuple[Any, ...]]:
        self._plan(sql)
        with self._waiting.watched(patience):
            return super()._send(template, sql)

    def _error(self, error: Exception, template: str, sql: str) -> AnonsqlError:
        return error_of(error, template, sql)

    def _write(self, path: Path, sql: str, _columns: Sequence[Column], entry: Statement) -> int:
        with path.open("wb") as out, self._driver.cursor() as cursor:
            with cursor.copy(sql) as copy:
                for block in copy:
                    out.write(block)
                    entry.moved(out.tell() // _MIB, 0, "MiB")
            return cursor.rowcount


def _type(type_text: str) -> str:
    """Return a type in DuckDB's spelling; one that DuckDB lacks keeps PostgreSQL's, in capitals."""
    if type_text in _TYPES:
        return _TYPES[type_text]
    decimal = re.fullmatch(r"numeric\((\d+),(-?\d+)\)", type_text)
    if decimal:
        digits, scale = int(decimal[1]), int(decimal[2])
        return f"DECIMAL({digits},{scale})" if digits <= 38 and 0 <= scale <= digits else "DECIMAL"
    return next(
        (ours for pattern, ours in _TYPE_PATTERNS if re.fullmatch(pattern, type_text)),
        type_text.upper(),
    )
