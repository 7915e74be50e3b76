"""Queries over quasi-identifying and other columns, made at random or read from a file."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Literal

from anonsql.errors import PolicyError

Operator = Literal["=", "<>", "<", "<=", ">", ">="]
Word = object
"""A literal of a condition, as a Python value of the column's kind."""


@dataclass(frozen=True)
class WorkloadSettings:
    """Which queries to measure by: those of a ``file``, or random ones (see :func:`at_random`; over
    all columns where there are fewer than ``predicates``), the column whose ``sum`` they ask for
    (None: COUNT), and the ``sanity_bound``: errors are relative to the answer, or to this number
    where the answer is less. For releases of local and for sums, random queries are those of
    :func:`compared_at_random`, which ignore ``selectivity``."""

    file: Path | None = None
    queries: int = 1000
    predicates: int = 2
    selectivity: float = 0.05
    seed: int = 0
    sanity_bound: float = 1.0
    sum: str | None = None

    def __post_init__(self) -> None:
        """Raise PolicyError for numbers out of range."""
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
class QueryCondition:
    """A condition of a query on a column: the comparison is true with one of ``words`` on the
    right."""

    operator: Operator
    words: tuple[Word, ...]


@dataclass(frozen=True)
class Ranges:
    """The values at some positions of a column's order, counted from 1 and without NULL: (first,
    last) of each stretch."""

    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Query:
    """A query: its conditions by column, joined by AND."""

    conditions: Mapping[str, Ranges | tuple[QueryCondition, ...]]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it has conditions on, in alphabetical order."""
        return tuple(sorted(self.conditions))


@dataclass(frozen=True)
class QueryDomain:
    """What drawing a random query needs to know of a column: how many values it has besides NULL,
    and whether they are ordered."""

    column: str
    size: int
    ordered: bool


def at_random(
    domains: Sequence[QueryDomain], queries: int, predicates: int, selectivity: float, seed: int
) -> list[Query]:
    """Return queries with predicates on random columns: an interval of an ordered column's values,
    a random subset of another's.

    The expected product of the shares of values asked for is ``selectivity``, where columns have
    enough values: the share of the column with the fewest values is chosen first, and the others
    make up for its rounding.
    """
    chance = random.Random(seed)  # noqa: S311 - queries, no secret
    result = []
    for _ in range(queries):
        left, ranges = selectivity, {}
        chosen = sorted(
            chance.sample(list(domains), predicates),
            key=lambda domain: (domain.size, domain.column),
        )
        for number, domain in enumerate(chosen):
            share = left ** (1 / (predicates - number))
            wanted = share * domain.size
            size = min(max(int(wanted) + (chance.random() < wanted - int(wanted)), 1), domain.size)
            ranges[domain.column] = _places(chance, domain, size)
            left = min(left * domain.size / size, 1.0)
        result.append(Query(ranges))
    return result


@dataclass(frozen=True)
class Kind:
    """Random queries of one kind: over how many columns, and which share of the rows they should
    select."""

    predicates: int
    selectivity: float


def by_kind(
    domains: Sequence[QueryDomain],
    queries: int,
    seed: int,
    *,
    most: int = 4,
    sets: int | None = 8,
) -> dict[Kind, list[Query]]:
    """Return random queries of several kinds, about as many ``queries`` of each: over 1 to ``most``
    columns, of the ``_SELECTIVITIES``. Those over as many columns are over so many ``sets`` of
    columns, as each set is a statement; over any where that is None, each kind as :func:`at_random`
    gives it."""
    chance = random.Random(seed)  # noqa: S311 - queries, no secret
    ordered = sorted(domains, key=lambda domain: domain.column)
    by_key = {}
    for predicates in range(1, min(most, len(ordered)) + 1):
        chosen: list[Sequence[QueryDomain]] = [ordered]
        if sets is not None:
            every = list(combinations(ordered, predicates))
            chosen = list(chance.sample(every, min(len(every), sets)))
        for selectivity in _SELECTIVITIES:
            by_key[Kind(predicates, selectivity)] = [
                query
                for number, own in enumerate(chosen)
                for query in at_random(
                    own, -(-queries // len(chosen)), predicates, selectivity, seed + number
                )
            ]
    return by_key


def _places(chance: random.Random, domain: QueryDomain, size: int) -> Ranges:
    """Return ``size`` random positions of a column's order."""
    if domain.ordered:
        first = chance.randint(1, domain.size - size + 1)
        return Ranges(((first, first + size - 1),))
    stretches: list[tuple[int, int]] = []
    for position in sorted(chance.sample(range(1, domain.size + 1), size)):
        if stretches and stretches[-1][1] == position - 1:
            stretches[-1] = (stretches[-1][0], position)
        else:
            stretches.append((position, position))
    return Ranges(tuple(stretches))


@dataclass(frozen=True)
class Drawn:
    """A comparison with the values at some positions of a column's order, from 1: ``=`` with one of
    them; the other operators have one value alone."""

    operator: Operator
    places: tuple[int, ...]


_SELECTIVITIES = (0.01, 0.05, 0.2)
_SAME_COLUMNS = 10  # so many successive queries are over the same columns, and answered together
_COMPARISONS: tuple[Operator, ...] = (">", "<", "=", ">=", "<=", "<>")


def compared_at_random(
    domains: Sequence[QueryDomain], queries: int, predicates: int, seed: int
) -> list[dict[str, Drawn]]:
    """Return the conditions of queries on random columns, as Li, He, Sun define them (Local
    Generalization and Bucketization, 2019, section 4.2): on an ordered column one of six
    comparisons with a random value, on another that the value is in a random set of random size.
    Every ten successive queries are over the same columns.
    """
    chance = random.Random(seed)  # noqa: S311 - queries, no secret
    results = []
    chosen: list[QueryDomain] = []
    for number in range(queries):
        if number % _SAME_COLUMNS == 0:
            chosen = chance.sample(list(domains), predicates)
        conditions = {}
        for domain in chosen:
            places = range(1, domain.size + 1)
            if domain.ordered:
                conditions[domain.column] = Drawn(
                    chance.choice(_COMPARISONS), (chance.choice(places),)
                )
            else:
                conditions[domain.column] = Drawn(
                    "=", tuple(sorted(chance.sample(places, chance.choice(places))))
                )
        results.append(conditions)
    return results


def quantile(values: Sequence[float], share: float) -> float:
    """Return the least of the values that at least this share of them do not exceed."""
    ranked = sorted(values)
    return ranked[max(0, -int(-share * len(ranked) // 1) - 1)]
