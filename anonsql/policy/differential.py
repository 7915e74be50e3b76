"""The commands that refuse differential privacy: nothing may be decided by rows that were not
sampled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from anonsql.errors import PolicyError

if TYPE_CHECKING:
    from anonsql.policy.table_plan import TablePlan

WHERE = "privacy.differential"
REFUSED: Final = {
    "search": "levels are drawn by chance, so none are there to choose from",
    "compare": "whoever chooses by what releases came to chooses by the rows",
    "advise": "whoever chooses by what releases came to chooses by the rows",
    "compile": "statements that are run again and again would draw no new sample",
    "apply": "levels that a release has are no secret: name them in method.levels",
    "anonymize": "a frame states no facts, and so not what was spent",
}
"""Commands, each with the reason why it refuses differential privacy."""


def require_none(policy: TablePlan, command: str) -> None:
    """Raise PolicyError where a command refuses the policy's differential privacy."""
    if policy.privacy.differential is not None and command in REFUSED:
        text = f"`{command}` does not go with it: {REFUSED[command]}."
        raise PolicyError.at(WHERE, text, "Use `anonsql run`, or leave it out.")
