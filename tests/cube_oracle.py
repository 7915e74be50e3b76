"""Cells of cubes and what ties them together, counted in plain Python: what the statements that
make them are held against, and small inputs of the tests of suppression."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from anonsql.statistics.relations import Relations

Hierarchy = Sequence[Sequence[int]]
"""Of a dimension the group of each leaf, level by level: level 0 is the leaf itself, and the last
level has one group, 0."""
Cell = tuple[tuple[int, int], ...]
"""The level and the group of every dimension."""


def flat(leaves: int) -> Hierarchy:
    """Return a hierarchy of leaves and their total."""
    return [list(range(leaves)), [0] * leaves]


@dataclass(frozen=True)
class Cube:
    """All cells of linked tables: their positions by name, people and amounts, and relations."""

    position: Mapping[Cell, int]
    people: np.ndarray
    sums: np.ndarray
    largest: Sequence[Sequence[float]]
    relations: Relations
    entities: Sequence[frozenset[Any]] = field(default=(), repr=False)


def vectors_of(
    hierarchies: Sequence[Hierarchy], tables: Sequence[Mapping[int, int]]
) -> list[tuple[int, ...]]:
    """Return the vectors of levels of some tables, each given by the least level of its
    dimensions."""
    tops = [len(hierarchy) - 1 for hierarchy in hierarchies]
    vectors = set()
    for table in tables:
        least = [table.get(dimension, top) for dimension, top in enumerate(tops)]
        ranges = [range(low, top + 1) for low, top in zip(least, tops, strict=True)]
        vectors |= set(itertools.product(*ranges))
    return sorted(vectors)


def cube_of(
    rows: Sequence[tuple[Any, Sequence[int], float]],
    hierarchies: Sequence[Hierarchy],
    tables: Sequence[Mapping[int, int]],
) -> Cube:
    """Return the cells of ``rows``: who, the leaf of every dimension, how much."""
    vectors = vectors_of(hierarchies, tables)
    by_cell: dict[Cell, dict[Any, float]] = defaultdict(lambda: defaultdict(float))
    for who, leaves, amount in rows:
        for vector in vectors:
            cell = tuple(
                (level, hierarchies[dimension][level][leaves[dimension]])
                for dimension, level in enumerate(vector)
            )
            by_cell[cell][who] += amount
    names = sorted(by_cell)
    position = {name: index for index, name in enumerate(names)}
    people = np.array([len(by_cell[name]) for name in names])
    sums = np.array([sum(by_cell[name].values()) for name in names])
    largest = [sorted(map(abs, by_cell[name].values()), reverse=True) for name in names]
    relations = relations_of(position, people, hierarchies, set(vectors))
    entities = [frozenset(by_cell[name]) for name in names]
    return Cube(position, people, sums, largest, relations, entities)


def relations_of(
    position: Mapping[Cell, int],
    people: np.ndarray,
    hierarchies: Sequence[Hierarchy],
    vectors: set[tuple[int, ...]],
) -> Relations:
    """Return the relations of cells: every cell is the sum of those one level below it in one
    dimension."""
    parts: dict[tuple[int, int], list[int]] = defaultdict(list)
    for cell, index in position.items():
        levels = [level for level, _ in cell]
        for dimension, (level, group) in enumerate(cell):
            above = (*levels[:dimension], level + 1, *levels[dimension + 1 :])
            if above not in vectors:
                continue
            leaf = hierarchies[dimension][level].index(group)
            whole = list(cell)
            whole[dimension] = (level + 1, hierarchies[dimension][level + 1][leaf])
            parts[position[tuple(whole)], dimension].append(index)
    rows, columns, signs, exact = [], [], [], []
    for number, ((whole_index, _), members) in enumerate(sorted(parts.items())):
        rows += [number] * (1 + len(members))
        columns += [whole_index, *members]
        signs += [1] + [-1] * len(members)
        exact.append(people[whole_index] == sum(people[member] for member in members))
    matrix = csr_array(
        (np.array(signs, np.int8), (rows, columns)), shape=(len(parts), len(position))
    )
    return Relations(matrix, np.array(exact, bool))


def ties_of(made: Cube) -> np.ndarray:
    """Return what ties cells together as statements give it: wholes, dimensions and parts."""
    names = list(made.position)
    matrix = made.relations.matrix
    lines = []
    for start, end in itertools.pairwise(matrix.indptr.tolist()):
        cells, signs = matrix.indices[start:end], matrix.data[start:end]
        (whole,) = cells[signs > 0].tolist()
        for part in cells[signs < 0].tolist():
            pairs = enumerate(zip(names[whole], names[part], strict=True))
            (dimension,) = (number for number, (one, other) in pairs if one != other)
            lines.append((whole, dimension, part))
    return np.array(sorted(lines), np.int64).reshape(-1, 3).T
