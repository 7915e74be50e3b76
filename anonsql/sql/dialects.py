"""The dialects that statements can be translated to. They are written in DuckDB's."""

from __future__ import annotations

from typing import Literal

Dialect = Literal[
    "duckdb",
    "postgres",
    "spark",
    "sqlite",
    "mysql",
    "snowflake",
    "bigquery",
    "trino",
    "redshift",
    "databricks",
]
