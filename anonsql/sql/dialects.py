"""The dialects that statements can be translated to. They are written in DuckDB's."""

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
    """Translate a statement as :func:`anonsql.sql.translation.translate` does. For DuckDB the text
    stays as it is, unless tables are renamed: sqlglot is only loaded where there is something to
    translate, for loading it takes as long as a small search."""
    if dialect == "duckdb" and renamed is None:
        return statement
    from anonsql.sql import translation

    return translation.translate(statement, dialect, renamed, unlogged)
