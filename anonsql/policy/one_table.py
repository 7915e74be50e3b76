"""What works on policies of one table alone, or on released rows alone, and why. The manual says it
by these lists (guide/relational.md, guide/statistics.md)."""

from __future__ import annotations

from anonsql.errors import PolicyError

ONE_TABLE = {
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
    "verify --with": "what releases give away together is counted by the rows of one table",
}
"""Commands and options, each with the reason why it refuses several tables."""
OF_ROWS = {
    "search": "there are no generalizations to choose from: `levels` says which are made",
    "apply": "there are no levels that new rows could be recoded with: make the tables again",
    "compile": "cells are hidden by what an audit finds, and no statement that is written before can"
    " tell which",
    "compare": "it measures what generalized rows lost; `tabulate --dry-run` tells how much is hidden",
    "advise": "it tries methods and k; `tabulate --dry-run` tells what another threshold hides",
    "measure": "it measures what generalized rows lost; `tabulate` tells how much is hidden",
    "report --attack": "the attacks are those of `attack`",
    "risk": "it counts rows that are alike; `verify --against-source` audits hidden cells",
    "attack": "it guesses rows; `verify --against-source` asks of every primary cell whether it can be told",
    "ledger": "what is promised over time follows released rows; of tables `protect.over_time` does",
    "anonymize": "it returns rows; write the frame to a DuckDB file, and `tabulate` it",
    "verify --with": "what releases give away together is counted by their rows",
    "verify --sql": "no statement can audit what hidden cells are told by; `verify --against-source`"
    " does",
}
"""Commands and options, each with the reason why it refuses a policy of statistics."""


def refused(command: str) -> PolicyError:
    """Return the error that a command or an option refuses a policy of several tables."""
    text = f"`{command}` works on one table alone: {ONE_TABLE[command]}."
    return PolicyError.at("tables", text, "`anonsql guide relational` lists what works.")


def not_of_statistics(command: str) -> PolicyError:
    """Return the error that a command or an option refuses a policy of statistics."""
    text = (
        f"`{command}` works on released rows, and this policy publishes tables of counts and sums"
    )
    text += f": {OF_ROWS[command]}." if command in OF_ROWS else "."
    return PolicyError.at("statistics", text, "`anonsql guide statistics` lists what works.")
