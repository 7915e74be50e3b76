"""Queries over columns, at random or from a file, and their conditions as tables."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from anonsql.errors import PolicyError

if TYPE_CHECKING:
    from anonsql.engines.base import Column, Engine

Operator = Literal["=", "<>", "<", "<=", ">", ">="]
Word = object
"""A literal of a condition, as a Python value of the column's kind."""


@dataclass(frozen=True)
class WorkloadSettings:
    """Which queries to measure by: those of a ``file``, or random ones (see :func:`at_random`; over
    all columns where there are fewer than ``predicates``), the column that they ``sum`` (None:
    COUNT), and the ``sanity_bound``, which errors are relative to where the answer is less. For
    local and sums, random queries are those of :func:`compared_at_random`, without
    ``selectivity``."""

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
                    f"--{name}", "this number is not meaningful here.", f"Give a number {right}."
                )


@dataclass(frozen=True)
class QueryCondition:
    """A condition on a column: the comparison is true with one of ``words``."""

    operator: Operator
    words: tuple[Word, ...]


@dataclass(frozen=True)
class Ranges:
    """Positions of a column's order, from 1 and without NULL: (first, last) of each stretch."""

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
    """A column to draw queries of: its values besides NULL, and whether they are ordered."""

    column: str
    size: int
    ordered: bool


def at_random(
    domains: Sequence[QueryDomain], queries: int, predicates: int, selectivity: float, seed: int
) -> list[Query]:
    """Return queries with predicates on random columns: an interval of an ordered column's values,
    a random subset of another's. The expected product of the shares asked for is ``selectivity``:
    the column with the fewest values is first, and the others make up for its rounding."""
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


def _places(chance: random.Random, domain: QueryDomain, size: int) -> Ranges:
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
    """A comparison with values at positions from 1: ``=`` with one of them, others with one
    value."""

    operator: Operator
    places: tuple[int, ...]


_SAME_COLUMNS = 10  # so many successive queries are over the same columns, and answered together
_COMPARISONS: tuple[Operator, ...] = (">", "<", "=", ">=", "<=", "<>")


def compared_at_random(
    domains: Sequence[QueryDomain], queries: int, predicates: int, seed: int
) -> list[dict[str, Drawn]]:
    """Return the conditions of queries on random columns by Li, He, Sun (Local Generalization and
    Bucketization, 2019, section 4.2): on an ordered column one of six comparisons with a random
    value, on another a random set of random size. Ten successive queries are over the same
    columns."""
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


def load_conditions(engine: Engine, column: Any, queries: Sequence[Query]) -> None:
    """Make ``predicates_<index>`` of a column: the values that the queries ask for."""
    places: list[tuple[int, int, int]] = []
    conditions: list[tuple[object, ...]] = []
    for number, query in enumerate(queries):
        own = query.conditions.get(column.name, ())
        if isinstance(own, Ranges):
            places += [(number, *stretch) for stretch in own.places]
        else:
            conditions += [
                (number, position, len(own), condition.operator, word)
                for position, condition in enumerate(own)
                for word in condition.words
            ]
    if places:
        kinds = [("query", "INTEGER"), ("first", "BIGINT"), ("last", "BIGINT")]
        engine.load(f"ranges_{column.index}", kinds, places)
        engine.run("measures/chosen", a=column)
    elif conditions:
        kinds = [
            *((name, "INTEGER") for name in ("query", "condition", "conditions")),
            ("operator", "VARCHAR"),
        ]
        word_type, written = _written(column.column, [condition[-1] for condition in conditions])
        rows = [
            (*condition[:-1], word) for condition, word in zip(conditions, written, strict=True)
        ]
        engine.load(f"conditions_{column.index}", [*kinds, ("word", word_type)], rows)
        engine.run("measures/satisfying", a=column)


def _written(column: Column, words: Sequence[object]) -> tuple[str, list[object]]:
    """Return the type in which literals are compared with the column, and them as its values."""
    if column.kind == "float":
        return "DOUBLE", [float(word) for word in words if isinstance(word, Decimal)]
    if column.kind in ("integer", "decimal"):
        numbers = [word for word in words if isinstance(word, Decimal)]
        digits = max(0, column.scale, *(-int(word.as_tuple().exponent) for word in numbers))
        return f"DECIMAL(38, {min(digits, 18)})", list(numbers)
    kinds: dict[str, tuple[str, Callable[[Any], object]]] = {
        "date": ("DATE", lambda word: word if isinstance(word, date) else None),
        "timestamp": ("TIMESTAMP", lambda word: word if isinstance(word, datetime) else None),
        "boolean": ("BOOLEAN", bool),
        "text": ("VARCHAR", str),
    }
    kind, made = kinds[column.kind]
    return kind, [made(word) for word in words]
