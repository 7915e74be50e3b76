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
}
"""Commands and options, each with the reason why it refuses several tables."""
OF_ROWS = {
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
    return PolicyError.at(
        "statistics", text, "`anonsql guide statistics-reference` lists what works."
    )
