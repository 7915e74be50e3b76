"""Numbers as they are told."""

from __future__ import annotations


def rounded(value: float) -> float:
    """Return twelve digits, so that a value is the same, and a tie is one, whatever order an engine
    sums in."""
    return float(f"{value:.12g}")
