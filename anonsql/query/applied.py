"""Conditions on a function of a column, turned into sets of the column's own values: LOWER of
texts, YEAR of dates."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from datetime import date
from functools import cache
from itertools import product

from anonsql.grammar.literals import SqlLiteral, UnsupportedError, value_of
from anonsql.labels.domains import Domain
from anonsql.query import value_sets
from anonsql.query.value_sets import ValueSet
from anonsql.query.where import Atom

MOST_SPELLINGS = 1 << 14
_FIRST_YEAR, _LAST_YEAR = date.min.year, date.max.year


def values(atom: Atom, name: str, domain: Domain) -> ValueSet:
    """Return the values of a column of which a condition on a function of it is true; raise
    UnsupportedError for one that is not supported."""
    if atom.applied == "YEAR":
        return _years(atom, name, domain)
    if domain.kind != "text":
        raise UnsupportedError(f"{name!r} is {domain.kind}, and LOWER is of text")
    if atom.operator not in ("=", "<>", "LIKE"):
        raise UnsupportedError(f"LOWER({name}) {atom.operator} is not supported")
    texts = [str(value_of(literal, name, "text")) for literal in atom.literals]
    spelled = [spelling for text in texts for spelling in _spellings(text, name)]
    if atom.operator == "LIKE":
        begun = [value_sets.beginning(name) for name in spelled]
        return value_sets.joined(begun, False) if begun else ValueSet(False, (), False)
    return value_sets.comparison(domain, atom.operator, spelled)


def year(domain: Domain, number: int) -> ValueSet:
    """Return the dates or timestamps of a year."""
    return value_sets.joined([_from(domain, number), _until(domain, number + 1)], True)


def _years(atom: Atom, name: str, domain: Domain) -> ValueSet:
    """Return the dates or timestamps whose year satisfies a comparison."""
    literals = [value_of(_plain(literal, name), name, "integer") for literal in atom.literals]
    numbers = [int(str(value)) for value in literals]
    if any(not _FIRST_YEAR <= number <= _LAST_YEAR for number in numbers):
        raise UnsupportedError(
            f"YEAR({name}) is compared with years from {_FIRST_YEAR} to {_LAST_YEAR}"
        )
    if atom.operator == "LIKE":
        raise UnsupportedError(f"{name!r} is {domain.kind}, and LIKE asks for text")
    if atom.operator in ("=", "<>"):
        value_set = value_sets.joined([year(domain, number) for number in numbers], False)
        return value_set if atom.operator == "=" else _but(value_set)
    least = numbers[0] + (atom.operator in ("<=", ">"))
    return _until(domain, least) if atom.operator in ("<", "<=") else _from(domain, least)


def _plain(literal: SqlLiteral, name: str) -> SqlLiteral:
    if literal.string or literal.boolean or not literal.text.lstrip("-").isdigit():
        raise UnsupportedError(f"YEAR({name}) is compared with whole numbers alone")
    return literal


def _but(value_set: ValueSet) -> ValueSet:
    return ValueSet(not value_set.begins, value_set.cuts, False)


def _from(domain: Domain, number: int) -> ValueSet:
    """Return the dates or timestamps from the beginning of a year on; the year may be the one after
    Python's last."""
    if number > _LAST_YEAR:
        after = domain.point(date(_LAST_YEAR, 12, 31)) + domain.day
        return ValueSet(False, ((after, 0),), False)
    return ValueSet(False, ((domain.point(date(number, 1, 1)), 0),), False)


def _until(domain: Domain, number: int) -> ValueSet:
    return _but(_from(domain, number))


def _spellings(text: str, name: str) -> Iterable[str]:
    """Return the texts that are ``text`` in small letters."""
    texts = [_capitals(letter) for letter in text]
    count = 1
    for row in texts:
        count *= len(row)
    if count > MOST_SPELLINGS:
        raise UnsupportedError(
            f"a text of {len(text)} letters compared with LOWER({name}) has too many spellings."
            f" Compare {name} with its own values"
        )
    return ("".join(row) for row in product(*texts))


def _capitals(letter: str) -> tuple[str, ...]:
    """Return the letters whose small letter this is, as DuckDB has it: letter by letter."""
    if letter.isascii() and letter not in "ik":
        return () if letter.isupper() else tuple(sorted({letter, letter.upper()}))
    return _by_small_letter().get(letter, () if letter.lower() != letter else (letter,))


@cache
def _by_small_letter() -> dict[str, tuple[str, ...]]:
    letters: dict[str, tuple[str, ...]] = {}
    for index in map(chr, range(sys.maxunicode + 1)):
        small = index.lower()[0]
        if small != index:
            letters[small] = (*letters.get(small, (small,)), index)
    return letters
