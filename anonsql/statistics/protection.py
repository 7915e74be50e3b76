"""Protect primary cells by hiding them, and others that would give them away; an audit that
believes nothing of the choice says whether that was enough, and what it finds is mended."""

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
from anonsql.system.clock import Clock, Progress, silent

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROUNDS = 50
"""How often what an audit finds is mended at most."""
_QUICK = 4
"""In the first rounds the cells of large tables that are not shown to be safe at once are mended,
too: verification, which looks longer, has a margin."""
_TRIED, _SMALL = 30, 1000
"""Secondary cells, and cells of all tables, up to which each secondary one is tried whether it can
be published after all once others were hidden."""
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


@dataclass(frozen=True)
class Watch:
    """Who is told of ``progress``, and the ``clock`` whose time ends the choice and audits."""

    progress: Progress = silent
    clock: Clock = field(default_factory=Clock)

    def check(self) -> None:
        """Raise TimeLimitError where the time is over."""
        self.clock.check("choosing cells to hide")


def suppress(
    policy: StatisticsPolicy,
    plan: Plan,
    cells: Cells,
    earlier: Sequence[Earlier] = (),
    watch: Watch | None = None,
) -> Protected:
    """Return which cells are hidden, so that all that is published narrows no primary one below its
    protection interval, now and in ``earlier`` releases. Counts hide the same cells, as rows tell
    of people; so do sums that have the same primary cells."""
    job = _Suppression(policy, plan, cells, earlier, watch or Watch())
    hidden, rounds = dict[str, "NDArray[np.bool_]"](), 0
    for group in job.alike():
        result, used = job.hide(group)
        job.know(group, result)
        rounds += used
        hidden |= dict.fromkeys((measure.name for measure in group), result)
    primary = {name: of_measure.primary for name, of_measure in job.needed.items()}
    return Protected(primary, hidden, rounds, needed=job.needed)


class _Suppression:
    """The cells with what is needed of each measure."""

    def __init__(
        self,
        policy: StatisticsPolicy,
        plan: Plan,
        cells: Cells,
        earlier: Sequence[Earlier],
        watch: Watch,
    ) -> None:
        self._policy, self._plan, self._cells = policy, plan, cells
        self._earlier, self._watch = earlier, watch
        self._sums: list[tuple[IntArray, NDArray[np.bool_]]] = []
        self.needed = {
            measure.name: rules.needed(policy.protect, cells, measure, earlier)
            for measure in plan.measures
        }

    def alike(self) -> list[list[Shown]]:
        """Return the measures that hide the same cells, together: sums first."""
        groups: dict[tuple[bool, bytes], list[Shown]] = {}
        for measure in self._plan.measures:
            key = (measure.sum is None, self.needed[measure.name].primary.tobytes())
            groups.setdefault(key, []).append(measure)
        return sorted(groups.values(), key=lambda group: group[0].sum is None)

    def know(self, group: Sequence[Shown], hidden: NDArray[np.bool_]) -> None:
        """Note what is hidden of sums: those that are published tell of people."""
        sums = [measure for measure in group if measure.sum is not None]
        self._sums += [(self._cells.of(measure), hidden) for measure in sums]

    def hide(self, group: Sequence[Shown]) -> tuple[NDArray[np.bool_], int]:
        """Return the cells that are hidden of measures with the same primary cells, and after how
        many rounds the audit found nothing."""
        name, relations = group[0].name, self._cells.relations
        primary = self.needed[name].primary
        if not primary.any() and not any(one.hidden[name].any() for one in self._earlier):
            return primary, 0
        cost = _cost(self._policy, self._plan, self._cells, group[0])
        constraints = self._constraints(group[0])
        hidden = choice.hide(relations, primary, cost, constraints)
        among = np.ones(self._cells.size, np.bool_)
        for number in range(1, _ROUNDS + 1):
            self._watch.progress("audit", number, _ROUNDS)
            failing = self._failing(group, hidden, among, thorough=number > _QUICK)
            if not len(failing):
                return self._without_needless(group, hidden, cost) if number > 1 else hidden, number
            among = np.zeros(self._cells.size, np.bool_)
            among[failing] = True
            hidden = choice.more(relations, hidden, failing, cost, constraints)
        raise VerificationError(
            [f"after {_ROUNDS} rounds {len(failing):,} hidden cells can still be recovered"]
        )

    def _constraints(self, measure: Shown) -> choice.Constraints:
        """Return what the choice keeps to, beside two hidden cells in every relation."""
        cells, needed = self._cells, self.needed[measure.name]
        values, holders = cells.of(measure), None
        if measure.sum is not None and cells.holder.any():
            holders = choice.Holders(cells.holder, needed.primary)
        of_measure = self._problem(measure)
        floor = of_measure.least(signed=of_measure.signed)
        room = values - floor
        rise = np.nan_to_num(needed.high - values, nan=0.0)
        fall = np.minimum(np.nan_to_num(values - needed.low, nan=0.0), room)
        return choice.Constraints(
            holders, choice.Slack(room, rise, fall), cells.grid, self._watch.check
        )

    def _without_needless(
        self,
        group: Sequence[Shown],
        hidden: NDArray[np.bool_],
        cost: NDArray[np.float64],
    ) -> NDArray[np.bool_]:
        """Return the hidden cells without those that what was mended made needless, the dearest
        first: an audit without each of them finds nothing. Where there are many, ``hidden``
        itself."""
        primary, constraints = self.needed[group[0].name].primary, self._constraints(group[0])
        secondary = np.flatnonzero(hidden & ~primary)
        if len(secondary) > _TRIED or self._cells.size > _SMALL:
            return hidden
        for cell in secondary[np.argsort(-cost[secondary], kind="stable")]:
            fewer = hidden.copy()
            fewer[cell] = False
            everything = np.ones(self._cells.size, np.bool_)
            if choice.tells(self._cells.relations, fewer, primary, constraints):
                continue
            if not len(self._failing(group, fewer, everything)):
                hidden = fewer
        return hidden

    def _failing(
        self,
        group: Sequence[Shown],
        hidden: NDArray[np.bool_],
        among: NDArray[np.bool_],
        *,
        thorough: bool = True,
    ) -> IntArray:
        """Return those ``among`` the hidden cells of measures that are not protected. What was
        shown of the others stays true: hiding more rules no table out."""
        problems = [self._problem(measure).among(among) for measure in group]
        by_name = dict.fromkeys((measure.name for measure in group), hidden)
        published = audits.Published(by_name, self._earlier, self._cells.joints)
        return audits.failing(problems, published, self._watch.clock, thorough=thorough)

    def _problem(self, measure: Shown) -> audits.AuditProblem:
        """Return what is audited of one measure: of cells at complete vectors of levels
        nobody knows that somebody is there, unless a sum of it is published."""
        cells, needed = self._cells, self.needed[measure.name]
        return audits.AuditProblem(
            measure,
            cells.of(measure),
            cells.relations_of(measure),
            needed.low,
            needed.high,
            cells.holder,
            rules.known_people(
                ~np.isin(cells.counted["v"], list(self._plan.complete)),
                self._sums,
                self._policy.protect,
            ),
            cells.grid,
        )


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
