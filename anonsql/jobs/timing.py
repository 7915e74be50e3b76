"""The time that a stage of a job takes, and its statements."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from anonsql.errors import SqlError
from anonsql.jobs.job import Job
from anonsql.system.journal import log


@contextmanager
def timed(job: Job, stage: str) -> Iterator[None]:
    """Tell that a stage of a job begins, time it, and count its statements. Raise BusyError
    where a statement fails and the source has changed meanwhile: that is the likelier cause, and
    needs another remedy."""
    job.progress(stage, 0, 0)
    started, before = time.perf_counter(), job.context.journal.count()
    try:
        yield
    except SqlError:
        job.engine.require_unchanged()
        raise
    job.seconds[stage] = round(time.perf_counter() - started, 4)
    job.statements[stage] = job.context.journal.count() - before
    fields = {"run": job.run, "stage": stage, "seconds": job.seconds[stage]}
    log.info("%s: %.3f s", stage, job.seconds[stage], extra={"fields": fields})
