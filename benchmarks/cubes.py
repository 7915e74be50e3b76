"""Large cubes of people for the benchmarks of suppression: cells, people and relations in numpy."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from anonsql.statistics.relations import Relations

Levels = Sequence[int]
"""The number of groups of a dimension, level by level; the last level has one."""

FIVE: Sequence[Levels] = ((20, 5, 1), (12, 4, 1), (10, 3, 1), (9, 3, 1), (6, 2, 1))
"""Five dimensions: ten million rows of them have 723,728 cells, 30,301 of these of fewer than 11
people; a million rows 697,112 and 211,058."""


@dataclass(frozen=True)
class Cells:
    """All cells of a cube that have rows: people, the level of every dimension, relations."""

    people: NDArray[np.int64]
    levels: NDArray[np.int8]
    relations: Relations


def parents(levels: Levels) -> list[NDArray[np.int64]]:
    """Return for every level but the last the group above of each of its groups."""
    return [
        np.arange(low, dtype=np.int64) * high // low for low, high in itertools.pairwise(levels)
    ]


def skewed(
    rows: int, dimensions: Sequence[Levels], seed: int, exponent: float
) -> list[NDArray[np.int64]]:
    """Return the leaf of every row in each dimension, by Zipf's law in an order of chance."""
    chance = np.random.default_rng(seed)
    codes = []
    for levels in dimensions:
        weights = 1 / np.arange(1, levels[0] + 1) ** exponent
        order = chance.permutation(levels[0])
        codes.append(order[chance.choice(levels[0], rows, p=weights / weights.sum())])
    return codes


def cube(
    rows: int = 1_000_000,
    dimensions: Sequence[Levels] = FIVE,
    seed: int = 1,
    exponent: float = 0.8,
) -> Cells:
    """Return the full cube of ``rows`` people, each of whom has one row."""
    codes = skewed(rows, dimensions, seed, exponent)
    above = [parents(levels) for levels in dimensions]
    vectors = sorted(itertools.product(*(range(len(levels)) for levels in dimensions)))
    keys, people = {}, {}
    for vector in vectors:
        if not any(vector):
            key, weight = np.zeros(rows, np.int64), None
            for code, levels in zip(codes, dimensions, strict=True):
                key = key * levels[0] + code
        else:
            dimension = next(index for index, level in enumerate(vector) if level)
            below = _changed(vector, dimension, -1)
            key, weight = _rolled(keys[below], below, dimension, dimensions, above), people[below]
        keys[vector], inverse = np.unique(key, return_inverse=True)
        people[vector] = np.bincount(inverse, weight).astype(np.int64)
    sizes = [len(keys[vector]) for vector in vectors]
    starts = dict(zip(vectors, np.cumsum([0, *sizes[:-1]]), strict=True))
    matrix = _relations(keys, vectors, starts, dimensions, above)
    return Cells(
        np.concatenate([people[vector] for vector in vectors]),
        np.repeat(np.array(vectors, np.int8), sizes, axis=0),
        Relations(matrix, np.ones(matrix.shape[0], bool)),
    )


def _changed(vector: tuple[int, ...], dimension: int, step: int) -> tuple[int, ...]:
    return (*vector[:dimension], vector[dimension] + step, *vector[dimension + 1 :])


def _rolled(
    key: NDArray[np.int64],
    vector: tuple[int, ...],
    dimension: int,
    dimensions: Sequence[Levels],
    above: Sequence[Sequence[NDArray[np.int64]]],
) -> NDArray[np.int64]:
    """Return the keys of the cells one level above in one dimension."""
    sizes = [levels[level] for levels, level in zip(dimensions, vector, strict=True)]
    tail = int(np.prod(sizes[dimension + 1 :]))
    head, rest = np.divmod(key, tail)
    head, own = np.divmod(head, sizes[dimension])
    upper = dimensions[dimension][vector[dimension] + 1]
    return (head * upper + above[dimension][vector[dimension]][own]) * tail + rest


def _relations(
    keys: dict[tuple[int, ...], NDArray[np.int64]],
    vectors: Sequence[tuple[int, ...]],
    starts: dict[tuple[int, ...], int],
    dimensions: Sequence[Levels],
    above: Sequence[Sequence[NDArray[np.int64]]],
) -> csr_array:
    rows, columns, signs, count = [], [], [], 0
    for vector, dimension in itertools.product(vectors, range(len(dimensions))):
        whole = _changed(vector, dimension, 1)
        if whole not in keys:
            continue
        place = np.searchsorted(
            keys[whole], _rolled(keys[vector], vector, dimension, dimensions, above)
        )
        wholes = np.arange(len(keys[whole]))
        rows += [count + place, count + wholes]
        columns += [starts[vector] + np.arange(len(place)), starts[whole] + wholes]
        signs += [np.full(len(place), -1, np.int8), np.ones(len(wholes), np.int8)]
        count += len(wholes)
    shape = (count, sum(len(key) for key in keys.values()))
    entries = (np.concatenate(signs), (np.concatenate(rows), np.concatenate(columns)))
    return csr_array(entries, shape=shape)
