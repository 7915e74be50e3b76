"""What an attacker knows of the cells of published tables, as linear constraints on changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from anonsql.statistics.relations import Relations
from anonsql.system.arrays import BoolArray, IntArray, RealArray, np

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array


@dataclass(frozen=True)
class System:
    """Constraints on the changes d of cells, from their true values to other values that fit what
    is published: ``lower <= rows @ d <= upper``, ``d >= -room``, and d is 0 where a cell is
    published.

    Each primary cell must be able to ``rise`` and to ``fall`` by so much (0: nothing is asked).
    ``owner`` is the number of a cell's sole contributor, above 0, who knows its value. Cells that
    are ``open`` are never published; cells that are ``closed`` always are. The first ``size`` cells
    are those of the present release, about which the choice decides; cells of other releases follow
    in blocks of the same size. All amounts are whole numbers.
    """

    rows: csr_array
    lower: RealArray
    upper: RealArray
    room: RealArray
    rise: RealArray
    fall: RealArray
    owner: IntArray
    open: BoolArray
    closed: BoolArray
    size: int

    @cached_property
    def columns(self) -> csc_array:
        """The constraints by cell."""
        from scipy.sparse import csc_array

        return csc_array(self.rows)

    def movable(self, hidden: BoolArray) -> BoolArray:
        """Return which cells can change, given those of the present release that are ``hidden``."""
        others = np.zeros(len(self.room) - self.size, np.bool_)
        return np.asarray((np.r_[hidden, others] | self.open) & ~self.closed, np.bool_)

    def holds(self, cells: IntArray, changes: IntArray) -> bool:
        """Return whether changes of some cells keep all constraints, in whole numbers."""
        if (changes < -self.room[cells]).any():
            return False
        moved = self.columns[:, cells].astype(np.int64) @ changes
        return bool(((moved >= self.lower) & (moved <= self.upper)).all())


def system_of(
    relations: Relations,
    values: IntArray,
    least: RealArray,
    needed: tuple[RealArray, RealArray],
    *,
    owner: IntArray | None = None,
    unpublished: BoolArray | None = None,
) -> System:
    """Return the system of one measure: its true ``values``, the ``least`` that everybody knows each
    to be (-inf: it may be negative), and the interval that must stay possible for each primary cell
    (``needed``: low and high, NaN for other cells). Raise ValueError where the values do not satisfy
    the relations."""
    size = len(values)
    low, high = needed
    room = values - least
    if (room < 0).any():
        raise ValueError("values are below the least that they can be")
    rise = np.maximum(np.nan_to_num(np.ceil(high) - values, nan=0.0), 0)
    fall = np.clip(np.nan_to_num(values - np.floor(low), nan=0.0), 0, room)
    rows, lower, upper = _constraints(relations, values)
    none = np.zeros(size, np.bool_)
    return System(
        rows,
        lower,
        upper,
        room.astype(np.float64),
        rise,
        fall,
        np.zeros(size, np.int64) if owner is None else owner,
        none if unpublished is None else unpublished,
        none,
        size,
    )


def _constraints(relations: Relations, values: IntArray) -> tuple[csr_array, RealArray, RealArray]:
    """Return what relations say of changes. Where a relation is not exact the whole is at most the
    sum of its parts, and at least each part."""
    from scipy.sparse import csr_array, vstack

    matrix = csr_array(relations.matrix).astype(np.float64)
    balance = csr_array(relations.matrix).astype(np.int64) @ values
    exact = relations.exact
    if balance[exact].any() or (balance[~exact] > 0).any():
        raise ValueError("values do not satisfy the relations")
    lower = np.where(exact, 0.0, -np.inf)
    upper = np.where(exact, 0.0, -balance)
    entries = csr_array(relations.matrix).tocoo()
    whole = np.zeros(matrix.shape[0], np.int64)
    whole[entries.row[entries.data > 0]] = entries.col[entries.data > 0]
    part = (entries.data < 0) & ~exact[entries.row]
    parts, wholes = entries.col[part], whole[entries.row[part]]
    slack = values[wholes] - values[parts]
    count = len(parts)
    if not count:
        return matrix, lower, upper
    pairs = csr_array(
        (
            np.repeat([1.0, -1.0], count),
            (np.tile(np.arange(count), 2), np.concatenate([parts, wholes])),
        ),
        shape=(count, matrix.shape[1]),
    )
    return (
        csr_array(vstack([matrix, pairs])),
        np.r_[lower, np.full(count, -np.inf)],
        np.r_[upper, slack],
    )


def together(systems: Sequence[System]) -> System:
    """Return one system whose changes are possible in all ``systems`` of the same cells: counts of
    people and of rows that change alike."""
    from scipy.sparse import csr_array, vstack

    first = systems[0]
    return System(
        csr_array(vstack([one.rows for one in systems])),
        np.concatenate([one.lower for one in systems]),
        np.concatenate([one.upper for one in systems]),
        np.min([one.room for one in systems], axis=0),
        np.max([one.rise for one in systems], axis=0),
        np.max([one.fall for one in systems], axis=0),
        np.max([one.owner for one in systems], axis=0),
        first.open,
        first.closed,
        first.size,
    )


def over_time(
    present: System,
    earlier: Sequence[tuple[System, BoolArray]],
    added: Sequence[IntArray],
    *,
    signed: bool,
) -> System:
    """Return the system of the present release and those before, of each which cells it hid: every
    cell is what it was before and what was ``added`` since, which is not negative unless values are
    ``signed``. ``earlier`` begins with the first release; the amounts added are those between each
    release and the next."""
    from scipy.sparse import block_array, csr_array, eye_array

    size, count = present.size, len(earlier)
    one = eye_array(size)
    blocks: list[list[csr_array | None]] = []
    width = 2 * count + 1
    for number, own in enumerate([present, *(system for system, _ in earlier)]):
        blocks.append([own.rows if place == number else None for place in range(width)])
    for number in range(count):
        following = number + 2 if number + 1 < count else 0
        signs = {number + 1: -one, following: one, count + 1 + number: -one}
        blocks.append([signs.get(place) for place in range(width)])
    systems = [present, *(system for system, _ in earlier)]
    nothing = np.zeros(count * size)
    rooms = [np.full(size, np.inf) if signed else own.astype(np.float64) for own in added]
    hidden = [flags for _, flags in earlier]
    none = np.zeros(size, np.bool_)
    return System(
        csr_array(block_array(blocks, format="csr")),
        np.concatenate([*(own.lower for own in systems), nothing]),
        np.concatenate([*(own.upper for own in systems), nothing]),
        np.concatenate([*(own.room for own in systems), *rooms]),
        np.concatenate([*(own.rise for own in systems), nothing]),
        np.concatenate([*(own.fall for own in systems), nothing]),
        np.zeros(width * size, np.int64),
        np.concatenate([present.open, *hidden, *[~none] * count]),
        np.concatenate([present.closed, *(~flags for flags in hidden), *[none] * count]),
        size,
    )
