"""Rounding of the numbers that are published and compared."""

from __future__ import annotations


def rounded(value: float) -> float:
    """Return a number rounded to twelve digits, so that values and ties do not depend on the order
    in which an engine adds."""
    return float(f"{value:.12g}")
