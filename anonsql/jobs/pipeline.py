"""The stages of a job, in order. A stage takes the job with what earlier stages have left in it,
and leaves its own result there for later ones."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from anonsql.errors import SqlError, VerificationError
from anonsql.jobs.decisions import build_star, choose, record_lattice, search, search_all
from anonsql.jobs.job import Job, Stage, Stages
from anonsql.jobs.publishing import (
    count_left_out,
    guard_release,
    publish_release,
    stage,
    verify_release,
)
from anonsql.jobs.replaced import compare_with_replaced
from anonsql.jobs.sources import (
    build_hierarchies,
    code_values,
    count_combinations,
    fingerprint_source,
    fit_scheme,
    look_at_text,
    open_population,
    open_source,
    require_sound,
    warn,
)
from anonsql.system.journal import log

OPEN_SOURCE = (open_source, open_population)
DIMENSIONS = (open_source, count_combinations, build_hierarchies)
CHECK = (*OPEN_SOURCE, count_combinations, build_hierarchies, code_values)
SEARCH = (*CHECK, require_sound, build_star, search_all, record_lattice)
OPEN = (guard_release, *OPEN_SOURCE)
OPEN_RUN = (*OPEN, fingerprint_source)
FIT = (count_combinations, build_hierarchies, code_values, require_sound)
DECIDE = (build_star, search, record_lattice, choose)
CHOOSE = (*FIT, *DECIDE)
FIT_AGAIN = (count_combinations, build_hierarchies, code_values, fit_scheme, require_sound)
DECIDE_AGAIN = (build_star, choose)
CHOOSE_AGAIN = (*FIT_AGAIN, *DECIDE_AGAIN)
LOOK_AT_TEXT = (look_at_text, require_sound)
PROVE = (stage, count_left_out, verify_release)
PUBLISH = (*PROVE, compare_with_replaced, publish_release)
RELEASE = (*FIT, warn, *DECIDE, *PUBLISH)
APPLY = (*FIT_AGAIN, warn, *DECIDE_AGAIN, *PUBLISH)
RUN = (*OPEN_RUN, *RELEASE)
TRY = (*OPEN_SOURCE, *CHOOSE, *PROVE)
TRY_OUT = (*OPEN_SOURCE, *FIT, warn, *DECIDE, *PROVE)


def stages() -> Stages:
    """Return what such a job goes through."""
    return Stages(OPEN, OPEN_RUN, RELEASE, APPLY, TRY_OUT)


def go_through(job: Job, stages: Sequence[Stage]) -> None:
    """Run the stages, timing each and counting its statements."""
    for function in stages:
        with timed(job, function.__name__):
            function(job)


@contextmanager
def timed(job: Job, stage: str) -> Iterator[None]:
    """Report, time and count the statements of a stage. Raise BusyError where a statement or a
    proof fails and the source has changed meanwhile: the likelier cause, which needs another
    remedy."""
    job.progress(stage, 0, 0)
    started, before = time.perf_counter(), job.context.journal.count()
    try:
        yield
    except (SqlError, VerificationError):
        job.engine.require_unchanged()
        raise
    job.seconds[stage] = round(time.perf_counter() - started, 4)
    job.statements[stage] = job.context.journal.count() - before
    fields = {"run": job.run, "stage": stage, "seconds": job.seconds[stage]}
    log.info("%s: %.3f s", stage, job.seconds[stage], extra={"fields": fields})
