"""Rounding to multiples of a base: so that totals are the sums of their parts (controlled rounding,
Cox & Ernst 1982), or each cell by itself, at random and by its key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anonsql.statistics.relations import Relations
from anonsql.system.arrays import IntArray, np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.optimize import LinearConstraint

CELLS = 20_000
"""The most cells that an integer program is made of."""
SECONDS = 60.0
CONTROLLED = "controlled: totals are the sums of their parts"
ALONE = "each value by itself"
WHY_ALONE = (
    "as the policy asks",
    f"because there are more than {CELLS:,} cells",
    "because no controlled rounding was found",
)
"""How a release says that it was rounded, and why each value by itself."""


def controlled(
    relations: Relations,
    values: IntArray | NDArray[np.float64],
    base: int,
    *,
    cells: int = CELLS,
    seconds: float = SECONDS,
) -> IntArray | None:
    """Return values rounded to multiples of a base so that all relations hold: each to one of the
    two nearest multiples, multiples to themselves, with the least sum of absolute changes. Where a
    relation is not exact the whole is at most the sum of its parts, and at least the greatest.

    None where that cannot be (of three dimensions or more there may be no such rounding), where
    there are more than so many ``cells``, and where none was found in so many ``seconds``; a
    rounding found by then may change more than necessary. Relations of the values themselves need
    not hold.
    """
    from scipy.optimize import Bounds, milp

    if relations.cells > cells:
        return None
    lower = np.floor_divide(values, base).astype(np.int64)
    rest = values - lower * base
    if not relations.cells:
        return lower
    # a cell is its lower multiple or, where its variable is 1, the upper one
    found = milp(
        base - 2 * rest,
        integrality=np.ones(relations.cells),
        bounds=Bounds(0, (rest > 0).astype(float)),
        constraints=_constraints(relations, lower),
        options={"time_limit": seconds, "mip_rel_gap": 0},
    )
    if found.x is None:
        return None
    result = (lower + np.rint(found.x).astype(np.int64)) * base
    return np.asarray(result, np.int64) if holds(relations, result) else None


def _constraints(relations: Relations, lower: IntArray) -> list[LinearConstraint]:
    """Return the relations of the cells' steps above their lower multiples, which count in
    bases."""
    from scipy.optimize import LinearConstraint
    from scipy.sparse import csr_array

    result = []
    matrix = csr_array(relations.matrix, dtype=float)
    if matrix.shape[0]:
        missing = -(matrix @ lower)
        least = np.where(relations.exact, missing, -np.inf)
        result.append(LinearConstraint(matrix, least, missing))
    wholes, parts = _inexact_pairs(relations)
    if wholes.size:
        lines = np.arange(wholes.size)
        signs = np.repeat([1.0, -1.0], wholes.size)
        place = (np.tile(lines, 2), np.concatenate([wholes, parts]))
        pairs = csr_array((signs, place), shape=(wholes.size, relations.cells))
        result.append(LinearConstraint(pairs, lower[parts] - lower[wholes], np.inf))
    return result


def _inexact_pairs(relations: Relations) -> tuple[IntArray, IntArray]:
    entries = relations.matrix.tocoo()
    lines, cells, signs = entries.row, entries.col, entries.data
    whole_of = np.zeros(relations.matrix.shape[0], np.int64)
    whole_of[lines[signs > 0]] = cells[signs > 0]
    inexact = (signs < 0) & ~relations.exact[lines]
    return whole_of[lines[inexact]], np.asarray(cells[inexact], np.int64)


def holds(relations: Relations, values: IntArray) -> bool:
    """Whether values keep exact relations; other wholes are between largest part and sum."""
    surplus = relations.matrix.astype(np.int64) @ values
    wholes, parts = _inexact_pairs(relations)
    exact = relations.exact
    return not (
        surplus[exact].any()
        or (surplus[~exact] > 0).any()
        or (values[wholes] < values[parts]).any()
    )


def consistent(
    relations: Relations, noisy: IntArray, *, cells: int = CELLS, seconds: float = SECONDS
) -> IntArray | None:
    """Return whole numbers that keep all relations and are close to noisy values: the nearest by
    least squares that keep the exact ones (negative values count as 0), rounded by
    :func:`controlled`; None where that finds none.

    Only noisy values are used: publication reveals no more. Consistency reduces noise, as any
    reader who knows the relations can do.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import lsqr

    exact = csr_array(relations.matrix, dtype=float)[relations.exact]
    values = noisy.astype(float)
    if exact.shape[0]:
        values = values - lsqr(exact, exact @ values, atol=1e-13, btol=1e-13)[0]
    near = np.rint(values)
    values = np.where(np.abs(values - near) < 1e-6, near, values)
    return controlled(relations, np.maximum(values, 0), 1, cells=cells, seconds=seconds)
