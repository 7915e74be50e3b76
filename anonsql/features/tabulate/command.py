"""``anonsql tabulate``: the report of a job that publishes statistics, and their verification."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from anonsql.errors import BusyError, SqlError, VerificationError
from anonsql.features.tabulate import noise
from anonsql.features.tabulate.document import (
    Label,
    MeasureCells,
    StatisticsReport,
    StatisticsTable,
    StatisticsVerifyReport,
)
from anonsql.jobs import pipeline, published_files
from anonsql.jobs.catalog import Catalog
from anonsql.jobs.job import Job
from anonsql.jobs.sessions import read_only_job
from anonsql.jobs.statistics import pipeline as of_statistics
from anonsql.jobs.statistics.noising import noise_of
from anonsql.jobs.statistics.opening import fingerprint_source
from anonsql.jobs.statistics.publishing import prove_against_source, recall_before
from anonsql.jobs.statistics.state import Tabulation, table_of, tabulation_of
from anonsql.policy.locations import JobLocations
from anonsql.policy.policies import remembers
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.presentation.documents import Place, of_run
from anonsql.statistics.cubes import TableMeasure
from anonsql.statistics.labels import CostlyLabel
from anonsql.system.arrays import BoolArray, np
from anonsql.system.clock import Progress
from anonsql.system.numbers import rounded
from anonsql.verification.facts import facts_of
from anonsql.verification.statistics import release_only

_SINCE = "If the source has changed since, publish again with `anonsql tabulate`."
_CHANGED = "the source has changed since these tables were made from it"


def report(job: Job, status: Literal["published", "tried"] = "published") -> StatisticsReport:
    """Return the report of a run, or of a policy that was tried and published nothing."""
    tabulation = tabulation_of(job)
    policy, noised = tabulation.policy, tabulation.noised
    return StatisticsReport(
        status=status,
        protected_by=policy.protect.by,
        promise=str(policy.facts["promise"]),
        records=None if noised else job.counted.rows,
        people=None if noised else tabulation.people,
        several=None if noised else tabulation.several,
        tables=[_table(tabulation, name) for name in policy.tables],
        waived=policy.protect.publish,
        cells=int((~tabulation.cells.unpublished).sum()),
        costly_labels=[_label(job, costly) for costly in tabulation.costly],
        rounding=tabulation.rounded,
        noise=noise.document(tabulation),
        spent=noised and (noised.before + noise_of(policy).spent).fact,
        release_id=job.release_id,
        **of_run(job),
    )


def _label(job: Job, costly: CostlyLabel) -> Label:
    """Return a label that costs many cells; it is named where values may be shown."""
    known = {"label": None, "named": job.show_values, **asdict(costly)}
    asked: dict[str, Any] = {"cell": known.pop("cell")}
    if job.show_values:
        attributes = tabulation_of(job).plan.attributes
        asked["attribute"] = next(a for a in attributes if a.name == costly.dimension)
        ((known["label"],),) = job.engine.query("statistics/label", **asked)
    return Label(**known)


def _table(tabulation: Tabulation, name: str) -> StatisticsTable:
    plan, cells, protected = tabulation.plan, tabulation.cells, tabulation.protected
    inside = tabulation.inside(name)
    if tabulation.noised is not None:
        return _with_noise(tabulation, name, int(inside.sum()))
    finest = cells.counted["v"] == plan.tables[name][0]
    measures = []
    for measure in plan.measures:
        hidden = protected.hidden[measure.name]
        amounts = np.abs(cells.of(measure)).astype(float)
        lost = amounts[hidden & finest].sum() / max(amounts[finest].sum(), 1)
        measures.append(
            MeasureCells(
                measure=measure.name,
                looks_like=tabulation.policy.looks(measure.name).text,
                cells=int(inside.sum()),
                primary=int((protected.primary[measure.name] & inside).sum()),
                hidden=int((hidden & inside).sum()),
                totals=int((inside & ~finest).sum()),
                hidden_totals=int((hidden & inside & ~finest).sum()),
                mean_change=_mean_change(tabulation, measure, inside),
                hidden_share=rounded(float(lost)),
            )
        )
    measures += [
        MeasureCells(
            measure=ratio.shown.name,
            looks_like=tabulation.policy.looks(ratio.shown.name).text,
            cells=int(inside.sum()),
            primary=0,
            hidden=int((ratio.hidden & inside).sum()),
            totals=int((inside & ~finest).sum()),
            hidden_totals=int((ratio.hidden & inside & ~finest).sum()),
        )
        for ratio in tabulation.ratios
    ]
    by = tabulation.policy.tables[name].by
    empty = int((inside & (cells.people == 0)).sum())
    return StatisticsTable(
        table=name, by=by, cells=int(inside.sum()), empty=empty, measures=measures
    )


def _with_noise(tabulation: Tabulation, name: str, cells: int) -> StatisticsTable:
    """Return the source-independent figures on the cells of a table with noise."""
    planned = noise.document(tabulation)
    finest = {
        part.measure: part
        for part in reversed(planned.parts if planned is not None else [])
        if part.table == name
    }
    measures = [
        MeasureCells(
            measure=measure.name,
            looks_like=tabulation.policy.looks(measure.name).text,
            cells=cells,
            primary=0,
            hidden=0,
            expected_error=finest[measure.name].mean_error,
        )
        for measure in tabulation.plan.measures
    ]
    by = tabulation.policy.tables[name].by
    return StatisticsTable(table=name, by=by, cells=cells, measures=measures)


def _mean_change(tabulation: Tabulation, measure: TableMeasure, inside: BoolArray) -> float | None:
    """Return the mean absolute change of shown values, in the measure's unit; None if unchanged."""
    protected = tabulation.protected
    shown = inside & ~protected.hidden[measure.name]
    if protected.changed is None or not shown.any():
        return None
    changes = protected.changed[measure.name] - tabulation.cells.of(measure)
    return rounded(float(np.abs(changes[shown]).mean()) / measure.unit)


def verify(
    policy: StatisticsPolicy, *, against_source: bool, progress: Progress
) -> StatisticsVerifyReport:
    """Verify published statistics: see :func:`anonsql.api.verify`."""
    places = JobLocations.of(policy)
    at = places.source if against_source else places.release
    with (
        read_only_job(
            policy,
            "verify",
            at=at,
            progress=progress,
            reading=True,
            following=against_source and remembers(policy),
        ) as job,
        published_files.opened(job) as published,
    ):
        parts = tabulation_of(job).parts
        tables = {name: table_of(published, of_table) for name, of_table in parts.items()}
        found = release_only.verify(tables, policy)
        same = True
        first = facts_of(next(iter(tables.values())))
        additive = first.get("additive") == "True"
        compared_files = published_files.compared(job, first.get("release", ""))
        if against_source:
            pipeline.go_through(job, of_statistics.DIMENSIONS)
            rows = {name: table.rows for name, table in tables.items()}
            recall_before(job, first.get("release", ""))
            try:
                same = prove_against_source(
                    job, tables, rows, additive=additive, reader=published.engine
                )
            except VerificationError as error:
                changed = [_CHANGED] if _source_changed(job, places) else []
                raise VerificationError([*changed, *error.offences], _SINCE) from None
    return StatisticsVerifyReport(
        status="verified",
        promise=str(policy.facts["promise"]),
        protected_by=policy.protect.by,
        rows=found.rows,
        hidden=found.hidden,
        against_source=against_source,
        values_compared=against_source and same,
        additive=additive,
        files=compared_files,
        release=Place(database=str(places.release), table=policy.first.release.name),
    )


def _source_changed(job: Job, places: JobLocations) -> bool:
    try:
        with Catalog.reading(places.catalog, job.context.journal) as catalog:
            table = job.first.release.name
            made = catalog and catalog.last_release(str(places.release), table)[0]
    except (BusyError, SqlError):
        return False
    pipeline.go_through(job, (fingerprint_source,))
    of_source = (made or "").split(" ")[0]  # the rest is of the policy
    now = job.fingerprint.text if job.fingerprint is not None else ""
    return bool(of_source) and of_source != now.split(" ")[0]
