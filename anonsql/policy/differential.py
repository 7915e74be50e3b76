"""What of a policy goes with differential privacy: nothing may be released, or decided, by what was
not sampled or drawn at random."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from anonsql.errors import FieldError, PolicyError
from anonsql.policy.hierarchy import AutomaticHierarchy

if TYPE_CHECKING:
    from anonsql.policy.policy import Policy

WHERE = "privacy.differential"


def require_fit(policy: Policy) -> None:
    """Raise FieldError where the policy's method, columns or release do not go with its
    differential privacy."""
    _require_method(policy)
    for name, column in policy.columns.items():
        where = f"columns.{name}"
        if column.replace == "surrogate":
            text = "equal numbers would tell whose rows these are: leave it out"
            raise FieldError(f"{where}.replace", text)
        if column.role not in ("identifying", "quasi-identifying"):
            text = (
                f"found {column.role}: with {WHERE} nothing is released as it is. Make it"
                " quasi-identifying, or identifying, which removes it"
            )
            raise FieldError(f"{where}.role", text)
        if isinstance(column.hierarchy, AutomaticHierarchy):
            text = (
                f"it is made from the data, and {WHERE} needs one that is not: write it from what"
                " is publicly known"
            )
            raise FieldError(f"{where}.hierarchy", text)
    if policy.release.suppressed == "mask":
        text = f"how many rows were left out is told by masked ones, and {WHERE} keeps it secret"
        raise FieldError("release.suppressed", f"{text}: leave it out")


def _require_method(policy: Policy) -> None:
    """Raise FieldError where the method is not full-domain, or chooses levels otherwise than this
    choice is drawn."""
    method, settings = policy.method, policy.privacy.differential
    for name in ("algorithm", "minimize", "roll_up"):
        if getattr(method, name) != type(method).model_fields[name].default:
            text = f"{WHERE} draws levels at random, by their score alone: leave it out"
            raise FieldError(f"method.{name}", text)
    searches = settings is not None and settings.searches
    if method.needs_search and not searches:
        text = (
            "this field is missing: say which part of epsilon the choice of levels may spend, or"
            " give method.levels"
        )
        raise FieldError(f"{WHERE}.search_epsilon", text)
    if searches and not method.needs_search:
        text = "method.levels gives the levels, so nothing is spent on their choice: leave it out"
        raise FieldError(f"{WHERE}.search_epsilon", text)


REFUSED: Final = {
    "search": "levels are drawn by chance, so none are there to choose from",
    "compare": "whoever chooses by what releases came to chooses by the rows",
    "advise": "whoever chooses by what releases came to chooses by the rows",
    "compile": "statements that are run again and again would draw no new sample",
    "apply": "levels that a release has are no secret: name them in method.levels",
    "anonymize": "a frame states no facts, and so not what was spent",
}
"""Commands, each with the reason why it refuses differential privacy."""


def require_none(policy: Policy, command: str) -> None:
    """Raise PolicyError where a command refuses the policy's differential privacy."""
    if policy.privacy.differential is not None and command in REFUSED:
        text = f"`{command}` does not go with it: {REFUSED[command]}."
        raise PolicyError.at(WHERE, text, "Use `anonsql run`, or leave it out.")
