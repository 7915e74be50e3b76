"""Protect the cells, stage all tables, prove them together, and publish them together; and what the
catalog keeps of tables that are published again and again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from anonsql.engines.base import OTHER_TABLES, Column, Engine, Relation, ReleaseTables
from anonsql.errors import PolicyError, Problem, VerificationError
from anonsql.grammar.forms import Looks
from anonsql.jobs import fingerprints
from anonsql.jobs.job import Job
from anonsql.jobs.published_files import published_facts
from anonsql.jobs.sources import QuasiColumn
from anonsql.jobs.statistics.noising import book, compared_rows, noise_facts, planned_noise
from anonsql.jobs.statistics.state import Tabulation, table_of, tabulation_of
from anonsql.policy.statistics_tables import TableOf
from anonsql.release import staging
from anonsql.statistics import earlier
from anonsql.statistics.changing import CHANGED
from anonsql.statistics.ratios import Ratio
from anonsql.statistics.rounding import CONTROLLED
from anonsql.system.arrays import BoolArray, np
from anonsql.verification.facts import facts_of
from anonsql.verification.statistics import against_source, columns, described, noise, release_only
from anonsql.verification.statistics.described import waived
from anonsql.verification.statistics.recount import Compared
from anonsql.version import __version__


def recall(job: Job) -> None:
    """Recall earlier releases; raise PolicyError for other settings, or lost rows."""
    tabulation = tabulation_of(job)
    policy, plan = tabulation.policy, tabulation.plan
    if policy.protect.over_time is None:
        return
    engine = job.engine
    high, low = engine.numbers(
        "statistics/names", attributes=plan.attributes, numbered=engine.own["hex_number"]
    )
    tabulation.names = earlier.names_of(high, low)
    tabulation.stored = job.catalog.earlier_statistics(fingerprints.of_cubes(policy))
    tabulation.earlier = earlier.aligned(
        tabulation.names, plan.measures, tabulation.stored, policy.protect
    )
    earlier.require_added(tabulation.earlier, tabulation.cells.counted)


def require_remembered(job: Job) -> None:
    """Raise PolicyError if the replaced release was published with another catalog, which has the
    records that these tables must agree with: with another secret the mean of both releases is
    nearer to the values, and no audit covers differences to it. Warn where no record of it was
    kept."""
    policy = tabulation_of(job).policy
    protect = policy.protect
    if protect.over_time is None and not protect.keyed:
        return
    facts = published_facts(job) or {}
    same_way = facts.get("protected_by") == protect.by
    if protect.keyed:
        by_key = same_way and facts.get("additive") != "True"
        place = (str(job.places.release), job.first.release.name)
        lost = by_key and not job.catalog.published_at(*place)
        text = (
            "this catalog lacks the secret by which the values of the current release were changed:"
        )
        text += " with another secret, the mean of both releases is closer to the true values."
        if by_key and facts.get("drawn_by") != policy.facts["drawn_by"]:
            job.warnings.append(_drawn_otherwise())
    else:
        kept = job.catalog.keeps_statistics(facts.get("release", ""))
        lost = same_way and "earlier_releases" in facts and not kept
        text = (
            "this catalog does not contain the current release, so differences to it would not be"
            " audited."
        )
        if same_way and not kept and not lost:
            job.warnings.append(_not_kept())
    if lost:
        remedy = (
            "Name the catalog of the run that published it, or another `release` for other readers."
        )
        raise PolicyError.at("catalog", text, remedy)


def _drawn_otherwise() -> Problem:
    text = (
        "an older version changed the values of the current release by another method: people who"
        " join cells can compute amounts from it, and the mean of both releases is closer to the"
        " true values."
    )
    return Problem("protect.by", text, "Publish, and withdraw all copies of the older release.")


def _not_kept() -> Problem:
    text = (
        "the catalog has no cells of the current release, which was made without `over_time`: its"
        " difference to this release is not audited, and may reveal the few people added since."
    )
    remedy = (
        "Publish to readers who do not have that release, or wait until many people were added."
    )
    return Problem("protect.over_time", text, remedy)


def recall_before(job: Job, release_id: str) -> None:
    """Recall what was published before a release; raise PolicyError where that is unknown."""
    tabulation = tabulation_of(job)
    if tabulation.policy.protect.over_time is not None:
        of_cubes = fingerprints.of_cubes(tabulation.policy)
        tabulation.stored = job.catalog.earlier_statistics(of_cubes, before=release_id)


def keep(job: Job) -> None:
    """Keep the records that later releases need. What is kept counts as published from then on,
    even where publishing fails: that asks for more protection than is needed, never for less."""
    tabulation = tabulation_of(job)
    policy, plan, protected = tabulation.policy, tabulation.plan, tabulation.protected
    if tabulation.names is None:
        return
    columns = ["people", "n", *(f"m{entry.index}" for entry in plan.sums)]
    counted = {name: tabulation.cells.counted[name] for name in columns}
    hidden = [protected.hidden[measure.name] for measure in plan.measures]
    needed = [protected.needed[measure.name] for measure in plan.measures]
    known = earlier.people_behind_sums(plan.measures, counted, protected.hidden, policy.protect)
    kept = earlier.stored_of(tabulation.names, counted, known, hidden, needed)
    job.catalog.keep_statistics(fingerprints.of_cubes(policy), job.release_id, kept)


def stage(job: Job) -> None:
    """Write all tables to the staging area."""
    tabulation = tabulation_of(job)
    load_hidden(job, tabulation.protected.hidden, tabulation.gone, tabulation.ratios)
    ratios = [ratio.shown for ratio in tabulation.ratios]
    for number, (name, table) in enumerate(tabulation.policy.tables.items(), start=1):
        rows, about, columns = tabulation.parts[name]
        dimensions, measures = tabulation.plan.dimensions(table), tabulation.plan.measures
        staged = [
            column
            for dimension in dimensions
            for column in (
                Column(dimension.name, "VARCHAR"),
                Column(f"{dimension.name}_level", "INTEGER"),
            )
        ] + [
            column
            for measure in [*measures, *ratios]
            for column in (
                Column(measure.name, measure.type),
                Column(f"{measure.name}_status", "VARCHAR"),
            )
        ]
        job.target.stage(
            rows,
            "statistics/table",
            staged,
            attributes=dimensions,
            measures=measures,
            ratios=ratios,
            shown=(CHANGED if tabulation.policy.protect.changes else "cells",),
            status=tabulation.policy.protect.status,
            number=number,
            ordering=staging.free_name([column.name for column in staged]),
        )
        facts = _about(job, name)
        staging.stage_described(job.target, (about, columns), facts, _described(tabulation, table))


def load_hidden(
    job: Job,
    hidden: Mapping[str, BoolArray],
    gone: BoolArray | None = None,
    ratios: Sequence[Ratio] = (),
) -> None:
    """Make ``hidden_flags``: hidden cells by measure, ``gone`` cells, and ``ratios``."""
    tabulation = tabulation_of(job)
    flags = {
        f"h{position}": hidden[measure.name].astype(np.int64)
        for position, measure in enumerate(tabulation.plan.measures, start=1)
    }
    for position, ratio in enumerate(ratios, start=1):
        flags |= {f"r{position}": ratio.values, f"s{position}": ratio.hidden.astype(np.int64)}
    size = tabulation.cells.size
    numbers = np.arange(size, dtype=np.int64)
    left_out = np.zeros(size, np.int64) if gone is None else gone.astype(np.int64)
    job.engine.load_numbers("hidden_flags", {"cell": numbers, "gone": left_out, **flags})


def _about(job: Job, name: str) -> dict[str, object]:
    tabulation = tabulation_of(job)
    policy, protected = tabulation.policy, tabulation.protected
    inside, rounded = tabulation.inside(name), tabulation.rounded
    facts: dict[str, object] = {
        **policy.facts_of(name),
        **noise_facts(tabulation, name),
        **({} if rounded is None else {"additive": rounded == CONTROLLED, "rounding": rounded}),
        "statistics": json.dumps(policy.tables[name].by),
        "cells": int(inside.sum()),
    }
    hidden = {**protected.hidden, **{one.shown.name: one.hidden for one in tabulation.ratios}}
    for measure in policy.statistics.of:
        facts[f"hidden.{measure}"] = int((hidden[measure] & inside).sum())
    first, *others = policy.tables
    if name == first:
        facts[OTHER_TABLES] = json.dumps(others)
    return {**facts, "release": job.release_id, "anonsql": __version__}


def _described(tabulation: Tabulation, table: TableOf) -> list[tuple[object, ...]]:
    described: list[tuple[object, ...]] = []
    shown = tabulation.policy.protect.status
    for dimension in tabulation.plan.dimensions(table):
        least = table.levels.get(dimension.name, 0)
        looks = Looks("total-or-label", "label; `*` is the total")
        described.append((dimension.name, "dimension", least, *looks))
        height = dimension.height
        numbers = Looks("level-number", f"0 is a value, {height} the total")
        described.append((f"{dimension.name}_level", "level", height, *numbers))
    for name in tabulation.policy.statistics.of:
        role = "ratio" if name in tabulation.policy.ratios else "measure"
        described.append((name, role, None, *tabulation.policy.looks(name)))
        described.append((f"{name}_status", "status", None, "status", f"{shown} or hidden"))
    return [(*fact, position) for position, fact in enumerate(described, start=1)]


def verify_release(job: Job) -> None:
    """Prove the staged tables, by themselves and against the source."""
    tabulation = tabulation_of(job)
    built, relations = job.target.build()
    tables = {name: table_of(built, parts) for name, parts in tabulation.parts.items()}
    found = release_only.verify(tables, tabulation.policy)
    tabulation.rows = found.rows
    rows = {name: relations[parts[0]] for name, parts in tabulation.parts.items()}
    prove_against_source(job, tables, rows, additive=tabulation.rounded == CONTROLLED)


def prove_published(job: Job, published: ReleaseTables) -> ReleaseTables:
    """Return the first table of a published release that is by itself what the policy says; raise
    VerificationError where it is not, PolicyError where it lacks a table."""
    tabulation = tabulation_of(job)
    tables = {name: table_of(published, parts) for name, parts in tabulation.parts.items()}
    release_only.verify(tables, tabulation.policy)
    return next(iter(tables.values()))


def prove_against_source(
    job: Job,
    tables: Mapping[str, ReleaseTables],
    rows: Mapping[str, Relation],
    *,
    additive: bool,
    reader: Engine | None = None,
) -> bool:
    """Return whether all values were compared with the source's: with noise they can only if the
    counted rows are available. Raise VerificationError where the rows of published tables do not
    follow from the source, or reveal protected values. ``reader`` is the engine that has them where
    it is not the job's."""
    policy = tabulation_of(job).policy
    secret = job.catalog.statistics_secret(known=True) if policy.protect.keyed else ""
    planned = planned_noise(job, facts_of(next(iter(tables.values()))))
    plan = tabulation_of(job).plan
    offences = columns.against_source(tables, plan.measures)
    offences += described.against_source(tables, plan.attributes)
    offences += [] if planned is None else noise.plan_offences(planned, tables)
    offences += against_source.offences(
        replace(compared(job), waived=waived(tables, policy)),
        policy,
        rows,
        secret=secret,
        additive=additive,
        earlier=tabulation_of(job).stored,
        reader=reader,
        planned=planned,
    )
    if offences:
        raise VerificationError(offences)
    return planned is None or planned.same_rows


def compared(job: Job) -> Compared:
    """Return the job's source, which published tables are compared with."""
    tabulation = tabulation_of(job)
    entity, by_name = tabulation.policy.protect.entity, job.opened.columns
    column = next((column for column in by_name if column.name == entity), None)
    return Compared(
        job.engine,
        compared_rows(job)[0],
        tabulation.plan.attributes,
        None if column is None else QuasiColumn(0, column),
        tabulation.plan.measures,
    )


def publish_release(job: Job) -> None:
    """Replace the previous release by all staged tables: the last step that can fail."""
    job.context.journal.clock.stop()
    finest = [
        (f"{name}.{by}", table.levels.get(by, 0), "")
        for name, table in tabulation_of(job).policy.tables.items()
        for by in table.by
    ]
    book(job)
    job.catalog.record_release(job.run, str(job.places.release), job.first.release.name, finest)
    keep(job)
    job.target.publish()
