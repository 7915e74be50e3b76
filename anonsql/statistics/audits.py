"""Audit the hidden cells of all measures: those of counts of people and of rows together, as rows
tell of people."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonsql.statistics.audit import Needed, audit
from anonsql.statistics.cubes import Shown
from anonsql.statistics.earlier import Earlier, chained
from anonsql.statistics.relations import Relations, coupled
from anonsql.system.arrays import IntArray, np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Asked:
    """What is asked of one measure: its true ``values``, what ties them together, and how uncertain
    every cell must stay (see :class:`anonsql.statistics.audit.Needed`)."""

    measure: Shown
    values: IntArray
    relations: Relations
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def failing(
    asked: Sequence[Asked],
    hidden: Mapping[str, NDArray[np.bool_]],
    earlier: Sequence[Earlier] = (),
) -> IntArray:
    """Return the cells that can be told too well of any measure, given the ``hidden`` ones of each
    by name, and ``earlier`` releases; those that are told of an earlier one count as well."""
    people = [one for one in asked if one.measure.people]
    rows = [one for one in asked if not one.measure.people and one.measure.sum is None]
    found = [_alone(one, hidden[one.measure.name]) for one in asked if one.measure.sum is not None]
    if people and rows:
        found.append(_counts(people[0], rows[0], hidden))
    else:
        found += [_alone(one, hidden[one.measure.name]) for one in (*people[:1], *rows[:1])]
    if earlier:
        found += [_over_time(one, hidden[one.measure.name], earlier) for one in asked]
    return np.asarray(np.unique(np.concatenate([np.zeros(0, np.int64), *found])), np.int64)


def _alone(one: Asked, hidden: NDArray[np.bool_]) -> IntArray:
    """Return the cells of one measure that can be told too well by itself."""
    audited = audit(
        one.relations,
        one.values,
        hidden,
        needed=Needed(one.low, one.high),
        signed=bool((one.values < 0).any()),
        intervals=False,
    )
    return audited.cells


def _counts(people: Asked, rows: Asked, hidden: Mapping[str, NDArray[np.bool_]]) -> IntArray:
    """Return the cells of which people or rows can be told too well by counts of both."""
    size = len(people.values)
    of_people, of_rows = hidden[people.measure.name], hidden[rows.measure.name]
    nothing, none = np.full(size, np.nan), np.zeros(size, np.bool_)
    audited = audit(
        coupled(people.relations, rows.relations),
        np.r_[people.values, rows.values, rows.values - people.values],
        np.r_[of_people, of_rows, none],
        needed=Needed(np.r_[people.low, rows.low, nothing], np.r_[people.high, rows.high, nothing]),
        unpublished=np.r_[none, none, of_people | of_rows],
        intervals=False,
    )
    return audited.cells % size


def _over_time(one: Asked, hidden: NDArray[np.bool_], earlier: Sequence[Earlier]) -> IntArray:
    """Return the cells of one measure that can be told too well by all releases together: of each
    the values of that time must stay as uncertain as they were to be then, and what was added since
    may be anything that is not negative."""
    size, name, column = len(one.values), one.measure.name, one.measure.counted
    values = [*(release.values[column] for release in earlier), one.values]
    flags = [*(release.hidden[name] for release in earlier), hidden]
    low = [*(release.low[name] for release in earlier), one.low]
    high = [*(release.high[name] for release in earlier), one.high]
    added = [after - before for before, after in itertools.pairwise(values)]
    unseen = [before | after for before, after in itertools.pairwise(flags)]
    nothing, nowhere = [np.full(size, np.nan)] * len(added), [np.zeros(size, np.bool_)]
    matrix, summed = one.relations.matrix, one.relations.exact
    then = [
        Relations(matrix, matrix.astype(np.int64) @ before == 0 if one.measure.people else summed)
        for before in values[:-1]
    ]
    audited = audit(
        chained([*then, one.relations]),
        np.concatenate([*values, *added]),
        np.concatenate([*flags, *(nowhere * len(added))]),
        needed=Needed(np.concatenate([*low, *nothing]), np.concatenate([*high, *nothing])),
        unpublished=np.concatenate([*(nowhere * len(values)), *unseen]),
        signed=any(bool((own < 0).any()) for own in (*values, *added)),
        intervals=False,
    )
    return np.asarray(audited.cells % size, np.int64)
