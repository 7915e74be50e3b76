"""Protect the cells by the way that the policy names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from anonsql.errors import PolicyError, Problem, did_you_mean
from anonsql.jobs.job import Job
from anonsql.jobs.sources import QuasiColumn
from anonsql.jobs.statistics.noising import add_noise
from anonsql.jobs.statistics.state import Tabulation, tabulation_of
from anonsql.over_time.ledger import load_key
from anonsql.statistics import changing, keys, protection, ratios, rules
from anonsql.statistics.labels import costly_labels
from anonsql.statistics.protection import Protected, Watch
from anonsql.system.arrays import BoolArray, np
from anonsql.system.numbers import counted

_COMBINATIONS = ("combinations",)


def make_keys(job: Job) -> None:
    """Give people their keys, which cannot be computed without the secret of the catalog."""
    name = tabulation_of(job).policy.protect.entity
    column = next(column for column in job.opened.columns if column.name == name)
    load_key(job.engine, job.catalog.statistics_secret())
    keys.make_record_keys(job.engine, _COMBINATIONS, QuasiColumn(0, replace(column, name="e")))


def protect_cells(job: Job) -> None:
    """Decide which cells are hidden, or what their values are changed to."""
    tabulation = tabulation_of(job)
    policy = tabulation.policy
    if policy.protect.by == "suppression":
        named = named_cells(job)
        _warn_of_needless(job, named)
        waived = waived_cells(tabulation, named)
        plan, cells, clock = tabulation.plan, tabulation.cells, job.context.journal.clock
        hide = partial(protection.suppress, policy, plan, cells, tabulation.earlier, waived=waived)
        tabulation.protected = hide(watch=Watch(job.progress, clock))
        repeat = hide if clock.left is None else None
        tabulation.costly = costly_labels(plan, cells, tabulation.protected, repeat)
        hidden = tabulation.protected.hidden
        if lost := sum(int((hidden[name] & flags).sum()) for name, flags in waived.items()):
            job.warnings.append(_not_kept("publish", f"{counted(lost, 'value')} of these cells"))
        if lost := tabulation.protected.lost:
            if policy.protect.keep:
                of_keep = f"{counted(lost, 'cell')} of the tables to keep, or of their totals,"
                job.warnings.append(_not_kept("keep", of_keep))
            else:
                job.warnings.append(_not_kept("by", "the total over all rows"))
    elif policy.protect.by == "noise":
        tabulation.protected = add_noise(job, tabulation)
    else:
        tabulation.protected = _changed(job, tabulation)
    protected, cells = tabulation.protected, tabulation.cells
    values = protected.changed or {one.name: cells.of(one) for one in tabulation.plan.measures}
    tabulation.ratios = ratios.ratios(
        policy, tabulation.plan, cells.counted["v"], values, protected.hidden
    )


def require_labels(job: Job) -> None:
    """Raise PolicyError where cells are published by labels that are unknown or ambiguous."""
    tabulation, problems = tabulation_of(job), list[Problem]()
    for number, waiver in enumerate(tabulation.policy.protect.publish):
        table = tabulation.policy.tables[waiver.table]
        for attribute in tabulation.plan.dimensions(table):
            name, finest = attribute.name, table.levels.get(attribute.name, 0)
            if name not in waiver.cell:
                continue
            wanted = waiver.cell[name]
            labels = job.engine.query("statistics/labels", attribute=attribute, finest=finest)
            levels = [level for level, label in labels if label == wanted]
            where, remedy = f"protect.publish[{number}].cell.{name}", ""
            if not levels:
                text = f"{name} has no label {wanted!r} in {waiver.table}."
                if job.show_values:
                    remedy = did_you_mean(
                        wanted, {label for _, label in labels if label is not None}
                    )
                remedy = remedy or "Correct the label; `--show-values` names similar labels."
            elif (level := waiver.levels.get(name, levels[0])) not in levels:
                text = f"{name!r} has no such label at level {level}."
                remedy = f"It has this label at {_levels(levels)}."
            elif len(levels) > 1 and name not in waiver.levels:
                text = f"{name!r} has this label at {_levels(levels)}."
                remedy = f"Choose one: `levels: {{{name}: {levels[0]}}}`."
            else:
                continue
            problems.append(Problem(where, text, remedy))
    if problems:
        raise PolicyError(problems)


def _levels(levels: Sequence[int]) -> str:
    return f"level{'s' if len(levels) > 1 else ''} {' and '.join(map(str, levels))}"


def named_cells(job: Job) -> list[int]:
    """Return the numbers of the cells published by name; raise PolicyError for no cell."""
    tabulation, found, problems = tabulation_of(job), list[int](), list[Problem]()
    policy, plan = tabulation.policy, tabulation.plan
    for number, waiver in enumerate(policy.protect.publish):
        cells = job.engine.query(
            "statistics/waived",
            attributes=plan.dimensions(policy.tables[waiver.table]),
            labels=waiver.cell,
            levels=waiver.levels,
            number=list(policy.tables).index(waiver.table) + 1,
        )
        if len(cells) != 1:
            text = f"{waiver.table} has {counted(len(cells), 'cell')} with these labels."
            problems.append(Problem(f"protect.publish[{number}].cell", text, "Correct the labels."))
        found += [cell for (cell,) in cells]
    if problems:
        raise PolicyError(problems)
    return found


def waived_cells(tabulation: Tabulation, named: Sequence[int]) -> dict[str, BoolArray]:
    """Return which cells of each measure are published by name (``named``, one an entry)."""
    found = {
        one.name: np.zeros(tabulation.cells.size, np.bool_) for one in tabulation.plan.measures
    }
    for waiver, cell in zip(tabulation.policy.protect.publish, named, strict=True):
        for name in waiver.of or found:
            found[name][cell] = True
    return found


def _warn_of_needless(job: Job, named: Sequence[int]) -> None:
    tabulation = tabulation_of(job)
    protect, measures = tabulation.policy.protect, tabulation.plan.measures
    forbidden = {one.name: rules.needed(protect, tabulation.cells, one).primary for one in measures}
    for number, (waiver, cell) in enumerate(zip(protect.publish, named, strict=True)):
        if not any(forbidden[name][cell] for name in waiver.of or forbidden):
            text = "this cell breaks no rule, but the promise excludes it all the same."
            where = f"protect.publish[{number}]"
            job.warnings.append(Problem(where, text, "Remove the entry."))


def _not_kept(field: str, what: str) -> Problem:
    text = f"{what} had to be hidden, because no other cells protect the primary cells."
    remedy = "Begin the finest table at a coarser level (`levels`), or give it fewer dimensions."
    return Problem(f"protect.{field}", text, remedy)


def _changed(job: Job, tabulation: Tabulation) -> Protected:
    plan, protect, cells = tabulation.plan, tabulation.policy.protect, tabulation.cells
    if protect.by == "cell-key":
        changing.by_noise(job.engine, plan, protect.cell_key)
    else:
        tabulation.rounded = changing.by_rounding(job.engine, plan, cells, protect.rounding)
    changed = changing.read(job.engine, changing.columns_of(plan))
    people = changed["people"]
    few = (people > 0) & (people < (protect.threshold or 0))
    none = np.zeros(cells.size, np.bool_)
    return Protected(
        {measure.name: none for measure in plan.measures},
        {measure.name: few for measure in plan.measures},
        changed={measure.name: changed[measure.counted] for measure in plan.measures},
    )
