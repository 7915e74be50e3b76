"""What commands refuse of a kind of policy, or of a promise, and why: one table, which messages and the
manual quote (guide/relational.md, guide/statistics.md, guide/differential-privacy.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from anonsql.errors import PolicyError

if TYPE_CHECKING:
    from anonsql.policy.table_plan import TablePlan


@dataclass(frozen=True)
class Refusals:
    """The commands and options that refuse the policies that have the field ``where``, each with
    its reason; ``text`` is the common reason, and ``remedy`` the remedy."""

    where: str
    text: str
    remedy: str
    reasons: Mapping[str, str] = field(default_factory=dict)

    def error(self, command: str) -> PolicyError:
        """Return the error that a command or an option refuses such a policy."""
        text = self.text.format(command=command)
        reason = f": {self.reasons[command]}." if command in self.reasons else "."
        return PolicyError.at(self.where, text + reason, self.remedy)


SEVERAL_TABLES: Final = Refusals(
    "tables",
    "`{command}` works on one table alone",
    "`anonsql guide relational` lists what works.",
    {
        "compare": "it measures how useful one released table is; `measure` does so of every table that"
        " is published",
        "advise": "it tries methods, and several tables have one; `search` lists the generalizations"
        " that keep the promise",
        "compile": "keys become numbers that follow from the released rows of all tables, and a compiled"
        " statement makes one",
        "anonymize": "a data frame is one table: put the frames into one DuckDB file",
        "ledger": "what is promised over time follows the rows of one table",
        "risk": "it counts rows that are alike in one table, and people are known by rows of several;"
        " `verify --against-source` tells how few somebody is among",
        "attack": "attackers of several tables also know who has which rows; `verify --against-source`"
        " looks at what one known row leads to",
        "report --attack": "the attacks are those of `attack`",
        "search --explain": "generalizations of several tables are judged one by one, without rounds",
        "search --html": "its page shows the lattice of one table; `search --json` has every"
        " generalization of several",
    },
)
STATISTICS: Final = Refusals(
    "statistics",
    "`{command}` works on released rows, and this policy publishes tables of counts and sums",
    "`anonsql guide statistics-reference` lists what works.",
    {
        "search": "no generalization is searched; `levels` says which levels are published",
        "apply": "no levels recode new rows; `tabulate` makes the tables again",
        "compile": "only an audit shows which cells are hidden; use `tabulate`",
        "compare": "it measures generalized rows; `tabulate --dry-run` shows how much is hidden",
        "advise": "it tries methods and k; `tabulate --dry-run` shows how much another threshold hides",
        "measure": "it measures generalized rows; `tabulate` shows how much is hidden",
        "report --attack": "it shows the attacks of `attack`",
        "risk": "it counts equal rows; `verify --against-source` audits hidden cells",
        "attack": "it attacks rows; `verify --against-source` audits hidden cells",
        "ledger": "it follows released rows; `protect.over_time` follows tables",
        "anonymize": "it returns rows; write the frame to a DuckDB file, then `tabulate` it",
        "verify --sql": "no SQL statement audits hidden cells; use `verify --against-source`",
    },
)
DIFFERENTIAL: Final = Refusals(
    "privacy.differential",
    "`{command}` does not go with it",
    "Use `anonsql run`, or leave it out.",
    {
        "search": "levels are drawn by chance, so none are there to choose from",
        "compare": "whoever chooses by what releases came to chooses by the rows",
        "advise": "whoever chooses by what releases came to chooses by the rows",
        "compile": "statements that are run again and again would draw no new sample",
        "apply": "levels that a release has are no secret: name them in method.levels",
        "anonymize": "a frame states no facts, and so not what was spent",
    },
)
"""Nothing may be decided by rows that were not sampled."""
OVER_TIME: Final = Refusals(
    "privacy.over_time",
    "`{command}` keeps no ledger of the rows that were released before",
    "Use `anonsql run`, or leave it out.",
)


def require_not_differential(policy: TablePlan, command: str) -> None:
    """Raise PolicyError where a command refuses the policy's differential privacy."""
    if policy.privacy.differential is not None and command in DIFFERENTIAL.reasons:
        raise DIFFERENTIAL.error(command)


def require_one_release(policy: TablePlan, command: str) -> None:
    """Raise PolicyError where something is promised over time, for a command that keeps no
    ledger."""
    if policy.privacy.over_time is not None:
        raise OVER_TIME.error(command)
