"""Find the columns that look like keys of people: by name, by the form of values, or because rows
with the same value agree in publicly known columns of a person. Places, diagnoses and occupations
have codes too, but these do not determine a person's age or sex."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from anonsql.engines.base import Column, Engine, Relation
from anonsql.risks.contents import expressions
from anonsql.risks.contents.looking import beginnings
from anonsql.risks.kept.counting import Compared
from anonsql.risks.safe_harbor import words_of

_REPEATS = 1.1  # rows per value, on average, from which repetition is not by chance
_MOST_ROWS = 50  # rows per value, on average, of a column that is no key by its name
_FEWEST_VALUES = 20
_OF_FORM = 0.95  # of the rows
_VALUES_COMPARED = 5_000  # of a column whose rows are compared; of more, a sample by their hashes
_MANY = 10  # least values of a column that is alone enough for a key
_FEWEST_WRONG = 10  # values whose rows would differ by chance
_WRONG = 0.05  # the greatest share of these
_PEOPLE = (
    "customer|client|patient|pat|person|people|user|subject|employee|staff|student|respondent|"
    "resident|participant|donor|tenant|voter|passenger|driver|borrower|claimant|beneficiary|pupil|"
    "citizen|taxpayer|kunde|kunden|patienten|personen|personal|mitglied|mitglieds|versicherte|"
    "versicherten|versicherungs|mitarbeiter|klient|klienten|teilnehmer|bewohner|proband|probanden|"
    "nutzer|schueler|schüler"
)
_OF_SEVERAL = (
    "policy|account|insured|insurant|member|guest|household|(policy_?)?holder|case|chart|konto|"
    "haushalt|haushalts"
)
"""Words that name people, or groups and things."""
_NUMBER = "id|ids|no|nr|num|number|nummer|key|code|ref|uuid|pseudonym"
_END = "_?([0-9]+|old|new)?$"
_KEY = re.compile(rf"(^|(?<!bank)_)(mrn|ssn|pid|({_PEOPLE}|{_OF_SEVERAL})_?({_NUMBER})){_END}")
"""Names of columns that identify people, as words of English and German."""
_PERSON = re.compile(rf"(^|_)({_PEOPLE}){_END}")
"""Names of such columns where they have many values, each in few rows."""
_MAY_BE_KEY = re.compile(rf"({_NUMBER}|(^|_)({_OF_SEVERAL})){_END}")
"""Names of columns that may identify people."""
_OF_PERSON = re.compile(
    r"(^|_)(age|sex|gender|birth|birthdate|birthday|birthyear|dob|yob|born|race|ethnicity|ethnic|"
    r"marital|height|alter|geschlecht|geburtstag|geburtsjahr|geburtsdatum|geboren|familienstand)"
    r"(_|$)"
)
"""Names of columns that say something of a person, which no place, employer or diagnosis
determines."""
_UUID = "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Fa-f]{32}"
_PREFIXED = (
    "^(?:[A-Za-z]{2,6}[ /_.-]?[0-9]{5,}|[A-Za-z][ /_.-]?(?:[0-9]{6,7}|[0-9]{9,})"
    "|[A-DF-JO-RT-VX-Za-z][ /_.-]?[0-9]{8})$"
)
"""A number with letters before it: more digits than codes of diagnoses, places and trades have.
Areas of the British census have one of some letters and eight digits."""
_CODE = "^[A-Za-z/_.-]*[0-9][0-9A-Za-z/_.-]*$"
_WHOLE = "^[0-9]+([.]0+)?$"
_DATE = (
    "^(?:[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}|[0-9]{4}[./-][0-9]{1,2}[./-][0-9]{1,2}"
    "|(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])$)"
)
_AMOUNTS = ("decimal", "float")
_NO_CANDIDATE = ("date", "timestamp", "boolean")
_CALLED = "its name is typical of keys of people"


@dataclass(frozen=True)
class Key:
    """A column that may be a key of people: ``values`` of it in so many ``rows``, the ``most`` rows
    of one value, the ``share`` of the commonest value or of NULL, and the ``evidence``."""

    column: Compared
    rows: int
    values: int
    most: int
    share: float
    evidence: str = ""

    @property
    def name(self) -> str:
        """The column's name."""
        return self.column.name

    @property
    def repeats(self) -> bool:
        """Whether several rows have one value, and not by chance."""
        return self.rows >= _REPEATS * self.values

    @property
    def is_fine(self) -> bool:
        """Whether there are many values, each in few rows."""
        return self.values >= _FEWEST_VALUES and self.rows <= _MOST_ROWS * self.values

    @property
    def order(self) -> tuple[bool, int]:
        """The order of several keys, whose greatest is the key that k counts: its name, its
        values."""
        return self.evidence == _CALLED, self.values

    @property
    def found(self) -> str:
        """What was found, as the beginning of a sentence."""
        return f"{self.values:,} values occur in {self.rows:,} rows, and {self.evidence}"


def keys(
    engine: Engine, table: Relation, columns: Sequence[Column], known: Sequence[Column]
) -> list[Key]:
    """Return the columns that look like keys of people, ``known`` being what others may know."""
    able = [column for column in columns if column.kind not in _NO_CANDIDATE]
    others = [column for column in known if column.kind not in ("other", "date", "timestamp")]
    all_counts = counted(engine, table, [*map(Compared, dict.fromkeys((*able, *others)))])
    called, rest = [], []
    for key in all_counts:
        if key.values < 2 or key.column.column not in able:
            continue
        name = words_of(key.name)
        repeats = key.is_fine and key.repeats
        is_person = (key.is_fine and _PERSON.search(name)) or (repeats and name == "id")
        if is_person or _KEY.search(name):
            called.append(replace(key, evidence=_CALLED))
        elif repeats:
            rest.append(key)
    compared = [key for key in all_counts if key.column.column in others]
    return called + _by_values(engine, table, rest, compared)


def may_be_called(column: Column) -> bool:
    """Return whether the name of a column can be that of a key of people."""
    name = words_of(column.name)
    return name == "id" or bool(_KEY.search(name) or _PERSON.search(name))


def counted(engine: Engine, table: Relation, columns: Sequence[Compared]) -> list[Key]:
    """Return columns with the number of their rows and values."""
    if not columns:
        return []
    counts = engine.query("risks/keys_of_people/counts", table=table, columns=columns)
    return [
        Key(column, int(rows), int(values), int(most), int(commonest) / max(int(total), 1))
        for column, (_, total, rows, values, most, commonest) in zip(columns, counts, strict=True)
    ]


def _by_values(
    engine: Engine, table: Relation, candidates: Sequence[Key], known: Sequence[Key]
) -> list[Key]:
    """Return the columns of many values, a few rows each, that have the form of an identifier or
    determine what is known of a person."""
    if not candidates:
        return []
    rows = engine.query(
        "risks/keys_of_people/forms",
        table=table,
        columns=[
            (
                key.column,
                beginnings(key.values, _VALUES_COMPARED),
                _WHOLE if key.column.column.kind in _AMOUNTS else _CODE,
            )
            for key in candidates
        ],
        identifier=_identifier(),
        prefixed=_PREFIXED,
        date=_DATE,
    )
    found, rest, codes = [], [], set()
    for key, (_, *counts) in zip(candidates, rows, strict=True):
        of, identifiers, prefixed, coded, dates, shortest, longest = map(int, counts)
        is_code = coded >= _OF_FORM * of
        if key.column.column.kind in _AMOUNTS and not is_code:
            continue
        of_form = max(identifiers, prefixed if shortest == longest else 0)
        if of_form >= _OF_FORM * of:
            share = f"{of_form / of:.0%} of the rows have a value in the form of an identifier"
            found.append(replace(key, evidence=share))
        elif dates < _OF_FORM * of and not _OF_PERSON.search(words_of(key.name)):
            rest.append(key)
            codes |= {key.name} if is_code or _MAY_BE_KEY.search(words_of(key.name)) else set()
    return found + _determining(engine, table, rest, codes, known)


def _identifier() -> str:
    numbers = [expressions.NUMBERS[name] for name in ("account", "pension", "person")]
    by_kind = expressions.by_kind()
    forms = [by_kind["mail"], by_kind["national-number"], *map(expressions.bounded, numbers)]
    return "|".join((f"^(?:{_UUID})$", *forms))


def _determining(
    engine: Engine,
    table: Relation,
    candidates: Sequence[Key],
    codes: Set[str],
    known: Sequence[Key],
) -> list[Key]:
    """Return the columns that determine publicly known columns of a person, an age or sex among
    them: two columns, neither determining the other; or for ``codes`` one column of many values
    that they do not determine in turn."""
    names_of = _determined(engine, table, candidates, known)
    among = [key for key in known if any(key.name in names for names in names_of.values())]
    related = _determined(engine, table, among, list(dict.fromkeys((*among, *candidates))))
    many = {key.name for key in known if key.values >= _MANY}
    result = []
    for key in candidates:
        names = names_of[key.name]
        of_person = [name for name in names if _OF_PERSON.search(words_of(name))]
        apart = any(
            b not in related[a] and a not in related[b] for a, b in itertools.combinations(names, 2)
        )
        of_code = key.name in codes and any(
            key.name not in related[n] for n in of_person if n in many
        )
        if of_person and (apart or of_code):
            agree = f"rows with the same value agree in {' and '.join(map(repr, names))}"
            result.append(replace(key, evidence=agree))
    return result


def _determined(
    engine: Engine, table: Relation, columns: Sequence[Key], others: Sequence[Key]
) -> dict[str, list[str]]:
    return {
        column.name: [
            other.name
            for other, alike in zip(others, counts, strict=True)
            if other.name != column.name
            and repeating * (1 - other.share) >= _FEWEST_WRONG
            and repeating - alike <= _WRONG * repeating * (1 - other.share)
        ]
        for column, (repeating, counts) in zip(
            columns, agreeing(engine, table, columns, others), strict=True
        )
    }


def agreeing(
    engine: Engine, table: Relation, columns: Sequence[Key], others: Sequence[Key]
) -> list[tuple[int, list[int]]]:
    """Return how many values of each column several rows have, and for how many of these values all
    rows agree in each other column; for a sample of columns with many values."""
    if not columns or not others:
        return [(0, [0] * len(others)) for _ in columns]
    looked_at = [(key.name, beginnings(key.values, _VALUES_COMPARED)) for key in columns]
    names = [other.name for other in others]
    rows = engine.query(
        "risks/keys_of_people/determined", table=table, columns=looked_at, others=names
    )
    return [(int(repeating), [*map(int, counts)]) for _, repeating, *counts in rows]
