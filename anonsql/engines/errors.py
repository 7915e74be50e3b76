"""Errors that every database has, in the words that are the same for all."""

from __future__ import annotations

from anonsql.errors import BusyError, ResourceError

UNREACHABLE = (
    "the server cannot be reached.",
    "Check host and port in the URL, and that it runs; then try again. In a password, write"
    " @ / : # % as %40 %2F %3A %23 %25.",
)
"""What is wrong where a server does not answer, and what to do."""
REFUSED = (
    "the server does not accept the user or the password.",
    "Mend them in the URL or in the environment variable.",
)
NO_DATABASE = ("there is no such database.", "Mend the URL's last part.")
FULL = ("the server has no connection to spare.", "Try again later.")


def no_connection(location: str, text: str, remedy: str) -> BusyError:
    """Return the error that no connection could be made, with the reason and a remedy."""
    return BusyError(f"No connection to {location}: {text} {remedy}")


def lost_connection(database: str) -> BusyError:
    """Return the error of a connection that broke."""
    return BusyError(
        f"The connection to {database} was lost. Nothing was published, unless it was lost in the"
        " very last step; run again."
    )


def unnamed(error: object, number: str = "") -> str:
    """Return the reason that is shown of an error whose message may quote data."""
    return f"{type(error).__name__}{number} (--show-values tells more)"


def unwritten(error: OSError, template: str, sql: str) -> ResourceError:
    """Return the error that rows on their way to a file could not be written."""
    reason = f"the file on the way out cannot be written: {error.strerror}"
    return ResourceError(template, reason, sql)
