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
    "`{command}` works on one table only",
    "`anonsql guide relational` lists the commands that work on several.",
    {
        "compare": "it measures one released table; `measure` measures every published table",
        "advise": "it tries methods, and several tables have only one; `search` lists the"
        " generalizations that keep the promise",
        "compile": "keys become numbers that depend on the released rows of all tables, and a"
        " compiled statement makes one table",
        "anonymize": "a data frame is one table: write the frames to one DuckDB file",
        "ledger": "releases over time follow the rows of one table",
        "risk": "it counts equal rows of one table, and attackers know people by rows of several;"
        " `verify --against-source` counts how many people match a person",
        "attack": "attackers of several tables also know which rows a person has; `verify"
        " --against-source` counts the matches for one known row",
        "report --attack": "it shows the attacks of `attack`",
        "search --explain": "generalizations of several tables are checked one by one, without rounds",
        "search --html": "its page shows the lattice of one table; `search --json` lists all"
        " generalizations of several",
    },
)
STATISTICS: Final = Refusals(
    "statistics",
    "`{command}` works on released rows, and this policy publishes tables of counts and sums",
    "`anonsql guide statistics-reference` lists the commands that work on tables.",
    {
        "search": "there is no generalization to search; `levels` sets the published levels",
        "apply": "there are no levels to recode new rows by; `tabulate` makes the tables again",
        "compile": "only an audit shows which cells are hidden; use `tabulate`",
        "compare": "it measures generalized rows; `tabulate --dry-run` shows how much is hidden",
        "advise": (
            "it tries methods and k; `tabulate --dry-run` with another threshold shows how"
            " much that hides"
        ),
        "measure": "it measures generalized rows; `tabulate` shows how much is hidden",
        "report --attack": "it shows the attacks of `attack`",
        "risk": "it counts equal rows; `verify --against-source` audits hidden cells",
        "attack": "it attacks rows; `verify --against-source` audits hidden cells",
        "ledger": "it follows released rows; `protect.over_time` follows tables",
        "anonymize": "it returns rows; write the frame to a DuckDB file, then use `tabulate`",
        "verify --sql": "no SQL statement audits hidden cells; use `verify --against-source`",
    },
)
DIFFERENTIAL: Final = Refusals(
    "privacy.differential",
    "`{command}` cannot be combined with it",
    "Use `anonsql run`, or leave it out.",
    {
        "search": "levels are drawn at random, so there are none to choose from",
        "compare": "a choice by the results of its trial releases would depend on the rows",
        "advise": "it chooses by the results of trial releases, and these depend on the rows",
        "compile": "statements that run repeatedly would draw no new sample",
        "apply": "the levels of a release are no secret: write them into method.levels",
        "anonymize": "a frame has no `__about`, which states the budget spent",
    },
)
"""Nothing may be decided by rows that were not sampled."""
OVER_TIME: Final = Refusals(
    "privacy.over_time",
    "`{command}` keeps no ledger of the rows that were released earlier",
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
