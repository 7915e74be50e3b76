"""Tables that refer to each other: which comes first, and whether they refer to each other in a
circle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

References = Mapping[str, Sequence[str]]
"""The tables that each table refers to."""


def circle(references: References) -> list[str]:
    """Return the tables of a circle of references, the first one twice; none without a circle."""
    try:
        TopologicalSorter(references).prepare()
    except CycleError as error:
        tables: list[str] = error.args[1]
        return tables
    return []


def order_of(references: References) -> list[str]:
    """Return the tables, each after those that it refers to, otherwise in the order given."""
    done: list[str] = []
    while len(done) < len(references):
        done += [
            name
            for name, others in references.items()
            if name not in done and all(other in done for other in others)
        ]
    return done
