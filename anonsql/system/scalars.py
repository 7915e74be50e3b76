"""Numbers and text as policies write them, for the fields of settings."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema


def as_digits(value: Any) -> Any:
    """Return a number as its text, so that 0.1 becomes exactly a tenth."""
    return str(value) if isinstance(value, float) else value


def as_text(value: Any) -> Any:
    """Return a label or leaf as text: a number's digits, the word of a truth value, a date in ISO
    form."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, (int, float, date)) else value


def plain(number: Decimal) -> str:
    """Return a number in decimal notation, without trailing zeros."""
    return format(number.normalize(), "f")


Number = Annotated[
    Decimal,
    BeforeValidator(as_digits),
    Field(allow_inf_nan=False, max_digits=18, decimal_places=6),
    WithJsonSchema({"type": "number"}),
]
Text = Annotated[str, BeforeValidator(as_text)]
WITHOUT_NUL = r"^[^\x00]+$"
Name = Annotated[str, Field(min_length=1, pattern=WITHOUT_NUL), BeforeValidator(as_text)]
"""The name of a table, a column or a role."""
