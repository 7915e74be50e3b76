"""PostgreSQL as the data plane: one connection and one transaction a run.

The transaction is REPEATABLE READ, so all of a run sees the source as it was when it began. Scratch lies in a schema
made inside it: whatever ends a run early, the server takes all of it back.
"""

from __future__ import annotations

import os
import re
import secrets
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import sqlalchemy
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    NoSuchModuleError,
    PendingRollbackError,
    SQLAlchemyError,
)

from anonsql import templates
from anonsql.arrays import IntArray, columnar
from anonsql.dialects import Dialect
from anonsql.engines.base import Column, Context, Export, Relation
from anonsql.engines.duckdb import travelling_as_text
from anonsql.engines.postgres_errors import connection_error, error_of, lost
from anonsql.errors import AnonsqlError, BusyError, PolicyError, ResourceError, did_you_mean
from anonsql.places import Location
from anonsql.source_policy import Source
from anonsql.translation import translate, type_name

_CREATED = re.compile(r'CREATE UNLOGGED TABLE (?P<name>"(?:[^"]|"")+") AS')
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


class PostgresEngine:
    """One run's data plane on the server at ``place``."""

    dialect: Dialect = "postgres"

    def __init__(self, place: Location, context: Context) -> None:
        self._place, self._context = place, context
        self._connection = _connect(place, context)
        self._made: set[str] = set()
        self._scratch = ""
        self._in_transaction = False
        version = self._driver.info.server_version
        self._execute("postgres/session", version=version, threads=context.settings.threads)

    @property
    def _driver(self) -> psycopg.Connection[Any]:
        """The connection as psycopg knows it, for COPY."""
        return self._connection.connection.driver_connection  # type: ignore[return-value]

    @property
    def host(self) -> str:
        """The server as messages name it."""
        return str(self._place)

    # source

    def open_source(self, source: Source) -> Relation:
        """Find the table."""
        return self.find(source.table or "", "source.table")

    def open_population(self, source: Source, _place: Location) -> Relation:
        """Find the population's table: it lies on the same server."""
        return self.find(source.table or "", "privacy.population.table")

    def find(self, table: str, where: str) -> Relation:
        """A table or view by its name, with its schema where it needs one; raises PolicyError at ``where``."""
        found = self.query("postgres/tables")
        for schema, name, visible, readable in found:
            if table in (name if visible else None, f"{schema}.{name}"):
                if not readable:
                    role = self.query("postgres/me")[0][0]
                    remedy = f"Its owner can: GRANT USAGE ON SCHEMA {schema} TO {role}; GRANT SELECT ON {schema}.{name} TO {role}."
                    raise PolicyError.at(
                        where, f"the role {role} may not read {schema}.{name}.", remedy
                    )
                return (schema, name)
        known = [name if visible else f"{schema}.{name}" for schema, name, visible, _ in found]
        hint = did_you_mean(table, known) or f"The database has {len(known)} tables."
        raise PolicyError.at(where, f"there is no table {table!r} on {self.host}.", hint)

    def columns(self, relation: Relation) -> list[Column]:
        """The columns of a relation in order."""
        path = relation if len(relation) > 1 else (self._scratch, *relation)
        rows = self.query("postgres/columns", relation=path)
        return [
            Column(name, "ENUM" if enumeration else _type(told), comparable)
            for name, told, enumeration, comparable in rows
        ]

    def require_unchanged(self) -> None:
        """The transaction sees one state of the source."""

    # statements

    def run(self, template: str, **parameters: Any) -> None:
        """Execute one template. What it creates is scratch: not logged, and analysed for the planner."""
        self._require_scratch()
        sql = translate(templates.render(template, **parameters), "postgres", unlogged=True)
        self._send(template, sql)
        if created := _CREATED.match(sql):
            name = created["name"][1:-1].replace('""', '"')
            self._made.add(name)
            self._execute("postgres/analyze", table=name)

    def query(self, template: str, **parameters: Any) -> list[tuple[Any, ...]]:
        """The rows of one template."""
        self._begin()
        return self._execute(template, **parameters)

    def load(
        self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]]
    ) -> None:
        """Make or replace a scratch table of rows that Python has."""
        self._require_scratch()
        self.drop(table)
        self._execute(
            "postgres/create",
            table=table,
            columns=[(name, type_name(kind, "postgres")) for name, kind in columns],
        )
        self._made.add(table)
        sql = templates.render("postgres/copy_in", "postgres", table=table)
        with (
            self._context.journal.statement("data", "postgres/copy_in") as entry,
            _translated("postgres/copy_in", sql),
        ):
            with self._driver.cursor() as cursor, cursor.copy(sql) as copy:
                for row in rows:
                    copy.write_row(row)
            entry.rows = len(rows)
        self._execute("postgres/analyze", table=table)

    def numbers(self, template: str, **parameters: Any) -> list[IntArray]:
        """The columns of one template of whole numbers."""
        return columnar(self.query(template, **parameters))

    def load_numbers(self, table: str, columns: Mapping[str, IntArray]) -> None:
        """Make or replace a scratch table of arrays."""
        rows = list(zip(*(column.tolist() for column in columns.values()), strict=True))
        self.load(table, [(name, "BIGINT") for name in columns], rows)

    def drop(self, table: str) -> None:
        """Remove a scratch table; emptied first, for only that gives its space back before the transaction ends."""
        if table in self._made:
            self._execute("postgres/truncate", table=table)
            self._execute("postgres/drop", table=table)
            self._made.discard(table)

    def export(
        self, template: str, columns: Sequence[Column], file: Path, **parameters: Any
    ) -> Export:
        """Write the rows of a template to a scratch table, and that to a CSV file, streaming."""
        path, table = file.with_suffix(".csv"), file.name.replace("-", "_")
        self.run(
            "release/staged",
            table=table,
            select=template,
            names=[each.name for each in columns],
            **parameters,
        )
        travelling = travelling_as_text(columns)
        sql = templates.render("postgres/copy_out", "postgres", table=table, columns=travelling)
        with (
            self._context.journal.statement("data", "postgres/copy_out") as entry,
            _translated("postgres/copy_out", sql),
        ):
            entry.rows = _write(path, self._driver, sql)
        return Export([path], "csv", travelling, (table,), columns)

    # for the target

    def lock(self, name: str, key: int) -> None:
        """Hold the lock of a release until the connection ends; raises BusyError that says who holds it."""
        if self._execute("postgres/lock", key=key)[0][0]:
            return
        holders = self._execute("postgres/lock_holder", key=key)
        who = "; ".join(
            f"{told} (backend {pid}, role {role}, since {since} UTC)"
            for told, pid, role, since in holders
        )
        raise BusyError(
            f"{name} on {self.host} is locked by {who or 'another run'}. Wait until it has finished, then run again."
        )

    def execute(self, template: str, **parameters: Any) -> list[tuple[Any, ...]]:
        """Execute one template as it stands, inside the transaction."""
        self._require_scratch()
        return self._execute(template, **parameters)

    def commit(self) -> None:
        """Drop the scratch schema and make everything last at once."""
        self._execute("postgres/drop_schema", schema=self._scratch)
        self._execute("postgres/commit")
        self._in_transaction = False
        self._scratch = ""

    def interrupt(self) -> None:
        """Ask the server to end the statement that runs."""
        self._driver.cancel_safe(timeout=15)

    def close(self) -> None:
        """End the transaction, which takes all scratch with it, and the connection."""
        try:
            if self._in_transaction:
                self._execute("postgres/rollback")
        except (AnonsqlError, SQLAlchemyError):
            pass  # the server is gone, and the transaction with it
        finally:
            self._connection.close()
            self._connection.engine.dispose()

    def _begin(self) -> None:
        if not self._in_transaction:
            self._execute("postgres/begin")
            self._in_transaction = True

    def _require_scratch(self) -> None:
        """Make the scratch schema when it is first needed."""
        self._begin()
        if self._scratch:
            return
        role, database, may_create, read_only = self._execute("postgres/me")[0]
        if read_only:
            raise PolicyError.at(
                "source.database",
                f"{self.host} is read-only.",
                "Name the primary server: scratch tables are made there.",
            )
        if not may_create:
            found = f"the role {role} may not create schemas in the database {database}, and scratch tables need one."
            raise PolicyError.at(
                "source.database",
                found,
                f'Its owner can: GRANT CREATE ON DATABASE "{database}" TO "{role}".',
            )
        scratch = f"anonsql_{secrets.token_hex(8)}"
        self._execute("postgres/create_schema", schema=scratch)
        self._execute("postgres/search_path", schema=scratch)
        self._scratch = scratch

    def _execute(self, template: str, **parameters: Any) -> list[tuple[Any, ...]]:
        return self._send(template, templates.render(template, "postgres", **parameters))

    def _send(self, template: str, sql: str) -> list[tuple[Any, ...]]:
        with self._context.journal.statement("data", template) as entry, _translated(template, sql):
            result = self._connection.execution_options(no_parameters=True).exec_driver_sql(sql)
            rows = [tuple(row) for row in result] if result.returns_rows else []
            entry.rows = max(0, result.rowcount)
        return rows


def _write(path: Path, driver: psycopg.Connection[Any], sql: str) -> int:
    """What a COPY sends, block by block; how many rows it were."""
    with path.open("wb") as out, driver.cursor() as cursor:
        with cursor.copy(sql) as copy:
            for block in copy:
                out.write(block)
        return cursor.rowcount


@contextmanager
def _translated(template: str, sql: str) -> Iterator[None]:
    """The driver's exceptions as anonsql's."""
    try:
        yield
    except DBAPIError as error:
        raise error_of(error.orig, template, sql) from None
    except psycopg.Error as error:
        raise error_of(error, template, sql) from None
    except PendingRollbackError:
        raise lost() from None
    except OSError as error:
        raise ResourceError(
            template, f"the file on the way out cannot be written: {error.strerror}", sql
        ) from None


def _connect(place: Location, context: Context) -> sqlalchemy.Connection:
    """A connection that begins and ends transactions only when it is told to."""
    told = f"{context.purpose} on {socket.gethostname()} process {os.getpid()}"[:63]
    try:
        url = sqlalchemy.make_url(place.url).set(drivername="postgresql+psycopg")
        engine = sqlalchemy.create_engine(
            url,
            poolclass=sqlalchemy.NullPool,
            isolation_level="AUTOCOMMIT",
            hide_parameters=True,
            connect_args={"application_name": told, "connect_timeout": 15, "autocommit": True},
        )
        return engine.connect()
    except (ArgumentError, NoSuchModuleError, ValueError):
        remedy = "E.g. postgresql://user:${PASSWORD}@host:5432/database."
        raise PolicyError.at(
            "source.database", "this is no URL that PostgreSQL understands.", remedy
        ) from None
    except DBAPIError as error:
        raise connection_error(error.orig, str(place)) from None


def _type(told: str) -> str:
    """A type in DuckDB's spelling; one that DuckDB lacks keeps PostgreSQL's, in capitals."""
    if told in _TYPES:
        return _TYPES[told]
    decimal = re.fullmatch(r"numeric\((\d+),(-?\d+)\)", told)
    if decimal:
        digits, scale = int(decimal[1]), int(decimal[2])
        return f"DECIMAL({digits},{scale})" if digits <= 38 and 0 <= scale <= digits else "DECIMAL"
    return next(
        (ours for pattern, ours in _TYPE_PATTERNS if re.fullmatch(pattern, told)), told.upper()
    )
