"""Open sessions on a PostgreSQL server that look no name up in a schema that others can create in.

A function, operator, type or table that a statement names without its schema is looked up along
``search_path``, and of several functions the one whose arguments fit best is called, wherever on
the path it lies. Any role that may create in a schema of the path could so have its own function
called with the rights of the role that anonymizes. The first statement of every session therefore
leaves nothing on the path but the server's own catalog; a run puts its scratch schema before it,
which is made in the run's transaction, so that nobody else ever sees it.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import sqlalchemy
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, PendingRollbackError

from anonsql.engines.errors import unwritten
from anonsql.engines.postgres.errors import connection_error, error_of, lost
from anonsql.errors import PolicyError
from anonsql.policy.locations import Location
from anonsql.sql import templates


def connect(location: Location, purpose: str) -> sqlalchemy.Connection:
    """Return a connection without implicit transactions: they begin and end by statements alone."""
    named = f"{purpose} on {socket.gethostname()} process {os.getpid()}"[:63]
    try:
        url = sqlalchemy.make_url(location.url).set(drivername="postgresql+psycopg")
        engine = sqlalchemy.create_engine(
            url,
            poolclass=sqlalchemy.NullPool,
            isolation_level="AUTOCOMMIT",
            hide_parameters=True,
            connect_args={"application_name": named, "connect_timeout": 15, "autocommit": True},
        )
        sqlalchemy.event.listen(engine, "do_connect", _connected)
        return engine.connect()
    except (ArgumentError, NoSuchModuleError, ValueError):
        remedy = "E.g. postgresql://user:${PASSWORD}@host:5432/database."
        raise PolicyError.at(
            "source.database", "this is no URL that PostgreSQL understands.", remedy
        ) from None
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


@contextmanager
def translated(template: str, sql: str) -> Iterator[None]:
    """Raise the driver's exceptions as anonsql's."""
    try:
        yield
    except DBAPIError as error:
        raise error_of(error.orig, template, sql) from None
    except psycopg.Error as error:
        raise error_of(error, template, sql) from None
    except PendingRollbackError:
        raise lost() from None
    except OSError as error:
        raise unwritten(error, template, sql) from None
