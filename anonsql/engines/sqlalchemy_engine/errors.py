"""Translate the errors of drivers, as SQLAlchemy classes them, into anonsql's. A message that may
quote data goes into ``detail``, which is not printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import (
    DBAPIError,
    InterfaceError,
    OperationalError,
    PendingRollbackError,
    ResourceClosedError,
)

from anonsql.engines.errors import lost_connection, unnamed, unwritten
from anonsql.errors import AnonsqlError, BusyError, ResourceError, SqlError

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
_LOST_CODES = (2006, 2013, 2055, 1053, 1927, 1317)
"""MariaDB's: gone away, lost during a query, lost at reading, shutdown, killed; the last is a query
that was killed."""
_LOCKED_CODES = (1205, 1213)
_FULL_CODES = (1021, 1041, 1114, 3)
_NAME_CODES = (1044, 1045, 1054, 1059, 1064, 1142, 1143, 1146, 1227, 1305)
"""MariaDB's that quote names and never values."""


def error_of(error: Exception, template: str, sql: str) -> AnonsqlError:
    """Return anonsql's error (:mod:`anonsql.errors`) for an exception of SQLAlchemy."""
    original = error.orig if isinstance(error, DBAPIError) else error
    arguments: tuple[object, ...] = getattr(original, "args", ())
    code = arguments[0] if arguments and isinstance(arguments[0], int) else 0
    text = str(arguments[1] if code and len(arguments) > 1 else original).strip()
    lost = isinstance(error, (PendingRollbackError, ResourceClosedError, InterfaceError))
    if lost or code in _LOST_CODES or getattr(error, "connection_invalidated", False):
        return lost_connection("the database")
    operational = isinstance(error, OperationalError)
    if operational and _LOST.search(text):
        return lost_connection("the database")
    if code in _LOCKED_CODES or (operational and _LOCKED.search(text)):
        return BusyError(
            "The database could not get a lock on what somebody else uses. Wait until they have"
            " finished, then run again."
        )
    if code in _FULL_CODES or _FULL.search(text):
        reason = "the database's disk or memory is full. Free some and run again"
        return ResourceError(template, reason, sql, text)
    if _UNWRITTEN.search(text):
        reason = "a file of the database cannot be written or read: the disk is full, a size limit"
        return ResourceError(template, f"{reason} was reached, or it is faulty", sql, text)
    if code in _NAME_CODES or (not code and (_NAMES_ONLY.search(text) or _DENIED.search(text))):
        first = text.splitlines()[0] if text else type(original).__name__
        remedy = ". Ask the owner for the privilege" if _DENIED.search(text) else ""
        return SqlError(template, f"{first}{remedy}", sql, text)
    return SqlError(template, unnamed(original, f" {code}" if code else ""), sql, text)


@contextmanager
def translated(template: str, sql: str) -> Iterator[None]:
    """Raise SQLAlchemy's exceptions as anonsql's."""
    try:
        yield
    except (DBAPIError, PendingRollbackError, ResourceClosedError) as error:
        raise error_of(error, template, sql) from None
    except OSError as error:
        raise unwritten(error, template, sql) from None
