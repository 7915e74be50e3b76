"""The names of the tables that a release consists of."""

from __future__ import annotations

WHOLE = "table "
"""How the part of a release begins that is a table with a name of its own, and no suffix to that of
the first one."""


COMPLETED = "completed"
"""The part with plain values, drawn from the labels' values, in several copies of the rows."""


MARGINALS = "marginals"
"""The part with how many rows have each value of a generalized column."""
MARGINALS_FACT = "the number of rows with each value of a column, if at least k rows have it"
"""What ``__about`` says of it, where there is one."""


def parts_beside(table: str) -> tuple[str, str, str]:
    """Return the parts of another table of a relational release: its rows and its facts."""
    return (f"{WHOLE}{table}", f"{WHOLE}{table}__about", f"{WHOLE}{table}__columns")


def completed_beside(table: str) -> str:
    """Return the part that is the completed table of another table of a relational release."""
    return f"{WHOLE}{table}__{COMPLETED}"


def completed_fact(draws: int) -> str:
    """Return the text of ``__about`` on a completed table, if there is one."""
    copies = "1 copy" if draws == 1 else f"{draws} copies"
    return (
        f"{copies} of the rows in which random values from their ranges replace labels:"
        " guesses, not data"
    )


def part_name(table: str, part: str) -> str:
    """Return the name of one of the tables of a release."""
    if part.startswith(WHOLE):
        return part.removeprefix(WHOLE)
    return table if part == "rows" else f"{table}__{part}"
