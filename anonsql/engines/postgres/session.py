"""Open sessions on a PostgreSQL server that look no name up in a schema that others can create in,
and find the relation that a name in the policy means.

A function, operator, type or table that a statement names without its schema is looked up along
``search_path``, and of several functions the one whose arguments fit best is called, wherever on
the path it is. Any role that may create in a schema of the path could so have its own function
called with the rights of the role that anonymizes. The first statement of every session therefore
leaves nothing on the path but the server's own catalog; a run puts its scratch schema before it,
which is made in the run's transaction, so that no other role ever sees it.

A policy's name without a schema is therefore looked up here, along the search_path that the role's
sessions have by default. A name that several relations have is refused: otherwise any role that may
create views in a schema of that path could have its view read instead of the table. So is a relation
that runs others' code.

A second session finds out who holds a lock that the first one waits for. A message of the server
that may quote data goes into ``detail``, which is not printed.
"""

from __future__ import annotations

import os
import re
import socket
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

import psycopg
import sqlalchemy
from sqlalchemy.exc import DBAPIError, PendingRollbackError, SQLAlchemyError

from anonsql.engines.errors import (
    FULL,
    NO_DATABASE,
    REFUSED,
    UNREACHABLE,
    lost_connection,
    no_connection,
    unnamed,
)
from anonsql.engines.sqlalchemy_engine.engine import Driver
from anonsql.errors import AnonsqlError, BusyError, PolicyError, ResourceError, SqlError
from anonsql.policy.locations import Location
from anonsql.sql import templates
from anonsql.system.journal import log

_SCHEMA = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^",\s]+))\s*(?:,|\Z)')


class NamedRelation(NamedTuple):
    """A relation of the database, and whether the role may read it."""

    schema: str
    name: str
    readable: bool


def schemas_of(setting: str, role: str) -> list[str]:
    """Return the schemas of a ``search_path`` setting in its order, without the server's own.
    ``$user`` in it means the schema with the name of the ``role``."""
    names = [
        quoted.replace('""', '"') or plain.lower() for quoted, plain in _SCHEMA.findall(setting)
    ]
    path = [role if name == "$user" else name for name in names]
    return [name for name in dict.fromkeys(path) if not name.startswith("pg_")]


def matches(
    table: str, relations: Iterable[NamedRelation], path: Sequence[str]
) -> list[NamedRelation]:
    """Return which of the ``relations`` the name ``table`` may mean.

    Those are the relations with that name including the schema. Where there are none, they are the
    readable ones with that name in a schema of the ``path``, or one unreadable one where the role
    may read none. The list is empty where no relation has the name.
    """
    known = list(relations)
    if qualified := [column for column in known if table == f"{column.schema}.{column.name}"]:
        return qualified
    on_path = [row for row in known if table == row.name and row.schema in path]
    return [row for row in on_path if row.readable] or on_path[:1]


def require_one(table: str, matching: Sequence[NamedRelation], where: str) -> NamedRelation:
    """Return the only relation of ``matching``, which is not empty; raise PolicyError at ``where``
    when the name ``table`` means several."""
    if len(matching) > 1:
        several = ", ".join(f"{row.schema}.{row.name}" for row in matching)
        raise PolicyError.at(
            where,
            f"{table!r} matches several tables: {several}.",
            "Write the schema: schema.table.",
        )
    return matching[0]


class OthersCode(NamedTuple):
    """Code that reading a relation may run: a row of ``engines/postgres/others_code``. ``wrong`` is
    the reason: its ``owner`` is another role or, whoever owns it, the calls of its ``body`` cannot
    be followed, or it runs a ``statement`` that it receives as text."""

    kind: str
    name: str
    owner: str
    reader: str
    own_relation: bool
    wrong: Literal["owner", "body", "statement"]


def foreign_code(relation: str, codes: Sequence[OthersCode]) -> tuple[str, str]:
    """Return the problem of a relation that runs ``codes``, at least one, and the remedy."""
    code = codes[0]
    others = f" and {len(codes) - 1} more" if len(codes) > 1 else ""
    if code.wrong == "owner":
        return (
            f"reading {relation} can run code of the role {code.owner}, who owns the {code.kind}"
            f" {code.name}{others}, with the rights of the role {code.reader}.",
            f"Let a superuser or the owner of {relation} own it, or copy the rows into a table"
            " whose columns have types of the server.",
        )
    if code.wrong == "statement":
        return (
            f"reading {relation} calls {code.name}{others}, which runs a statement given as text,"
            f" so it can run any code with the rights of the role {code.reader}.",
            "Remove it from the view, or copy the rows into a table.",
        )
    return (
        f"reading {relation} runs the function {code.name} of the role {code.owner}{others},"
        " whose body the server cannot analyse: it may call any code, with the rights of the role"
        f" {code.reader}.",
        "Write the function in SQL with RETURN or BEGIN ATOMIC instead of a string (PostgreSQL 14"
        " or newer), remove it from the view, or copy the rows into a table.",
    )


FAILURES = (DBAPIError, psycopg.Error, PendingRollbackError)
_LOST = ("08", "57P")
_LOCKED = ("55P03", "40001", "40P01")
_FULL = {
    "53100": "the server's disk is full",
    "53200": "the server is out of memory, or of locks (max_locks_per_transaction)",
}
_NAMES_ONLY = ("42",)  # syntax errors and access rules: they quote names, not values
_TAKEN = ("23505", "42P06", "42P07")  # a row of the server's own catalogs, a schema, a table
_PRIVILEGE, _READ_ONLY, _TOO_MANY = "42501", "25006", "53300"


_PATIENCE = 2.0
"""Seconds that a statement runs before we ask which session it waits for."""


class LockedError(BusyError):
    """Another session holds a lock that a statement waited for."""


def connect(location: Location, purpose: str) -> sqlalchemy.Connection:
    """Return a connection without implicit transactions: they begin and end by statements alone."""
    named = f"{purpose} on {socket.gethostname()} process {os.getpid()}"[:63]
    try:
        return _DRIVER.connect(location, application_name=named, autocommit=True)
    except DBAPIError as error:
        raise connection_error(error.orig, str(location)) from None


def _connected(
    _dialect: object, _record: object, arguments: list[Any], parameters: dict[str, Any]
) -> psycopg.Connection[Any]:
    """Return a driver's connection with a safe path, before SQLAlchemy asks it anything."""
    connection = psycopg.connect(*arguments, **parameters)
    try:
        connection.execute(templates.render("engines/postgres/search_path", "postgres", schemas=[]))
    except BaseException:
        connection.close()
        raise
    return connection


_DRIVER = Driver(
    "postgresql+psycopg",
    "PostgreSQL",
    "postgresql://user:${PASSWORD}@host:5432/database",
    _connected,
)


def error_of(error: object, template: str, sql: str) -> AnonsqlError:
    """Return anonsql's error (:mod:`anonsql.errors`) for an exception of the driver."""
    error = error.orig if isinstance(error, DBAPIError) else error
    text = str(error).strip()
    state = getattr(error, "sqlstate", None) or ""
    first = text.splitlines()[0] if text else ""
    if state.startswith(_LOST) or (
        not state and isinstance(error, (psycopg.OperationalError, PendingRollbackError))
    ):
        return lost_connection("PostgreSQL")
    if state in _LOCKED:
        return LockedError(
            "PostgreSQL could not get a lock on a table that another session uses. Wait until it"
            " has finished, then run again."
        )
    if state in _TAKEN:
        return BusyError(
            "Another session made a schema or table of the same name during the run. Nothing was"
            " published; run again."
        )
    if state in _FULL:
        return ResourceError(template, f"{_FULL[state]}. Free some and run again", sql, text)
    if state == _READ_ONLY:
        return PolicyError.at(
            "source.database",
            "the server is read-only.",
            "Name the primary server: scratch tables are made there.",
        )
    if state == _PRIVILEGE:
        remedy = "Ask the owner for the privilege, or connect as another role."
        return SqlError(template, f"{first}. {remedy}", sql, text)
    reason = first if state.startswith(_NAMES_ONLY) else unnamed(error)
    return SqlError(template, reason, sql, text)


def connection_error(error: object, location: str) -> AnonsqlError:
    """Return the error that no connection could be made, with the reason and a remedy."""
    text = str(error)
    state = getattr(error, "sqlstate", None) or ""
    if "no password supplied" in text or "fe_sendauth" in text:
        words, remedy = (
            "the server asks for a password.",
            "Set PGPASSWORD, or put it into the URL: postgresql://user:${PASSWORD}@host/database.",
        )
    elif (
        "authentication failed" in text
        or state.startswith("28")
        or re.search(r'role ".*" does not exist', text)
    ):
        words, remedy = REFUSED
    elif "does not exist" in text and "database" in text:
        words, remedy = NO_DATABASE
    elif "too many" in text or state == _TOO_MANY:
        words, remedy = FULL
    elif re.search("starting up|shutting down|in recovery mode|not yet accepting", text):
        words, remedy = "the server is starting up or shutting down.", "Try again in a moment."
    elif re.search(r"invalid (connection option|[a-z_]+ value|integer value|port)", text):
        remedy = "Remove options that only other drivers understand; anonsql always uses psycopg."
        return PolicyError.at(
            "source.database", f"the URL of {location} has an unknown option.", remedy
        )
    else:
        words, remedy = UNREACHABLE
    return no_connection(location, words, remedy)


class Waiting:
    """Watches the statements of one session (``pid``). ``holders`` names the sessions that the last
    statement waited for."""

    def __init__(self, location: Location, purpose: str, pid: int) -> None:
        self._place, self._purpose, self._pid = location, purpose, pid
        self.holders = ""

    @contextmanager
    def watched(self, patience: float | None = None) -> Iterator[None]:
        """Run a statement inside. When it takes long, find out whom it waits for, and say so on
        stderr unless the caller sets a ``patience`` of its own; if it ends with a LockedError, that
        names them.
        """
        self.holders, ended = "", threading.Event()
        timer = threading.Timer(patience or _PATIENCE, self._look, [ended, patience is None])
        timer.daemon = True
        timer.start()
        try:
            yield
        except LockedError as error:
            if not self.holders:
                raise
            raise LockedError(f"{error} It was held by {self.holders}.") from None
        finally:
            ended.set()
            timer.cancel()

    def _look(self, ended: threading.Event, tell: bool) -> None:
        """Find the session that holds the lock, and report it if ``tell``; failures are ignored, as
        the statement itself continues."""
        try:
            sql = templates.render("engines/postgres/lock_holders", "postgres", pid=self._pid)
            with connect(self._place, self._purpose) as connection:
                rows = connection.exec_driver_sql(sql).fetchall()
                connection.engine.dispose()
        except (AnonsqlError, SQLAlchemyError, psycopg.Error):
            return
        if ended.is_set() or not rows:
            return
        self.holders = "; ".join(_holder(*row) for row in rows)
        if tell:
            relation = next((f" on {row[0]}" for row in rows if row[0]), "")
            log.warning("waiting for a lock%s that is held by %s", relation, self.holders)


def _holder(
    _relation: str | None, pid: int, role: str | None, named: str | None, since: str | None
) -> str:
    """Return a session in words: the server's facts, then its own application name, which may be
    any text."""
    if not pid:
        return "a prepared transaction (see pg_prepared_xacts)"
    begun = f", in a transaction since {since} UTC" if since else ""
    calls = f", which calls itself {named!r}" if named else ""
    return f"backend {pid} of the role {role!r}{begun}{calls}"
