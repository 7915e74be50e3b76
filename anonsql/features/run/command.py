"""``anonsql run``: the whole job."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from anonsql.engines import open_stage
from anonsql.errors import AnonsqlError, PolicyError, SqlError, VerificationError
from anonsql.features import kinds
from anonsql.features.kinds.base import Kind
from anonsql.features.run import unchanged
from anonsql.jobs import actions, published_files
from anonsql.jobs.job import Job
from anonsql.jobs.sessions import read_only_job, running
from anonsql.policy.policies import AnyPolicy, remembers
from anonsql.system.clock import Progress
from anonsql.system.journal import log

if TYPE_CHECKING:
    from anonsql.features.kinds.base import AnyReport


def run_job(
    policy: AnyPolicy, *, if_changed: bool, dry_run: bool, progress: Progress, show_values: bool
) -> AnyReport:
    """Run the whole job: see :func:`anonsql.api.run`."""
    if dry_run:
        return _try(policy, progress, show_values)
    kind = kinds.of(policy)
    with running(policy, "run", progress, show_values) as job:
        actions.open_sources(job)
        if if_changed and (earlier := _unchanged(kind, job)):
            job.status = "unchanged"
            unchanged.record(job.catalog, policy, job.engine.files())
            return earlier
        actions.release(job)
        report = kind.report(job)
        note_report(kind, job, report)
        unchanged.record(job.catalog, policy, job.engine.files())
        if any(name.startswith("OPENLINEAGE") for name in os.environ):
            from anonsql.features.run import lineage

            lineage.emit(kind, policy, job)
        return report


def _try(policy: AnyPolicy, progress: Progress, show_values: bool) -> AnyReport:
    with read_only_job(
        policy,
        "run --dry-run",
        target=open_stage,
        progress=progress,
        show_values=show_values,
        following=remembers(policy),
    ) as job:
        actions.try_out(job)
        return kinds.of(policy).report(job, "tried")


def note_report(kind: Kind[Any], job: Job, report: AnyReport) -> None:
    """Record the report in the catalog; a failure does not undo the run."""
    try:
        made_from = f"{job.fingerprint.text if job.fingerprint else ''} {job.release_id}"
        text = kind.recorded(report).model_dump_json()
        job.catalog.record_report(job.run, text, made_from)
    except AnonsqlError as error:
        log.warning("the report of run %d could not be written to the catalog: %s", job.run, error)


def _unchanged(kind: Kind[Any], job: Job) -> AnyReport | None:
    """Return the report of the published release, when it was made from the present source,
    hierarchies and policy and still passes verification."""
    made_from, report = job.catalog.last_release(str(job.places.release), job.first.release.name)
    before, _, release_id = (made_from or "").rpartition(" ")
    now = job.fingerprint.text if job.fingerprint else None
    if job.problems or not before or before != now or report is None:
        return None
    try:
        shown = _shown(kind, job, report, release_id)
    except (PolicyError, SqlError, VerificationError):
        return None
    return shown and shown.model_copy(update={"status": "unchanged", "seconds": job.seconds})


def _shown(kind: Kind[Any], job: Job, report: str, release_id: str) -> AnyReport | None:
    """Return the ``report`` of a published release that passes verification; None where the release
    is another policy's, or one restored from a backup. Raise VerificationError where it falls
    short, PolicyError or SqlError where it cannot be read."""
    with job.target.published() as published:
        if kind.proved(job, published) != {release_id}:
            return None
        published_files.compared_by(job.catalog, job, release_id)
        return kind.read(job, published, report)
