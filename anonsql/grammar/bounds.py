"""The columns of bounds, means and medians in what ``__columns`` of a release says: which column's
they are."""

from __future__ import annotations

_WORDS = {"lo": "least", "hi": "greatest"}


def average_looks(name: str, average: str) -> str:
    """Return what ``__columns`` says of the ``average`` (mean or median) of a column."""
    return f"{average} of {name} over all rows that are released alike"


def is_average(name: str, looks_like: str | None) -> bool:
    """Return whether a column holds means or medians of another, by its name and its looks.

    >>> is_average("age_mean", average_looks("age", "mean"))
    True
    """
    own, mark, end = name.rpartition("_")
    return bool(mark) and end in ("mean", "median") and looks_like == average_looks(own, end)


def bound_of(name: str, looks_like: str | None) -> str | None:
    """Return the column whose bounds, means or medians a column holds, by its name and its looks;
    None where it holds none.

    >>> bound_of("age_lo", "least value that age can have")
    'age'
    """
    if is_average(name, looks_like):
        return name.rpartition("_")[0]
    own, mark, end = name.rpartition("_")
    text = f"{_WORDS[end]} value that {own} can have" if mark and end in _WORDS else None
    return own if text is not None and looks_like == text else None
