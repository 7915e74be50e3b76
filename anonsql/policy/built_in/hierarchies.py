"""Built-in hierarchies: facts in small files next to this one.

Countries: codes and English short names of ISO 3166-1, by the regions and subregions of the United
Nations' M49 standard (unstats.un.org/unsd/methodology/m49), with the UN's longer names and some
names in wide use; Taiwan, which M49 does not list, is with its neighbours, and Antarctica is a
region of its own. ICD-10: the ranges of codes of chapters and blocks as the World Health
Organization (ICD-10, 2019) has them, widened where the ICD-10-CM of the US National Center for
Health Statistics has a wider or a further one; codes alone, no titles. US ZIP codes: the areas of
three digits with at most 20,000 people, which HIPAA's safe harbor, 45 CFR 164.514(b)(2)(i)(B),
replaces by 000: by the census of 2000, as listed in the guidance of the Department of Health and
Human Services, and by the census of 2010.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from importlib import resources

from anonsql.policy.hierarchy import OTHER, BreaksHierarchy, SpelledTaxonomy, Spelling

_IN_2000 = "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893"
_IN_2010 = "036 059 102 202 203 204 205 369 556 692 753 772 821 823 878 879 884 893"
FEW_PEOPLE = frozenset(f"{_IN_2000} {_IN_2010}".split())
"""The first three digits of US ZIP codes with at most 20,000 people by either census."""
RESTRICTED = "000"

SPELLINGS: tuple[Spelling, ...] = ("alpha-2", "alpha-3", "name")
"""In the order of the file; further names follow."""

Keys = Mapping[str, tuple[str, ...]]
"""The labels above the first characters of a value, by these: of level 1, 2, … below the top."""


def _text(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def ages() -> BreaksHierarchy:
    """Return the hierarchy of ages in years, which ends in 90 and over at every level."""

    def every(years: int) -> list[Decimal]:
        return [Decimal(age) for age in range(0, 91, years)]

    return BreaksHierarchy(at=every(1), then=[every(5), every(10), every(30)])


def country_codes() -> list[str]:
    """Return the two letters of every country of ISO 3166-1, in order."""
    return sorted(row[2] for row in csv.reader(io.StringIO(_text("countries.csv")), delimiter=";"))


@cache
def countries(spelling: Spelling = "alpha-2") -> SpelledTaxonomy:
    """Return the regions, subregions and countries of the world, these in one spelling."""
    tree: dict[str, dict[str, list[str]] | None] = {}
    spellings = {OTHER: OTHER}
    for region, part, *names in csv.reader(io.StringIO(_text("countries.csv")), delimiter=";"):
        leaf = names[SPELLINGS.index(spelling)]
        parts = tree.setdefault(region, {})
        if parts is not None:
            parts.setdefault(part, []).append(leaf)
        spellings |= dict.fromkeys((key for name in names for key in lower_cases(name)), leaf)
    tree[OTHER] = None
    return SpelledTaxonomy(tree=tree, spellings=spellings)


@cache
def country_spellings() -> Mapping[str, Spelling | None]:
    """Return which spelling of a country each text in lower case is; None for OTHER."""
    kinds: dict[str, Spelling | None] = {OTHER: None}
    for _, _, *names in csv.reader(io.StringIO(_text("countries.csv")), delimiter=";"):
        for position, name in enumerate(names):
            kind = SPELLINGS[min(position, len(SPELLINGS) - 1)]
            kinds |= dict.fromkeys(lower_cases(name), kind)
    return kinds


def lower_cases(name: str) -> set[str]:
    """Return the forms of a name, or of the same in capitals, in statements: hyphens become blanks,
    and LOWER changes the letters of ASCII alone on some databases.

    >>> sorted(lower_cases("Réunion")), lower_cases("Timor-Leste")
    (['rÉunion', 'réunion'], {'timor leste'})
    """
    plain = name.replace("-", " ")
    return {plain.lower(), *(_ascii_lower(text) for text in (plain, plain.upper()))}


def _ascii_lower(text: str) -> str:
    return "".join(sign.lower() if sign.isascii() else sign for sign in text)


@cache
def icd_10() -> Keys:
    """Return category, block and chapter of every category of ICD-10, by its three characters."""
    keys: dict[str, tuple[str, ...]] = {}
    for line in _text("icd_10.txt").splitlines():
        chapter, blocks = line.split(": ")
        for entry in blocks.split():
            block, *more = entry.split("+")
            first, last = block.split("-")
            name = first if first == last else block
            for category in (*_categories(first, last), *more):
                keys[category] = (category, name, chapter)
    return keys


def _categories(first: str, last: str) -> list[str]:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    low, high = (letters.index(code[0]) * 100 + int(code[1:]) for code in (first, last))
    return [f"{letters[n // 100]}{n % 100:02}" for n in range(low, high + 1)]


@cache
def us_zip() -> Keys:
    """Return three digits, or 000 where few people live, and the first digit of every ZIP code, by
    its first three digits."""
    areas = (f"{number:03}" for number in range(1000))
    return {
        area: (RESTRICTED, RESTRICTED)
        if area in FEW_PEOPLE or area == RESTRICTED
        else (area, f"{area[0]}**")
        for area in areas
    }
