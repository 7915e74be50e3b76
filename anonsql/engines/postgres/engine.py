"""PostgreSQL as the data plane: one connection and one transaction a run.

The transaction is REPEATABLE READ, so all of a run sees the source as it was when it began. Scratch
lies in a schema made inside it: whatever ends a run early, the server rolls it all back.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal

import psycopg
from sqlalchemy.exc import SQLAlchemyError

from anonsql.engines.base import Column, Context, Export, Key, Relation, own_templates
from anonsql.engines.postgres.names import (
    NamedRelation,
    OthersCode,
    foreign_code,
    matches,
    require_one,
    schemas_of,
)
from anonsql.engines.postgres.session import connect, translated
from anonsql.engines.postgres.waiting import Waiting
from anonsql.engines.server import ServerEngine
from anonsql.errors import AnonsqlError, PolicyError, did_you_mean
from anonsql.policy.locations import Location
from anonsql.policy.release_parts import part_name
from anonsql.policy.source import Source
from anonsql.sql import templates
from anonsql.sql.dialects import Dialect
from anonsql.sql.translation import translate, type_name
from anonsql.system.journal import Statement

_MIB = 1 << 20
_COPY_IN, _RECEIVE = "engines/postgres/copy_in", "engines/postgres/receive"
_CREATED = re.compile(r'CREATE (?:UNLOGGED )?TABLE (?P<name>"(?:[^"]|"")+") AS')
_NEEDS_SORTING = re.compile(r"\b(?:ORDER BY|OVER|DISTINCT)\b")
_TEMPORARY = "pg_temp"
"""The schema of a session's temporary tables, which nobody else can create in."""
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


class PostgresEngine(ServerEngine):
    """One run's data plane on the server at ``place``."""

    dialect: Dialect = "postgres"
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
        self._place, self._context = location, context
        self._connection = connect(location, context.purpose)
        self._waiting = Waiting(location, context.purpose, self._driver.info.backend_pid)
        self._made: set[str] = set()
        self._scratch = ""
        self._in_transaction = False
        self._sorting = True
        self._version = self._driver.info.server_version
        threads = context.settings.threads
        self._execute("engines/postgres/session", version=self._version, threads=threads)

    @property
    def _driver(self) -> psycopg.Connection[Any]:
        """The connection as psycopg knows it, for COPY."""
        return self._connection.connection.driver_connection  # type: ignore[return-value]

    def length_of(self, name: str) -> int:
        """Return the bytes of a name."""
        return len(name.encode())

    # source

    def open_source(self, source: Source) -> Relation:
        """Find the table; raise PolicyError when reading it would run code of other roles."""
        return self._readable(source.table or "", "source.table")

    def open_beside(self, source: Source, where: str) -> Relation:
        """Find another table of the database."""
        return self._readable(source.table or "", where)

    def beside(self, relation: Relation) -> list[str]:
        """Return the tables and views of a schema that this role may read."""
        rows = self.query("engines/postgres/tables")
        return [name for schema, name, readable in rows if readable and schema == relation[0]]

    def open_population(self, source: Source, _place: Location) -> Relation:
        """Find the population's table: it lies on the same server."""
        return self._readable(source.table or "", "privacy.population.table")

    def _readable(self, table: str, where: str) -> Relation:
        relation = self.find(table, where)
        self._require_code_of(relation, where, owners=True)
        return relation

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
        """Return a table or view by its name, with its schema where it needs one; raise PolicyError
        at ``where``."""
        rows = [NamedRelation(*row) for row in self.query("engines/postgres/tables")]
        setting, role = self.query("engines/postgres/own_path")[0]
        path = schemas_of(setting, role)
        if not (named := matches(table, rows, path)):
            known = [name if schema in path else f"{schema}.{name}" for schema, name, _ in rows]
            hint = did_you_mean(table, known) or f"The database has {len(known)} tables."
            raise PolicyError.at(where, f"there is no table {table!r} on {self.host}.", hint)
        schema, name, readable = require_one(table, named, where)
        if not readable:
            remedy = (
                f"Its owner can: GRANT USAGE ON SCHEMA {schema} TO {role}; GRANT SELECT ON"
                f" {schema}.{name} TO {role}."
            )
            raise PolicyError.at(where, f"the role {role} may not read {schema}.{name}.", remedy)
        return (schema, name)

    def releases(self) -> list[str]:
        """Return the tables, with their schemas, beside which facts of a release lie."""
        rows = self.query("engines/postgres/tables")
        known = {(schema, name) for schema, name, readable in rows if readable}
        return sorted(
            f"{schema}.{name}"
            for schema, name in known
            if (schema, part_name(name, "about")) in known
        )

    def columns(self, relation: Relation) -> list[Column]:
        """Return the columns of a relation in order."""
        path = relation if len(relation) > 1 else (self._scratch, *relation)
        rows = self.query("engines/postgres/columns", relation=path)
        return [
            Column(name, "ENUM" if enumeration else _type(type_text), comparable)
            for name, type_text, enumeration, comparable in rows
        ]

    def keys(self, relation: Relation) -> list[Key]:
        """Return the keys that the database declares of a table."""
        rows = self.query("engines/postgres/keys", relation=relation)
        return [Key(kind, tuple(names), other, tuple(at)) for kind, names, other, *at in rows]

    def require_unchanged(self) -> None:
        """Do nothing: the transaction sees one state of the source."""

    # statements

    def run(self, template: str, **parameters: Any) -> None:
        """Execute one template. What it creates is scratch: not logged, and analysed for the
        planner."""
        self._require_scratch()
        unlogged = self._scratch != _TEMPORARY
        sql = translate(templates.render(template, **parameters), "postgres", unlogged=unlogged)
        self._send(template, sql)
        if created := _CREATED.match(sql):
            name = created["name"][1:-1].replace('""', '"')
            self._made.add(name)
            self._execute("engines/postgres/analyze", table=name)

    def query(self, template: str, **parameters: Any) -> list[tuple[Any, ...]]:
        """Return the rows of one template."""
        self._begin()
        return self._execute(template, **parameters)

    def load(
        self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]]
    ) -> None:
        """Make or replace a scratch table of rows that Python has."""
        self._create(table, columns)
        sql = templates.render(_COPY_IN, "postgres", table=table)
        with self._statement(_COPY_IN, sql) as entry:
            with self._driver.cursor() as cursor, cursor.copy(sql) as copy:
                for row in entry.counted(rows, len(rows)):
                    copy.write_row(row)
            entry.rows = len(rows)
        self._execute("engines/postgres/analyze", table=table)

    def _create(self, table: str, columns: Sequence[tuple[str, str]]) -> None:
        """Make an empty scratch table in the place of an older one."""
        self._require_scratch()
        self.drop(table)
        self._execute(
            "engines/postgres/create",
            table=table,
            columns=[(name, type_name(kind, "postgres")) for name, kind in columns],
            temporary=self._scratch == _TEMPORARY,
        )
        self._made.add(table)

    def drop(self, table: str) -> None:
        """Remove a scratch table. It is emptied first, which alone frees its space before the
        transaction ends."""
        if table in self._made:
            self._execute("engines/postgres/truncate", table=table)
            self._execute("engines/postgres/drop", table=table, view=False)
            self._made.discard(table)

    def receive(self, table: str, carried: Export) -> None:
        """Make a scratch table of another engine's CSV file, streaming."""
        self._create(table, [(column.name, column.type) for column in carried.columns])
        sql = templates.render(_RECEIVE, "postgres", table=table)
        with self._statement(_RECEIVE, sql) as entry:
            entry.rows = _read(carried.paths[0], self._driver, sql, entry)
        carried.paths[0].unlink()
        self._execute("engines/postgres/analyze", table=table)

    # for the target

    @property
    def holders(self) -> str:
        """The sessions that the last statement waited for, in words; empty when it did not wait
        long."""
        return self._waiting.holders

    def execute(
        self, template: str, *, patience: float | None = None, **parameters: Any
    ) -> list[tuple[Any, ...]]:
        """Execute one template as it stands, inside the transaction; after ``patience`` seconds the
        server is asked whom the statement waits for."""
        self._require_scratch()
        sql = templates.render(template, "postgres", **parameters)
        return self._send(template, sql, patience)

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
            self._connection.close()
            self._connection.engine.dispose()

    def _begin(self) -> None:
        if not self._in_transaction:
            self._execute("engines/postgres/transaction", to="begin")
            self._in_transaction = True

    def _require_scratch(self) -> None:
        """Make the scratch schema when it is first needed. A reader of a release, who may
        create none, works in the session's own schema of temporary tables."""
        self._begin()
        if self._scratch:
            return
        role, database, may_create, temporary, read_only = self._execute("engines/postgres/me")[0]
        if read_only:
            raise PolicyError.at(
                "source.database",
                f"{self.host} is read-only.",
                "Name the primary server: scratch tables are made there.",
            )
        if not may_create and temporary and self._context.reading:
            self._execute("engines/postgres/search_path", schemas=[_TEMPORARY])
            self._scratch = _TEMPORARY
            return
        if not may_create:
            text = (
                f"the role {role} may not create schemas in the database {database}, and scratch"
                " tables need one."
            )
            raise PolicyError.at(
                "source.database",
                text,
                f'Its owner can: GRANT CREATE ON DATABASE "{database}" TO "{role}".',
            )
        scratch = f"anonsql_{secrets.token_hex(8)}"
        self._execute("engines/postgres/create_schema", schema=scratch, unless_there=False)
        self._execute("engines/postgres/search_path", schemas=[scratch])
        self._scratch = scratch

    def _execute(self, template: str, **parameters: Any) -> list[tuple[Any, ...]]:
        return self._send(template, templates.render(template, "postgres", **parameters))

    def _plan(self, sql: str) -> None:
        """Keep the planner from sorting the rows of a statement that only groups them. It cannot
        tell how few groups generalized values make, and takes them to be about as many as rows:
        too many for a hash table, so that it would sort whole tables on disk."""
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
        with self._waiting.watched(patience), self._statement(template, sql) as entry:
            result = self._connection.execution_options(no_parameters=True).exec_driver_sql(sql)
            rows = [tuple(row) for row in result] if result.returns_rows else []
            entry.rows = max(0, result.rowcount)
        return rows

    def _translated(self, template: str, sql: str) -> AbstractContextManager[None]:
        return translated(template, sql)

    def _write(self, path: Path, sql: str, _columns: Sequence[Column], entry: Statement) -> int:
        """Write what a COPY sends to a file, block by block."""
        with path.open("wb") as out, self._driver.cursor() as cursor:
            with cursor.copy(sql) as copy:
                for block in copy:
                    out.write(block)
                    entry.moved(out.tell() // _MIB, 0, "MiB")
            return cursor.rowcount


def _read(path: Path, driver: psycopg.Connection[Any], sql: str, entry: Statement) -> int:
    """Send a file to a COPY, block by block; return the number of rows."""
    total = path.stat().st_size // _MIB
    with path.open("rb") as buffered_reader, driver.cursor() as cursor:
        with cursor.copy(sql) as copy:
            while block := buffered_reader.read(_MIB):
                copy.write(block)
                entry.moved(buffered_reader.tell() // _MIB, total, "MiB")
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
