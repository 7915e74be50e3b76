"""What a promise does not cover, in one sentence: the rows that are single by what is kept."""

from __future__ import annotations

from collections.abc import Sequence

_NAMED = 4
"""Columns that the sentence names; of more it names one less, and how many there are besides."""


def not_covered(
    unique: int, rows: int, columns: Sequence[str], k: int, table: str | None = None
) -> str | None:
    """Return in words that ``unique`` of the released ``rows`` are the only ones with their values
    in the ``columns`` that are kept as they are; None where no row is. ``table`` is named where a
    release has several."""
    if not unique or not columns:
        return None
    counted = f"{unique:,} of {rows:,} {'row' if rows == 1 else 'rows'}"
    whose = f" of {table}" if table is not None else ""
    kept, what = _names(columns), "k" if k > 1 else "the promise"
    if unique == 1:
        return f"{counted}{whose} is the only one with its {kept}; {what} says nothing of it"
    return f"{counted}{whose} are the only ones with their {kept}; {what} says nothing of these"


def _names(columns: Sequence[str]) -> str:
    """Return columns as people list them, the first few of many.

    >>> _names(["paid", "reported", "note"])
    'paid, reported and note'
    >>> _names(["a", "b", "c", "d", "e"])
    'a, b, c and 2 other kept columns'
    """
    if len(columns) > _NAMED:
        shown = columns[: _NAMED - 1]
        return f"{', '.join(shown)} and {len(columns) - len(shown)} other kept columns"
    *most, last = columns
    return f"{', '.join(most)} and {last}" if most else last
