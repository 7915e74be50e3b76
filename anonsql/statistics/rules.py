"""Which cells must be hidden (primary cells), and how uncertain their values must stay: the rules
of statistical offices (Hundepool et al., Statistical Disclosure Control, 2012, chapter 4).

Amounts count without their signs. If a cell of few people has a sum, its largest contribution must
not be known to within a tenth, or ``p_percent`` of it. A count must be able to reach the threshold,
or twice its value; smaller values need nothing. Empty cells, if they are rows, are cells of few
people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from anonsql.policy.protect import Protect
from anonsql.statistics.cells import Cells
from anonsql.statistics.cubes import Sum, TableMeasure
from anonsql.system.arrays import BoolArray, IntArray, np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from anonsql.statistics.earlier import Earlier

_EXACT = 2**62
"""Whole numbers below it are multiplied without a carry."""
_UNCERTAIN = 0.1
"""The share of a sum by which it must stay uncertain where few people are in the cell and no
``p_percent`` is given."""


@dataclass(frozen=True)
class Needed:
    """The protection that the cells of one measure need: which are ``primary``; and for these the
    greatest allowed lower limit (``low``) and the least allowed upper limit (``high``), NaN for
    others."""

    primary: NDArray[np.bool_]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def needed(
    protect: Protect, cells: Cells, measure: TableMeasure, earlier: Sequence[Earlier] = ()
) -> Needed:
    """Return which cells of a measure must be hidden, and how uncertain they must stay, given
    ``earlier`` releases: the difference to a published cell would reveal the few who were added."""
    present = _by_itself(protect, cells, measure)
    for release in earlier:
        present = _besides(protect, cells, measure, present, release)
    shown = ~cells.unpublished
    present = _only(present.primary & shown, present.low, present.high)
    if bool((cells.of(measure) < 0).any()):
        return present
    # if no value is negative, readers assume so: no lower bound is below 0
    return Needed(present.primary, np.maximum(present.low, 0), present.high)


def _besides(
    protect: Protect, cells: Cells, measure: TableMeasure, present: Needed, release: Earlier
) -> Needed:
    least = protect.threshold or 0
    before = release.values[measure.counted]
    added = cells.of(measure) - before
    published = ~release.hidden[measure.name]
    few = published & added_few(release, cells, least)
    reach = before + (
        _reach(protect, added)
        if measure.sum is None
        else added + np.maximum(_up(np.abs(added) * (protect.p_percent or _UNCERTAIN)), 1)
    )
    low = cells.of(measure) - (
        0
        if measure.sum is None
        else np.maximum(_up(np.abs(added) * (protect.p_percent or _UNCERTAIN)), 1)
    )
    return Needed(
        present.primary | few,
        np.where(few, np.fmin(present.low, low), present.low),
        np.where(few, np.fmax(present.high, reach), present.high),
    )


def _reach(protect: Protect, counts: IntArray) -> NDArray[np.float64]:
    """Return how large counts of few people must still be able to be."""
    wanted = 2 * counts if protect.uncertain == "double" else protect.threshold or 0
    return np.maximum(counts + 1, wanted).astype(float)


def added_few(release: Earlier, cells: Cells, least: int) -> NDArray[np.bool_]:
    """Return the cells to which a few people or rows were added since an earlier release."""
    few = np.zeros(cells.size, np.bool_)
    for name in ("people", "n"):
        added = cells.counted[name] - release.values[name]
        few |= (added > 0) & (added < least)
    return few


def _by_itself(protect: Protect, cells: Cells, measure: TableMeasure) -> Needed:
    values = cells.of(measure)
    few = (
        cells.people < protect.threshold
        if protect.threshold is not None
        else np.zeros(cells.size, np.bool_)
    )
    if measure.sum is None:
        return _only(few, values.astype(float), _reach(protect, values))
    slack, sensitive = _slack(protect, cells, measure.sum)
    share = protect.p_percent or _UNCERTAIN
    least = np.maximum(_up(np.abs(values) * share), 1)
    slack = np.where(few, np.maximum(slack, least), slack)
    slack = np.maximum(slack, 1)
    return _only(few | sensitive, values - slack, values + slack)


def _slack(
    protect: Protect, cells: Cells, entry: Sum
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return by how much the rules of sums ask a cell to be uncertain, and which break one: the
    protection levels of the (n, k) and the p% rule."""
    slack, sensitive = np.zeros(cells.size), np.zeros(cells.size, np.bool_)
    if not protect.of_sums:
        return slack, sensitive
    total, top, first, second = cells.ranks(entry)
    if protect.dominance is not None:
        share = protect.dominance.share
        broken = _is_less(total, share, top)
        slack = np.where(broken, np.maximum(slack, _up(top / share - total)), slack)
        sensitive |= broken
    if protect.p_percent is not None:
        remainder = total - first - second
        broken = ~_is_less(first, protect.p_percent, remainder, or_equal=True)
        slack = np.where(
            broken, np.maximum(slack, _up(protect.p_percent * first - remainder)), slack
        )
        sensitive |= broken
    return slack, sensitive


def _is_less(
    whole: IntArray, share: float, part: IntArray, *, or_equal: bool = False
) -> NDArray[np.bool_]:
    """Return where a share of a whole is less than a part (``or_equal`` to it), exactly."""
    of = Fraction(str(share))
    exact: type = (
        np.int64 if int(np.abs(whole).max(initial=0)) < _EXACT // of.denominator else np.object_
    )
    left: Any = whole.astype(exact) * of.numerator
    right: Any = part.astype(exact) * of.denominator
    return np.asarray(left <= right if or_equal else left < right, np.bool_)


def _up(amounts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return whole numbers that are not less than amounts, however these were rounded."""
    return np.asarray(np.ceil(amounts + 1e-9 + np.abs(amounts) * 1e-12), np.float64)


def elsewhere(asked: Needed, cells: BoolArray) -> Needed:
    """Return the need where some cells need no protection."""
    return _only(asked.primary & ~cells, asked.low, asked.high)


def _only(
    primary: NDArray[np.bool_], low: NDArray[np.float64], high: NDArray[np.float64]
) -> Needed:
    return Needed(primary, np.where(primary, low, np.nan), np.where(primary, high, np.nan))


def contributors(protect: Protect) -> int:
    """Return the least number of people behind a published sum other than 0: the threshold; three
    by the p% rule; by dominance so many that the n largest, if all were equal, have no more than
    the share."""
    least = protect.threshold or 0
    if protect.p_percent is not None:
        least = max(least, 3)
    if protect.dominance is not None:
        least = max(least, math.ceil(protect.dominance.n / Fraction(str(protect.dominance.share))))
    return least


def known_people(
    there: BoolArray, sums: Sequence[tuple[IntArray, BoolArray]], protect: Protect
) -> IntArray:
    """Return the publicly known least number of people in every cell: one where a person is known
    to be ``there``, and more where a sum is published, by the rules. ``sums`` are their values, and
    which are hidden: for a sum of 0 only the threshold counts."""
    least = there.astype(np.int64)
    for values, hidden in sums:
        behind = np.where(values != 0, contributors(protect), protect.threshold or 0)
        least = np.where(hidden, least, np.maximum(least, behind))
    return least
