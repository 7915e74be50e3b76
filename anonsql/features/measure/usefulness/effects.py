"""How much each column says of a target by itself: the correlation ratio, squared and adjusted, from
counts and sums by the bins of the column that the database computes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

import numpy as np

from anonsql.engines.base import Column, Engine, Relation
from anonsql.features.measure.usefulness import coding
from anonsql.features.measure.usefulness.coding import BinnedColumn, CodedTables, Design


def effects_of(
    engine: Engine, source: Relation, columns: Sequence[Column], target: str, names: Sequence[str]
) -> dict[str, float]:
    """Return the effects of the columns in ``names`` on a target, as far as their values can be
    grouped: from 0 (none) to 1 (each bin has one value of the target). Empty without rows. Raise
    PolicyError where the target cannot be explained."""
    some = [column for column in columns if column.name in {target, *names}]
    both = coding.comparable(some, [*some[:1], *some], names)
    if (tables := coding.code(engine, source, None, both)) is None:
        return {}
    with closing(tables):
        design = coding.design_of(tables, target)
        known = [column for column in tables.columns if column.known]
        return {column.name: _effect(tables, design, column) for column in known}


def _effect(tables: CodedTables, design: Design, column: BinnedColumn) -> float:
    """Return the share of the target's variance that is between the bins, minus the share that is
    expected by chance for n rows in g bins: (g - 1) / (n - 1) (epsilon squared, Kelley 1935)."""
    if design.kind == "linear":
        groups = "features/measure/usefulness/groups"
        found = tables.engine.query(groups, a=column, numbers=[design.target])
        sizes, sums = np.array([(n, own or 0.0) for _, _, n, own in found], dtype=float).T
        variance = 1.0  # numbers are in standard deviations
    else:
        counts = tables.counts(column, design.target)[0][:, 1:]
        sizes, sums = counts.sum(axis=1).astype(float), counts[:, design.top - 1].astype(float)
        share = float(sums.sum() / sizes.sum())
        variance = share * (1 - share)
    sums, sizes = sums[sizes > 0], sizes[sizes > 0]
    rows, bins = float(sizes.sum()), len(sizes)
    if rows <= bins or not variance:
        return 0.0
    between = float((sums**2 / sizes).sum()) / rows - float(sums.sum() / rows) ** 2
    left = (1 - between / variance) * (rows - 1) / (rows - bins)
    return max(0.0, 1 - left)
