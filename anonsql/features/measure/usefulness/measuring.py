"""All measures of a completed table in one document: propensity scores, tables of one, two and
three columns, correlations, means by group, COUNT queries, and counts by one column."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from anonsql.completion import table as completion
from anonsql.engines.base import Relation, ReleaseTables
from anonsql.features.measure import counting
from anonsql.features.measure.document import (
    Analyses,
    AssociationError,
    ConditionError,
    MarginalError,
    PropensityError,
    TargetUsefulness,
)
from anonsql.features.measure.usefulness import coding
from anonsql.features.measure.usefulness.coding import BinnedColumn, CodedTables
from anonsql.jobs.job import Job
from anonsql.policy.measuring import Measuring
from anonsql.policy.release_parts import COMPLETED
from anonsql.system.arrays import IntArray
from anonsql.system.clock import Progress
from anonsql.system.numbers import rounded
from anonsql.verification.facts import facts_of

_SETS = 20
"""Sets of columns for queries, at most, for each number of columns."""
_EACH = 5
"""Queries over the same columns."""
_WIDEST = 3
"""Neighbouring bins that a condition on an ordered column takes in, at most."""
FLOOR = 0.001
"""The share of the rows that errors are relative to at least."""
MOST_PAIRS = 300
MOST_TRIPLES = 20
SEED = 0
ColumnSet = tuple[BinnedColumn, ...]
_LEAST_GROUP = 0.01
"""The share of the source's rows that a group has at least."""


def usefulness_of(
    job: Job, completed: Relation | None, measuring: Measuring | None = None
) -> Analyses | None:
    """Return the results of analyses of a completed table; None without one, or without rows.
    ``measuring`` replaces the policy's settings."""
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
        sets = column_sets(tables.columns)
        return Analyses(
            columns=[column.name for column in tables.columns],
            draws=len(tables.draws),
            propensity=propensity_error(tables, sets[2], progress),
            marginals=marginal_errors(tables, sets, progress),
            correlations=correlations(tables, progress),
            group_means=group_means(tables, progress),
            queries=condition_error(tables, sets),
            counts=counting.measured(tables, job.opened.source, completed),
            target=_of_target(tables, measuring, progress),
        )


def _of_target(
    tables: CodedTables, measuring: Measuring, progress: Progress
) -> TargetUsefulness | None:
    if measuring.target is None:
        return None
    from anonsql.features.measure.usefulness.target import target_usefulness  # it loads scipy

    return target_usefulness(tables, measuring.target, measuring.model, progress)


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


def column_sets(columns: Sequence[BinnedColumn]) -> dict[int, list[ColumnSet]]:
    """Return the sets of one, two and three columns that are compared: all columns, all pairs (of
    more than MOST_PAIRS a sample) and a sample of the triples, by the columns' names alone."""
    ordered = sorted(columns, key=lambda column: column.name)
    chance = random.Random(SEED)  # noqa: S311 - a sample, no secret
    sets: dict[int, list[ColumnSet]] = {1: [(column,) for column in ordered]}
    for number, most in ((2, MOST_PAIRS), (3, MOST_TRIPLES)):
        every = list(combinations(ordered, number))
        sets[number] = chance.sample(every, most) if len(every) > most else every
    return sets


def propensity(source: IntArray, completed: IntArray) -> tuple[float, float]:
    """Return the pMSE of a table of counts in source and completed table, and its expectation.

    The propensity of a row is the share of completed rows in its cell: the score that a model with
    all interactions of the columns gives (Woo, Reiter, Oganian, Karr 2009). With N
    rows in all, the share c of them completed, and a_j and b_j rows of source and completed table
    in the cell j: pMSE = 1/N · Σ_j (a_j + b_j) (b_j / (a_j + b_j) - c)². That is χ² / N · c(1 - c)
    of the table of K cells by two. Where source and completed table are random samples of the same
    people (all assignments of N rows to the two are equally likely), the expectation of χ² is
    (K - 1) N / (N - 1), so that of pMSE is (K - 1) c (1 - c) / (N - 1), exactly: two random halves
    of a table give it on average. (Snoke, Raab, Nowok, Dibben, Slavković 2018 have one factor 1 - c
    more: they let the completed rows alone be drawn, by a model of the others.)
    """
    both = source + completed
    filled = both > 0
    cells, rows = int(filled.sum()), int(both.sum())
    share = completed.sum() / rows
    scores = completed[filled] / both[filled]
    error = float((both[filled] * (scores - share) ** 2).sum() / rows)
    return error, float((cells - 1) * share * (1 - share) / max(rows - 1, 1))


def propensity_error(
    tables: CodedTables, pairs: Sequence[ColumnSet], progress: Progress
) -> PropensityError | None:
    """Return the pMSE over pairs and draws, and its ratio to the expected one; None without a
    pair."""
    errors, expected = [], []
    for number, pair in enumerate(pairs):
        progress("usefulness: pairs of columns", number, len(pairs))
        counts = tables.counts(*pair)
        for draw in counts[1:]:
            error, usual = propensity(counts[0], draw)
            errors.append(error)
            expected.append(usual)
    if not errors:
        return None
    error, usual = float(np.mean(errors)), float(np.mean(expected))
    return PropensityError(
        pmse=rounded(error),
        expected=rounded(usual),
        ratio=rounded(error / usual) if usual else 0.0,
    )


def variation(counts: IntArray) -> float:
    """Return the total variation between source and draws: half the sum of differences of
    shares."""
    shares = counts / counts.sum(axis=tuple(range(1, counts.ndim)), keepdims=True)
    apart = np.abs(shares[1:] - shares[0]).sum(axis=tuple(range(1, counts.ndim))) / 2
    return float(apart.mean())


def marginal_errors(
    tables: CodedTables, sets: dict[int, list[ColumnSet]], progress: Progress
) -> list[MarginalError]:
    """Return the total variation of the tables of one, two and three columns."""
    result = []
    for number, chosen in sets.items():
        if not chosen:
            continue
        apart = {}
        for position, own in enumerate(chosen):
            progress(f"usefulness: tables of {number} columns", position, len(chosen))
            apart[tuple(column.name for column in own)] = variation(tables.counts(*own))
        worst = max(apart, key=lambda names: apart[names])
        result.append(
            MarginalError(
                columns=number,
                tables=len(apart),
                mean=rounded(sum(apart.values()) / len(apart)),
                greatest=rounded(apart[worst]),
                where=list(worst),
            )
        )
    return result


def correlations(tables: CodedTables, progress: Progress) -> AssociationError | None:
    """Return the differences of Pearson's correlations over pairs of numbers, by the rows where
    both are known; an undefined correlation is 0."""
    numbers = sorted(
        (column for column in tables.columns if column.scale is not None),
        key=lambda column: column.name,
    )
    pairs = list(combinations(numbers, 2))
    apart = {}
    for position, (one, other) in enumerate(pairs):
        progress("usefulness: correlations", position, len(pairs))
        rows = tables.engine.query("features/measure/usefulness/products", a=one, other=other)
        found = dict.fromkeys(range(1 + len(tables.draws)), 0.0)
        for side, row in zip(tables.sides([row[0] for row in rows]), rows, strict=True):
            found[side] = correlation(tuple(map(float, row[1:])))
        apart[one.name, other.name] = _mean_difference(found)
    return _error(apart)


def correlation(sums: tuple[float, ...]) -> float:
    """Return Pearson's correlation from (rows, sum of one, of the other, of their squares, of their
    product); 0 where one of both does not vary."""
    n, x, y, xx, yy, xy = sums
    spread = (n * xx - x * x) * (n * yy - y * y)
    little = 1e-12 * (n * xx) * (n * yy)
    return (n * xy - x * y) / math.sqrt(spread) if spread > little else 0.0


def group_means(tables: CodedTables, progress: Progress) -> AssociationError | None:
    """Return the differences of means of numbers in groups, weighted by these, in standard
    deviations. Groups are the values that at least 1 % of the source's rows have; one that a draw
    lacks is off by its distance from the mean of all rows."""
    numbers = [column for column in tables.columns if column.scale is not None]
    apart: dict[tuple[str, str], float] = {}
    for position, by in enumerate(tables.columns):
        progress("usefulness: means by group", position, len(tables.columns))
        others = [column for column in numbers if column.index != by.index]
        if others:
            rows = tables.engine.query("features/measure/usefulness/groups", a=by, numbers=others)
            for place, column in enumerate(others):
                own = {
                    (row[0], row[1]): (row[2 + place], row[2 + len(others) + place]) for row in rows
                }
                apart[column.name, by.name] = _of_groups(tables, by, own)
    return _error(apart)


def _of_groups(
    tables: CodedTables, by: BinnedColumn, sums: Mapping[tuple[int, int], tuple[int, float | None]]
) -> float:
    """``sums`` are (rows, sum) by draw and group."""
    sizes = tables.counts(by)[0]
    off, weight = 0.0, 0
    for group in np.flatnonzero(sizes >= max(_LEAST_GROUP * tables.rows, 1)):
        truth = _mean(sums.get((0, int(group))))
        if truth is None:
            continue
        means = [_mean(sums.get((draw, int(group)))) or 0.0 for draw in tables.draws]
        off += int(sizes[group]) * sum(abs(mean - truth) for mean in means) / len(means)
        weight += int(sizes[group])
    return off / weight if weight else 0.0


def _mean(entry: tuple[int, float | None] | None) -> float | None:
    if entry is None or not entry[0] or entry[1] is None:
        return None
    return float(entry[1]) / entry[0]


def _mean_difference(found: Mapping[int, float]) -> float:
    """Return how far draws are from the source (0), the mean over draws."""
    draws = [value for side, value in found.items() if side]
    return sum(abs(value - found[0]) for value in draws) / len(draws)


def _error(apart: Mapping[tuple[str, str], float]) -> AssociationError | None:
    if not apart:
        return None
    worst = max(apart, key=lambda pair: apart[pair])
    return AssociationError(
        pairs=len(apart),
        mean=rounded(sum(apart.values()) / len(apart)),
        greatest=rounded(apart[worst]),
        where=list(worst),
    )


def completed_of(job: Job, release: ReleaseTables) -> Relation | None:
    """Return the completed table of a release, or one drawn from it as its readers would; None
    where it is in another engine than the source."""
    if release.engine is not job.engine:
        return None
    if (table := release.extras.get(COMPLETED)) is not None:
        return table
    types = {column.name: column for column in job.opened.columns}
    return completion.scratch(release, facts_of(release), types=types)
