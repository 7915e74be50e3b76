"""How numbers, shares and values are shown in pages."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from anonsql.system import numbers


class Number(str):
    """A number as people read it; tables right-align it and keep it in one line."""

    __slots__ = ()


NOTHING = Number("–")


def count(number: float | None) -> Number:
    """Return a number of things.

    >>> count(30162)
    '30,162'
    """
    return NOTHING if number is None else Number(f"{number:,.0f}")


def percent(share: float | None) -> Number:
    """Return a share as people read it (see :func:`anonsql.system.numbers.percent`)."""
    return NOTHING if share is None else Number(numbers.percent(share))


def number(value: float | None) -> Number:
    """Return a measure.

    >>> [number(each) for each in (1234567.0, 12.5, 0.41349)]
    ['1,234,567', '12.5', '0.413']
    """
    if value is None:
        return NOTHING
    if abs(value) >= 1000 or float(value).is_integer():
        return Number(f"{value:,.0f}")
    text = f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"
    return Number(text.rstrip("0").rstrip(".") or "0")


def moment(text: str) -> str:
    """Return a time of the catalog as people read it.

    >>> moment('2026-11-25T02:23:56Z')
    '2026-11-25 02:23 UTC'
    """
    return f"{text[:10]} {text[11:16]} UTC"


def seconds(value: float | None) -> Number:
    """Return a time.

    >>> [seconds(each) for each in (0.0021, 0.84, 12.3, 754)]
    ['2 ms', '840 ms', '12.3 s', '12 min 34 s']
    """
    if value is None:
        return NOTHING
    if value < 1:
        return Number(f"{value * 1000:.0f} ms")
    if value < 100:
        return Number(f"{value:.1f} s")
    return Number(f"{int(value) // 60} min {int(value) % 60} s")


def entry(value: object) -> str:
    """Return an entry of a table of figures: whole numbers with separators, text as it is."""
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return count(value) if isinstance(value, int) else number(value)
    return str(value)


def together(text: str) -> str:
    """Return a text in which a number stays on one line with its sign.

    >>> together("80 % of them, k = 5") == "80\\u00a0% of them, k\\u00a0=\\u00a05"
    True
    """
    return re.sub(r"(?<=[0-9]) %", "\u00a0%", text).replace("k = ", "k\u00a0=\u00a0")


def percent_together(share: float | None) -> str:
    """Return a share as :func:`percent` does, on one line."""
    return percent(share).replace(" ", "\u00a0")


def rows(number: int) -> str:
    """Return a number of rows with the word.

    >>> rows(1), rows(2000)
    ('1 row', '2,000 rows')
    """
    return numbers.counted(number, "row")


def bdi(text: object) -> Markup:
    """Return a name or value from data, whose direction of writing is kept apart."""
    return Markup("<bdi>{}</bdi>").format(escape(text))


FILTERS = {
    "count": count,
    "percent": percent_together,
    "together": together,
    "rows": rows,
    "number": number,
    "seconds": seconds,
    "moment": moment,
    "entry": entry,
    "bdi": bdi,
}
