"""Values that tell by their form what they are (age bands, ICD-10 codes, postcodes, dates written
as text, countries), and the hierarchy that each form suggests.

A column has a form when all its values have it. That is counted in the database, by regular
expressions of the common subset of all engines; values leave it only where a hierarchy is drawn
leaf by leaf.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from anonsql.policy.hierarchy import TOP

Rows = list[list[str]]
"""One row per value: its label at level 0, 1, … up to the top. All rows have the same length."""

_CONTINENTS = {
    "Africa": (
        "AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG EH ER ET GA GH GM GN GQ GW KE KM LR LS LY MA MG"
        " ML MR MU MW MZ NA NE NG RE RW SC SD SH SL SN SO SS ST SZ TD TG TN TZ UG YT ZA ZM ZW"
    ),
    "Antarctica": "AQ BV GS HM TF",
    "Asia": (
        "AE AF AM AZ BD BH BN BT CC CN CX CY GE HK ID IL IN IO IQ IR JO JP KG KH KP KR KW KZ LA LB"
        " LK MM MN MO MV MY NP OM PH PK PS QA SA SG SY TH TJ TL TM TR TW UZ VN YE"
    ),
    "Europe": (
        "AD AL AT AX BA BE BG BY CH CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE LI LT"
        " LU LV MC MD ME MK MT NL NO PL PT RO RS RU SE SI SJ SK SM UA VA"
    ),
    "North America": (
        "AG AI AW BB BL BM BQ BS BZ CA CR CU CW DM DO GD GL GP GT HN HT JM KN KY LC MF MQ MS MX NI"
        " PA PM PR SV SX TC TT US VC VG VI"
    ),
    "Oceania": ("AS AU CK FJ FM GU KI MH MP NC NF NR NU NZ PF PG PN PW SB TK TO TV UM VU WF WS"),
    "South America": "AR BO BR CL CO EC FK GF GY PE PY SR UY VE",
}
CONTINENT = {code: name for name, codes in _CONTINENTS.items() for code in codes.split()}
"""The continent of every country of ISO 3166-1, by its two letters."""

_BAND = re.compile(r"([0-9]{1,3})( ?(?:-|–|to|bis) ?)([0-9]{1,3})")
_FROM = re.compile(r"(?:>=|≥) ?([0-9]{1,3})|([0-9]{1,3}) ?(?:[+]|and over|und älter)")
_BELOW = re.compile(r"(?:<|under |unter )( ?)([0-9]{1,3})")
_NO_END = 10**6


@dataclass(frozen=True)
class Form:
    """A form that values can have: its ``name`` in words, the expression that it is counted by, an
    ``example`` of its hierarchy, and how the rows of labels are drawn from the values."""

    name: str
    expression: str
    example: str
    draw: Callable[[Sequence[str]], Rows]


def _each(labels: Callable[[str], list[str]]) -> Callable[[Sequence[str]], Rows]:
    """Return a function that draws the rows of values from the labels above each."""

    def draw(values: Sequence[str]) -> Rows:
        return [[value, *labels(value), TOP] for value in sorted(values)]

    return draw


def _icd(value: str) -> list[str]:
    """Return the category of an ICD-10 code, and its chapter's letter."""
    return [value[:3], value[:1]]


def _iso_date(value: str) -> list[str]:
    """Return month, year and decade of a date as 2024-03-15."""
    return [value[:7], value[:4], f"{value[:3]}0s"]


def _dotted_date(value: str) -> list[str]:
    """Return month, year and decade of a date as 15.03.2024."""
    return [value[3:], value[6:], f"{value[6:9]}0s"]


def _british(value: str) -> list[str]:
    """Return sector, district and area of a British postcode."""
    outward, inward = value[:-3].strip(), value[-3:]
    area = outward[:2] if outward[1:2].isalpha() else outward[:1]
    return [f"{outward} {inward[0]}", outward, f"{area}*"]


def _country(value: str) -> list[str]:
    return [CONTINENT[value]]


@dataclass(frozen=True)
class _Interval:
    """A band of whole numbers, both ends counted in."""

    text: str
    first: int
    last: int


def _interval(value: str) -> _Interval:
    """Return a band's numbers; a band without an end has one that no number reaches."""
    if match := _BAND.fullmatch(value):
        return _Interval(value, int(match[1]), int(match[3]))
    if match := _FROM.fullmatch(value):
        return _Interval(value, int(match[1] or match[2]), _NO_END)
    if match := _BELOW.fullmatch(value):
        return _Interval(value, -1, int(match[2]) - 1)
    return _Interval(value, int(value), int(value))


def _bands(values: Sequence[str]) -> Rows:
    """Return bands nested by their bounds: of bands of one width those twice as wide, four times,
    …; of others each with its neighbour."""
    bands = sorted(map(_interval, values), key=lambda value: (value.first, value.last, value.text))
    separators = [match[2] for band in bands if (match := _BAND.fullmatch(band.text))]
    separator = separators[0] if separators else "-"
    closed = [interval for interval in bands if interval.first >= 0 and interval.last < _NO_END]
    widths = {interval.last - interval.first + 1 for interval in closed}
    is_even = len(widths) == 1 and all(band.first >= 0 for band in bands)
    aligned = _aligned(bands, widths.pop()) if is_even else None
    levels = _paired(bands) if aligned is None else aligned
    rows = [
        [band.text, *(_label(level[position], separator) for level in levels), TOP]
        for position, band in enumerate(bands)
    ]
    return _without_clashes(rows)


def _aligned(bands: Sequence[_Interval], width: int) -> list[list[tuple[int, int]]] | None:
    """Return the bounds of each band's block at each level that joins some: blocks are multiples of
    their width. None where a band lies in two blocks."""
    start = max((interval.first for interval in bands if interval.last == _NO_END), default=_NO_END)
    levels: list[list[tuple[int, int]]] = []
    groups, wide = len(bands), 2 * width
    while groups > 2:
        blocks = []
        for band in bands:
            low = band.first // wide * wide
            if low + wide > start:  # with the band that has no end
                blocks.append((start // wide * wide, _NO_END))
            elif band.last < low + wide:
                blocks.append((low, low + wide - 1))
            else:
                return None
        if len(set(blocks)) < groups:
            groups = len(set(blocks))
            levels += [blocks] if groups > 1 else []
        wide *= 2
    return levels


def _paired(bands: Sequence[_Interval]) -> list[list[tuple[int, int]]]:
    """Return the bounds of each band's group at each level, two neighbouring groups becoming one
    from level to level, until two are left."""
    groups = [[position] for position in range(len(bands))]
    levels = []
    while len(groups) > 2:
        groups = [
            [position for group in groups[n : n + 2] for position in group]
            for n in range(0, len(groups), 2)
        ]
        bounds = {}
        for group in groups:
            ends = (
                min(bands[position].first for position in group),
                max(bands[position].last for position in group),
            )
            bounds.update(dict.fromkeys(group, ends))
        levels.append([bounds[position] for position in range(len(bands))])
    return levels


def _label(ends: tuple[int, int], separator: str) -> str:
    """Return what a group of bands is called."""
    first, last = ends
    if first < 0:
        return TOP if last == _NO_END else f"<{last + 1}"
    return f"{first}+" if last == _NO_END else f"{first}{separator}{last}"


def _without_clashes(rows: Rows) -> Rows:
    """Return the rows without the levels in which a label has two parents, which labels of bands
    that overlap can have."""
    kept = [0]
    depth = len(rows[0]) if rows else 1
    for level in range(1, depth):
        parents: dict[str, set[str]] = {}
        for row in rows:
            parents.setdefault(row[kept[-1]], set()).add(row[level])
        if all(len(parent) == 1 for parent in parents.values()):
            kept.append(level)
    return [[row[level] for level in kept] for row in rows]


FORMS = (
    Form(
        "age bands",
        "^([0-9]{1,3} ?(-|–|to|bis) ?[0-9]{1,3}|(>=|≥) ?[0-9]{1,3}"
        "|[0-9]{1,3} ?([+]|and over|und älter)|(<|under |unter ) ?[0-9]{1,3})$",
        "55-59 -> 50-59 -> 40-59",
        _bands,
    ),
    Form(
        "ISO dates",
        "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$",
        "2024-03-15 -> 2024-03 -> 2024 -> 2020s",
        _each(_iso_date),
    ),
    Form(
        "dates",
        "^(0[1-9]|[12][0-9]|3[01])[.](0[1-9]|1[0-2])[.][0-9]{4}$",
        "15.03.2024 -> 03.2024 -> 2024 -> 2020s",
        _each(_dotted_date),
    ),
    Form(
        "Dutch postcodes",
        "^[1-9][0-9]{3} ?[A-Z]{2}$",
        "1012 AB -> 1012 -> 10**",
        _each(lambda value: [value[:4], f"{value[:2]}**"]),
    ),
    Form(
        "Canadian postcodes",
        "^[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]$",
        "K1A 0B1 -> K1A -> K",
        _each(lambda value: [value[:3], value[:1]]),
    ),
    Form(
        "British postcodes",
        "^[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}$",
        "SW1A 1AA -> SW1A 1 -> SW1A -> SW*",
        _each(_british),
    ),
    Form(
        "ICD-10 codes",
        "^[A-Z][0-9][0-9A-Z]([.]?[0-9A-Z]{1,4})?$",
        "A00.1 -> A00 -> A",
        _each(_icd),
    ),
    Form(
        "ISO countries",
        f"^({'|'.join(sorted(CONTINENT))})$",
        "DE -> Europe",
        _each(_country),
    ),
)
"""What is recognized, the first that fits; each needs a hierarchy that is drawn from the values."""


def recognize(matching: Sequence[int], values: int) -> Form | None:
    """Return the form that all ``values`` have, by the number of those that each of FORMS
    matches."""
    fitting = (
        form for form, count in zip(FORMS, matching, strict=False) if values > 0 and count == values
    )
    return next(fitting, None)
