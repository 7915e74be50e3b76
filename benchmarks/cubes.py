"""Large cubes of people, and how long their suppression takes: `python -m benchmarks.cubes
[ROWS]`."""

from __future__ import annotations

import itertools
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from anonsql.statistics.relations import Relations
from anonsql.statistics.suppression import choice
from anonsql.statistics.suppression.boxes import Boxes
from anonsql.statistics.suppression.search import Search
from anonsql.statistics.suppression.system import System, system_of
from anonsql.system.clock import Clock

Levels = Sequence[int]
"""The number of groups of a dimension, level by level; the last level has one."""

FIVE: Sequence[Levels] = ((20, 5, 1), (12, 4, 1), (10, 3, 1), (9, 3, 1), (6, 2, 1))
"""Five dimensions: ten million rows of them have 723,728 cells, 30,301 of these of fewer than 11
people; a million rows 697,112 and 211,058."""


@dataclass(frozen=True)
class Cells:
    """All cells of a cube that have rows: people, the level of every dimension, relations, and what
    these tie together: wholes, dimensions and parts."""

    people: NDArray[np.int64]
    levels: NDArray[np.int8]
    relations: Relations
    ties: Sequence[NDArray[np.int64]]


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
    matrix, ties = _relations(keys, vectors, starts, dimensions, above)
    return Cells(
        np.concatenate([people[vector] for vector in vectors]),
        np.repeat(np.array(vectors, np.int8), sizes, axis=0),
        Relations(matrix, np.ones(matrix.shape[0], bool)),
        ties,
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
) -> tuple[csr_array, Sequence[NDArray[np.int64]]]:
    rows, columns, signs, count, ties = [], [], [], 0, []
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
        parts = np.arange(len(place))
        ties.append((starts[whole] + place, np.full(len(place), dimension), starts[vector] + parts))
        count += len(wholes)
    shape = (count, sum(len(key) for key in keys.values()))
    entries = (np.concatenate(signs), (np.concatenate(rows), np.concatenate(columns)))
    return csr_array(entries, shape=shape), [np.concatenate(own) for own in zip(*ties, strict=True)]


def suppression(rows: int, threshold: int = 11) -> None:
    """Hide cells of five dimensions, and audit all where cells are numbered otherwise, as
    verification does; print what that takes."""
    made, began = cube(rows), time.perf_counter()
    people, primary = made.people, made.people < threshold
    system, boxes = _asked(made, threshold)
    _say(began, f"{len(people):,} cells, {primary.sum():,} primary")
    nothing = np.zeros(len(people), np.int64)
    task = choice.Task(
        [system], boxes, primary, people + 1.0, nothing, Clock(), lambda done, _: _done(began, done)
    )
    hidden = choice.hide(task)
    share = people[hidden].sum() / people.sum()
    _say(began, f"{hidden.sum():,} hidden, {share:.1%} of the people")
    order = np.random.default_rng(1).permutation(len(people))
    number = np.argsort(order)
    wholes, dimensions, parts = made.ties
    relations = Relations(csr_array(made.relations.matrix[:, order]), made.relations.exact)
    ties = (number[wholes], dimensions, number[parts])
    renumbered = Cells(people[order], made.levels[order], relations, ties)
    left = Search(*_asked(renumbered, threshold), hidden[order], Clock()).unprotected()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    _say(began, f"numbered otherwise: {len(left):,} are not protected")
    print(f"{peak:.1f} GiB at most")


def _asked(made: Cells, threshold: int) -> tuple[System, Boxes | None]:
    """Return the system in which every primary cell must seem to reach the threshold."""
    people = made.people
    low = np.where(people < threshold, people, np.nan)
    high = np.where(people < threshold, float(threshold), np.nan)
    least = np.minimum(people, 1).astype(float)
    boxes = Boxes.of(len(people), made.ties, people)
    return system_of(made.relations, people, least, (low, high)), boxes


def _done(began: float, done: int) -> None:
    _say(began, f"{done:,} protected")


def _say(began: float, text: str) -> None:
    print(f"{time.perf_counter() - began:.0f} s: {text}", flush=True)


if __name__ == "__main__":
    suppression(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
