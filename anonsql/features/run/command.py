"""``anonsql run``: the whole job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anonsql.engines import open_stage
from anonsql.errors import AnonsqlError, PolicyError, SqlError, VerificationError
from anonsql.features.run import document_of_job, unchanged
from anonsql.features.run.document import Report
from anonsql.jobs import actions, examples
from anonsql.jobs.job import Job
from anonsql.jobs.sessions import looking, running
from anonsql.policy.policies import AnyPolicy, remembers
from anonsql.system.clock import Progress
from anonsql.system.journal import log
from anonsql.verification.facts import facts_of
from anonsql.verification.release_only import from_release_alone

if TYPE_CHECKING:
    from anonsql.features.run.several_tables_document import RelationalReport
    from anonsql.features.tabulate.document import StatisticsReport

    AnyReport = Report | RelationalReport | StatisticsReport


def run_job(
    policy: AnyPolicy, *, if_changed: bool, dry_run: bool, progress: Progress, show_values: bool
) -> AnyReport:
    """Run the whole job: see :func:`anonsql.api.run`."""
    if dry_run:
        return _try(policy, progress, show_values)
    with running(policy, "run", progress, show_values) as job:
        actions.open_sources(job)
        if if_changed and (earlier := _unchanged(job)):
            job.status = "unchanged"
            unchanged.record(job.catalog, policy, job.engine.files())
            return earlier
        actions.release(job)
        report = document_of_job.of_any(job)
        note_report(job, report)
        unchanged.record(job.catalog, policy, job.engine.files())
        return report


def _try(policy: AnyPolicy, progress: Progress, show_values: bool) -> AnyReport:
    """Return the report of a run that publishes nothing."""
    with looking(
        policy,
        "run --dry-run",
        target=open_stage,
        progress=progress,
        show_values=show_values,
        following=remembers(policy),
    ) as job:
        actions.try_out(job)
        return document_of_job.of_any(job, "tried")


def note_report(job: Job, report: AnyReport) -> None:
    """Record the report in the catalog; a failure does not undo the run."""
    try:
        made_from = f"{job.fingerprint.text if job.fingerprint else ''} {job.release_id}"
        kept = document_of_job.recorded(report) if isinstance(report, Report) else report
        job.catalog.record_report(job.run, kept.model_dump_json(), made_from)
    except AnonsqlError as error:
        log.warning("the report of run %d could not be written to the catalog: %s", job.run, error)


def _unchanged(job: Job) -> AnyReport | None:
    """Return the report of the published release, when it was made from the present source,
    hierarchies and policy and still passes verification."""
    made_from, report = job.catalog.last_release(str(job.places.release), job.first.release.name)
    before, _, release_id = (made_from or "").rpartition(" ")
    now = job.fingerprint.text if job.fingerprint else None
    if job.problems or not before or before != now or report is None:
        return None
    try:
        shown = _shown(job, report, release_id)
    except (PolicyError, SqlError, VerificationError):
        return None
    return shown and shown.model_copy(update={"status": "unchanged", "seconds": job.seconds})


def _shown(job: Job, report: str, release_id: str) -> AnyReport | None:
    """Return the ``report`` of a published release that passes verification; None where the release
    is another policy's, or one restored from a backup. Raise VerificationError where it falls
    short, PolicyError or SqlError where it cannot be read."""
    with job.target.published() as published:
        if job.tables is not None:
            from anonsql.features.run.several_tables_document import RelationalReport
            from anonsql.jobs.relational.publishing import prove_published

            tables = prove_published(job, published).tables
            stated = {facts_of(table).get("release") for table in tables.values()}
            of_tables = RelationalReport.model_validate_json(report)
            return of_tables if stated == {release_id} else None
        if job.tabulation is not None:
            from anonsql.features.tabulate.document import StatisticsReport
            from anonsql.jobs.statistics import publishing

            proved = publishing.prove_published(job, published)
            ours = facts_of(proved).get("release") == release_id
            return StatisticsReport.model_validate_json(report) if ours else None
        from_release_alone(published, job.policy)
        if facts_of(published).get("release") != release_id:
            return None
        by_name = examples.of_release(published, job.policy)
        return document_of_job.shown(Report.model_validate_json(report), job.policy, by_name)
