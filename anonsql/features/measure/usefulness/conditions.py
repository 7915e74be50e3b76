"""The errors of COUNT queries on a completed table, and the columns that cause them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from anonsql.features.measure.usefulness.coding import CodedTables
from anonsql.features.measure.usefulness.distributions import SEED, ColumnSet
from anonsql.features.measure.usefulness.document import ConditionError
from anonsql.system.numbers import rounded

_SETS = 20
"""Sets of as many columns that queries are over, at most."""
_EACH = 5
"""Queries over the same columns."""
_WIDEST = 3
"""Neighbouring bins that a condition on an ordered column takes in, at most."""
FLOOR = 0.001
"""The share of the rows that errors are relative to at least."""


@dataclass(frozen=True)
class BinQuery:
    """A query: for each of some columns the first and the last bin that it asks for."""

    columns: ColumnSet
    ranges: tuple[tuple[int, int], ...]


def at_random(tables: CodedTables, sets: dict[int, list[ColumnSet]]) -> Iterator[BinQuery]:
    """Yield queries over one, two and three columns, the same for all releases of a source: of a
    column with an order a random stretch of up to three bins, of another one of its frequent values
    or the rest, all of which the source has."""
    chance = random.Random(SEED)  # noqa: S311 - queries, no secret
    for chosen in sets.values():
        for columns in chance.sample(chosen, min(_SETS, len(chosen))):
            known = [np.flatnonzero(tables.counts(column)[0][1:]) + 1 for column in columns]
            if not all(len(bins) for bins in known):
                continue
            for _ in range(_EACH):
                ranges = []
                for column, bins in zip(columns, known, strict=True):
                    width = chance.randint(1, _WIDEST) if column.ordered else 1
                    first = chance.randrange(len(bins))
                    last = min(first + width, len(bins)) - 1
                    ranges.append((int(bins[first]), int(bins[last])))
                yield BinQuery(columns, tuple(ranges))


def condition_error(tables: CodedTables, sets: dict[int, list[ColumnSet]]) -> ConditionError:
    """Return the errors of random queries."""
    floor = max(FLOOR * tables.rows, 1.0)
    errors: list[float] = []
    by_column: dict[str, list[float]] = {}
    for query in at_random(tables, sets):
        error = query_error(tables, query, floor)
        errors.append(error)
        for column in query.columns:
            by_column.setdefault(column.name, []).append(error)
    means = {name: sum(own) / len(own) for name, own in by_column.items()}
    return ConditionError(
        queries=len(errors),
        floor=rounded(floor),
        mean=rounded(sum(errors) / len(errors)) if errors else 0.0,
        by_column={
            name: rounded(means[name]) for name in sorted(means, key=lambda name: -means[name])
        },
    )


def query_error(tables: CodedTables, query: BinQuery, floor: float) -> float:
    """Return the error of the count over draws, relative to the true count or the floor."""
    picked: Sequence[slice] = [slice(first, last + 1) for first, last in query.ranges]
    counts = tables.counts(*query.columns)[(slice(None), *picked)]
    truth, *draws = counts.reshape(len(counts), -1).sum(axis=1)
    return float(abs(np.mean(draws) - truth) / max(truth, floor))
