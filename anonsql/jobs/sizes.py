"""The size of a job, estimated before it begins, and warnings about jobs that may not end in
reasonable time."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.errors import Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.policy import Policy
from anonsql.star.lattice import size

LARGE_LATTICE = 1_000_000
MANY_COLUMNS = 30


def lattice(policy: Policy, attributes: Sequence[Attribute]) -> int | None:
    """Return the number of generalizations to choose from, where the method searches them."""
    if not policy.method.searches:
        return None
    return size(
        [attribute.min_level for attribute in attributes],
        [attribute.max_level for attribute in attributes],
    )


def warnings(policy: Policy, attributes: Sequence[Attribute]) -> list[Problem]:
    """Return a warning for a search that may take too long, and one for statements that may."""
    limit = (
        "" if policy.engine.seconds else " `engine: {seconds: 600}` ends a run that takes longer."
    )
    problems, nodes = [], lattice(policy, attributes)
    if nodes is not None and nodes > LARGE_LATTICE:
        remedy = (
            "Limit levels with min_level and max_level, or use fewer quasi-identifying columns."
        )
        text = f"there are {nodes:,} generalizations to search."
        problems.append(Problem("columns", text, remedy + limit))
    if len(attributes) > MANY_COLUMNS:
        text = (
            f"there are {len(attributes)} quasi-identifying columns: planning a statement takes the"
            " square of their number, and hardly any rows are alike in so many."
        )
        remedy = (
            "Make those insensitive that nobody can know of a person, or identifying, which leaves"
            " them out."
        )
        problems.append(Problem("columns", text, remedy + limit))
    return problems
