"""How far associations of columns are off: correlations, Cramér's V, and means by group."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from anonsql.features.measure.usefulness.coding import BinnedColumn, CodedTables
from anonsql.features.measure.usefulness.distributions import ColumnSet
from anonsql.features.measure.usefulness.document import AssociationError
from anonsql.system.arrays import IntArray
from anonsql.system.clock import Progress
from anonsql.system.numbers import rounded

_LEAST_GROUP = 0.01
"""The share of the source's rows that a group has at least."""


def correlations(tables: CodedTables, progress: Progress) -> AssociationError | None:
    """Return the differences of Pearson's correlations over pairs of columns of numbers, each by
    the rows where both are known. A correlation that is not defined, because a column has one
    number there, is 0."""
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


def associations(tables: CodedTables, pairs: Sequence[ColumnSet]) -> AssociationError | None:
    """Return the differences of Cramér's V over pairs of columns without an order."""
    apart = {}
    for one, other in pairs:
        if not (one.ordered or other.ordered):
            found = [cramers_v(counts) for counts in tables.counts(one, other)]
            apart[one.name, other.name] = _mean_difference(dict(enumerate(found)))
    return _error(apart)


def cramers_v(counts: IntArray) -> float:
    """Return Cramér's V of a table of counts, 0 where one of both has one value."""
    rows = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0].astype(float)
    n, least = rows.sum(), min(rows.shape) - 1
    if least < 1:
        return 0.0
    usual = rows.sum(axis=1, keepdims=True) * rows.sum(axis=0, keepdims=True) / n
    return math.sqrt(float(((rows - usual) ** 2 / usual).sum()) / n / least)


def group_means(tables: CodedTables, progress: Progress) -> AssociationError | None:
    """Return the differences of means of numbers in groups: the values of another column that at
    least 1 % of the source's rows have, weighted by these; in standard deviations of the source. A
    group that a draw does not have is off by as much as its mean is from that of all rows."""
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
    """Return the mean difference of means in the groups of a column, from (rows, sum) by draw and
    group."""
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
