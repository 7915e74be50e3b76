"""``anonsql check``: report everything that is wrong with a policy, its hierarchies and its data in
one go, and change nothing."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.errors import PolicyError, PrivacyError, Problem
from anonsql.features.check.document import CheckReport
from anonsql.jobs import feasible, over_time, pipeline
from anonsql.jobs import warnings as job_warnings
from anonsql.jobs.catalog import Catalog
from anonsql.jobs.decisions import table_of
from anonsql.jobs.job import Job
from anonsql.jobs.publishing import guard_release
from anonsql.jobs.sessions import looking
from anonsql.methods import registry
from anonsql.policy import policies
from anonsql.policy.locations import Places
from anonsql.policy.policies import AnyGiven, AnyPolicy
from anonsql.policy.policy import is_at
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.presentation.documents import finding
from anonsql.system.clock import Progress, silent


def check(
    policy: AnyGiven, *, progress: Progress = silent, show_values: bool = False
) -> CheckReport:
    """Return all problems and warnings that a run of ``policy`` would meet. Where parts of the
    policy are wrong, check the others all the same. Name offending values only with
    ``show_values``. Raise BusyError when the source cannot be reached."""
    outcome, problems = policies.leniently(policy)
    if outcome is None:
        return _report(problems, [], None)
    wrong_parts = {problem.where for problem in problems}
    try:
        places = Places.of(outcome)
        problems += (of_places := places.problems())
        release_is_wrong = any(location.where.startswith("release") for location in of_places)
        if release_is_wrong and places.release.has_own_engine:
            return _report(problems, [], None)  # no target can be opened there
        with looking(
            outcome,
            "check",
            progress=progress,
            show_values=show_values,
            following=_remembers(outcome),
        ) as job:
            if job.tables is not None:
                _on_tables(job)
            elif job.tabulation is not None:
                _on_cells(job)
            else:
                _on_data(job)
            result = [
                problem
                for problem in job.problems
                if not any(f"{part}.".startswith(f"{problem.where}.") for part in wrong_parts)
            ]
            # warnings go by k and the models, and those of a wrong part would mislead
            promise_is_known = not any(where.split(".")[0] == "privacy" for where in wrong_parts)
            warnings = [
                warning
                for warning in job.warnings
                if promise_is_known and not is_at(wrong_parts, warning.where)
            ]
            return _report(problems + result, warnings, job, sound=not wrong_parts)
    except PolicyError as error:
        return _report([*problems, *error.problems], [], None)


def _remembers(policy: AnyPolicy) -> bool:
    """Return whether statistics depend on what the catalog knows of earlier releases."""
    return isinstance(policy, StatisticsPolicy) and policies.remembers(policy)


def _on_data(job: Job) -> None:
    """Make the checks that read the source; add problems and warnings to the job's."""
    pipeline.go_through(job, pipeline.CHECK)
    if unmet := feasible.problems(job):
        job.problems += unmet
    elif job.counted.attributes and not job.problems:
        job.problems += registry.of(job.policy.method).unmet(table_of(job))
    if job.policy.privacy.over_time is not None:
        job.problems += over_time.problems(job)
    earlier = Catalog.look_into(job.places.catalog, job.context.journal)
    job_warnings.note(job, job.opened, earlier)
    _guard(job)


def _on_tables(job: Job) -> None:
    """Make the checks that read the tables of the source; add problems and warnings to the
    job's."""
    from anonsql.jobs.relational import pipeline as of_tables
    from anonsql.jobs.relational import tables

    try:
        pipeline.go_through(job, of_tables.CHECK)
        tables.count_people(job)
        tables.note_text(job)
        tables.warn_of_linked_values(job)
    except PolicyError as error:
        job.problems = [*error.problems]
        return
    _guard(job)


def _on_cells(job: Job) -> None:
    """Make the checks of a job of statistics before it counts cells; add problems and warnings to
    the job's."""
    from anonsql.jobs.statistics import pipeline as of_statistics

    try:
        pipeline.go_through(job, of_statistics.CHECK)
        if not job.problems:
            pipeline.go_through(job, of_statistics.PLAN)
    except PolicyError as error:
        job.problems = [*error.problems]
        return
    _guard(job)


def _guard(job: Job) -> None:
    """Add the problem that a run would refuse to replace what is already where the release would
    go."""
    try:
        guard_release(job)
    except PolicyError as error:
        known = {problem.where for problem in job.places.problems()}
        job.problems += [problem for problem in error.problems if problem.where not in known]


def _report(
    problems: Sequence[Problem], warnings: Sequence[Problem], job: Job | None, sound: bool = False
) -> CheckReport:
    """Return the document. It has the sizes of the search only where these are right: where the
    policy is ``sound`` and every quasi-identifying column has a hierarchy."""
    report = CheckReport(
        status="problems" if problems else "ok",
        exit_code=_exit_code(problems),
        problems=[finding(problem) for problem in dict.fromkeys(problems)],
        warnings=[finding(warning) for warning in warnings],
        records=None,
        combinations=None,
        lattice=None,
    )
    if job is None:
        return report
    if job.tables is not None:
        of, people = job.tables.policy.privacy.of, job.tables.people
        return report.model_copy(update={"of": people and of, "records": people})
    if job.tabulation is not None:
        fine = sound and not problems
        report = report.model_copy(update={"publishes": "tabulate"})
        if job.tabulation.noised is not None:  # how many rows there are is told by noise alone
            from anonsql.features.tabulate import noise

            plan = noise.document(job.tabulation) if fine else None
            return report.model_copy(update={"noise": plan})
        return report.model_copy(update={"records": job.counted.rows if fine else None})
    counted, sized = job.counted, dict[str, int | None]()
    if sound and len(counted.attributes) == len(job.policy.quasi_identifiers):
        sized["combinations"] = counted.combinations
        sized["lattice"] = job_warnings.generalizations(job.policy, counted.attributes)
    return report.model_copy(update={"records": job.records, **sized})


def _exit_code(problems: Sequence[Problem]) -> int:
    """Return the exit code that a run of the policy would end with: that of a promise that cannot
    be kept only where nothing else is wrong."""
    if not problems:
        return 0
    only_unmet = all(problem.unmet for problem in problems)
    return PrivacyError.exit_code if only_unmet else PolicyError.exit_code
