"""Which of the 18 identifiers a column looks like, by its name, type and text.

The identifiers of safe harbor in the columns of a policy, as one table shows them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from anonsql.engines.base import Column, Engine, Relation
from anonsql.policy import hierarchy as hierarchies
from anonsql.policy.changes import Change, Given
from anonsql.policy.columns import GENERALIZED, KEPT, ColumnPolicy, Kind
from anonsql.policy.table_plan import TablePlan
from anonsql.risks.contents import looking as contents

Identifier = Literal[
    "names",
    "geographic subdivisions smaller than a state",
    "dates other than the year",
    "ages over 89",
    "telephone numbers",
    "fax numbers",
    "e-mail addresses",
    "social security numbers",
    "medical record numbers",
    "health plan beneficiary numbers",
    "account numbers",
    "certificate and licence numbers",
    "vehicle identifiers",
    "device identifiers",
    "URLs",
    "IP addresses",
    "biometric identifiers",
    "photographs",
    "any other unique number",
]
"""The identifiers of 45 CFR 164.514(b)(2)(i)(A) to (R); ages are those of (C), as are dates."""
Seen = Literal["name of the column", "its type", "its values"]
"""By what a column looks like one of them."""

_NUMBER = r"_?(nr|no|num|number|nummer|id|code)"
_NAMES: dict[Identifier, str] = {
    "e-mail addresses": r"e?_?mail|e_?mails|mail_address",
    "fax numbers": r"fax|telefax|fax_?(number|no|nr|nummer)",
    "IP addresses": r"ip|ipv4|ipv6|ip_?(address|addr|adresse)",
    "device identifiers": rf"mac_?(address|addr)|imei|udid|serial{_NUMBER}|device{_NUMBER}|serial",
    "URLs": r"urls?|uri|website|homepage|web_address",
    "social security numbers": r"ssn|social_security\w*|sozialversicherungs\w*|nino",
    "medical record numbers": (
        rf"mrn|medical_record\w*|(patient|patienten|chart|record|encounter){_NUMBER}"
    ),
    "health plan beneficiary numbers": (
        rf"(member|mitglieds|subscriber|beneficiary|insurance|versicherungs|versicherten|plan|policy)"
        rf"{_NUMBER}|medicare\w*|medicaid\w*"
    ),
    "account numbers": rf"iban|account|account{_NUMBER}|konto|konto{_NUMBER}|credit_card|card{_NUMBER}",
    "certificate and licence numbers": r"licen[cs]e|passport|ausweis\w*|certificate|npi|driver\w*",
    "vehicle identifiers": r"vin|vehicle\w*|licen[cs]e_plate|plate|plate_number|kennzeichen",
    "telephone numbers": r"phones?|telephone|tel|mobile|cell|telefon|telefonnummer|handy|mobil",
    "biometric identifiers": r"biometric\w*|fingerprints?|voiceprint|retina|iris_scan|dna|genome",
    "photographs": r"photos?|photograph|picture|portrait|image|foto|bild",
    "geographic subdivisions smaller than a state": (
        r"zip|zipcode|zip_?code|postcode|postal|plz|postleitzahl|address|street|city|town|county|"
        r"district|precinct|parish|municipality|neighbou?rhood|census_tract|tract|geocode|latitude|"
        r"longitude|lat|lon|lng|birthplace|stra(ß|ss)e|hausnummer|adresse|anschrift|ort|wohnort|"
        r"stadt|gemeinde|kreis|landkreis|geburtsort"
    ),
    "ages over 89": r"age|ages|alter|birth_?year|year_of_birth|geburtsjahr",
    "dates other than the year": (
        r"dates?|dob|birthdate|birthday|born|admitted|discharged|died|hired|timestamp|[^_]*datum|"
        r"geburtstag|geboren"
    ),
    "names": (
        r"names?|surname|(first|last|middle|given|family|maiden|full)names?|vornamen?|nachname|"
        r"familienname|geburtsname"
    ),
}
"""Words of English and German names, in the order in which they count: a mail address is none of a
street."""
_LOOKS = {kind: re.compile(rf"(^|_)({words})(_|$)") for kind, words in _NAMES.items()}
_UNIQUE = re.compile(
    r"(^|_)(id|uuid|guid|username|login|(kunden|personal|steuer)_?(nr|nummer)|tax_?(id|number))(_|$)"
)
_ZIP_NAME = re.compile(r"(^|_)zip_?(code)?(_|$)")
_BORN_NAME = re.compile(r"birth_?year|year_of_birth|geburtsjahr")
_HELD: dict[Kind, Identifier] = {
    "name": "names",
    "phone": "telephone numbers",
    "mail": "e-mail addresses",
    "url": "URLs",
    "iban": "account numbers",
    "card": "account numbers",
    "national-number": "social security numbers",
    "free-text": "any other unique number",
}


@dataclass(frozen=True)
class Look:
    """What a column looks like, and by what; whether it is a US ZIP code or a year of birth."""

    kind: Identifier
    by: Seen
    zip_code: bool = False
    birth_year: bool = False


def words_of(name: str) -> str:
    """Return the words of a column's name in lower case, with `_` between them."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"[\W_]+", "_", spaced.lower())


def looks(name: str, column: Column | None, held: frozenset[Kind]) -> list[Look]:
    """Return what a column looks like: one thing by its name or type, and all that its text
    holds."""
    found = []
    if (named := _by_name(words_of(name), column)) is not None:
        found.append(named)
    elif column is not None and column.kind in ("date", "timestamp"):
        found.append(Look("dates other than the year", "its type"))
    kinds = {look.kind for look in found}
    new = dict.fromkeys(_HELD[kind] for kind in _HELD if kind in held)
    return found + [Look(kind, "its values") for kind in new if kind not in kinds]


def _by_name(words: str, column: Column | None) -> Look | None:
    if column is not None and column.kind == "boolean":
        return None
    of_dates = column is not None and column.kind in ("date", "timestamp")
    for kind, pattern in _LOOKS.items():
        if not pattern.search(words) or (of_dates and kind != "dates other than the year"):
            continue
        born = kind == "ages over 89" and _BORN_NAME.search(words) is not None
        return Look(kind, "name of the column", _ZIP_NAME.search(words) is not None, born)
    if _UNIQUE.search(words) and not of_dates:
        return Look("any other unique number", "name of the column")
    return None


_NUMBERS = ("integer", "decimal", "float")
_OLD = 90
_REMOVE = "Make the column identifying, which removes it."
_WAYS = {
    "dates other than the year": (
        "Generalize it by a hierarchy `date` with a min_level from the year on, or remove it."
    ),
    "ages over 89": (
        "Generalize it by `{type: ages}` with min_level 1, or top-code it: `change: {top: {value:"
        " 90}}`."
    ),
    "geographic subdivisions smaller than a state": (
        "Remove the column, or generalize it to states or coarser. Check yourself that no label"
        " is finer."
    ),
}
_ZIP = "Generalize it by `{type: us-zip}` with min_level 1, or remove it."
_BORN = (
    "A year of birth reveals an age over 89: bottom-code it, `change: {bottom: {value: …}}`, so"
    " that the oldest form one group, or remove it."
)
_YEARS = (
    "Nothing finer than a year is released. Check yourself that no year of birth reveals an"
    " age over 89."
)
_TWENTY_THOUSAND = (
    "anonsql cannot check whether more than 20,000 people live in each area of three digits:"
    " `{type: us-zip}` releases 000 for areas with fewer people by the census."
)
_BY_CENSUS = (
    "Areas of three digits with at most 20,000 people become 000 by the censuses of 2000 and"
    " 2010. Check yourself whether newer figures require more."
)


@dataclass(frozen=True)
class Found:
    """A column that looks like an identifier: how it is released, whether it ``passes`` where safe
    harbor does not allow it, and what is to be done or seen."""

    column: str
    kind: Identifier
    by: Seen
    released: str
    passes: bool
    says: str


def identifiers(
    engine: Engine, table: Relation, rows: int, policy: TablePlan, *, released: bool
) -> list[Found]:
    """Return the columns of a policy that look like identifiers. The ``table`` of so many rows is
    the release (``released``), whose kept columns alone have their values, or the source."""
    present = {one.name: one for one in engine.columns(table) if one.name in policy.columns}
    own = [
        column
        for name, column in present.items()
        if not released or policy.columns[name].role in KEPT
    ]
    held = contents.look(engine, table, own, rows)
    found = {
        name: looks(name, present.get(name), frozenset(held[name].kinds if name in held else ()))
        for name in policy.columns
    }
    ages = [
        column
        for column in own
        if column.kind in _NUMBERS
        and any(look.kind == "ages over 89" for look in found[column.name])
    ]
    greatest = _greatest(engine, table, ages)
    return [
        Found(
            name,
            look.kind,
            look.by,
            form(policy.columns[name]),
            *judged(policy.columns[name], look, greatest.get(name), changed=released),
        )
        for name, seen in found.items()
        for look in seen
    ]


def _greatest(engine: Engine, table: Relation, columns: Sequence[Column]) -> dict[str, float]:
    if not columns:
        return {}
    parameters = {"relation": table, "columns": columns, "shares": [Decimal(1)], "apart": {}}
    rows = engine.query("risks/kept/quantiles", **parameters)
    return {
        column.name: float(value)
        for column, (_, value) in zip(columns, rows, strict=True)
        if value is not None
    }


def form(column: ColumnPolicy) -> str:
    """Return in what form a policy releases a column."""
    if column.role == "identifying":
        if column.replace is None:
            return "removed"
        words = {"surrogate": "a surrogate", "null": "NULL", "constant": "a constant"}
        return f"replaced by {words[column.replace]}"
    if column.role in GENERALIZED:
        level = column.min_level or 0
        return f"generalized, to level {level} at least" if level else "generalized where needed"
    return "unchanged" if column.change is None else "changed"


def judged(
    column: ColumnPolicy, look: Look, greatest: float | None, *, changed: bool
) -> tuple[bool, str]:
    """Return whether a column's kind of value is released in a form that is not allowed, and the
    remedy or the remaining check. ``greatest`` is the greatest number, ``changed`` by the policy or
    as before."""
    if column.role == "identifying":
        return False, "No value is released."
    if _hidden(column):
        return False, "All values become one."
    if look.kind == "ages over 89":
        if look.birth_year:
            coded = column.change is not None and column.change.bottom is not None
            return not coded, "Check yourself that ages over 89 form one group." if coded else _BORN
        if greatest is not None and greatest < _OLD:
            return False, "No value is above 89."
        if _one_group(column, greatest, changed=changed):
            return False, "Ages from 90 on form one group."
    if look.kind == "dates other than the year" and _years(column):
        return False, _YEARS
    if look.zip_code:
        three = _three_digits(column)
        return three is None, three or _ZIP
    if isinstance(column.hierarchy, hierarchies.CountriesHierarchy):
        return False, "A country is not a subdivision of a state."
    return True, _WAYS.get(look.kind, _REMOVE)


def _hidden(column: ColumnPolicy) -> bool:
    """Return whether the policy requires the top level, where it says which that is."""
    level, made = column.min_level or 0, column.hierarchy
    match made:
        case hierarchies.SuppressionHierarchy():
            top = 1
        case hierarchies.MaskHierarchy():
            top = made.length
        case hierarchies.IntervalHierarchy():
            top = len(made.widths) + 1
        case (
            hierarchies.BreaksHierarchy()
            | hierarchies.DateHierarchy()
            | hierarchies.OrderHierarchy()
            | hierarchies.TableHierarchy()
        ):
            top = len(made.levels) + 1
        case hierarchies.UsZipHierarchy():
            top = 3
        case _:
            return False
    return _generalized(column) and level >= top


def _generalized(column: ColumnPolicy) -> bool:
    """Return whether no value is released as it is, nor a mean of values."""
    return column.role in GENERALIZED and bool(column.min_level) and column.values is None


def _one_group(column: ColumnPolicy, greatest: float | None, *, changed: bool) -> bool:
    """Return whether all ages from 90 on have one label."""
    if column.change is not None:
        return _top_coded(column.change, greatest, changed=changed)
    if not _generalized(column):
        return False
    level, made = column.min_level or 0, column.hierarchy
    if isinstance(made, hierarchies.AgesHierarchy):
        return True
    if isinstance(made, hierarchies.BreaksHierarchy) and not made.of_dates:
        return all(float(str(at)) <= _OLD for at in made.levels[level - 1])
    if isinstance(made, hierarchies.IntervalHierarchy) and greatest is not None:
        width, origin = float(made.widths[level - 1]), float(made.origin)
        return (_OLD - origin) // width == (greatest - origin) // width
    return False


def _top_coded(change: Change, greatest: float | None, *, changed: bool) -> bool:
    """Return whether no age above 90 is released."""
    if change.top is None:
        return False
    if isinstance(change.top, Given) and change.top.value <= _OLD:
        return True
    return changed and greatest is not None and greatest <= _OLD


def _years(column: ColumnPolicy) -> bool:
    """Return whether nothing finer than a year is released of a date."""
    if not _generalized(column):
        return False
    level, made = column.min_level or 0, column.hierarchy
    if isinstance(made, hierarchies.DateHierarchy):
        return made.levels[level - 1] in ("year", "decade")
    if isinstance(made, hierarchies.BreaksHierarchy) and made.of_dates:
        breaks = made.levels[level - 1]
        return all(isinstance(at, date) and (at.month, at.day) == (1, 1) for at in breaks)
    return False


def _three_digits(column: ColumnPolicy) -> str | None:
    """Return the remaining check where at most three digits of a ZIP code are released, or None."""
    if not _generalized(column):
        return None
    level, made = column.min_level or 0, column.hierarchy
    if isinstance(made, hierarchies.UsZipHierarchy):
        return _BY_CENSUS
    if isinstance(made, hierarchies.MaskHierarchy) and made.start == "right":
        return _TWENTY_THOUSAND if made.length - level <= 3 else None
    return None
