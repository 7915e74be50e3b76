"""Look at the text of kept columns, in the database: what kinds of personal things it holds, in how
many rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from string import ascii_uppercase

from anonsql.engines.base import Column, Engine, Relation
from anonsql.policy.columns import Kind
from anonsql.risks.contents import expressions, recognizers

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
    "national-number": "a national number of a person",
    "name": "a personal name",
    "free-text": "a sentence that no other row has",
}
"""What a row holds, by kind."""


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
            else f"one of {self.of[kind]:,} {which} holds {WORDS[kind]}"
            for kind in kinds
        )


def of_columns(
    engine: Engine, relation: Relation, columns: Mapping[Column, int]
) -> dict[str, Held]:
    """Return what the text of columns, each with so many different values, holds beyond what chance
    and labels explain; columns that hold nothing are left out."""
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
        if recognizers.KINDS - held.keys():
            sampled, more = recognizers.found(engine, relation, column)
            new = {kind: count for kind, count in more.items() if kind not in held}
            held, of = held | new, of | dict.fromkeys(new, sampled)
        if held:
            by_name[column.name] = Held(held, of, sampled=bool(begun[column]))
    return by_name


def beginnings(different: int, most: int) -> list[str]:
    """Return the beginnings of the hashes of the values that are looked at, ``most`` of so many;
    none where all are."""
    if different <= most:
        return []
    return [f"{number:02x}" for number in range(max(1, _HASHES * most // different))]


def _kinds(filled: int, counts: list[int]) -> dict[Kind, int]:
    """Return how many rows hold each kind, by the counts of a column."""
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
    """Return whether ``named`` rows with a name, of which ``single`` have a value of their own, are
    more than names of places among labels explain."""
    alone = single >= max(_FEWEST_NAMED, _NAMED_ALONE * filled)
    return alone or named >= max(_FEWEST_NAMED, _NAMED * filled)
