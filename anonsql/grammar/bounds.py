"""The columns of bounds, means and medians in what ``__columns`` of a release says: which column's
they are."""

from __future__ import annotations

_WORDS = {"lo": "least", "hi": "greatest"}


def average_looks(name: str, average: str) -> str:
    """Return what ``__columns`` says of the ``average`` (mean or median) of a column."""
    return f"{average} of {name} over all rows that are released alike"


def bound_of(name: str, looks_like: str | None) -> str | None:
    """Return the column whose bounds, means or medians a column holds, by its name and its looks;
    None where it holds none.

    >>> bound_of("age_lo", "least value that age can have")
    'age'
    """
    own, _, end = name.rpartition("_")
    text = f"{_WORDS[end]} value that {own} can have" if end in _WORDS else None
    if end in ("mean", "median"):
        text = average_looks(own, end)
    return own if text is not None and looks_like == text else None
