"""Protect the cells by the way that the policy names."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from anonsql.errors import Problem
from anonsql.jobs.job import Job
from anonsql.jobs.sources import QuasiColumn
from anonsql.jobs.statistics.noising import add_noise
from anonsql.jobs.statistics.state import Tabulation, tabulation_of
from anonsql.over_time.ledger import load_key
from anonsql.statistics import changing, keys, protection
from anonsql.statistics.labels import costly_labels
from anonsql.statistics.protection import Protected, Watch
from anonsql.system.arrays import np
from anonsql.system.numbers import counted

_COMBINATIONS = ("combinations",)


def make_keys(job: Job) -> None:
    """Give people their keys, which nobody can tell without the secret of the catalog."""
    name = tabulation_of(job).policy.protect.entity
    column = next(column for column in job.opened.columns if column.name == name)
    load_key(job.engine, job.catalog.statistics_secret())
    keys.make_record_keys(job.engine, _COMBINATIONS, QuasiColumn(0, replace(column, name="e")))


def protect_cells(job: Job) -> None:
    """Decide which cells are hidden, or what their values are changed to."""
    tabulation = tabulation_of(job)
    policy = tabulation.policy
    if policy.protect.by == "suppression":
        plan, cells, clock = tabulation.plan, tabulation.cells, job.context.journal.clock
        watch = Watch(job.progress, clock)
        hide = partial(protection.suppress, policy, plan, cells, tabulation.earlier, watch)
        tabulation.protected = hide()
        repeat = hide if clock.left is None else None
        tabulation.costly = costly_labels(plan, cells, tabulation.protected, repeat)
        if lost := tabulation.protected.lost:
            job.warnings.append(_not_kept(lost))
    elif policy.protect.by == "noise":
        tabulation.protected = add_noise(job, tabulation)
    else:
        tabulation.protected = _changed(job, tabulation)


def _not_kept(lost: int) -> Problem:
    """Return the warning that cells to be kept are hidden."""
    text = (
        f"{counted(lost, 'cell')} of the tables to keep, or of their totals, had to be hidden: no other"
        " cells protect the primary ones."
    )
    remedy = "Begin the finest table at a coarser level (`levels`), or give it fewer dimensions."
    return Problem("protect.keep", text, remedy)


def _changed(job: Job, tabulation: Tabulation) -> Protected:
    """Change the values of all cells, and hide those of too few people as they are then."""
    plan, protect, cells = tabulation.plan, tabulation.policy.protect, tabulation.cells
    if protect.by == "cell-key":
        changing.by_noise(job.engine, plan, protect.cell_key)
    else:
        tabulation.additive = changing.by_rounding(job.engine, plan, cells, protect.rounding)
    changed = changing.read(job.engine, changing.columns_of(plan))
    people = changed["people"]
    few = (people > 0) & (people < (protect.threshold or 0))
    none = np.zeros(cells.size, np.bool_)
    return Protected(
        {measure.name: none for measure in plan.measures},
        {measure.name: few for measure in plan.measures},
        changed={measure.name: changed[measure.counted] for measure in plan.measures},
    )
