"""The types of the columns that release the least and the greatest value of a label."""

from __future__ import annotations

from anonsql.engines.base import Column


def bounds_type(column: Column, scale: int, exact: bool = True) -> str:
    """Return a type that holds every bound of the column with ``scale`` digits after the point:
    exactly, but for doubles and unbounded decimals. The bounds of an integer column are integers
    where ``exact``."""
    if column.kind == "float" or column.unbounded:
        return "DOUBLE"
    if column.kind == "decimal" or (column.kind == "integer" and not exact):
        return f"DECIMAL(38, {scale})"
    if column.kind == "integer":
        return {"UBIGINT": "DECIMAL(38, 0)", "HUGEINT": "HUGEINT", "UHUGEINT": "UHUGEINT"}.get(
            column.type.upper(), "BIGINT"
        )
    return "DATE" if column.kind == "date" else column.cast or column.type
