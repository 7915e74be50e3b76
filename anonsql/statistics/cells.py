"""The cells of all tables as arrays: their counts, and their relations. Cells are numbered from 0;
all arrays are in that order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from anonsql.engines.base import Engine
from anonsql.errors import InvariantError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.statistics.cubes import Plan, Sum, TableMeasure
from anonsql.statistics.relations import Relations, around, relations_of
from anonsql.statistics.suppression.boxes import Boxes
from anonsql.system.arrays import BoolArray, IntArray, np


@dataclass(frozen=True)
class Cells:
    """Of every cell its ``vector`` of levels, its ``people``, rows, and sums in units of their last
    digit; where contributors are ranked also what the rules of sums need (see the template
    ``statistics/counted``). ``counted`` has them by the name of their column. No table has the
    cells that are ``unpublished``."""

    counted: Mapping[str, IntArray]
    matrix: tuple[IntArray, IntArray, IntArray] | None
    unpublished: BoolArray

    @property
    def size(self) -> int:
        """The number of cells."""
        return len(next(iter(self.counted.values())))

    @property
    def people(self) -> IntArray:
        """The people of every cell."""
        return self.counted["people"]

    def exclusive(self, measure: TableMeasure) -> IntArray:
        """Return by how much values can fall: people by the number who are in no other
        combination."""
        return self.counted["exclusive"] if measure.people else self.of(measure)

    def of(self, measure: TableMeasure) -> IntArray:
        """Return the true values of a measure, in units of its last digit."""
        return self.counted[measure.counted]

    def ranks(self, entry: Sum) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Return a sum's amounts without signs: all, of the top, the largest and the second."""
        total, top, first, second = (self.counted[name] for name in entry.ranks)
        return total, top, first, second

    @cached_property
    def holder(self) -> IntArray:
        """Of cells of one person its number, above 0; 0 of others, and where people have no names.
        A sole contributor is assumed not to know this if parts of the cell are empty: otherwise
        they would know these parts, whatever is hidden."""
        who, empty = self.counted.get("who", np.zeros(self.size, np.int64)), self.people == 0
        return np.where(around(self.relations, empty), 0, who) if empty.any() else who

    @cached_property
    def relations(self) -> Relations:
        """The relations of the cells, for all measures except people: sums of parts."""
        return relations_of(self.size, self._ties)

    @cached_property
    def boxes(self) -> Boxes | None:
        """The places of cells; None where there are too many."""
        return Boxes.of(self.size, self._ties, self.people)

    def relations_of(self, measure: TableMeasure) -> Relations:
        """Return the relations of a measure's values."""
        if not measure.people:
            return self.relations
        return relations_of(self.size, self._ties, self.people)

    @property
    def _ties(self) -> tuple[IntArray, IntArray, IntArray]:
        if self.matrix is None:
            raise InvariantError("what ties cells together was not read")
        return self.matrix


def read(
    engine: Engine, plan: Plan, columns: Sequence[str] = (), *, tied: bool, named: bool = False
) -> Cells:
    """Read what was counted of the cells, with more ``columns``, as arrays; also their relations
    (``tied``), and the only person of a cell where they are ``named``."""
    names = ["v", "people", "n", *(f"m{entry.index}" for entry in plan.sums), *columns]
    arrays = engine.numbers("statistics/numbers", columns=names, named=named)
    if named:
        names.append("who")
    counted = dict(zip(names, arrays, strict=True))
    unpublished = np.isin(arrays[0], plan.unpublished)
    return Cells(counted, tie(engine, plan) if tied else None, unpublished)


def tie(engine: Engine, plan: Plan) -> tuple[IntArray, IntArray, IntArray]:
    """Return the relations of the cells: whole, dimension and part, by whole and dimension."""
    above = np.array(plan.above, np.int64).reshape(-1, 4)
    names = ("v", "dimension", "level", "above")
    engine.load_numbers("vectors_above", dict(zip(names, above.T.copy(), strict=True)))
    attributes: Sequence[Attribute] = plan.attributes
    whole, dimension, part = engine.numbers("statistics/relations", attributes=attributes)
    return whole, dimension, part
