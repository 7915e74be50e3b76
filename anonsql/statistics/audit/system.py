"""What an attacker does not know of published tables, as few unknowns as there are.

Every unknown is the change of a cell against its true value, so that 0 is consistent, and what is
published drops out. Cells whose changes are the same but for their sign are one unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, vstack
from scipy.sparse.csgraph import connected_components

from anonsql.statistics.relations import Relations

Whole = NDArray[np.int64]
Real = NDArray[np.float64]
Flags = NDArray[np.bool_]

CLOSE = 1e-9
"""By what share of the amounts of a relation it may miss its balance where values are not whole
numbers: sums of floating-point numbers are not exact."""


@dataclass(frozen=True)
class System:
    """Unknowns and what binds them: ``equal @ y == 0``, ``most @ y <= room``, ``low <= y <= high``.

    Cell ``i`` changes by ``sign[i] * y[unknown[i]]``; where ``unknown[i]`` is -1 it cannot change.
    """

    equal: csr_array
    most: csr_array
    room: Real
    low: Real
    high: Real
    unknown: Whole
    sign: Whole
    integral: bool

    @property
    def size(self) -> int:
        """The number of unknowns."""
        return len(self.low)


def system_of(
    relations: Relations, values: Real, free: Flags, least: Real, *, integral: bool
) -> System:
    """Return what binds the changes of the ``free`` cells, none of which is below its ``least``
    value. Raise ValueError where values do not satisfy the relations, are below the least, or no
    whole numbers although they are said to be."""
    _check(values, least, integral=integral)
    matrix = csr_array(relations.matrix).astype(np.int64)
    exact = np.asarray(relations.exact, bool)
    tolerance = CLOSE * (abs(matrix) @ np.abs(values)) * (not integral)
    balance = matrix @ values
    if np.any(np.abs(balance[exact]) > tolerance[exact]):
        raise ValueError("values do not satisfy relations that are exact")
    most, room = _inequalities(matrix[~exact], values)
    if np.any(room < -CLOSE * (abs(most) @ np.abs(values)) * (not integral)):
        raise ValueError("values do not satisfy relations that are not exact")
    room = np.maximum(room, 0)
    cells = np.flatnonzero(free)
    low = least[cells] - values[cells]
    start = System(
        _touched(matrix[exact][:, cells]),
        most[:, cells],
        room,
        low,
        np.full(len(cells), np.inf),
        np.arange(len(cells)),
        np.ones(len(cells), np.int64),
        integral,
    )
    reduced = _reduced(start)
    unknown = np.full(len(values), -1)
    sign = np.ones(len(values), np.int64)
    unknown[cells], sign[cells] = reduced.unknown, reduced.sign
    return System(
        reduced.equal,
        reduced.most,
        reduced.room,
        reduced.low,
        reduced.high,
        unknown,
        sign,
        integral,
    )


def _check(values: Real, least: Real, *, integral: bool) -> None:
    if not np.all(np.isfinite(values)):
        raise ValueError("values must be finite")
    if integral and np.any(values != np.round(values)):
        raise ValueError("values are no whole numbers")
    if integral and np.any(np.abs(values) > 2**53):
        raise ValueError("values are too large to be whole numbers of floating point")
    if np.any(values < least):
        raise ValueError("values are below the least that they can be")


def _inequalities(matrix: csr_array, values: Real) -> tuple[csr_array, Real]:
    """Return what relations that are not exact say as ``rows @ change <= room``: the whole is at
    most the sum of its parts, and every part at most the whole."""
    entries = matrix.tocoo()
    rows, columns, signs = entries.row, entries.col, entries.data
    whole = np.full(matrix.shape[0], -1)
    whole[rows[signs > 0]] = columns[signs > 0]
    part = signs < 0
    parts, wholes = columns[part], whole[rows[part]]
    count = len(parts)
    pairs = csr_array(
        (
            np.repeat(np.array([1, -1]), count),
            (np.tile(np.arange(count), 2), np.concatenate([parts, wholes])),
        ),
        shape=(count, matrix.shape[1]),
    )
    both = csr_array(vstack([matrix, pairs])).astype(np.int64)
    return both, -(both @ values)


def _touched(matrix: csr_array) -> csr_array:
    matrix = csr_array(matrix)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return csr_array(matrix[np.diff(matrix.indptr) > 0])


def _reduced(system: System) -> System:
    """Return the system with its unknowns that cannot change left out and those that change alike
    made one, and every row once."""
    while True:
        system = _bounded(system)
        fixed = (system.low >= 0) & (system.high <= 0)
        equal = system.equal
        count = np.diff(equal.indptr)
        fixed[equal.indices[equal.indptr[:-1][count == 1]]] = True
        two = equal.indptr[:-1][count == 2]
        first, second = equal.data[two], equal.data[two + 1]
        alike = np.abs(first) == np.abs(second)
        two, opposite = two[alike], (first == second)[alike]
        if not fixed.any() and not len(two):
            return system
        system = _joined(system, fixed, equal.indices[two], equal.indices[two + 1], opposite)


def _joined(system: System, fixed: Flags, first: Whole, second: Whole, opposite: Flags) -> System:
    """Return the system without what is fixed, and with pairs of unknowns made one.

    Every unknown stands in a graph twice, as it is and negated: what is connected is equal, and an
    unknown that is connected with its own negation is 0.
    """
    size = system.size
    rows = np.concatenate([first, first + size])
    columns = np.concatenate([second + size * opposite, second + size * ~opposite])
    graph = csr_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(2 * size, 2 * size))
    _, label = connected_components(graph, directed=False)
    as_is, negated = label[:size], label[size:]
    group = np.minimum(as_is, negated)
    sign = np.where(as_is == group, 1, -1)
    zero = np.zeros(2 * size, bool)
    zero[group[(as_is == negated) | fixed]] = True
    stays = ~zero[group]
    kept, number = np.unique(group[stays], return_inverse=True)
    to = np.full(size, -1)
    to[stays] = number
    fold = csr_array((sign[stays], (np.flatnonzero(stays), number)), shape=(size, len(kept)))
    low, high = np.full(len(kept), -np.inf), np.full(len(kept), np.inf)
    flipped = sign[stays] < 0
    np.maximum.at(low, number, np.where(flipped, -system.high[stays], system.low[stays]))
    np.minimum.at(high, number, np.where(flipped, -system.low[stays], system.high[stays]))
    known = system.unknown >= 0
    before = np.where(known, system.unknown, 0)
    return System(
        _once(_touched(system.equal @ fold)),
        csr_array(system.most @ fold),
        system.room,
        low,
        high,
        np.where(known, to[before], -1),
        np.where(known, system.sign * sign[before], system.sign),
        system.integral,
    )


def _once(matrix: csr_array) -> csr_array:
    """Return the matrix with every row once, whatever its sign. Rows are told apart by two products
    with random numbers; a row that was left out by chance would only have bound what is checked
    again by the tables' own relations."""
    if not matrix.shape[0]:
        return matrix
    random = np.random.default_rng(matrix.shape[0])
    weights = random.integers(1, 2**40, (matrix.shape[1], 2))
    keys = matrix @ weights
    first = matrix.indptr[:-1]
    keys *= np.sign(matrix.data[first])[:, None]
    _, place = np.unique(keys, axis=0, return_index=True)
    return csr_array(matrix[np.sort(place)])


def _bounded(system: System) -> System:
    """Return the system with inequalities of one unknown made its bounds, and without those that
    bind nothing."""
    most = csr_array(system.most)
    most.sum_duplicates()
    most.eliminate_zeros()
    count = np.diff(most.indptr)
    place = most.indptr[:-1][count == 1]
    one, factor, bound = most.indices[place], most.data[place], system.room[count == 1]
    bound = bound / np.abs(factor)
    if system.integral:
        bound = np.floor(bound)
    low, high = system.low.copy(), system.high.copy()
    np.minimum.at(high, one[factor > 0], bound[factor > 0])
    np.maximum.at(low, one[factor < 0], -bound[factor < 0])
    keep = count > 1
    return System(
        system.equal,
        csr_array(most[keep]),
        system.room[keep],
        low,
        high,
        system.unknown,
        system.sign,
        system.integral,
    )


def neighbours(system: System) -> tuple[csr_array, csc_array]:
    """Return all rows, of sums and of inequalities, by row and by unknown."""
    rows = csr_array(vstack([system.equal, system.most])).astype(np.int64)
    return rows, csc_array(rows)
