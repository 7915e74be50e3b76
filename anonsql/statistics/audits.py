"""Audit the hidden cells of all measures: those of counts of people and of rows together, as rows
tell of people."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anonsql.statistics.audit import Needed, Places, audit
from anonsql.statistics.cubes import Shown
from anonsql.statistics.earlier import Earlier, chained
from anonsql.statistics.grid import Grid
from anonsql.statistics.joint import Joint
from anonsql.statistics.relations import Relations, coupled
from anonsql.system.arrays import BoolArray, IntArray, np
from anonsql.system.clock import Clock

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_HOLDERS = 2000
"""The contributors who know their own cells that are looked at."""


@dataclass(frozen=True)
class AuditProblem:
    """What is audited of one measure: its true ``values``, what ties them together, how uncertain
    every cell must stay (``low``, ``high``: see :class:`anonsql.statistics.audit.Needed`), who is
    the only contributor of a cell (``holder``, its number, above 0), and so knows its sum, how many
    people everybody knows to be there at least (``known``, see
    :func:`anonsql.statistics.rules.known_people`), and where cells lie (``grid``). The last ``unseen``
    cells are published by no table (see :mod:`anonsql.statistics.joint`)."""

    measure: Shown
    values: IntArray
    relations: Relations
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    holder: IntArray
    known: IntArray
    grid: Grid | None = None
    unseen: int = 0

    def places(self, *copies: int) -> Places | None:
        """Return where cells lie that are there several times, from these numbers on."""
        return None if self.grid is None else Places(self.grid, copies)

    @property
    def signed(self) -> bool:
        """Whether some values are negative."""
        return bool((self.values < 0).any())

    def least(
        self, values: IntArray | None = None, known: IntArray | None = None, *, signed: bool
    ) -> NDArray[np.float64]:
        """Return the lower bound of every cell that everybody knows: for people and rows how many
        people are there at least, for sums 0 where nothing is ``signed``. An earlier release has
        other ``values`` and other people ``known`` by its sums; that somebody is there is known of
        it, too."""
        values = self.values if values is None else values
        if self.measure.sum is not None:
            return np.full(len(values), -np.inf if signed else 0.0)
        known = self.known if known is None else np.maximum(known, np.minimum(self.known, 1))
        return np.minimum(values, known).astype(np.float64)

    def coalitions(self, hidden: BoolArray) -> list[IntArray]:
        """Return of everybody who is the only contributor of ``hidden`` cells which these are, at
        most those ``MOST_HOLDERS`` who have most. Of people they know no more than others do; nor of
        rows who has a single one in each. Rows that are counted beside people can move as they
        do, whatever one of these knows: only rows by themselves are asked."""
        if self.measure.people:
            return []
        known = hidden & (self.holder > 0)
        if self.measure.sum is None:
            known &= np.isin(self.holder, self.holder[known & (self.values > 1)])
        cells = np.flatnonzero(known)
        cells = cells[np.argsort(self.holder[cells], kind="stable")]
        begins = np.flatnonzero(np.diff(self.holder[cells], prepend=0))
        apart = np.split(cells, begins[1:]) if len(cells) else []
        return sorted(apart, key=len, reverse=True)[:MOST_HOLDERS]

    def beside(self, joints: Sequence[Joint]) -> AuditProblem:
        """Return the same with the cells of all dimensions of circles of tables, where neither these
        nor the others are negative."""
        problem = self
        for joint in () if self.signed else joints:
            own, nothing = joint.counted[self.measure.counted], np.zeros(joint.size, np.int64)
            if (own < 0).any():
                continue
            people = self.measure.people
            problem = replace(
                problem,
                values=np.r_[problem.values, own],
                relations=joint.tied(problem.relations, problem.values, own, people=people),
                low=np.r_[problem.low, np.full(joint.size, np.nan)],
                high=np.r_[problem.high, np.full(joint.size, np.nan)],
                holder=np.r_[problem.holder, nothing],
                known=np.r_[problem.known, nothing],
                grid=None,
                unseen=problem.unseen + joint.size,
            )
        return problem

    def flags(self, hidden: BoolArray) -> tuple[BoolArray, BoolArray]:
        """Return which cells are ``hidden``, of all and of those that are published by no table."""
        none = np.zeros(self.unseen, np.bool_)
        unseen = np.zeros(len(hidden), np.bool_)
        return np.r_[hidden, none], np.r_[unseen, ~none]

    def among(self, cells: BoolArray) -> AuditProblem:
        """Return the same, asked of some ``cells`` alone."""
        low, high = np.where(cells, self.low, np.nan), np.where(cells, self.high, np.nan)
        return replace(self, low=low, high=high)


@dataclass(frozen=True)
class Published:
    """All that is published: which cells are ``hidden``, by measure, the ``earlier`` releases, and
    the cells of all dimensions of circles of tables (``joints``), which are not."""

    hidden: Mapping[str, BoolArray]
    earlier: Sequence[Earlier] = ()
    joints: Sequence[Joint] = ()


def failing(
    problems: Sequence[AuditProblem], published: Published, clock: Clock, *, thorough: bool = True
) -> IntArray:
    """Return the cells that all that is published narrows below their protection interval, in any
    measure, now or in an earlier release. Where it is not ``thorough``, cells of large tables that
    are not shown to be safe at once are among them. Raise TimeLimitError where the ``clock``'s time
    is over before everything is known."""
    job = _Audit(published, clock, thorough=thorough)
    alone = [one.beside(published.joints) for one in problems]
    people = [one for one in alone if one.measure.people]
    rows = [one for one in alone if not one.measure.people and one.measure.sum is None]
    found = [job.alone(one) for one in alone if one.measure.sum is not None]
    if people and rows:
        found.append(job.counts(people[0], rows[0]))
    else:
        found += [job.alone(one) for one in (*people[:1], *rows[:1])]
    if published.earlier:
        found += [job.over_time(one) for one in problems]
    clock.check("audit")
    return np.asarray(np.unique(np.concatenate([np.zeros(0, np.int64), *found])), np.int64)


class _Audit:
    """Audits of what is published, each in the time that is left."""

    def __init__(self, published: Published, clock: Clock, *, thorough: bool) -> None:
        self._hidden, self._earlier = published.hidden, published.earlier
        self._clock, self._thorough = clock, thorough

    @property
    def _seconds(self) -> float:
        left = self._clock.left
        return np.inf if left is None else left

    def alone(self, one: AuditProblem) -> IntArray:
        """Return the cells that one measure by itself does not protect, from everybody or from
        somebody who is the only contributor of other cells."""
        hidden, unseen = one.flags(self._hidden[one.measure.name])
        audited = audit(
            one.relations,
            one.values,
            hidden,
            needed=Needed(one.low, one.high),
            unpublished=unseen,
            least=one.least(signed=one.signed),
            coalitions=one.coalitions(hidden),
            places=one.places(0),
            intervals=False,
            thorough=self._thorough,
            seconds=self._seconds,
        )
        return audited.cells

    def counts(self, people: AuditProblem, rows: AuditProblem) -> IntArray:
        """Return the cells that counts of people and rows together do not protect."""
        size = len(people.values)
        of_people, unseen = people.flags(self._hidden[people.measure.name])
        of_rows, _ = rows.flags(self._hidden[rows.measure.name])
        nothing, none = np.full(size, np.nan), np.zeros(size, np.bool_)
        counted = [one.least(signed=False) for one in (people, rows)]
        audited = audit(
            coupled(people.relations, rows.relations),
            np.r_[people.values, rows.values, rows.values - people.values],
            np.r_[of_people, of_rows, none],
            needed=Needed(
                np.r_[people.low, rows.low, nothing], np.r_[people.high, rows.high, nothing]
            ),
            unpublished=np.r_[unseen, unseen, of_people | of_rows | unseen],
            least=np.concatenate([*counted, np.zeros(size)]),
            places=people.places(0, size),
            intervals=False,
            thorough=self._thorough,
            seconds=self._seconds,
        )
        return np.asarray(audited.cells % size, np.int64)

    def over_time(self, one: AuditProblem) -> IntArray:
        """Return the cells of one measure that all releases together do not protect: in each the
        values of that time must stay as uncertain as they were to be then, and what was added
        since may be anything that is not negative."""
        earlier, size = self._earlier, len(one.values)
        name, column = one.measure.name, one.measure.counted
        values = [*(release.values[column] for release in earlier), one.values]
        flags = [*(release.hidden[name] for release in earlier), self._hidden[name]]
        added = [after - before for before, after in itertools.pairwise(values)]
        signed = any(bool((own < 0).any()) for own in (*values, *added))
        floors = [
            one.least(release.values[column], release.known, signed=signed) for release in earlier
        ]
        floors.append(one.least(signed=signed))
        low = [*(release.low[name] for release in earlier), one.low]
        low = [np.maximum(own, floor) for own, floor in zip(low, floors, strict=True)]
        high = [*(release.high[name] for release in earlier), one.high]
        unseen = [before | after for before, after in itertools.pairwise(flags)]
        nothing, nowhere = [np.full(size, np.nan)] * len(added), [np.zeros(size, np.bool_)]
        matrix, summed = one.relations.matrix, one.relations.exact
        then = [
            Relations(
                matrix, matrix.astype(np.int64) @ before == 0 if one.measure.people else summed
            )
            for before in values[:-1]
        ]
        audited = audit(
            chained([*then, one.relations]),
            np.concatenate([*values, *added]),
            np.concatenate([*flags, *(nowhere * len(added))]),
            needed=Needed(np.concatenate([*low, *nothing]), np.concatenate([*high, *nothing])),
            unpublished=np.concatenate([*(nowhere * len(values)), *unseen]),
            least=np.concatenate([*floors, np.full(size * len(added), -np.inf if signed else 0.0)]),
            places=one.places(*(size * number for number in range(len(values)))),
            intervals=False,
            thorough=self._thorough,
            seconds=self._seconds,
        )
        return np.asarray(audited.cells % size, np.int64)
