"""Translate PostgreSQL's errors into anonsql's. A message that may quote data goes into ``detail``,
which is not printed."""

from __future__ import annotations

import re

import psycopg

from anonsql.engines.errors import (
    FULL,
    NO_DATABASE,
    REFUSED,
    UNREACHABLE,
    lost_connection,
    no_connection,
    unnamed,
)
from anonsql.errors import AnonsqlError, BusyError, PolicyError, ResourceError, SqlError

_LOST = ("08", "57P")
_LOCKED = ("55P03", "40001", "40P01")
_FULL = {
    "53100": "the server's disk is full",
    "53200": "the server is out of memory, or of locks (max_locks_per_transaction)",
}
_NAMES_ONLY = ("42",)  # syntax errors and access rules: they quote names, not values
_TAKEN = ("23505", "42P06", "42P07")  # a row of the server's own catalogs, a schema, a table
_PRIVILEGE, _READ_ONLY, _TOO_MANY = "42501", "25006", "53300"


class LockedError(BusyError):
    """Somebody else holds a lock that a statement waited for."""


def error_of(error: object, template: str, sql: str) -> AnonsqlError:
    """Return anonsql's error (:mod:`anonsql.errors`) for an exception of the driver."""
    text = str(error).strip()
    state = getattr(error, "sqlstate", None) or ""
    first = text.splitlines()[0] if text else ""
    if state.startswith(_LOST) or (not state and isinstance(error, psycopg.OperationalError)):
        return lost()
    if state in _LOCKED:
        return LockedError(
            "PostgreSQL could not get a lock on a table that somebody else uses. Wait until they"
            " have finished, then run again."
        )
    if state in _TAKEN:
        return BusyError(
            "Somebody made a schema or table of the same name during the run. Nothing was"
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


def lost() -> BusyError:
    """Return the error of a connection that broke."""
    return lost_connection("PostgreSQL")


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
        remedy = (
            "Take out what other drivers alone understand; psycopg is used, whatever driver the URL"
            " names."
        )
        return PolicyError.at(
            "source.database", f"the URL of {location} has an option that is not known.", remedy
        )
    else:
        words, remedy = UNREACHABLE
    return no_connection(location, words, remedy)
