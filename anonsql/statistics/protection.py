"""Protect primary cells by hiding them, and others from which they could be computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from anonsql.policy.statistics import StatisticsPolicy
from anonsql.statistics import rules
from anonsql.statistics.audits import AuditProblem, systems_of
from anonsql.statistics.cells import Cells
from anonsql.statistics.cubes import Plan, TableMeasure
from anonsql.statistics.earlier import Earlier
from anonsql.statistics.suppression import choice
from anonsql.system.arrays import BoolArray, IntArray, RealArray, np
from anonsql.system.clock import Clock, Progress, silent


@dataclass(frozen=True)
class Protected:
    """The protection of the cells, by measure: which are ``primary``, and which are ``hidden``; how
    many of these were to be kept, and are not primary (``lost``); the ``changed`` values, if any;
    and the protection that hidden cells ``needed``."""

    primary: Mapping[str, BoolArray]
    hidden: Mapping[str, BoolArray]
    lost: int = 0
    changed: Mapping[str, IntArray] | None = None
    needed: Mapping[str, rules.Needed] = field(default_factory=dict)


@dataclass(frozen=True)
class Watch:
    """Where ``progress`` is reported, and the ``clock`` whose time ends the choice."""

    progress: Progress = silent
    clock: Clock = field(default_factory=Clock)

    def choosing(self, done: int, total: int) -> None:
        """Report how many of the primary cells are protected."""
        self.progress("choosing cells to hide", done, total)


def suppress(
    policy: StatisticsPolicy,
    plan: Plan,
    cells: Cells,
    earlier: Sequence[Earlier] = (),
    watch: Watch | None = None,
    *,
    waived: Mapping[str, BoolArray] | None = None,
    without: BoolArray | None = None,
) -> Protected:
    """Return which cells are hidden, so that the published cells narrow no primary cell below its
    protection interval, now and in ``earlier`` releases. Counts hide the same cells, as rows reveal
    people; so do sums that have the same primary cells. Cells that are ``waived``, by measure, are
    not primary, and are wanted as much as the total of all; cells that it does ``without`` need no
    protection either. Raise PrivacyError where no choice protects all primary cells."""
    protect, watch, lost = policy.protect, watch or Watch(), np.zeros(cells.size, np.bool_)
    waived = waived or {one.name: np.zeros(cells.size, np.bool_) for one in plan.measures}
    needed = {one.name: rules.needed(protect, cells, one, earlier) for one in plan.measures}
    needed = {name: rules.elsewhere(asked, waived[name]) for name, asked in needed.items()}
    if without is not None:
        needed = {name: rules.elsewhere(asked, without) for name, asked in needed.items()}
    hidden: dict[str, BoolArray] = {}
    sums: list[tuple[IntArray, BoolArray]] = []
    there = ~np.isin(cells.counted["v"], list(plan.complete)) & ~cells.unpublished
    for group in _alike(plan, needed, waived):
        primary = needed[group[0].name].primary
        known = rules.known_people(there, sums, protect)
        problems = [
            AuditProblem(
                one,
                cells.of(one),
                cells.relations.matrix,
                needed[one.name].low,
                needed[one.name].high,
                cells.holder,
                known,
                cells.exclusive(one),
                cells.unpublished,
            )
            for one in group
        ]
        systems = systems_of(problems, earlier)
        named = waived[group[0].name]
        cost, kept = _cost(policy, cells, group[0]), _kept(policy, plan, cells)
        kept[named] = len(protect.keep) + 1
        task = choice.Task(systems, cells.boxes, primary, cost, kept, watch.clock, watch.choosing)
        result = choice.hide(task) | cells.unpublished
        lost |= result & ~named & (kept > 0)
        hidden |= dict.fromkeys((one.name for one in group), result)
        sums += [(cells.of(one), result | named) for one in group if one.sum is not None]
    of_rules = {name: of_measure.primary for name, of_measure in needed.items()}
    lost &= ~np.any([*of_rules.values()], axis=0) & ~cells.unpublished
    return Protected(of_rules, hidden, int(lost.sum()), needed=needed)


def _alike(
    plan: Plan, needed: Mapping[str, rules.Needed], waived: Mapping[str, BoolArray]
) -> list[list[TableMeasure]]:
    """Return the measures that hide the same cells, together: sums first."""
    groups: dict[tuple[bool, bytes, bytes], list[TableMeasure]] = {}
    for measure in plan.measures:
        flags = needed[measure.name].primary, waived[measure.name]
        key = (measure.sum is None, flags[0].tobytes(), flags[1].tobytes())
        groups.setdefault(key, []).append(measure)
    return sorted(groups.values(), key=lambda group: group[0].sum is None)


def _cost(policy: StatisticsPolicy, cells: Cells, measure: TableMeasure) -> RealArray:
    ways = {
        "cells": np.ones(cells.size),
        "people": cells.people.astype(float),
        "value": np.abs(cells.of(measure)).astype(float),
    }
    return np.where(cells.unpublished, 0.0, ways[policy.protect.cost] + 1.0)


def _kept(policy: StatisticsPolicy, plan: Plan, cells: Cells) -> IntArray:
    kept = np.zeros(cells.size, np.int64)
    for rank, name in enumerate(reversed(policy.protect.keep), start=1):
        kept[np.isin(cells.counted["v"], list(plan.tables[name]))] = rank
    totals = [v.number for v in plan.vectors if all(at is None for at in v.levels.values())]
    kept[np.isin(cells.counted["v"], totals)] = len(policy.protect.keep) + 1
    return kept
