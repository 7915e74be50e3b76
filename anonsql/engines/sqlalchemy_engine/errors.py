"""Translate the errors of drivers, as SQLAlchemy classes them, into anonsql's. A message that may
quote data goes into ``detail``, which is not printed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from sqlalchemy.exc import (
    DBAPIError,
    InterfaceError,
    OperationalError,
    PendingRollbackError,
    ResourceClosedError,
)

from anonsql.engines.errors import lost_connection, unnamed
from anonsql.errors import AnonsqlError, BusyError, ResourceError, SqlError

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


def error_of(error: Exception, template: str, sql: str, codes: Mapping[int, Fault]) -> AnonsqlError:
    """Return anonsql's error (:mod:`anonsql.errors`) for an exception of SQLAlchemy, of a database
    with numbered errors (``codes``)."""
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
            "The database could not get a lock on what somebody else uses. Wait until they have"
            " finished, then run again."
        )
    if fault == "full" or _FULL.search(text):
        reason = "the database's disk or memory is full. Free some and run again"
        return ResourceError(template, reason, sql, text)
    if _UNWRITTEN.search(text):
        reason = "a file of the database cannot be written or read: the disk is full, a size limit"
        return ResourceError(template, f"{reason} was reached, or it is faulty", sql, text)
    if fault == "names" or (not code and (_NAMES_ONLY.search(text) or _DENIED.search(text))):
        first = text.splitlines()[0] if text else type(original).__name__
        remedy = ". Ask the owner for the privilege" if _DENIED.search(text) else ""
        return SqlError(template, f"{first}{remedy}", sql, text)
    return SqlError(template, unnamed(original, f" {code}" if code else ""), sql, text)
