"""Where the bars of a histogram begin: at round numbers, or where days, months or years begin."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from anonsql.grammar.literals import Kind

MOST = 20
_DAY_0 = date(2000, 1, 1)
_MONTHS = (1, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000, 12000)
_LEAST_DAY, _LAST_DAY = date.min.toordinal(), date.max.toordinal()


@dataclass(frozen=True)
class Edges:
    """The numbers at which bars begin, the first of all aside, ascending; each with its name.
    ``whole``: a name between two edges says all of its bar (a whole number, a day, a year);
    ``moments``: they are dates or times."""

    at: Sequence[Decimal] = ()
    names: Sequence[str] = ()
    whole: bool = False
    moments: bool = False

    def label(self, first: int, last: int) -> str:
        """Return a name of the bars from ``first`` to ``last``; bar 0 lies below the first edge."""
        below, above = ("before", "later") if self.moments else ("below", "more")
        if first == 0 and last == len(self.at):
            return "all values"
        if first == 0:
            return f"{below} {self.names[last]}"
        if last == len(self.at):
            return f"{self.names[first - 1]} or {above}"
        if first == last and self.whole:
            return self.names[first - 1]
        return f"{self.names[first - 1]} to {below} {self.names[last]}"


def edges(least: float, greatest: float, kind: Kind) -> Edges:
    """Return the edges of at most about :data:`MOST` bars from ``least`` to ``greatest``, dates and
    times being days since 2000-01-01.

    >>> edges(17, 90, "integer").names[:3]
    ('20', '25', '30')
    >>> edges(1, 5, "integer").label(0, 0), edges(1, 5, "integer").label(1, 1)
    ('below 2', '2')
    >>> edges(9000, 9700, "date").names[0]
    '2024-10'
    """
    if not (math.isfinite(least) and math.isfinite(greatest)) or greatest <= least:
        return Edges()
    if kind in ("date", "timestamp"):
        return _of_days(least, greatest)
    step = _round_step(Decimal(repr(greatest - least)) / MOST, whole=kind == "integer")
    first = (Decimal(repr(least)) / step).to_integral_value("ROUND_FLOOR") + 1
    last = (Decimal(repr(greatest)) / step).to_integral_value("ROUND_FLOOR")
    at = tuple(position * step for position in range(int(first), int(last) + 1))
    return Edges(at, tuple(_plain(decimal) for decimal in at), kind == "integer" and step == 1)


def _round_step(least: Decimal, *, whole: bool) -> Decimal:
    """Return the least of 1, 2 and 5 times a power of ten that is no less."""
    power = Decimal(1).scaleb(least.adjusted())
    result = next(
        number * power for number in map(Decimal, (1, 2, 5, 10)) if number * power >= least
    )
    return max(result, Decimal(1)) if whole else result


def _plain(number: Decimal) -> str:
    """Return a number with as many digits as it needs."""
    if number and not -7 < number.adjusted() < 15:
        return f"{float(number):g}"
    text = f"{number:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _of_days(least: float, greatest: float) -> Edges:
    """Return edges where days, months or years begin."""
    low, high = (
        date.fromordinal(min(max(_DAY_0.toordinal() + int(value // 1), _LEAST_DAY), _LAST_DAY))
        for value in (least, greatest)
    )
    days = (high - low).days
    if days <= MOST * 7:
        step = 1 if days <= MOST else 7
        at = [low + timedelta(index) for index in range(1, days + 1, step)]
        names, whole = [element.isoformat() for element in at], step == 1
    else:
        months = next((month for month in _MONTHS if days / 30.44 / month <= MOST), _MONTHS[-1])
        at = [beginning for beginning in _beginnings(low, high, months) if low < beginning <= high]
        names = [f"{entry.year:04}" if months >= 12 else f"{entry:%Y-%m}" for entry in at]
        whole = months in (1, 12)
    numbers = tuple(Decimal((item - _DAY_0).days) for item in at)
    return Edges(numbers, tuple(names), whole, moments=True)


def _beginnings(low: date, high: date, months: int) -> list[date]:
    """Return the first days of every so many months between two days."""
    counted = range((low.year * 12 + low.month - 1) // months, (high.year * 12 + 12) // months + 1)
    starts = [divmod(number * months, 12) for number in counted]
    return [date(year, month + 1, 1) for year, month in starts if 1 <= year <= date.max.year]
