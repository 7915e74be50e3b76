"""Translate Spark's errors into anonsql's. A message that may quote data goes into ``detail``,
which is not printed."""

from __future__ import annotations

import re

from pyspark.errors import AnalysisException, ParseException

from anonsql.engines.errors import lost_connection, no_connection, unnamed
from anonsql.errors import AnonsqlError, PolicyError, ResourceError, SqlError

JAVA_ERRORS: tuple[type[Exception], ...] = ()
"""Errors of a Spark in Java that PySpark does not turn into its own: jobs that failed or were
cancelled."""
try:
    from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]

    JAVA_ERRORS = (Py4JJavaError,)
except ImportError:  # a client of Spark Connect alone has no Java
    pass

_LOST = re.compile(
    r"UNAVAILABLE|failed to connect|Connection refused|DEADLINE_EXCEEDED|stopped"
    r" SparkContext|UNAUTHENTICATED",
    re.I,
)
_FULL = re.compile(r"No space left|OutOfMemoryError|Java heap space|Disk quota", re.I)
_DENIED = re.compile(
    r"AccessControlException|PERMISSION_DENIED|Permission denied|INSUFFICIENT_PERMISSIONS", re.I
)


def error_of(error: Exception, template: str, sql: str) -> AnonsqlError:
    """Return anonsql's error (:mod:`anonsql.errors`) for an exception of Spark."""
    text = str(error)
    if _LOST.search(text):
        return lost_connection("Spark")
    if _FULL.search(text):
        reason = (
            "Spark's disk or memory is full. Free some, or give it more (engine.memory_limit), and"
            " run again"
        )
        return ResourceError(template, reason, sql, text)
    if _DENIED.search(text):
        return SqlError(
            template, "Spark may not read or write there. Mend the permissions", sql, text
        )
    names_only = isinstance(error, (AnalysisException, ParseException))
    reason = text.strip().splitlines()[0] if names_only and text.strip() else unnamed(error)
    return SqlError(template, reason, sql, text)


def connection_error(error: BaseException, location: str) -> AnonsqlError:
    """Return the error that Spark could not be reached or started, with the reason and a remedy."""
    text = str(error)
    if "JAVA_GATEWAY_EXITED" in text or "Java gateway" in text or "JAVA_HOME" in text:
        return PolicyError.at(
            "source.database",
            f"{location} needs Java 17 or newer, which did not start.",
            "Install it, or set JAVA_HOME.",
        )
    if isinstance(error, ImportError):
        remedy = "Install it: pip install 'pyspark-client' (or 'pyspark[connect]')."
        return PolicyError.at(
            "source.database",
            f"{location} needs a Python package that is not there: {error.name}.",
            remedy,
        )
    remedy = "Check the URL, and that it runs; then try again."
    return no_connection(location, "it cannot be reached.", remedy)
