"""Numbers that are published and compared: how they are rounded, and how people read them."""

from __future__ import annotations


def rounded(value: float) -> float:
    """Return a number of twelve digits, which no order of adding in an engine changes."""
    return float(f"{value:.12g}")


def percent(share: float) -> str:
    """Return a share as people read it: three digits that count, and never 0 or 100 % of what is
    not none or all. More digits of a large error mean nothing.

    >>> [percent(share) for share in (0, 0.00004, 0.0416, 0.5, 0.99999, 1, 11)]
    ['0 %', 'below 0.01 %', '4.16 %', '50 %', 'above 99.99 %', '100 %', 'above 1000 %']
    """
    if share > 10:
        return "above 1000 %"
    if 0 < share < 0.0001:
        return "below 0.01 %"
    if 0.9999 < share < 1:
        return "above 99.99 %"
    digits = 0 if share in (0, 1) else 2 if share < 0.1 else 1
    text = f"{share * 100:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} %"


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun, and with what follows where that agrees with the number;
    ``many`` is ``one`` with an s where it is left out.

    >>> counted(1, "row"), counted(2000, "row"), counted(0, "row is", "rows are")
    ('1 row', '2,000 rows', '0 rows are')
    """
    return f"1 {one}" if number == 1 else f"{number:,} {many or one + 's'}"
