"""The columns of bounds in what ``__columns`` of a release says: which column's bounds they are."""

from __future__ import annotations

_WORDS = {"_lo": "least", "_hi": "greatest"}


def bound_of(name: str, looks_like: str | None) -> str | None:
    """Return the column whose bounds a column holds, by its name and its looks; None where it is no
    column of bounds.

    >>> bound_of("age_lo", "least value that age can have")
    'age'
    """
    own, end = name[:-3], name[-3:]
    text = f"{_WORDS[end]} value that {own} can have" if end in _WORDS else None
    return own if text is not None and looks_like == text else None
