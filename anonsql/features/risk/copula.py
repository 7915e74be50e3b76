"""Uniqueness in the population by a Gaussian copula, of the rows of a table."""

from __future__ import annotations

from typing import Final

import numpy as np

from anonsql.engines.base import Engine
from anonsql.errors import PolicyError
from anonsql.features.risk.document import CopulaUniqueness
from anonsql.risks.individual import Sampled
from anonsql.risks.population.class_sizes import ClassSizes
from anonsql.system.numbers import rounded

MOST_VALUES: Final = 2_000
"""The most values of a column: shares of more say little of the population's."""
MOST_CLASSES: Final = 1_000_000
"""The most classes: their ranks are held in memory."""


def by_copula(
    engine: Engine, sample: Sampled, sizes: ClassSizes, fraction: float | None
) -> CopulaUniqueness:
    """Return how unique up to 1,000 rows of the sample are in the population. Raise PolicyError
    where no population is known."""
    if fraction is None:
        raise PolicyError.at(
            "--copula",
            "it is not known what population the rows are a sample of.",
            "Name it by --population or --fraction, or leave --copula out.",
        )
    names = [column.name for column in sample.columns]
    if not names or sizes.rows < 2:
        return _none(names, "there are not two rows with values of such columns")
    if sizes.classes > MOST_CLASSES:
        return _none(names, f"there are more than {MOST_CLASSES:,} classes")
    from anonsql.risks.population import copula  # slow to import: only where it is asked for

    found = engine.query(
        "risks/population/ranked", table=sample.table, columns=sample.columns, masked=sample.masked
    )
    classes = np.array([[int(number) for number in row] for row in found], np.int64)
    classes = classes[np.lexsort(classes.T)]  # engines return them in any order
    codes, counts = classes[:, :-1], classes[:, -1]
    most = codes.max(axis=0) + 1
    if most.max() > MOST_VALUES:
        name = names[int(most.argmax())]
        return _none(names, f"{name!r} has {most.max():,} values, more than {MOST_VALUES:,}")
    if np.count_nonzero(most > 1) > copula.MOST_COLUMNS:
        return _none(names, f"there are more than {copula.MOST_COLUMNS} columns")
    rows = copula.estimate(codes, counts, sizes.rows / fraction)
    return CopulaUniqueness(
        columns=names,
        drawn=len(rows.drawn),
        uniqueness=rounded(float(rows.unique.mean())),
        correctness=rounded(float(rows.right.mean())),
        highest=rounded(float(rows.unique.max())),
        not_estimated=None,
    )


def _none(names: list[str], because: str) -> CopulaUniqueness:
    return CopulaUniqueness(
        columns=names,
        drawn=0,
        uniqueness=None,
        correctness=None,
        highest=None,
        not_estimated=because,
    )
