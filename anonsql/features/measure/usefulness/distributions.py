"""How far the distributions of source and completed table lie apart: propensity scores, and the
tables of one, two and three columns."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from anonsql.features.measure.usefulness.coding import BinnedColumn, CodedTables
from anonsql.features.measure.usefulness.document import MarginalError, PropensityError
from anonsql.system.arrays import IntArray
from anonsql.system.clock import Progress
from anonsql.system.numbers import rounded

MOST_PAIRS = 300
MOST_TRIPLES = 20
SEED = 0

ColumnSet = tuple[BinnedColumn, ...]


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
    """Return the pMSE of a table of counts in source and completed table, and what is expected of
    it.

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
    """Return the pMSE over pairs of columns and draws, and its ratio to what is expected; None
    without a pair."""
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
    """Return the total variation between source and draws, the mean over draws: half the sum of
    the differences of shares."""
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
