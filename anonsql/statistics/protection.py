"""Protect the cells that may not be told by hiding them, and others that would tell them; an audit
that shares nothing with the choice says whether that was enough, and what it finds is mended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anonsql.errors import VerificationError
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.statistics import audits, choice, rules
from anonsql.statistics.cells import Cells
from anonsql.statistics.cubes import Plan, Shown
from anonsql.statistics.earlier import Earlier
from anonsql.system.arrays import IntArray, np
from anonsql.system.clock import Progress, silent

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROUNDS = 50
"""How often what an audit finds is mended at most."""
_KEPT = 1000.0
"""How many times as much hiding a cell costs that a policy wants kept, for each step of the
order."""


@dataclass(frozen=True)
class Protected:
    """What becomes of the cells, by measure: which are ``primary``, and which are ``hidden``; how
    many ``rounds`` of audit and mending that took; what values are ``changed`` to, where they are;
    and what hidden cells ``needed``."""

    primary: Mapping[str, NDArray[np.bool_]]
    hidden: Mapping[str, NDArray[np.bool_]]
    rounds: int = 0
    changed: Mapping[str, IntArray] | None = None
    needed: Mapping[str, rules.Needed] = field(default_factory=dict)


def suppress(
    policy: StatisticsPolicy,
    plan: Plan,
    cells: Cells,
    earlier: Sequence[Earlier] = (),
    progress: Progress = silent,
) -> Protected:
    """Return which cells are hidden, so that no primary one can be told up to what it needs by all
    that is published, now and in ``earlier`` releases. Counts hide the same cells, as rows tell of people; so do sums that have the
    same primary cells."""
    needed = {
        measure.name: rules.needed(policy.protect, cells, measure, earlier)
        for measure in plan.measures
    }
    alike: dict[tuple[bool, bytes], list[Shown]] = {}
    for measure in plan.measures:
        key = (measure.sum is None, needed[measure.name].primary.tobytes())
        alike.setdefault(key, []).append(measure)
    hidden, rounds = dict[str, "NDArray[np.bool_]"](), 0
    for group in alike.values():
        result, used = _hide(policy, plan, cells, group, needed, earlier, progress)
        rounds += used
        hidden |= dict.fromkeys((measure.name for measure in group), result)
    primary = {name: of_measure.primary for name, of_measure in needed.items()}
    return Protected(primary, hidden, rounds, needed=needed)


def _hide(
    policy: StatisticsPolicy,
    plan: Plan,
    cells: Cells,
    group: Sequence[Shown],
    needed: Mapping[str, rules.Needed],
    earlier: Sequence[Earlier],
    progress: Progress,
) -> tuple[NDArray[np.bool_], int]:
    """Return the cells that are hidden of measures with the same primary cells, and after how many
    rounds the audit found nothing."""
    relations, primary = cells.relations, needed[group[0].name].primary
    if not primary.any() and not any(release.hidden[group[0].name].any() for release in earlier):
        return primary, 0
    cost = _cost(policy, plan, cells, group[0])
    hidden = choice.hide(relations, primary, cost)
    for number in range(1, _ROUNDS + 1):
        progress("audit", number, _ROUNDS)
        failing = _failing(cells, group, needed, hidden, earlier)
        if not len(failing):
            return hidden, number
        hidden = choice.more(relations, hidden, failing, cost)
    raise VerificationError(
        [f"after {_ROUNDS} rounds {len(failing):,} hidden cells can still be told"]
    )


def _failing(
    cells: Cells,
    group: Sequence[Shown],
    needed: Mapping[str, rules.Needed],
    hidden: NDArray[np.bool_],
    earlier: Sequence[Earlier],
) -> IntArray:
    """Return the hidden cells of measures that can be told too well."""
    asked = [
        audits.Asked(measure, cells.of(measure), cells.relations_of(measure), one.low, one.high)
        for measure in group
        for one in (needed[measure.name],)
    ]
    by_name = dict.fromkeys((measure.name for measure in group), hidden)
    return audits.failing(asked, by_name, earlier)


def _cost(
    policy: StatisticsPolicy, plan: Plan, cells: Cells, measure: Shown
) -> NDArray[np.float64]:
    """Return what hiding each cell loses, by the policy: more where it is wanted."""
    ways = {
        "cells": np.ones(cells.size),
        "people": cells.people.astype(float),
        "value": np.abs(cells.of(measure)).astype(float),
    }
    cost = ways[policy.protect.cost] + 1.0
    for number, name in enumerate(reversed(policy.protect.keep), start=1):
        wanted = np.isin(cells.counted["v"], list(plan.tables[name]))
        cost = np.where(wanted, cost * _KEPT**number, cost)
    return cost
