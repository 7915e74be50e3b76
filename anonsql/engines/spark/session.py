"""Open a Spark session with settings of its own: in a Spark that runs already, on a server, or in a
Spark started for it. Its errors become anonsql's; a message that may quote data goes into
``detail``, which is not printed."""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StringType, StructField, StructType

from anonsql.engines.base import Context
from anonsql.engines.errors import lost_connection, no_connection, unnamed
from anonsql.errors import AnonsqlError, PolicyError, ResourceError, SqlError
from anonsql.policy.locations import Location

PAGE_SIZE = str((4 << 20) - 64)
"""Of every broadcast table, in bytes: Spark's own 32 or 64 MiB take longer to clear than a join. A
little less than 4 MiB, for with its header a page of 4 MiB takes 8 MiB where Java divides its
memory into regions of 4 or 8, as it does with 8 GB and more."""
_SETTINGS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.legacy.createHiveTableByDefault": "false",
    "spark.sql.sources.default": "parquet",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.caseSensitive": "false",
}
_LAUNCH = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.buffer.pageSize": PAGE_SIZE,
}
_CONNECT_PORT = 15002
_PARTITIONS = "spark.sql.shuffle.partitions"
_INITIAL = "spark.sql.adaptive.coalescePartitions.initialPartitionNum"
_PART_BYTES, _PARTS_AT_MOST = 1 << 24, 4096  # of Parquet: some million narrow rows


def open_session(location: Location, context: Context) -> tuple[SparkSession, bool]:
    """Return a session with settings of its own, and whether Spark was started for it."""
    try:
        if location.url.startswith("sc://"):
            _require_reachable(location.url)
            session, ours = SparkSession.builder.remote(location.url).create(), True
        else:
            active = SparkSession.getActiveSession()
            session, ours = (
                (active.newSession(), False) if active else (_launch(location, context), True)
            )
        for name, value in {**_SETTINGS, **_shuffle(location), **context.settings.spark}.items():
            if session.conf.isModifiable(name):
                session.conf.set(name, value)
    except Exception as error:
        raise connection_error(error, str(location)) from None
    return session, ours


def _require_reachable(url: str) -> None:
    """Raise OSError when no server listens at the URL: the client itself would try for minutes."""
    parts = urlsplit(url.partition(";")[0])
    socket.create_connection(
        (parts.hostname or "", parts.port or _CONNECT_PORT), timeout=15
    ).close()


def _launch(location: Location, context: Context) -> SparkSession:
    builder = SparkSession.builder.master(location.url).appName(context.purpose)
    options = {**_LAUNCH, **_SETTINGS, **_shuffle(location)}
    if location.url.startswith("local["):  # spilled data is plaintext
        options["spark.local.dir"] = str(context.workspace / "spill")
    if context.settings.memory_limit and location.url.startswith("local["):
        options["spark.driver.memory"] = (
            context.settings.memory_limit.replace(" ", "")
            .replace("iB", "")
            .replace("B", "")
            .lower()
        )
    for name, value in {**options, **context.settings.spark}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def _shuffle(location: Location) -> dict[str, str]:
    """Return the settings for as many shuffle partitions as this machine has cores, and for files
    that are read in parts whose combinations fit into a task's memory; none for a cluster, which
    keeps its own."""
    cores = re.match(r"local\[(\d+|\*)", location.url)
    if cores is None:
        return {}
    partitions = str(os.cpu_count() or 2) if cores[1] == "*" else cores[1]
    return {_PARTITIONS: partitions, "spark.sql.files.maxPartitionBytes": "32m"}


def divide_shuffles(session: SparkSession, context: Context, size: int) -> None:
    """Let a Spark on this machine divide its shuffles into as many parts as a source of so many
    bytes of files needs: the combinations of a part must fit into a task's share of the memory.
    Spark merges small parts again. Settings of the policy are not changed."""
    cores = int(session.conf.get(_PARTITIONS) or 1)
    parts = min(size // _PART_BYTES, _PARTS_AT_MOST)
    if parts > cores and not {_PARTITIONS, _INITIAL} & context.settings.spark.keys():
        session.conf.set(_INITIAL, str(parts))


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
            "Spark's disk or memory is full. Free some space, or give Spark more"
            " (engine.memory_limit), and run again"
        )
        return ResourceError(template, reason, sql, text)
    if _DENIED.search(text):
        return SqlError(
            template, "Spark may not read or write there. Change the permissions", sql, text
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
            f"{location} needs a Python package that is not installed: {error.name}.",
            remedy,
        )
    remedy = "Check the URL, and that the server runs; then try again."
    return no_connection(location, "it cannot be reached.", remedy)


def as_json(rows: Sequence[Sequence[object]]) -> str:
    """Return rows as an array of arrays of texts that Spark's CAST takes for their values: they are
    sent as data, so that neither a statement nor a plan shows them."""
    return json.dumps([[_text(value) for value in row] for row in rows], ensure_ascii=False)


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (date, datetime)):
        return str(value)
    if isinstance(value, (int, float, Decimal)):
        return format(value, "f") if isinstance(value, Decimal) else repr(value)
    raise TypeError(f"no value of Spark for {type(value).__name__}")


def one_text(spark: SparkSession, text: str, name: str) -> DataFrame:
    """Return one row of one text, in a column of this name: a local relation, whose rows no plan
    shows.

    A session of Spark Connect makes a local relation of any rows. With a session in Java it is made
    by Java: a list given to ``createDataFrame`` is read by Python workers, which takes longer than
    a small statement.
    """
    schema = StructType([StructField(name, StringType())])
    session: Any = getattr(spark, "_jsparkSession", None)
    if session is None:
        return spark.createDataFrame([(text,)], schema)
    context: Any = spark.sparkContext
    java = context._jvm
    values = context._gateway.new_array(java.java.lang.Object, 1)
    values[0] = text
    rows = java.java.util.ArrayList()
    rows.add(java.org.apache.spark.sql.RowFactory.create(values))
    typed = java.org.apache.spark.sql.types.DataType.fromJson(schema.json())
    return DataFrame(session.createDataFrame(rows, typed), spark)
