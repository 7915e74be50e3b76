"""What a job goes through as a whole, whether it is of one table, of a table that is released again
and again, of several tables, or of statistics: :class:`anonsql.jobs.job.Stages` says which lists of
stages a kind has."""

from __future__ import annotations

from anonsql.jobs import pipeline, series
from anonsql.jobs.job import Job


def open_sources(job: Job) -> None:
    """Guard the release, open what it is made from, and compute the fingerprint of that."""
    pipeline.go_through(job, job.kind.stages.open_run)


def open_to_apply(job: Job) -> None:
    """Guard the release, and open what it is made from by a published scheme."""
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
        series.require_ended(job)
        pipeline.go_through(job, job.kind.stages.try_out)
