"""How well the hidden values can be recovered from all that is published."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.protect import Protect
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.statistics import audits
from anonsql.statistics.cubes import TableMeasure
from anonsql.statistics.earlier import Earlier, aligned, names_of
from anonsql.system.arrays import BoolArray, IntArray, np
from anonsql.verification.statistics.recount import Compared, Recounted

if TYPE_CHECKING:
    from numpy.typing import NDArray


def exposed(
    compared: Compared,
    policy: StatisticsPolicy,
    cells: Recounted,
    stored: Sequence[Mapping[str, IntArray]],
) -> list[str]:
    """Return an offence where hidden values can be recovered from all published tables together,
    also with earlier releases."""
    problems, hidden, protect = [], {}, policy.protect
    there = _there(compared.attributes, policy, cells)
    before: Sequence[Earlier] = ()
    if stored:
        names = names_of(*cells.hashes)
        before = aligned(names, compared.measures, stored, protect)
    for position, measure in enumerate(compared.measures, start=1):
        hidden[measure.name] = cells.counted[f"h{position}"] == 1
    waived = {
        measure.name: cells.counted[f"w{position}"] == 1
        for position, measure in enumerate(compared.measures, start=1)
    }
    sums = [
        (cells.counted[measure.counted], hidden[measure.name] | waived[measure.name])
        for measure in compared.measures
        if measure.sum is not None
    ]
    known = known_people(there, sums, protect)
    for measure in compared.measures:
        low, high = uncertain(protect, cells.counted, measure)
        for release in before:
            low, high = _since(protect, cells.counted, measure, release, (low, high))
        exempt = cells.unpublished | waived[measure.name]
        low, high = (np.where(exempt, np.nan, end) for end in (low, high))
        values = cells.counted[measure.counted]
        problems.append(
            audits.AuditProblem(
                measure,
                values,
                cells.relations.matrix,
                low,
                high,
                cells.holder,
                known,
                cells.exclusive(measure),
                cells.unpublished,
            )
        )
    exposed = audits.failing(
        problems,
        cells.boxes,
        hidden,
        before,
        compared.engine.context.journal.clock,
    )
    found = _few_added(protect, compared.measures, cells.counted, hidden, before)
    if len(exposed):
        found.append(f"{len(exposed):,} hidden cells can be recovered from published values")
    return found


def _there(
    attributes: Sequence[Attribute], policy: StatisticsPolicy, cells: Recounted
) -> NDArray[np.bool_]:
    """Return the cells that are publicly known not to be empty: every label has a person, and a row
    of two dimensions shows it where the table publishes zeros."""
    there = ~cells.unpublished
    for name in policy.zeros:
        table = policy.tables[name]
        inside, below = np.ones(cells.size, np.bool_), np.zeros(cells.size, np.int64)
        for a in attributes:
            level = cells.counted[f"l{a.index}"]
            least = table.levels.get(a.name, 0) if a.name in table.by else a.height
            inside &= level >= least
            below += level < a.height
        there &= ~inside | (below < 2)
    return there


def known_people(
    there: BoolArray, sums: Sequence[tuple[IntArray, BoolArray]], protect: Protect
) -> IntArray:
    """Return the publicly known least number of people in every cell: one where a person is known
    to be ``there``; for published sums the threshold, or, if the sum is not 0, the least number
    that keeps the rules of amounts: three by the p% rule; by dominance so many that the n largest,
    all equal, have no more than the share. ``sums`` are values, and which of them the rules do not
    publish."""
    threshold, dominance = protect.threshold or 0, protect.dominance
    behind = max(threshold, 0 if protect.p_percent is None else 3)
    while dominance and Fraction(dominance.n) > Fraction(str(dominance.share)) * behind:
        behind += 1
    least = there.astype(np.int64)
    for values, hidden in sums:
        known = np.where(values == 0, threshold, behind)
        least = np.where(hidden, least, np.maximum(least, known))
    return least


def _since(
    protect: Protect,
    counted: Mapping[str, IntArray],
    measure: TableMeasure,
    release: Earlier,
    ends: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how uncertain cells must stay (see :func:`uncertain`), with those to which a few
    people or rows were added since an earlier release showed them."""
    low, high = (end.copy() for end in ends)
    least, signed = protect.threshold or 0, bool((counted[measure.counted] < 0).any())
    for cell in np.flatnonzero(~release.hidden[measure.name]).tolist():
        added = [int(counted[name][cell] - release.values[name][cell]) for name in ("people", "n")]
        if not any(0 < one < least for one in added):
            continue
        value, before = (int(of[measure.counted][cell]) for of in (counted, release.values))
        if measure.sum is None:
            gained = value - before
            wanted = gained + gained if protect.uncertain == "double" else least
            down, up = value, before + max(gained + 1, wanted)
        else:
            share = Fraction(str(protect.p_percent or 0.1))
            slack = max(1, int(-(-abs(value - before) * share // 1)))
            down, up = value - slack, value + slack
        low[cell] = np.fmin(low[cell], down if signed else max(down, 0))
        high[cell] = np.fmax(high[cell], up)
    return low, high


def _few_added(
    protect: Protect,
    measures: Sequence[TableMeasure],
    counted: Mapping[str, IntArray],
    hidden: Mapping[str, NDArray[np.bool_]],
    before: Sequence[Earlier],
) -> list[str]:
    """Return an offence where a cell is published now and was before, and the difference reveals a
    few added people."""
    least, found = protect.threshold or 0, 0
    for release, measure in itertools.product(before, measures):
        both = ~hidden[measure.name] & ~release.hidden[measure.name]
        for name in ("people", "n"):
            added = counted[name] - release.values[name]
            found += int((both & (added > 0) & (added < least)).sum())
    return [f"{found:,} differences to earlier releases reveal small groups"] if found else []


def uncertain(
    protect: Protect, counted: Mapping[str, IntArray], measure: TableMeasure
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how uncertain the cells must stay that a rule protects, as an attacker may narrow
    them: the greatest smallest value, which is not negative where no value is, and the least
    largest one; NaN for others. This computes again, cell by cell, the result of
    :mod:`anonsql.statistics.rules`."""
    values, people = counted[measure.counted], counted["people"]
    low, high = np.full(len(values), np.nan), np.full(len(values), np.nan)
    signed = bool((values < 0).any())
    for cell, value in enumerate(values.tolist()):
        few = protect.threshold is not None and people[cell] < protect.threshold
        if measure.sum is None:
            if few:
                wanted = value + value if protect.uncertain == "double" else protect.threshold or 0
                low[cell], high[cell] = value, max(value + 1, wanted)
            continue
        index, slack = measure.sum.index, Fraction(0)
        if few:
            share = Fraction(str(protect.p_percent or 0.1))
            slack = max(slack, Fraction(1), abs(value) * share)
        if protect.of_sums:
            total, top, first, second = (int(counted[f"{name}{index}"][cell]) for name in "atxy")
            if protect.dominance is not None:
                share = Fraction(str(protect.dominance.share))
                if top > share * total:
                    slack = max(slack, Fraction(1), top / share - total)
            if protect.p_percent is not None:
                asked = Fraction(str(protect.p_percent)) * first
                if total - first - second < asked:
                    slack = max(slack, Fraction(1), asked - (total - first - second))
        if slack:
            up = int(-(-slack // 1))
            low[cell], high[cell] = value - up if signed else max(value - up, 0), value + up
    return low, high
