"""Released labels: what each form of them says. Labels are published, so Python may read them.

A label may have more than one form: a value may look like a set, a hierarchy may have a node called
``[1,2]``. Which form it was written in, its readers determine by what they know of the column.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

Label = str | Sequence[str | None] | None
"""A released value: text, NULL, or a set as an array."""
Ends = tuple[str | None, str | None]
"""The texts of a value's bounds, the lower and the upper one."""

_ELEMENT = re.compile(r'(?:"((?:[^"]|"")*)"|([^",{} ](?:[^",{}]*[^",{} ])?))(?:, |\Z)')
_INTERVAL = re.compile(r"\[([^\[\](),]*),([^\[\](),]*)([)\]])")
_BETWEEN = " … "
_HIDDEN = "*"
_PERIOD = re.compile(r"(\d{3})0s|(\d{4})(?:-W(\d\d)|-Q([1-4])|-(\d\d)(?:-(\d\d))?)?", re.ASCII)


@dataclass(frozen=True)
class Interval:
    """An interval by the texts of its ends; the upper one is in it where it is ``closed``."""

    low: str
    high: str
    closed: bool


def elements_of(label: str) -> list[str | None] | None:
    """Return the elements of a set as a release writes it, None for NULL; return None when the
    label is not a set.

    Elements are in double quotes, doubled inside, where they hold one of ``,{}"``, begin or end
    with a space, are empty or ``NULL``; a bare ``NULL`` is the NULL value.
    """
    if len(label) < 3 or not (label.startswith("{") and label.endswith("}")):
        return None
    inside, elements, position = label[1:-1], [], 0
    while position < len(inside):
        match = _ELEMENT.match(inside, position)
        if match is None:
            return None
        elements.append(
            match[1].replace('""', '"')
            if match[1] is not None
            else None
            if match[2] == "NULL"
            else match[2]
        )
        position = match.end()
    return None if inside.endswith(", ") else elements


def interval_of(label: str) -> Interval | None:
    """Return the interval that a label shows, ``[a,b]`` or ``[a,b)``; None where it shows none."""
    match = _INTERVAL.fullmatch(label)
    return Interval(match[1], match[2], match[3] == "]") if match else None


def open_interval_of(label: str) -> tuple[str | None, str | None] | None:
    """Return the ends of an interval that has one, ``<a`` without a or ``>=a`` with it, the missing
    one as None; None where the label shows no such interval."""
    if label.startswith(">="):
        return label[2:], None
    return (None, label[1:]) if label.startswith("<") else None


def period_of(label: str) -> tuple[date, date] | None:
    """Return the first and the last day of a day, week, month, quarter, year or decade as a
    hierarchy of dates writes it: ``2026-02-28``, ``2026-W07``, ``2026-02``, ``2026-Q1``, ``2026``,
    ``2020s``; None for others."""
    match = _PERIOD.fullmatch(label)
    if match is None:
        return None
    decade, year, week, quarter, month, day = match.groups()
    try:
        if week:
            return date.fromisocalendar(int(year), int(week), 1), date.fromisocalendar(
                int(year), int(week), 7
            )
        first = int(decade + "0") if decade else int(year)
        last = first + 9 if decade else first
        start = int(month or 3 * int(quarter or 1) - 2)
        end = int(month or 3 * int(quarter or 4))
        if day:
            return date(first, start, int(day)), date(first, start, int(day))
        return date(first, start, 1), date(last, end, monthrange(last, end)[1])
    except ValueError:
        return None


def names_of(label: str) -> tuple[tuple[str, str], ...]:
    """Return the pairs of names, ``first … last``, that a label can be an interval between; more
    than one where the names may have the separator in them."""
    cuts = [cut for cut in range(len(label)) if label.startswith(_BETWEEN, cut)]
    return tuple((label[:cut], label[cut + len(_BETWEEN) :]) for cut in cuts)


def beginning_of(label: str) -> tuple[str, int] | None:
    """Return a mask's beginning, and how many characters are hidden; None for other texts."""
    shown = label.rstrip(_HIDDEN)
    if shown == label or _HIDDEN in shown:
        return None
    return shown, len(label) - len(shown)
