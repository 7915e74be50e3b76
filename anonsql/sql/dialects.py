"""The dialects that statements can be told in. DuckDB's own is the one they are written in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Dialect = Literal["duckdb", "postgres", "spark", "snowflake", "bigquery", "trino", "redshift"]


def translate(
    statement: str,
    dialect: Dialect,
    renamed: Mapping[str, str] | None = None,
    unlogged: bool = False,
) -> str:
    """As :func:`anonsql.sql.translation.translate` has it; DuckDB gets the text as it stands,
    unless tables are renamed. sqlglot is loaded only where there is something to translate, for
    that takes as long as a small search."""
    if dialect == "duckdb" and renamed is None:
        return statement
    from anonsql.sql import translation

    return translation.translate(statement, dialect, renamed, unlogged)
