"""``anonsql run``: the whole job of one table."""

from __future__ import annotations

from anonsql.engines import open_stage
from anonsql.errors import AnonsqlError, PolicyError, SqlError, VerificationError
from anonsql.features.run import document_of_job, unchanged
from anonsql.features.run.document import Report
from anonsql.jobs import examples, follow_up, pipeline, series
from anonsql.jobs.job import Job, Progress
from anonsql.jobs.sessions import looking, running
from anonsql.policy.policy import Policy
from anonsql.system.journal import log
from anonsql.verification.alone import from_release_alone


def run_job(
    policy: Policy, *, if_changed: bool, dry_run: bool, progress: Progress, show_values: bool
) -> Report:
    """Run the whole job: see :func:`anonsql.api.run`."""
    if dry_run:
        return _try(policy, progress, show_values)
    with running(policy, "run", progress, show_values) as job:
        pipeline.go_through(job, pipeline.OPEN_RUN)
        if if_changed and (earlier := _unchanged(job)):
            job.status = "unchanged"
            unchanged.record(job.catalog, policy, job.engine.files())
            return earlier
        if policy.privacy.over_time is not None:
            follow_up.go_through(job, pipeline.PUBLISH)
        else:
            pipeline.go_through(job, pipeline.RELEASE)
        report = document_of_job.report(job)
        note_report(job, report)
        unchanged.record(job.catalog, policy, job.engine.files())
        return report


def _try(policy: Policy, progress: Progress, show_values: bool) -> Report:
    """Return the report of a run that publishes nothing."""
    follows = policy.privacy.over_time is not None
    with looking(
        policy,
        "run --dry-run",
        target=open_stage,
        progress=progress,
        show_values=show_values,
        following=follows,
    ) as job:
        if follows:
            pipeline.go_through(job, pipeline.OPEN_SOURCE)
            follow_up.go_through(job, pipeline.PROVE)
        else:
            series.require_ended(job)
            pipeline.go_through(job, pipeline.DRY_RUN)
        return document_of_job.report(job, "tried")


def note_report(job: Job, report: Report) -> None:
    """Record the report in the catalog; a failure does not undo the run."""
    try:
        made_from = f"{job.fingerprint.text if job.fingerprint else ''} {job.release_id}"
        kept = document_of_job.recorded(report).model_dump_json()
        job.catalog.record_report(job.run, kept, made_from)
    except AnonsqlError as error:
        log.warning("the report of run %d could not be written to the catalog: %s", job.run, error)


def _unchanged(job: Job) -> Report | None:
    """Return the report of the published release, when it was made from the present source,
    hierarchies and policy and still passes verification."""
    made_from, report = job.catalog.last_release(str(job.places.release), job.policy.release.name)
    before, _, release_id = (made_from or "").rpartition(" ")
    now = job.fingerprint.text if job.fingerprint else None
    if job.problems or not before or before != now or report is None:
        return None
    try:
        with job.target.published() as published:
            from_release_alone(published, job.policy)
            facts = published.engine.query(
                "verification/facts", table=published.about, columns=["property", "value"]
            )
            if ("release", release_id) not in facts:
                return None  # another policy's release, or one restored from a backup
            found = examples.of_release(published, job.policy)
            shown = document_of_job.shown(Report.model_validate_json(report), job.policy, found)
    except (PolicyError, SqlError, VerificationError):
        return None
    return shown.model_copy(update={"status": "unchanged", "seconds": job.seconds})
