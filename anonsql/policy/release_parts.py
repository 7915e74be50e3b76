"""The names of the tables that a release consists of."""

from __future__ import annotations

WHOLE = "table "
"""How the part of a release begins that is a table with a name of its own, and no suffix to that of
the first one."""


def parts_beside(table: str) -> tuple[str, str, str]:
    """Return the parts of another table of a relational release: its rows and its facts."""
    return (f"{WHOLE}{table}", f"{WHOLE}{table}__about", f"{WHOLE}{table}__columns")


def part_name(table: str, part: str) -> str:
    """Return the name of one of the tables of a release."""
    if part.startswith(WHOLE):
        return part.removeprefix(WHOLE)
    return table if part == "rows" else f"{table}__{part}"
