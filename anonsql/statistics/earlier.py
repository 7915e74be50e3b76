"""Earlier releases of the same tables, when the source only gains rows: every cell only grew, so
that differences of two releases reveal the added people.

Cells are known by names that are the same in every release (:func:`names_of`). An earlier release
makes public its published cells, and that cells which it lacks were 0.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonsql.errors import PolicyError
from anonsql.statistics import rules
from anonsql.system.arrays import BoolArray, IntArray, np
from anonsql.system.numbers import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from anonsql.policy.protect import Protect
    from anonsql.statistics.cubes import TableMeasure
    from anonsql.statistics.rules import Needed

_LOW_BITS = 23
_VALUE, _KNOWN = "value_", "known"
_REMEDY = (
    "`over_time: added` is for sources that only gain rows: restore the rows. To begin anew, name"
    " another `catalog` and `release`, for readers who have no earlier tables."
)
_WORDS = {"people": "people", "n": "rows"}
MOST = 24
"""The releases that are looked at, the last ones."""


@dataclass(frozen=True)
class Earlier:
    """One earlier release, by the cells of the present one: its true ``values`` by the column of
    cells that they are counted in; how many people are in each at least, by published sums
    (``known``); by measure which were ``hidden``, and how uncertain they were to stay (``low`` and
    ``high``: see :class:`anonsql.statistics.rules.Needed`)."""

    values: Mapping[str, IntArray]
    known: IntArray
    hidden: Mapping[str, BoolArray]
    low: Mapping[str, NDArray[np.float64]]
    high: Mapping[str, NDArray[np.float64]]


def names_of(high: IntArray, low: IntArray) -> IntArray:
    """Return the names of cells from two numbers of 40 bits of their hashes, in 63 bits."""
    return np.asarray((high << _LOW_BITS) + (low & (1 << _LOW_BITS) - 1), np.int64)


def aligned(
    names: IntArray,
    measures: Sequence[TableMeasure],
    stored: Sequence[Mapping[str, IntArray]],
    protect: Protect,
) -> list[Earlier]:
    """Return earlier releases by the cells of the present one. ``stored`` has of each its cells'
    names and true values by column, and what :func:`stored_of` has of measures; where it does not
    say how many people are behind published sums, these are as many as the present rules say.
    Raise PolicyError where the source lost cells that it had: then it does not only gain rows."""
    order = np.argsort(names)
    result = []
    for release in stored[-MOST:]:
        at = np.searchsorted(names, release["name"], sorter=order)
        at = np.minimum(at, max(len(names) - 1, 0))
        there = names[order[at]] == release["name"] if len(names) else np.zeros(len(at), bool)
        if lost := int((~there).sum()):
            text = f"an earlier release has {counted(lost, 'cell')} that have no rows now."
            raise PolicyError.at("protect.over_time", text, _REMEDY)
        place = order[at]
        whole = {column: np.zeros(len(names), np.int64) for column in release}
        for column, numbers in release.items():
            whole[column][place] = numbers
        of_measures = dict(enumerate((measure.name for measure in measures), start=1))
        asked = {position: whole[f"p{position}"] == 1 for position in of_measures}
        hidden = {name: whole[f"h{number}"] == 1 for number, name in of_measures.items()}
        values = {
            name.removeprefix(_VALUE): array
            for name, array in whole.items()
            if name.startswith(_VALUE)
        }
        result.append(
            Earlier(
                values,
                whole[_KNOWN]
                if _KNOWN in whole
                else people_behind_sums(measures, values, hidden, protect),
                hidden,
                {n: np.where(asked[p], whole[f"l{p}"], np.nan) for p, n in of_measures.items()},
                {n: np.where(asked[p], whole[f"u{p}"], np.nan) for p, n in of_measures.items()},
            )
        )
    return result


def stored_of(
    names: IntArray,
    counted: Mapping[str, IntArray],
    known: IntArray,
    hidden: Sequence[BoolArray],
    needed: Sequence[Needed],
) -> dict[str, IntArray]:
    """Return the records of a release for later ones: the names of its cells, true values by column
    (``value_<column>``), how many people are behind published sums (``known``), and by the position
    of a measure which were hidden (h1 …), which were primary (p1 …), and how uncertain these must
    stay (l1 … and u1 …)."""
    kept = {
        "name": names,
        _KNOWN: known,
        **{f"{_VALUE}{column}": array for column, array in counted.items()},
    }
    for position, (flags, of_measure) in enumerate(zip(hidden, needed, strict=True), start=1):
        kept[f"h{position}"] = flags.astype(np.int64)
        kept[f"p{position}"] = of_measure.primary.astype(np.int64)
        kept[f"l{position}"] = np.nan_to_num(np.floor(of_measure.low)).astype(np.int64)
        kept[f"u{position}"] = np.nan_to_num(np.ceil(of_measure.high)).astype(np.int64)
    return kept


def people_behind_sums(
    measures: Sequence[TableMeasure],
    values: Mapping[str, IntArray],
    hidden: Mapping[str, BoolArray],
    protect: Protect,
) -> IntArray:
    """Return how many people are in the cells of a release at least, by its published sums."""
    sums = [(values[m.counted], hidden[m.name]) for m in measures if m.sum is not None]
    size = len(hidden[measures[0].name])
    return rules.known_people(np.zeros(size, np.bool_), sums, protect)


def require_added(earlier: Sequence[Earlier], present: Mapping[str, IntArray]) -> None:
    """Raise PolicyError where a count is less than in the release before."""
    releases = [*(release.values for release in earlier), present]
    for before, after in itertools.pairwise(releases):
        for name in ("people", "n"):
            if less := int((after[name] < before[name]).sum()):
                text = (
                    f"{counted(less, 'cell has', 'cells have')} fewer {_WORDS[name]} than before."
                )
                raise PolicyError.at("protect.over_time", text, _REMEDY)
