"""Errors that every database has, in the words that are the same for all."""

from __future__ import annotations

import re
from pathlib import Path

from anonsql.errors import BusyError, ResourceError
from anonsql.system.text_files import NO_SPACE

UNREACHABLE = (
    "the server cannot be reached.",
    "Check host and port in the URL, and that the server runs; then try again. In a password,"
    " write @ / : # % as %40 %2F %3A %23 %25.",
)
"""The problem that a server does not answer, and the remedy."""
REFUSED = (
    "the server does not accept the user or the password.",
    "Correct them in the URL or in the environment variable.",
)
NO_DATABASE = ("there is no such database.", "Correct the last part of the URL.")
FULL = ("the server has no free connection.", "Try again later.")


def no_connection(location: str, text: str, remedy: str) -> BusyError:
    """Return the error that no connection could be made, with the reason and a remedy."""
    return BusyError(f"No connection to {location}: {text} {remedy}")


def lost_connection(database: str) -> BusyError:
    """Return the error of a connection that broke."""
    return BusyError(
        f"The connection to {database} was lost. Unless that happened in the very last step,"
        " nothing was published; run again."
    )


SHOW_VALUES = "(--show-values shows more)"
"""The text shown instead of a reason that may quote data."""


def unnamed(error: object, number: str = "") -> str:
    """Return the reason that is shown of an error whose message may quote data."""
    return f"{type(error).__name__}{number} {SHOW_VALUES}"


_UNFINISHED = re.compile(r"\.(?P<release>.*\.)?anonsql-.*")
"""The name of a private folder: next to a release, or in the system's temporary folder."""


def no_room(path: Path | None) -> str:
    """Return words for a full disk: the folder of anonsql's or a release's file ``path`` (unless it
    is not known), and how to have more room."""
    full = "the disk is full or a size limit was reached"
    if path is None:
        return f"{full}. Free space and run again"
    for folder in path.parents:
        if private := _UNFINISHED.fullmatch(folder.name):
            elsewhere = (
                "name a release.database" if private["release"] else "set TMPDIR to a folder"
            )
            remedy = f"Free space there and run again, or {elsewhere} on a larger disk"
            return f"{full} in {folder.parent}, where temporary files are stored. {remedy}"
    return f"{full} in {path.parent}. Free space there and run again"


def unwritten(error: OSError, template: str, sql: str) -> ResourceError:
    """Return the error that rows on their way to a file could not be written."""
    reason = f"the temporary export file cannot be written: {error.strerror}"
    if error.errno in NO_SPACE:
        reason = no_room(Path(error.filename) if error.filename else None)
    return ResourceError(template, reason, sql)
