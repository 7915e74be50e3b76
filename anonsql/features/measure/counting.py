"""Whether to count by a column of a completed table: how far COUNTs grouped by it are off, weighted by
rows. Numbers and dates of more than ten values are grouped into ten bins of about as many rows.
:func:`measured` compares with the source, for its owner;
:func:`anonsql.query.expected_counts.expected` reads the release alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anonsql.engines.base import Relation
from anonsql.features.measure.document import CountError
from anonsql.features.measure.usefulness.coding import CodedTables, Side
from anonsql.query.expected_counts import BANDS
from anonsql.system.numbers import rounded


def within(error: float) -> float | None:
    """Return the band that an error is in; None beyond all of them."""
    return next((band for band in BANDS if error <= band), None)


def line(column: str, error: float, **more: Any) -> CountError:
    """Return the document's line for a column."""
    return CountError(column=column, error=rounded(error), within=within(error), **more)


def measured(tables: CodedTables, source: Relation, completed: Relation) -> list[CountError]:
    """Return the errors of the mean counts of all draws, by the source."""
    found = []
    for column in tables.columns:
        if column.ordered:
            counts = tables.counts(column)
            own, error = counts[0], np.abs(counts[1:].mean(axis=0) - counts[0])
            known = own > 0
            values, wrong = int(known.sum()), int((error > BANDS[-1] * own)[known].sum())
            off = float(error[known].sum())
        else:
            ((values, wrong, off),) = tables.engine.query(
                "features/measure/usefulness/values_off",
                source=source,
                a=Side(column.index, column.column, False),
                completed=completed,
                b=Side(column.index, column.completed, False),
                draws=len(tables.draws),
                far=BANDS[-1],
            )
        found.append(line(column.name, float(off) / tables.rows, values=values, wrong=int(wrong)))
    return found
