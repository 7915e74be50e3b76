"""Look at the text of kept columns, in the database: which personal data it contains, in how many
rows. Presidio's recognizers, where installed, add national numbers with check digits; they get a
bounded sample of values with a long number. Recognizers that need a language model or a network, or
mistake plain codes for telephone numbers, are not used."""

from __future__ import annotations

import importlib
import importlib.util
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from string import ascii_uppercase
from typing import Any

from anonsql.engines.base import Column, Engine, Relation
from anonsql.errors import Problem
from anonsql.policy.columns import KEPT, ColumnPolicy, Kind
from anonsql.risks.contents import expressions

MOST_VALUES = 200_000
"""The distinct values of a column that are looked at; of more, a sample by their hashes."""
_HASHES = 256  # beginnings of a hash, of two digits
_SINGLE_SENTENCES = 0.1  # of the rows with a value, from which on text is free
_FEWEST_SENTENCES = 10
_NAMED = 0.05  # of the rows with a value; a label may be the name of a place
_NAMED_ALONE = 0.001  # of the rows with a value, whose text is no other row's and so no label
_FEWEST_NAMED = 3

_LUHN = ("0246813579", "0123456789") * 8
_WEIGHTED = {1: "0123456789", 2: "0246813579", 5: "0516273849", 7: "0753086319"}
_PENSION = (
    *(_WEIGHTED[weight] for weight in (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)),
    "0987654321",
)
_LETTERS = tuple(
    (letter, str(place + 9), f"{place:02d}") for place, letter in enumerate(ascii_uppercase, 1)
)
_WEIGHTS = tuple(pow(10, 7 * place, 97) for place in reversed(range(10)))
_PERSON_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_CHANCE: dict[str, tuple[Kind, float]] = {
    "account": ("iban", 1 / 97),
    "card": ("card", 1 / 10),
    "pension": ("national-number", 1 / 10),
    "person": ("national-number", 1 / 23),
    "keyed": ("national-number", 1 / 97),
}
"""For each number with check digits its kind, and the share of other numbers of its form whose
check digits are right by chance."""
_BEYOND_CHANCE = 4

WORDS: dict[Kind, str] = {
    "phone": "a telephone number",
    "mail": "a mail address",
    "url": "a link",
    "iban": "a bank account's number (IBAN)",
    "card": "a payment card's number",
    "national-number": "a national identification number",
    "name": "a personal name",
    "free-text": "a sentence that occurs in no other row",
}
"""What a row holds, by kind."""
MOST_SAMPLED = 500
"""The different values of a column that leave the database at most."""
_LONG_NUMBER = "[0-9](?:[ ()/.-]{0,2}[0-9A-Z]){7}"
_SURE = 0.8  # the least score of a match; check digits that are right give 1
_FEWEST_RECOGNIZED = 3
_SHARE_RECOGNIZED = 0.05  # of the sampled rows; a number of a good form may be there by chance
_RECOGNIZERS: dict[Kind, tuple[str, ...]] = {
    "national-number": (
        "AuMedicareRecognizer",
        "AuTfnRecognizer",
        "DeSocialSecurityRecognizer",
        "EsNieRecognizer",
        "EsNifRecognizer",
        "FiPersonalIdentityCodeRecognizer",
        "ItFiscalCodeRecognizer",
        "KrRrnRecognizer",
        "PlPeselRecognizer",
        "SePersonnummerRecognizer",
        "SgFinRecognizer",
        "ThTninRecognizer",
        "TrNationalIdRecognizer",
    ),
}
RECOGNIZED = _RECOGNIZERS.keys()
"""What can be found."""
_SHORT = ("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER")


@dataclass(frozen=True)
class Held:
    """How many rows of a column hold each kind, ``of`` how many rows that were looked at: all with
    a value or, where that is ``sampled``, those of a sample of values."""

    kinds: Mapping[Kind, int]
    of: Mapping[Kind, int]
    sampled: bool = False

    def words(self, kinds: Iterable[Kind]) -> str:
        """Return in words how many rows hold each of some kinds."""
        which = "sampled rows" if self.sampled else "rows"
        return ", ".join(
            f"{self.kinds[kind]:,} of {self.of[kind]:,} {which} hold {WORDS[kind]}"
            if self.kinds[kind] > 1
            else f"one of {self.of[kind]:,} {which} contains {WORDS[kind]}"
            for kind in kinds
        )


def of_columns(
    engine: Engine, relation: Relation, columns: Mapping[Column, int]
) -> dict[str, Held]:
    """Return what the text of columns, each with so many different values, holds beyond what chance
    and labels explain."""
    if not columns:
        return {}
    by_kind = expressions.by_kind()
    checked = [
        (number, expressions.bounded(inner), inner) for number, inner in expressions.NUMBERS.items()
    ]
    begun = {one: beginnings(different, MOST_VALUES) for one, different in columns.items()}
    rows = engine.query(
        "risks/contents/held",
        relation=relation,
        columns=[(one.name, one.type, hashes) for one, hashes in begun.items()],
        titles=expressions.TITLES,
        sentence=expressions.SENTENCE,
        numbers=checked,
        letters=_LETTERS,
        weights=_WEIGHTS,
        card_digits=_LUHN,
        pension_digits=_PENSION,
        person_letters=_PERSON_LETTERS,
        expressions=list(by_kind.values()),
    )
    in_order, by_name = list(columns), {}
    for position, filled, *counts in rows:
        column = in_order[int(position) - 1]
        held = _kinds(int(filled), [int(count) for count in counts])
        of = dict.fromkeys(held, int(filled))
        if RECOGNIZED - held.keys():
            sampled, more = recognized(engine, relation, column)
            new = {kind: count for kind, count in more.items() if kind not in held}
            held, of = held | new, of | dict.fromkeys(new, sampled)
        if held:
            by_name[column.name] = Held(held, of, sampled=bool(begun[column]))
    return by_name


def beginnings(different: int, most: int) -> list[str]:
    """Return the beginnings of the hashes of about ``most`` of the values; none for all."""
    if different <= most:
        return []
    return [f"{number:02x}" for number in range(max(1, _HASHES * most // different))]


def _kinds(filled: int, counts: list[int]) -> dict[Kind, int]:
    sentences, single, *rest = counts
    of_numbers, matching = rest[: 2 * len(_CHANCE)], rest[2 * len(_CHANCE) :]
    kinds: dict[Kind, int] = dict(zip(expressions.by_kind(), matching, strict=True))
    for number, written, right in zip(
        expressions.NUMBERS, of_numbers[::2], of_numbers[1::2], strict=True
    ):
        kind, chance = _CHANCE[number]
        if right > _BEYOND_CHANCE * chance * written:
            kinds[kind] = kinds.get(kind, 0) + right
    if not _names_people(kinds["name"], single, filled):
        del kinds["name"]
    if sentences >= max(_FEWEST_SENTENCES, _SINGLE_SENTENCES * filled):
        kinds["free-text"] = sentences
    return {kind: rows for kind, rows in kinds.items() if rows}


def _names_people(named: int, single: int, filled: int) -> bool:
    """Return whether ``named`` rows (``single`` of them with a value of their own) are more than
    places among labels explain."""
    alone = single >= max(_FEWEST_NAMED, _NAMED_ALONE * filled)
    return alone or named >= max(_FEWEST_NAMED, _NAMED * filled)


def installed() -> bool:
    """Return whether the package is there."""
    return importlib.util.find_spec("presidio_analyzer") is not None


def recognized(engine: Engine, relation: Relation, column: Column) -> tuple[int, dict[Kind, int]]:
    """Return the rows of the sampled values, and how many hold each kind; none without the package
    or a long number."""
    if not installed():
        return 0, {}
    without = expressions.bounded("|".join(expressions.NUMBERS.values()))
    parameters = {"expression": _LONG_NUMBER, "without": without, "most": MOST_SAMPLED}
    named = {"relation": relation, "name": column.name, "type": column.type}
    values = engine.query("risks/contents/sample", **named, **parameters)
    if not values:
        return 0, {}
    rows = sum(int(count) for _, count in values)
    kinds: dict[Kind, int] = {}
    for kind, recognizers in _recognizers().items():
        held = sum(int(count) for value, count in values if _holds(recognizers, str(value)))
        if held >= max(_FEWEST_RECOGNIZED, _SHARE_RECOGNIZED * rows):
            kinds[kind] = held
    return rows, kinds


def _holds(recognizers: list[Any], value: str) -> bool:
    return any(
        match.score >= _SURE
        for recognizer in recognizers
        for match in recognizer.analyze(value, recognizer.supported_entities, None)
    )


@cache
def _recognizers() -> dict[Kind, list[Any]]:
    logging.getLogger("presidio-analyzer").setLevel(logging.ERROR)
    module = importlib.import_module("presidio_analyzer.predefined_recognizers")
    return {
        kind: [getattr(module, name)() for name in names if hasattr(module, name)]
        for kind, names in _RECOGNIZERS.items()
    }


def holds_text(column: Column) -> bool:
    """Return whether values of a column can point to people: numbers must have room for a
    card's."""
    if column.kind == "text":
        return column.type.upper() != "UUID"
    if column.kind == "integer":
        return column.type.upper() not in _SHORT
    return column.kind in ("other", "decimal")


def look(
    engine: Engine, relation: Relation, columns: Sequence[Column], rows: int
) -> dict[str, Held]:
    """Return what each column with text holds, by name, in a table of so many rows."""
    texts = [column for column in columns if holds_text(column)]
    if not texts or not rows:
        return {}
    counts: Sequence[int] = [rows] * len(texts)
    if rows > MOST_VALUES:
        counts = engine.query("risks/kept/distinct", relation=relation, columns=texts)[0]
    return of_columns(engine, relation, dict(zip(texts, map(int, counts), strict=True)))


def problems(
    engine: Engine,
    relation: Relation,
    columns: Sequence[Column],
    settings: Mapping[str, ColumnPolicy],
    rows: int,
) -> list[Problem]:
    """Return a problem for each kept column that holds what its settings do not accept."""
    kept = [
        column
        for column in columns
        if column.name in settings and settings[column.name].role in KEPT
    ]
    by_name = look(engine, relation, kept, rows)
    return [
        _problem(name, settings[name], held)
        for name, held in by_name.items()
        if held.kinds.keys() - set(settings[name].contains)
    ]


def _problem(name: str, settings: ColumnPolicy, held: Held) -> Problem:
    new = [kind for kind in held.kinds if kind not in settings.contains]
    text = f"this {settings.role} column is released unchanged, and {held.words(new)}."
    kinds = ", ".join((*settings.contains, *new))
    remedy = (
        "Make the column identifying, or remove these values in a view. If they may be released,"
        f' state why: {{role: {settings.role}, contains: [{kinds}], accepted: "…"}}.'
    )
    return Problem(f"columns.{name}", text, remedy)
