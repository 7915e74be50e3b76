"""All measures of a completed table in one document, those of COUNT queries, and guesses. For
guesses, an attacker knows a person's other quasi-identifying columns (by bins), and guesses the
value that most completed rows that agree have; if none agrees, the most frequent one. The share of
right guesses is compared with that of the most frequent value, of the same guesses by the source
itself, and by the source without the guessed row: a release above the last one reveals something of
the very people in it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from anonsql.engines.base import Relation
from anonsql.features.measure.usefulness import coding, distributions
from anonsql.features.measure.usefulness.coding import CodedTables
from anonsql.features.measure.usefulness.distributions import SEED, ColumnSet
from anonsql.features.measure.usefulness.document import Analyses, AttributeRisk, ConditionError
from anonsql.features.measure.usefulness.target import target_usefulness
from anonsql.jobs.job import Job
from anonsql.policy.measuring import Measuring
from anonsql.system.clock import Progress
from anonsql.system.numbers import rounded

_SETS = 20
"""Sets of as many columns that queries are over, at most."""
_EACH = 5
"""Queries over the same columns."""
_WIDEST = 3
"""Neighbouring bins that a condition on an ordered column takes in, at most."""
FLOOR = 0.001
"""The share of the rows that errors are relative to at least."""


def usefulness_of(
    job: Job, completed: Relation | None, measuring: Measuring | None = None
) -> Analyses | None:
    """Return what analyses find in a completed table; None without one, or without rows.
    ``measuring`` takes the place of what the policy says."""
    if completed is None:
        return None
    policy, engine, progress = job.policy, job.engine, job.progress
    measuring = measuring or policy.measure
    opened = [
        column for column in job.opened.columns if policy.columns[column.name].role != "identifying"
    ]
    known = list(policy.quasi_identifiers)
    columns = coding.comparable(opened, engine.columns(completed), known)
    progress("usefulness", 0, 0)
    tables = coding.code(engine, job.opened.source, completed, columns)
    if tables is None:
        return None
    with closing(tables):
        sets = distributions.column_sets(tables.columns)
        return Analyses(
            columns=[column.name for column in tables.columns],
            draws=len(tables.draws),
            propensity=distributions.propensity_error(tables, sets[2], progress),
            marginals=distributions.marginal_errors(tables, sets, progress),
            correlations=distributions.correlations(tables, progress),
            associations=distributions.associations(tables, sets[2]),
            group_means=distributions.group_means(tables, progress),
            queries=condition_error(tables, sets),
            attributes=attribute_risks(tables, progress),
            target=(
                target_usefulness(tables, measuring.target, measuring.model, progress)
                if measuring.target is not None
                else None
            ),
        )


@dataclass(frozen=True)
class BinQuery:
    """A query: for each of some columns the first and the last bin that it asks for."""

    columns: ColumnSet
    ranges: tuple[tuple[int, int], ...]


def at_random(tables: CodedTables, sets: dict[int, list[ColumnSet]]) -> Iterator[BinQuery]:
    """Yield queries over one to three columns, the same for all releases of a source: of an ordered
    column a random stretch of up to three bins, of others one of its frequent values or the
    rest."""
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


def attribute_risks(tables: CodedTables, progress: Progress) -> list[AttributeRisk]:
    """Return how often each quasi-identifying value is guessed rightly; none of a single column."""
    known = [column for column in tables.columns if column.known]
    if len(known) < 2:
        return []
    tables.engine.drop("useful_people")
    tables.engine.run("features/measure/usefulness/people", columns=known)
    result = []
    for position, column in enumerate(known):
        progress("usefulness: guesses", position, len(known))
        usual, released = tables.usual(column)
        ((by_draws, by_source, by_others),) = tables.engine.query(
            "features/measure/usefulness/guesses",
            a=column,
            others=[other for other in known if other.index != column.index],
            usual=usual,
            usual_released=released,
        )
        result.append(
            AttributeRisk(
                column=column.name,
                usual=rounded(int(tables.counts(column)[0].max()) / tables.rows),
                held_out=rounded(int(by_others) / tables.rows),
                release=rounded(int(by_draws) / tables.rows),
                source=rounded(int(by_source) / tables.rows),
            )
        )
    tables.engine.drop("useful_people")
    return result
