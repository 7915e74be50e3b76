"""``anonsql measure``: a published release, compared with its source, and who is left out of it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from anonsql.engines.base import ReleaseTables
from anonsql.errors import PolicyError, did_you_mean
from anonsql.features import kinds
from anonsql.features.measure import bounded, comparing
from anonsql.features.measure.comparing import MeasuredRelease
from anonsql.features.measure.document import MeasureReport, RelationalMeasureReport
from anonsql.features.measure.usefulness import measuring
from anonsql.jobs import pipeline, source_columns
from anonsql.jobs.job import Job
from anonsql.jobs.sessions import read_only_job
from anonsql.measures.workload import WorkloadSettings
from anonsql.policy import policies
from anonsql.policy.measuring import Model, measuring_of
from anonsql.policy.policies import AnyGiven
from anonsql.policy.table_plan import TablePlan
from anonsql.presentation.documents import LeftOutValue, Place
from anonsql.system.clock import Progress, silent
from anonsql.system.numbers import rounded
from anonsql.verification.facts import count_of, facts_of, missing_rows
from anonsql.verification.linking import group_shares


def _workload(settings: WorkloadSettings | None, options: Mapping[str, Any]) -> WorkloadSettings:
    """Return which queries to measure by: ``settings``, with the fields that ``options`` name
    one by one."""
    names = [field.name for field in fields(WorkloadSettings)]
    for name in options:
        if name not in names:
            raise PolicyError.at(name, "measure does not support this.", did_you_mean(name, names))
    more = (
        {**options, "file": Path(options["file"])} if options.get("file") is not None else options
    )
    return replace(settings or WorkloadSettings(), **more)


def measure(
    policy: AnyGiven,
    workload: WorkloadSettings | None = None,
    *,
    target: str | None = None,
    model: Model | None = None,
    progress: Progress = silent,
    show_values: bool = False,
    **queries: Any,
) -> MeasureReport | RelationalMeasureReport:
    """Measure the published release against its source, by a thousand random queries, or by the
    queries of ``workload``, or its fields given one by one (``queries=100, seed=1``; see
    :class:`WorkloadSettings`), and by analyses of its completed table, where it has one. A
    ``target``, of several tables ``table.column``, and a ``model`` that explain it replace those of
    the policy's ``measure``. Change neither release nor source.

    Raise PolicyError when the release has values that cover nothing in the source, or a query
    cannot be parsed, or the target cannot be explained. Of several tables each that has
    quasi-identifying values is measured by itself."""
    result = source_columns.resolved(policies.of_rows(policy, "measure"), comparing=True)
    result = result.model_copy(update={"measure": measuring_of(result, target, model)})
    settings, measured = _workload(workload, queries), list[MeasureReport]()

    def of_table(plan: TablePlan) -> MeasureReport:
        report = measure_table(plan, settings, progress=progress, show_values=show_values)
        measured.append(report)
        return report

    report = kinds.of(result).measure(result, of_table)
    _require_explained(target, measured)
    return report


def _require_explained(target: str | None, reports: Iterable[MeasureReport]) -> None:
    """Raise PolicyError where a target was asked for, and no release could be analysed."""
    explained = [report.usefulness for report in reports if report.usefulness is not None]
    if target is not None and not any(found.target for found in explained):
        raise PolicyError.at(
            "--target",
            "the release has no rows, or is in another database than its source, so no values are"
            " drawn for it.",
            "Leave it out.",
        )


def measure_table(
    policy: TablePlan, workload: WorkloadSettings, *, progress: Progress, show_values: bool
) -> MeasureReport:
    """Measure the release of one table."""
    started = time.perf_counter()
    with (
        read_only_job(
            policy, "measure", progress=progress, show_values=show_values, reading=True
        ) as job,
        job.target.published() as release,
    ):
        pipeline.go_through(job, pipeline.DIMENSIONS)
        if job.problems:
            raise PolicyError(job.problems)
        lost = left_out_of(job, release, show_values=show_values)
        made = MeasuredRelease(
            job,
            release,
            facts_of(release),
            bounded.to_sum(job.opened.columns, policy, workload.sum),
        )
        sizes = comparing.domains(made)
        comparing.understand(made)
        drawn = comparing.asked_queries(
            made, workload, comparing.all_values(made) if made.bounded else sizes
        )
        kept = comparing.kept_columns(made, drawn)
        useful = measuring.usefulness_of(job, measuring.completed_of(job, release))
        comparing.count_rows(made, kept)
        penalties, withheld, released = comparing.column_penalties(made, sizes)
        errors, bounds = comparing.query_errors(made, kept, drawn, workload.sanity_bound, progress)
        return MeasureReport(
            method=made.facts.get("method", "unknown"),
            k=int(made.facts.get("k", 0)),
            records=job.counted.rows,
            released=released,
            gcp=rounded(sum(penalties.values()) / len(penalties)),
            penalties=penalties,
            withheld=withheld,
            left_out=lost,
            queries=len(drawn),
            aggregate="COUNT(*)" if made.summed is None else f"SUM({made.summed.name})",
            workload="file" if workload.file else "random",
            sanity_bound=workload.sanity_bound,
            error=errors,
            bounds=bounds,
            usefulness=useful,
            statements=job.context.journal.count(),
            seconds=round(time.perf_counter() - started, 4),
            release=Place(database=str(job.places.release), table=policy.release.name),
        )


def left_out_of(
    job: Job, release: ReleaseTables, *, show_values: bool = False
) -> list[LeftOutValue]:
    """Return the losses of the values of the source, the greatest first; none if no row is missing,
    or the missing rows are unknown. ``show_values`` names values of fewer than k rows too."""
    policy, about = job.policy, facts_of(release)
    masked = max(0, count_of(about, "masked"))
    complete, empty = missing_rows(about) + masked == 0, count_of(about, "rows") <= masked
    if complete or empty or not group_shares.can_be_read(policy, about):
        return []
    shares = group_shares.of_release(
        job.engine,
        release,
        policy,
        job.opened.source,
        job.counted.attributes,
        least=1 if show_values else policy.privacy.k,
    )
    return [
        LeftOutValue(
            column=group.column,
            value=group.value,
            rare=group.rare,
            values=group.values,
            rows=group.rows,
            released=group.most,
            at_least=None if group.least == group.most else group.least,
            share=rounded(group.most / group.rows),
        )
        for group in shares
    ]
