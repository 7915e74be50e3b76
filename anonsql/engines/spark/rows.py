"""Send a few rows from Python to Spark as data, so that neither a statement nor a plan shows their
values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StringType, StructField, StructType


def as_json(rows: Sequence[Sequence[object]]) -> str:
    """Return rows as an array of arrays of texts that Spark's CAST takes for their values."""
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
