"""A whole job that follows earlier releases: the stages, and the loop of those promises that
compare a class with the table as a whole."""

from __future__ import annotations

from anonsql.jobs import over_time, pipeline
from anonsql.jobs.decisions import build_star, choose
from anonsql.jobs.job import HeldBack, Job, Opened
from anonsql.jobs.over_time import count_again, follow_source, hold_back, open_ledger, state_facts
from anonsql.jobs.over_time_groups import (
    follow_traces,
    give_traces,
    hold_back_again,
    place_in_groups,
)
from anonsql.jobs.over_time_levels import decide_levels, require_levels
from anonsql.jobs.sources import warn
from anonsql.over_time import traces

LEDGER = (open_ledger, decide_levels)
FOLLOW = (hold_back, follow_source, count_again)
DECIDE = (build_star, choose)


def go_through(job: Job, last: tuple[pipeline.Stage, ...]) -> None:
    """Run the stages of a release that follows others, from the opened source on; ``last`` are
    those after its rows are decided."""
    if job.policy.method.leveled:
        _by_levels(job)
    else:
        _by_groups(job)
    pipeline.go_through(job, (state_facts, *last))


def _by_levels(job: Job) -> None:
    """Decide about the rows of a release with one level for all values of a column."""
    pipeline.go_through(job, (*LEDGER, *pipeline.FIT, require_levels, warn, *FOLLOW))
    pipeline.go_through(job, DECIDE)
    while job.chosen.recoding.suppression.rows:
        _refuse_failing(job)
        pipeline.go_through(job, DECIDE)


def _by_groups(job: Job) -> None:
    """Decide about the rows of a release by groups. Of the rows that are not held back every trace
    keeps the promise at the highest levels, so groups can be made within traces."""
    pipeline.go_through(job, (open_ledger, *pipeline.FIT, warn, hold_back, follow_source))
    rows = job.counted.rows
    while job.counted.coded and _released(job) < rows:
        rows = _released(job)
        pipeline.go_through(job, (count_again, hold_back_again))
    pipeline.go_through(job, (give_traces, follow_traces, count_again, *DECIDE, place_in_groups))


def _released(job: Job) -> int:
    """Return how many rows are not held back."""
    return job.held_back.sizes.released if job.held_back is not None else job.counted.rows


def _refuse_failing(job: Job) -> None:
    """Hold back the classes that do not keep the promise. Only a promise that compares a class with
    the whole table can fail here: the table has changed with the rows that were held back."""
    before = job.held_back
    if before is None:
        return
    refused = [*before.refused, *over_time.failing_classes(job, job.chosen)]
    traces.forget_decision(job.engine)
    job.engine.drop("chosen_classes")
    job.engine.drop("chosen_frequencies")
    # a trace is compared with the source as it is, not with what was left of it last time
    job.opened = Opened(before.rows.source, job.opened.columns)
    pipeline.go_through(job, (count_again,))
    protect = over_time.settings(job).deletions == "protect"
    sizes = traces.hold_back(job.engine, before.rows, protect=protect, refused=refused)
    job.held_back = HeldBack(before.following, before.rows, sizes, refused)
    job.opened = Opened((traces.FOLLOWED,), job.opened.columns)
    pipeline.go_through(job, (count_again,))
