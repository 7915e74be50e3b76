"""The whole job of every kind: one table, a table that is released repeatedly, several tables, or
statistics. :class:`anonsql.jobs.job.Stages` lists the stages of a kind."""

from __future__ import annotations

from anonsql.jobs import over_time, pipeline
from anonsql.jobs.job import Job


def open_sources(job: Job) -> None:
    """Guard the release, open its source, and compute the source's fingerprint."""
    pipeline.go_through(job, job.kind.stages.open_run)


def open_to_apply(job: Job) -> None:
    """Guard the release, and open its source by a published scheme."""
    pipeline.go_through(job, job.kind.stages.open)


def apply(job: Job) -> None:
    """Recode open sources by the job's scheme, stage, prove and publish."""
    pipeline.go_through(job, job.kind.stages.apply)


def release(job: Job) -> None:
    """Decide about the rows of open sources, stage, prove and publish."""
    if job.follows_others:
        from anonsql.jobs import follow_up

        follow_up.go_through(job, pipeline.PUBLISH)
    else:
        pipeline.go_through(job, job.kind.stages.release)


def try_out(job: Job) -> None:
    """Do everything but publish."""
    if job.follows_others:
        from anonsql.jobs import follow_up

        pipeline.go_through(job, pipeline.OPEN_SOURCE)
        follow_up.go_through(job, pipeline.PROVE)
    else:
        over_time.require_ended(job)
        pipeline.go_through(job, job.kind.stages.try_out)
