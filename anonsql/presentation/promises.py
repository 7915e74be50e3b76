"""The promises of a release other than k, in words: the same on terminals and pages. A privacy
model has its own words (``in_words`` of :mod:`anonsql.privacy`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from anonsql.policy.methods import traits
from anonsql.presentation.numbers import percent
from anonsql.privacy import registry

OVER_TIME = "over_time"
"""The fact of ``__about`` that says which of a series of releases it is."""
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def _relocated(numbers: Sequence[str], what: str) -> str:
    return (
        f"At most {percent(float(numbers[0]))} of the quasi-identifying values were changed, and"
        " do not belong to their rows."
    )


def _alpha(numbers: Sequence[str], what: str) -> str:
    return (
        "A statistical test (chi-squared) finds no difference between the group sizes before and"
        f" after the changes, at the significance level {numbers[0]}."
    )


def _min_bucket(numbers: Sequence[str], what: str) -> str:
    return f"Every bucket of sensitive values has at least {numbers[0]} rows."


def _over_time(numbers: Sequence[str], what: str) -> str:
    exposed = "exposed" in what
    some = (
        "every row of this release, together with the earlier releases"
        if exposed
        else "all of them together"
    )
    says = (
        f"This is release {numbers[0]} of a series. The promise holds for {some}, against an"
        " attacker who has all releases, can link the rows of a person, and knows which releases"
        " the person is in."
    )
    if exposed:
        says += (
            f" It does not hold for rows of earlier releases that are missing here: {numbers[-1]}."
        )
    return f"{says} Releases before the series are not included." if "anew" in what else says


_SAYS: dict[str, Callable[[Sequence[str], str], str]] = {
    "p": _relocated,
    "alpha": _alpha,
    "min_bucket": _min_bucket,
    OVER_TIME: _over_time,
}


def unit_of(method: str) -> str:
    """Return the noun for the units that keep the promises of a method: class, group or bucket."""
    settings = traits(method)
    if not settings.releases_apart:
        return "class"
    return "bucket" if settings.semi_sensitive else "group"


def is_known(name: str) -> bool:
    """Return whether a fact of ``__about`` is such a promise."""
    model = name.partition(".")[0]
    return model in _SAYS or registry.settings_of(model) is not None


def in_words(name: str, what: str, location: str) -> str:
    """Return in words a promise of a release other than k: of a model, of a method, or of a series;
    unchanged if anonsql does not know it. ``location`` is the noun for a class: class, group or
    bucket."""
    model, _, column = name.partition(".")
    numbers = _NUMBER.findall(what)
    settings = registry.settings_of(model)
    if settings is not None and numbers:
        try:
            return settings.in_words(what, column, location)
        except ValueError:
            pass
    elif model in _SAYS and numbers:
        return _SAYS[model](numbers, what)
    return f"Every {location} keeps “{name}: {what}”."
