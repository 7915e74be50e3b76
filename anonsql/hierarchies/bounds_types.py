"""The types of the columns that release the least and the greatest value of a label, and of numbers
that were rounded."""

from __future__ import annotations

from decimal import Decimal

from anonsql.engines import column_types
from anonsql.engines.base import Column

_UNBOUNDED = 18
"""The digits after the point that limits of unbounded decimals may have."""
_ADDED = 36


def bounds_type(column: Column, scale: int, exact: bool = True) -> str:
    """Return a type that holds every bound of the column with ``scale`` digits, exactly except
    doubles and unbounded decimals; of integer columns integers where ``exact``."""
    if column.kind == "float" or column.unbounded:
        return "DOUBLE"
    if column.kind == "decimal" or (column.kind == "integer" and not exact):
        return f"DECIMAL(38, {scale})"
    if column.kind == "integer":
        return {"UBIGINT": "DECIMAL(38, 0)", "HUGEINT": "HUGEINT", "UHUGEINT": "UHUGEINT"}.get(
            column.type.upper(), "BIGINT"
        )
    return "DATE" if column.kind == "date" else column.cast or column.type


def rounded_type(column: Column) -> str:
    """Return a type that holds every number that a column's can be rounded to, exactly except
    floats. Two such decimals can be added: 37 digits are fewer than any engine's most."""
    if column.unbounded:
        return column.type
    if column.kind == "decimal" and (column_types.digits(column.type) or 38) <= _ADDED:
        return f"DECIMAL({_ADDED}, {column.scale})"
    return bounds_type(column, column.scale)


def unit(column: Column) -> Decimal | None:
    """Return the smallest step of a column's exact numbers, None of floats."""
    if column.kind == "float":
        return None
    return Decimal(1).scaleb(-(_UNBOUNDED if column.unbounded else column.scale))
