"""Types of MariaDB and MySQL: what they are called elsewhere, and how the source is cast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import types
from sqlalchemy.dialects import mysql

_REFLECTED: tuple[tuple[type[types.TypeEngine[Any]], str, str], ...] = (
    (mysql.TINYINT, "TINYINT", ""),
    (mysql.SMALLINT, "SMALLINT", ""),
    (mysql.YEAR, "INTEGER", "SIGNED"),
    (mysql.BIT, "BIGINT", "SIGNED"),
    (types.BigInteger, "BIGINT", ""),
    (types.Integer, "INTEGER", ""),
    (mysql.DOUBLE, "DOUBLE", ""),
    (mysql.FLOAT, "DOUBLE", "FLOAT"),
    (types.Float, "DOUBLE", ""),
    (types.DateTime, "TIMESTAMP", ""),
    (types.Date, "DATE", ""),
    (types.Time, "VARCHAR", "CHAR"),
    (types.LargeBinary, "BLOB", ""),
    (types.VARBINARY, "BLOB", ""),
    (types.BINARY, "BLOB", ""),
    (types.Enum, "VARCHAR", "CHAR"),
    (mysql.SET, "VARCHAR", "CHAR"),
    (types.JSON, "VARCHAR", "CHAR"),
    (types.String, "VARCHAR", "TEXT"),
    (types.Uuid, "VARCHAR", "CHAR"),
)
"""Reflected types, DuckDB's names of them, and how the source's view casts them: the first that
fits."""
NAMES = {
    **{name: name for name in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DOUBLE", "DATE")},
    **{f"U{name}": f"{name} UNSIGNED" for name in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")},
    "BOOLEAN": "BOOLEAN",
    "FLOAT": "DOUBLE",
    "HUGEINT": "DECIMAL(39, 0)",
    "TIMESTAMP": "DATETIME(6)",
    "BLOB": "LONGBLOB",
}
_LONGEST = 500
"""The longest text that is a VARCHAR in a scratch table; a row of them must fit 64 KB."""


def type_of(type_engine: types.TypeEngine[Any]) -> tuple[str, str]:
    """Return a reflected type in DuckDB's spelling, and how the source's view casts it."""
    if isinstance(type_engine, mysql.TINYINT) and type_engine.display_width == 1:
        return "BOOLEAN", ""
    if isinstance(type_engine, (mysql.DECIMAL, mysql.NUMERIC)):
        digits, scale = type_engine.precision or 10, type_engine.scale or 0
        return (f"DECIMAL({digits},{scale})" if digits <= 38 else "DECIMAL"), ""
    if (
        isinstance(type_engine, mysql.DOUBLE) and type_engine.scale is not None
    ):  # a DOUBLE writes its digits
        return "DOUBLE", "FLOAT"
    for kind, name, cast in _REFLECTED:
        if isinstance(type_engine, kind):
            unsigned = getattr(type_engine, "unsigned", False) and name != "DOUBLE"
            return ("U" * bool(unsigned)) + name, cast
    return "UNKNOWN", ""


def sized(kind: str, values: Sequence[object]) -> str:
    """Return the type of a column of a scratch table that holds some values: a VARCHAR that all of
    them fit, where they are short."""
    if kind not in ("VARCHAR", "UUID"):
        return kind
    longest = max((len(str(value)) for value in values if value is not None), default=1)
    return f"VARCHAR({max(longest, 1)})" if longest <= _LONGEST else kind
