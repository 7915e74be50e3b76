"""The required protection of the hidden cells of each measure, and an audit of all published
cells."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonsql.statistics.cubes import TableMeasure
from anonsql.statistics.earlier import Earlier
from anonsql.statistics.suppression.boxes import Boxes
from anonsql.statistics.suppression.search import Search
from anonsql.statistics.suppression.system import System, over_time, system_of, together
from anonsql.system.arrays import BoolArray, IntArray, RealArray, np
from anonsql.system.clock import Clock

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class AuditProblem:
    """The required protection of one measure: its true ``values``, the ``matrix`` of the relations
    of cells, the interval that must stay possible for each primary cell (``low``, ``high``; NaN for
    others), the sole contributor of each cell (``holder``, above 0), who knows its sum, the
    publicly known least number of people there (``known``, see
    :func:`anonsql.statistics.rules.known_people`), and how many are in no other combination of the
    finest groups (``exclusive``). No table has the cells that are ``unpublished``.

    Other tables of people differ from the true one by people who are ``exclusive``: some go, and
    others like them come. All others stay in the cells where they are. Each who goes or comes is in
    one part of every whole that they are in, so that these changes add up from parts to wholes,
    though counts of people may not. In no cell can more go than are exclusive there."""

    measure: TableMeasure
    values: IntArray
    matrix: csr_array
    low: RealArray
    high: RealArray
    holder: IntArray
    known: IntArray
    exclusive: IntArray
    unpublished: BoolArray

    @property
    def signed(self) -> bool:
        """Whether some values are negative."""
        return bool((self.values < 0).any())

    def least(
        self, values: IntArray | None = None, known: IntArray | None = None, *, signed: bool
    ) -> RealArray:
        """Return the publicly known lower bound of every cell: for people and rows the least number
        of people there, for sums 0 where nothing is ``signed``. An earlier release has other
        ``values`` and other people ``known`` by its sums."""
        values = self.values if values is None else values
        if self.measure.sum is not None:
            return np.full(len(values), -np.inf if signed else 0.0)
        known = self.known if known is None else np.maximum(known, np.minimum(self.known, 1))
        return np.minimum(values, known).astype(np.float64)

    @property
    def owners(self) -> IntArray:
        """The sole contributors who know values: of sums, and of rows where a person has several in
        a cell. Of counts of people they know no more than others do."""
        nobody = np.zeros(len(self.values), np.int64)
        if self.measure.people:
            return nobody
        owners = self.holder
        if self.measure.sum is None:
            several = np.unique(self.holder[(self.holder > 0) & (self.values > 1)])
            owners = np.where(np.isin(self.holder, several), self.holder, nobody)
        # numbered by their first cells: engines sort the names of people differently
        _, first, number = np.unique(owners, return_index=True, return_inverse=True)
        return np.where(owners > 0, np.argsort(np.argsort(first))[number] + 1, nobody)

    @property
    def system(self) -> System:
        """The system of this measure by itself. Raise ValueError where its values do not add up."""
        if not self.measure.people and (self.matrix.astype(np.int64) @ self.values).any():
            raise ValueError("values do not satisfy the relations")
        least = self.least(signed=self.signed)
        if self.measure.people:
            least = np.maximum(least, self.values - self.exclusive)
        return system_of(
            self.matrix,
            self.values,
            least,
            (self.low, self.high),
            owner=self.owners,
            unpublished=self.unpublished,
        )

    def with_earlier(self, earlier: Sequence[Earlier]) -> System:
        """Return the system of all releases: in each the values of that time must stay as uncertain
        as required then, and later additions may be anything that is not negative."""
        name, column = self.measure.name, self.measure.counted
        values = [*(release.values[column] for release in earlier), self.values]
        first, *added = self._rooms(values)
        signed = any(bool((own < 0).any()) for own in (*values, *added))
        before = list[tuple[System, BoolArray]]()
        for release, own in zip(earlier, values, strict=False):
            least = self.least(own, release.known, signed=signed)
            if self.measure.people and not before:
                least = np.maximum(least, own - first)
            needed = (release.low[name], release.high[name])
            before.append((system_of(self.matrix, own, least, needed), release.hidden[name]))
        present = system_of(
            self.matrix, self.values, self.least(signed=signed), (self.low, self.high)
        )
        return over_time(present, before, added, signed=signed)

    def _rooms(self, values: Sequence[IntArray]) -> list[IntArray]:
        """Return by how much the values of the first of several releases can fall, and the
        additions to each next one.

        Only people who are exclusive now can go. The number of them who were there at a time is at
        least the number now less the number who came since: at most the growth of the cell, and of
        the number of all people. It is at most the number who were there."""
        if not self.measure.people:
            return [values[0], *(after - own for own, after in itertools.pairwise(values))]
        everybody = [int(own.max(initial=0)) for own in values]
        came = [
            np.minimum(values[-1] - own, everybody[-1] - before)
            for own, before in zip(values, everybody, strict=True)
        ]
        least = [np.maximum(self.exclusive - new, 0) for new in came]
        most = [np.minimum(self.exclusive, own) for own in values]
        added = [np.maximum(after - own, 0) for own, after in zip(most, least[1:], strict=False)]
        return [least[0], *added]


def systems_of(problems: Sequence[AuditProblem], earlier: Sequence[Earlier]) -> list[System]:
    """Return the systems of measures with the same hidden cells; people and rows are one."""
    counts = [one.system for one in problems if one.measure.sum is None]
    systems = [one.system for one in problems if one.measure.sum is not None]
    systems += [together(counts)] if len(counts) > 1 else counts
    return systems + [one.with_earlier(earlier) for one in problems if earlier]


def failing(
    problems: Sequence[AuditProblem],
    boxes: Boxes | None,
    hidden: Mapping[str, BoolArray],
    earlier: Sequence[Earlier],
    clock: Clock,
) -> IntArray:
    """Return the cells for which no other table was found that fits all that is published (which
    cells are ``hidden``, by measure, and the ``earlier`` releases), and in which their value is as
    far from the true one as it must be: in any measure, now or in an earlier release. Raise
    TimeLimitError where the ``clock``'s time is over before."""
    groups: dict[tuple[bool, bytes], list[AuditProblem]] = {}
    for one in problems:
        key = (one.measure.sum is None, hidden[one.measure.name].tobytes())
        groups.setdefault(key, []).append(one)
    found = list[IntArray]()
    for group in groups.values():
        flags = hidden[group[0].measure.name]
        for system in systems_of(group, earlier):
            search = Search(system, boxes, flags, clock)
            asked = (system.rise > 0) | (system.fall > 0)
            found.append(np.flatnonzero(asked & ~search.witnesses.movable) % len(flags))
            left = [cell % len(flags) for cell, _ in search.unprotected()]
            found.append(np.array(left, np.int64))
    # counts of people and of rows are audited together, so they hide the same cells
    counts = [hidden[one.measure.name] for one in problems if one.measure.sum is None]
    found += [np.flatnonzero(counts[0] != other) for other in counts[1:]]
    return np.asarray(np.unique(np.concatenate([np.zeros(0, np.int64), *found])), np.int64)
