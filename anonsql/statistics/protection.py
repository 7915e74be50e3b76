"""Protect the cells that may not be told by hiding them, and others that would tell them; an audit
that shares nothing with the choice says whether that was enough, and what it finds is mended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonsql.errors import VerificationError
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.statistics import audit, choice, rules
from anonsql.statistics.cells import Cells
from anonsql.statistics.cubes import Plan, Shown
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
    many ``rounds`` of audit and mending that took; and what values are ``changed`` to, where they
    are."""

    primary: Mapping[str, NDArray[np.bool_]]
    hidden: Mapping[str, NDArray[np.bool_]]
    rounds: int = 0
    changed: Mapping[str, IntArray] | None = None


def suppress(
    policy: StatisticsPolicy, plan: Plan, cells: Cells, progress: Progress = silent
) -> Protected:
    """Return which cells are hidden, so that no primary one can be told up to what it needs by all
    that is published. Measures that have the same primary cells and ties hide the same ones."""
    primary, hidden, rounds = {}, dict[str, "NDArray[np.bool_]"](), 0
    alike: dict[tuple[bytes, bool], list[tuple[Shown, rules.Needed]]] = {}
    for measure in plan.measures:
        needed = rules.needed(policy.protect, cells, measure)
        primary[measure.name] = needed.primary
        alike.setdefault((needed.primary.tobytes(), measure.people), []).append((measure, needed))
    for group in alike.values():
        found, used = _hide(policy, plan, cells, group, progress)
        rounds += used
        hidden |= dict.fromkeys((measure.name for measure, _ in group), found)
    return Protected(primary, hidden, rounds)


def _hide(
    policy: StatisticsPolicy,
    plan: Plan,
    cells: Cells,
    group: Sequence[tuple[Shown, rules.Needed]],
    progress: Progress,
) -> tuple[NDArray[np.bool_], int]:
    """Return the cells that are hidden of measures with the same primary cells, and after how many
    rounds the audit found nothing."""
    relations = cells.relations_of(group[0][0])
    primary = group[0][1].primary
    if not primary.any():
        return primary, 0
    cost = _cost(policy, plan, cells, group[0][0])
    alone = cells.people <= 1
    hidden = choice.hide(relations, primary, cost, alone=alone)
    for number in range(1, _ROUNDS + 1):
        progress("audit", number, _ROUNDS)
        failing = np.unique(
            np.concatenate([_failing(cells, measure, needed, hidden) for measure, needed in group])
        )
        if not len(failing):
            return hidden, number
        hidden = choice.more(relations, hidden, failing, cost)
    raise VerificationError(
        [f"after {_ROUNDS} rounds {len(failing):,} hidden cells can still be told"]
    )


def _failing(
    cells: Cells, measure: Shown, needed: rules.Needed, hidden: NDArray[np.bool_]
) -> IntArray:
    """Return the hidden cells of a measure that can be told too well."""
    values = cells.of(measure)
    audited = audit.audit(
        cells.relations_of(measure),
        values,
        hidden,
        needed=audit.Needed(needed.low, needed.high),
        integral=True,
        signed=bool((values < 0).any()),
    )
    return np.asarray(audited.failing, np.int64)


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
