"""Forms of values (age bands, ICD-10 codes, postcodes, dates written as text, countries), and the
hierarchy that suits each form.

A column has a form when all its values have it. That is counted in the database, by regular
expressions of the common subset of all engines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonsql.policy.built_in.hierarchies import country_codes

ICD_10 = "ICD-10 codes"
RANDOM = "long numbers or hexadecimal identifiers"
MASK = "{{type: mask, length: {longest}}}"
_DATES = (
    "for `{type: date, levels: [month, year]}`, convert them to dates in a view of the database, or"
    " in a frame (`pandas.read_csv(…, parse_dates=[…])` or `pandas.to_datetime`)"
)


@dataclass(frozen=True)
class Form:
    """A form that values can have: its ``name`` in words, the expression that it is counted by, and
    its ``hierarchy`` in a policy, with ``{longest}`` where the greatest length is to be written;
    and the ``advice`` on a better one, or where there is none."""

    name: str
    expression: str
    hierarchy: str = ""
    advice: str = ""


FORMS = (
    Form(
        "age bands",
        "^([0-9]{1,3} ?(-|–|to|bis) ?[0-9]{1,3}|(>=|≥) ?[0-9]{1,3}"
        "|[0-9]{1,3} ?([+]|and over|und älter)|(<|under |unter ) ?[0-9]{1,3})$",
        advice="group them into wider bands in a hierarchy `taxonomy` or `file`",
    ),
    Form("ISO dates", "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$", MASK, _DATES),
    Form(
        "dates",
        "^(0[1-9]|[12][0-9]|3[01])[.](0[1-9]|1[0-2])[.][0-9]{4}$",
        advice=_DATES,
    ),
    Form("Dutch postcodes", "^[1-9][0-9]{3} ?[A-Z]{2}$", MASK),
    Form("Canadian postcodes", "^[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]$", MASK),
    Form("British postcodes", "^[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}$", MASK),
    Form(
        ICD_10,
        # without a point more digits would be any number with a letter before it
        "^[A-Z][0-9][0-9A-Z]([.][0-9A-Z]{1,4}|[0-9]{1,2}|[0-9]{0,3}[A-Z][0-9A-Z]{0,3})?$",
        "{{type: icd-10}}",
    ),
    Form(
        RANDOM,
        "^([0-9]{12,}|[0-9a-f]{16,}|[0-9A-F]{16,}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$",
        advice="remove them",
    ),
    Form("ISO countries", f"^({'|'.join(country_codes())})$", "{{type: countries}}"),
)
"""What is recognized, the first that fits."""


def recognize(matching: Sequence[int], values: int) -> Form | None:
    """Return the form of all ``values``, by how many of them each of FORMS matches."""
    fitting = (
        form for form, count in zip(FORMS, matching, strict=False) if values > 0 and count == values
    )
    return next(fitting, None)
