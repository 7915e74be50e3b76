"""Which of the 18 identifiers a column looks like, by its name, type and text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from anonsql.engines.base import Column
from anonsql.policy.columns import Kind

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
_ZIP = re.compile(r"(^|_)zip_?(code)?(_|$)")
_BORN = re.compile(r"birth_?year|year_of_birth|geburtsjahr")
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
        born = kind == "ages over 89" and _BORN.search(words) is not None
        return Look(kind, "name of the column", _ZIP.search(words) is not None, born)
    if _UNIQUE.search(words) and not of_dates:
        return Look("any other unique number", "name of the column")
    return None
