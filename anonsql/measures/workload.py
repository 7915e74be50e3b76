"""Queries over quasi-identifying and other columns, made at random or read from a file."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from anonsql.errors import PolicyError

Operator = Literal["=", "<>", "<", "<=", ">", ">="]
Word = object
"""A literal of a condition, as a Python value of the column's kind."""


@dataclass(frozen=True)
class Asked:
    """Which queries to measure by: those of a file, or random ones (see :func:`at_random`; where
    there are fewer columns than ``predicates``, on all of them), of which column they ask the
    ``sum`` (else COUNT), and the number below which an answer's error is taken relative to that
    number. Of local and of sums, random queries are those of :func:`compared_at_random`, whose
    ``selectivity`` is left to chance."""

    file: Path | None = None
    queries: int = 1000
    predicates: int = 2
    selectivity: float = 0.05
    seed: int = 0
    sanity_bound: float = 1.0
    sum: str | None = None

    def __post_init__(self) -> None:
        """Raise PolicyError for numbers that mean nothing."""
        for name, fits, right in (
            ("queries", self.queries >= 1, "at least 1"),
            ("predicates", self.predicates >= 1, "at least 1"),
            ("selectivity", 0 < self.selectivity <= 1, "above 0 and at most 1"),
            ("sanity-bound", self.sanity_bound >= 1, "at least 1"),
        ):
            if not fits:
                raise PolicyError.at(
                    f"--{name}", "this number means nothing.", f"Give one that is {right}."
                )


@dataclass(frozen=True)
class Condition:
    """What a query asks of a column: one of ``words`` in the place of the value's other side."""

    operator: Operator
    words: tuple[Word, ...]


@dataclass(frozen=True)
class Ranges:
    """The values at some places of a column's order, counted from 1 and without NULL: (first, last)
    of each stretch."""

    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Query:
    """A query: what it asks of each column, all of which must hold."""

    asked: Mapping[str, Ranges | tuple[Condition, ...]]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it asks for, in alphabetical order."""
        return tuple(sorted(self.asked))


@dataclass(frozen=True)
class Domain:
    """What a random query must know of a column: how many values it has besides NULL, and whether
    they have an order."""

    column: str
    size: int
    ordered: bool


def at_random(
    domains: Sequence[Domain], queries: int, predicates: int, selectivity: float, seed: int
) -> list[Query]:
    """Return queries with predicates on random columns: an interval of an ordered column's values,
    a random subset of another's.

    The shares of values asked for multiply to ``selectivity``, in expectation, as far as columns
    with few values allow: the column with the fewest comes first, and the others make up for what
    it cannot give.
    """
    chance = random.Random(seed)  # noqa: S311 - queries, no secret
    found = []
    for _ in range(queries):
        left, asked = selectivity, {}
        chosen = sorted(
            chance.sample(list(domains), predicates), key=lambda each: (each.size, each.column)
        )
        for number, domain in enumerate(chosen):
            share = left ** (1 / (predicates - number))
            wanted = share * domain.size
            size = min(max(int(wanted) + (chance.random() < wanted - int(wanted)), 1), domain.size)
            asked[domain.column] = _places(chance, domain, size)
            left = min(left * domain.size / size, 1.0)
        found.append(Query(asked))
    return found


def _places(chance: random.Random, domain: Domain, size: int) -> Ranges:
    """Return some of a column's places."""
    if domain.ordered:
        first = chance.randint(1, domain.size - size + 1)
        return Ranges(((first, first + size - 1),))
    stretches: list[tuple[int, int]] = []
    for place in sorted(chance.sample(range(1, domain.size + 1), size)):
        if stretches and stretches[-1][1] == place - 1:
            stretches[-1] = (stretches[-1][0], place)
        else:
            stretches.append((place, place))
    return Ranges(tuple(stretches))


@dataclass(frozen=True)
class Drawn:
    """A comparison with the values at some places of a column's order, from 1: ``=`` with one of
    them, else with the only one."""

    operator: Operator
    places: tuple[int, ...]


_SAME_COLUMNS = 10  # queries in turn: those over the same columns are answered together
_COMPARISONS: tuple[Operator, ...] = (">", "<", "=", ">=", "<=", "<>")


def compared_at_random(
    domains: Sequence[Domain], queries: int, predicates: int, seed: int
) -> list[dict[str, Drawn]]:
    """Return what queries ask of random columns, as Li, He, Sun have it (Local Generalization and
    Bucketization, 2019, section 4.2): of an ordered column one of six comparisons with a random
    value, of another to be one of some random values, as many as chance has it. Ten queries in turn
    are over the same columns.
    """
    chance = random.Random(seed)  # noqa: S311 - queries, no secret
    found = []
    chosen: list[Domain] = []
    for number in range(queries):
        if number % _SAME_COLUMNS == 0:
            chosen = chance.sample(list(domains), predicates)
        asked = {}
        for domain in chosen:
            places = range(1, domain.size + 1)
            if domain.ordered:
                asked[domain.column] = Drawn(chance.choice(_COMPARISONS), (chance.choice(places),))
            else:
                asked[domain.column] = Drawn(
                    "=", tuple(sorted(chance.sample(places, chance.choice(places))))
                )
        found.append(asked)
    return found


def quantile(values: Sequence[float], share: float) -> float:
    """Return the least of the values that at least this share of them do not exceed."""
    ranked = sorted(values)
    return ranked[max(0, -int(-share * len(ranked) // 1) - 1)]
