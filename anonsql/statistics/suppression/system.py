"""What an attacker knows of the cells of published tables, as linear constraints on changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from anonsql.system.arrays import BoolArray, IntArray, RealArray, np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csc_array, csr_array


@dataclass(frozen=True)
class Part:
    """The constraints of some cells, column by column: where each ``begins``, its ``places``
    (rows), and the ``values`` there; the number of ``rows``."""

    begins: IntArray
    places: IntArray
    values: IntArray
    rows: int

    @property
    def split(self) -> Part:
        """The same where every cell has two columns, by which it moves up and down."""
        begins = np.r_[self.begins, self.begins[1:] + self.begins[-1]]
        values = np.r_[self.values, -self.values]
        return Part(begins, np.tile(self.places, 2), values, self.rows)

    def of(self, chosen: BoolArray) -> Part:
        """Return the columns of some cells alone, all rows staying."""
        counts = np.diff(self.begins)
        inside = np.repeat(chosen, counts)
        begins = np.r_[0, np.cumsum(counts[chosen])]
        return Part(begins, self.places[inside], self.values[inside], self.rows)

    def moved(self, changes: NDArray[Any]) -> NDArray[Any]:
        """Return by how much the changes of all cells move every row."""
        result = np.zeros(self.rows, changes.dtype)
        np.add.at(result, self.places, self.values * np.repeat(changes, np.diff(self.begins)))
        return result


@dataclass(frozen=True)
class System:
    """Constraints on the changes d of cells, from their true values to other values that fit what
    is published: ``rows @ d`` is 0, ``d >= -room``, and d is 0 where a cell is published.

    Each primary cell must be able to ``rise`` and to ``fall`` by so much (0: nothing is asked).
    ``owner`` is the number of a cell's sole contributor, above 0, who knows its value. Cells that
    are ``open`` are never published; cells that are ``closed`` always are. The first ``size`` cells
    are those of the present release, about which the choice decides; cells of other releases follow
    in blocks of the same size. All amounts are whole numbers.
    """

    rows: csr_array
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
        return not self.part(cells).moved(changes).any()

    def part(self, cells: IntArray) -> Part:
        """Return the constraints that some cells are in."""
        columns = self.columns
        first = columns.indptr[cells].astype(np.int64)
        counts = columns.indptr[cells + 1] - first
        begins = np.r_[0, np.cumsum(counts)]
        at = np.arange(begins[-1]) + np.repeat(first - begins[:-1], counts)
        used, places = np.unique(columns.indices[at], return_inverse=True)
        return Part(begins, places, columns.data[at], len(used))


def system_of(
    matrix: csr_array,
    values: IntArray,
    least: RealArray,
    needed: tuple[RealArray, RealArray],
    *,
    owner: IntArray | None = None,
    unpublished: BoolArray | None = None,
) -> System:
    """Return the system of one measure: ``matrix`` of relations, true ``values``, the ``least`` of
    each in other tables (-inf: possibly negative), and the interval that must stay possible for
    each primary cell (``needed``: low and high, NaN for others)."""
    size = len(values)
    low, high = needed
    room = values - least
    if (room < 0).any():
        raise ValueError("values are below the least that they can be")
    rise = np.maximum(np.nan_to_num(np.ceil(high) - values, nan=0.0), 0)
    fall = np.clip(np.nan_to_num(values - np.floor(low), nan=0.0), 0, room)
    none = np.zeros(size, np.bool_)
    return System(
        matrix.astype(np.int64),
        room.astype(np.float64),
        rise,
        fall,
        np.zeros(size, np.int64) if owner is None else owner,
        none if unpublished is None else unpublished,
        none,
        size,
    )


def together(systems: Sequence[System]) -> System:
    """Return one system of all ``systems`` of the same cells: people and rows change together."""
    first = systems[0]
    return System(
        first.rows,
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
    """Return the system of the present and earlier releases, with the hidden cells of each: every
    cell is its earlier value plus the amount ``added`` since, which is not negative unless values
    are ``signed``. ``earlier`` begins with the first release; the amounts added are those between
    each release and the next."""
    from scipy.sparse import block_array, csr_array, eye_array

    size, count = present.size, len(earlier)
    one = eye_array(size, dtype=np.int64)
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
        np.concatenate([*(own.room for own in systems), *rooms]),
        np.concatenate([*(own.rise for own in systems), nothing]),
        np.concatenate([*(own.fall for own in systems), nothing]),
        np.zeros(width * size, np.int64),
        np.concatenate([present.open, *hidden, *[~none] * count]),
        np.concatenate([present.closed, *(~flags for flags in hidden), *[none] * count]),
        size,
    )
