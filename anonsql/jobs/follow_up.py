"""A whole job that follows earlier releases: the stages, and the loop of those promises that
compare a class with the table as a whole."""

from __future__ import annotations

from anonsql.errors import InvariantError
from anonsql.jobs import over_time, over_time_groups, over_time_levels, pipeline
from anonsql.jobs.job import Following, HeldBack, Job, Opened
from anonsql.jobs.pipeline import build_star, choose, warn
from anonsql.over_time import traces


def open_ledger(job: Job) -> None:
    """Open the ledger and make sure that it goes with the policy, the source and the release."""
    job.following = over_time.open_ledger(job, job.opened)


def decide_levels(job: Job) -> None:
    """Decide the levels that the release has."""
    job.scheme = over_time_levels.decide_levels(job, job.opened, _following(job))


def require_levels(job: Job) -> None:
    """Give the columns the levels that mean what they meant in the last release."""
    scheme = pipeline.scheme_of(job)
    job.scheme = over_time_levels.require_levels(job, job.counted, _following(job), scheme)


def hold_back(job: Job) -> None:
    """Give every row its trace, and hold back the rows that no release can hide."""
    following = _following(job)
    job.held_back = over_time.hold_back(job, job.opened, job.counted, following, job.scheme)


def hold_back_again(job: Job) -> None:
    """Hold back more of the rows that are left, judged by what those have alone."""
    held_back = _held_back(job)
    job.held_back = over_time_groups.hold_back_again(job, job.opened, job.counted, held_back)


def follow_source(job: Job) -> None:
    """Go on with the rows that are not held back."""
    job.opened = over_time.follow_source(job, job.opened, _held_back(job))


def count_again(job: Job) -> None:
    """Count the combinations of the rows that are left."""
    job.counted = over_time.count_again(job, job.opened, job.counted)


def give_traces(job: Job) -> None:
    """Give the rows that are left their traces, as one more column."""
    job.counted = over_time_groups.give_traces(job, job.counted, _held_back(job))


def follow_traces(job: Job) -> None:
    """Go on with the rows as they have traces."""
    job.opened = over_time_groups.follow_traces(job, job.opened)


def place_in_groups(job: Job) -> None:
    """Let the coming ledger tell which rows are released alike."""
    rows = (job.opened, job.counted, job.chosen, _held_back(job))
    job.held_back = over_time_groups.place_in_groups(job, *rows)


def state_facts(job: Job) -> None:
    """Let the release state what it is of its series."""
    job.chosen = over_time.state_facts(job, job.chosen, _held_back(job))


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
    return job.held_back.sizes.released if job.held_back is not None else job.counted.rows


def _refuse_failing(job: Job) -> None:
    """Hold back the classes that do not keep the promise: only one that compares a class with the
    whole table, which has changed with the rows held back, can fail here."""
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


def _following(job: Job) -> Following:
    if job.following is None:
        raise InvariantError("no ledger was opened")
    return job.following


def _held_back(job: Job) -> HeldBack:
    if job.held_back is None:
        raise InvariantError("no row was given its trace")
    return job.held_back
