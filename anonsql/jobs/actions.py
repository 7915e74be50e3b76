"""What a job goes through as a whole, whether it is of one table, of a table that is released again
and again, or of several tables."""

from __future__ import annotations

from anonsql.jobs import follow_up, pipeline, series
from anonsql.jobs.job import Job


def open_sources(job: Job) -> None:
    """Guard the release, open what it is made from, and compute the fingerprint of that."""
    if job.tables is not None:
        from anonsql.jobs.relational import pipeline as of_tables

        pipeline.go_through(job, of_tables.OPEN_RUN)
    else:
        pipeline.go_through(job, pipeline.OPEN_RUN)


def open_to_apply(job: Job) -> None:
    """Guard the release, and open what it is made from by a published scheme."""
    if job.tables is not None:
        from anonsql.jobs.relational import pipeline as of_tables

        pipeline.go_through(job, of_tables.OPEN)
    else:
        pipeline.go_through(job, pipeline.OPEN)


def apply(job: Job) -> None:
    """Recode open sources by the job's scheme, stage, prove and publish."""
    if job.tables is not None:
        from anonsql.jobs.relational import pipeline as of_tables

        pipeline.go_through(job, of_tables.APPLY)
    else:
        pipeline.go_through(job, pipeline.APPLY)


def release(job: Job) -> None:
    """Decide about the rows of open sources, stage, prove and publish."""
    if job.tables is not None:
        from anonsql.jobs.relational import pipeline as of_tables

        pipeline.go_through(job, of_tables.RELEASE)
    elif job.policy.privacy.over_time is not None:
        follow_up.go_through(job, pipeline.PUBLISH)
    else:
        pipeline.go_through(job, pipeline.RELEASE)


def try_out(job: Job) -> None:
    """Do everything but publish."""
    if job.tables is not None:
        from anonsql.jobs.relational import pipeline as of_tables

        series.require_ended(job)
        pipeline.go_through(job, of_tables.DRY_RUN)
    elif job.policy.privacy.over_time is not None:
        pipeline.go_through(job, pipeline.OPEN_SOURCE)
        follow_up.go_through(job, pipeline.PROVE)
    else:
        series.require_ended(job)
        pipeline.go_through(job, pipeline.DRY_RUN)
