"""What surrogates of several tables give away: rows of one person, or of several, that have a value
in common are linked by it.

Surrogates hide what a value is and show where it is the same: who lives in one household, which
rows are of one episode. The promise counts nothing of that, so it is counted here and told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anonsql.engines.base import Relation, ReleaseTables
from anonsql.errors import Problem
from anonsql.policy.relational import RelationalPolicy


@dataclass(frozen=True)
class ReferenceStep:
    """A released table on the way to people: what a statement calls it, its key, and the column
    that leads on: of people their key."""

    alias: str
    table: Relation
    key: str
    person: str


def warnings(release: Mapping[str, ReleaseTables], policy: RelationalPolicy) -> list[Problem]:
    """Return a warning for each column of surrogates that link rows of people. The keys and
    references of the released tables must hold."""
    problems = []
    for name in policy.personal:
        above = _above(release, policy, name)
        for column in policy.surrogates(name):
            surrogates, rows, shared = release[name].engine.query(
                "risks/shared_values/linked", column=column, above=above
            )[0]
            if surrogates < rows:
                problems.append(_warning(name, column, (surrogates, rows, shared)))
    return problems


def _above(
    release: Mapping[str, ReleaseTables], policy: RelationalPolicy, name: str
) -> list[ReferenceStep]:
    """Return the tables from one of people's rows up to the one before people; of people
    itself."""
    if name == policy.privacy.of:
        key = str(policy.tables[name].key)
        return [ReferenceStep("t0", release[name].rows, key, key)]
    steps, last = list[ReferenceStep](), name
    while last != policy.privacy.of:
        reference, other = policy.to_people(last)
        key = str(policy.tables[last].key)
        steps.append(ReferenceStep(f"t{len(steps)}", release[last].rows, key, reference))
        last = other
    return steps


def _warning(name: str, column: str, counts: tuple[int, int, int]) -> Problem:
    """Return what is to be said of surrogates that link rows: how many these are, of how many rows,
    and how many link people."""
    surrogates, rows, shared = counts
    text = f"its {surrogates:,} surrogates link {rows:,} rows"
    text += f", {shared:,} of them rows of several people." if shared else ", each of one person."
    text += " Which rows have a value in common may be known, and the promise does not count it."
    remedy = "Remove the column unless recipients need that, or set `replace: null`."
    return Problem(f"tables.{name}.columns.{column}.replace", text, remedy)
