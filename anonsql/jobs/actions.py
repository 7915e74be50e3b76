"""What a job goes through as a whole, whether it is of one table, of a table that is released again
and again, of several tables, or of statistics."""

from __future__ import annotations

from types import ModuleType

from anonsql.jobs import pipeline, series
from anonsql.jobs.job import Job


def _lists(job: Job) -> ModuleType:
    if job.tables is not None:
        from anonsql.jobs.relational import pipeline as of_tables

        return of_tables
    if job.tabulation is not None:
        from anonsql.jobs.statistics import pipeline as of_statistics

        return of_statistics
    return pipeline


def open_sources(job: Job) -> None:
    """Guard the release, open what it is made from, and compute the fingerprint of that."""
    pipeline.go_through(job, _lists(job).OPEN_RUN)


def open_to_apply(job: Job) -> None:
    """Guard the release, and open what it is made from by a published scheme."""
    pipeline.go_through(job, _lists(job).OPEN)


def apply(job: Job) -> None:
    """Recode open sources by the job's scheme, stage, prove and publish."""
    pipeline.go_through(job, _lists(job).APPLY)


def release(job: Job) -> None:
    """Decide about the rows of open sources, stage, prove and publish."""
    if _follows_others(job):
        from anonsql.jobs import follow_up

        follow_up.go_through(job, pipeline.PUBLISH)
    else:
        pipeline.go_through(job, _lists(job).RELEASE)


def try_out(job: Job) -> None:
    """Do everything but publish."""
    if _follows_others(job):
        from anonsql.jobs import follow_up

        pipeline.go_through(job, pipeline.OPEN_SOURCE)
        follow_up.go_through(job, pipeline.PROVE)
    else:
        series.require_ended(job)
        pipeline.go_through(job, _lists(job).DRY_RUN)


def _follows_others(job: Job) -> bool:
    of_rows = job.tables is None and job.tabulation is None
    return of_rows and job.policy.privacy.over_time is not None
