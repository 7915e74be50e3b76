"""The limits that a policy sets to suppression, of a table's rows (``suppression_limit``) or of the
rows with one value (``max_group_loss``): how many rows a limit allows, and which one allows so
many."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction


def max_suppressed(limit: float | Decimal, rows: int) -> int:
    """Return how many of ``rows`` may be suppressed by a limit, a share of them: exact for a limit
    written as a decimal.

    >>> max_suppressed(0.29, 100), max_suppressed(0.05, 39)
    (29, 1)
    """
    return int(Fraction(str(limit)) * rows)


def least_limit(suppressed: int, rows: int, digits: int = 4) -> Decimal | None:
    """Return the least limit of so many ``digits`` that allows ``suppressed`` of ``rows`` to be
    suppressed; None where that is all of them, which no limit allows.

    >>> least_limit(1, 3), least_limit(30, 100), least_limit(100_000, 100_001)
    (Decimal('0.3334'), Decimal('0.3'), None)
    """
    unit = 10**digits
    limit = Decimal(-(-suppressed * unit // rows)) / unit
    return limit if limit < 1 else None
