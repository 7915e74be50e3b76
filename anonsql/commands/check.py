"""``anonsql check``: report everything that is wrong with policy, hierarchies and data at once;
change nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from anonsql.errors import PolicyError, PrivacyError, Problem
from anonsql.jobs import feasible, pipeline, sizes
from anonsql.jobs import warnings as job_warnings
from anonsql.jobs.catalog import Catalog
from anonsql.jobs.decisions import table_of
from anonsql.jobs.job import Job, Progress, silent
from anonsql.jobs.publishing import guard_release
from anonsql.jobs.reports import finding
from anonsql.jobs.sessions import looking
from anonsql.methods import registry
from anonsql.policy.locations import Places
from anonsql.policy.policy import Given, Policy, is_at, parse_leniently, plain, read_policy
from anonsql.report.documents import CheckReport


def check(policy: Given, *, progress: Progress = silent, show_values: bool = False) -> CheckReport:
    """Return all problems and warnings. Of a policy with wrong parts, the rest is checked all the
    same."""
    problems: list[Problem] = []
    given: Policy | None
    if isinstance(policy, Policy):
        given = policy
    elif isinstance(policy, Mapping):
        given, problems = parse_leniently(plain(policy), Path())
    else:
        file = Path(policy).absolute()
        given, problems = parse_leniently(read_policy(policy), file.parent, file)
    if given is None:
        return _report(problems, [], None)
    skipped = {problem.where for problem in problems}
    try:
        places = Places.of(given)
        problems += places.problems()
        if (
            any(each.where.startswith("release") for each in places.problems())
            and not places.release.is_file
        ):
            return _report(problems, [], None)  # no target can be opened there
        with looking(given, "check", progress=progress, show_values=show_values) as job:
            _on_data(job)
            found = [each for each in job.problems if each.where not in skipped]
            unread = any(where.split(".")[0] == "privacy" for where in skipped)  # k is not known
            warnings = [
                each for each in job.warnings if not unread and not is_at(skipped, each.where)
            ]
            return _report(problems + found, warnings, job, sound=not skipped)
    except PolicyError as error:
        return _report([*problems, *error.problems], [], None)


def _on_data(job: Job) -> None:
    """Make the checks that read the source; add problems and warnings to the job's."""
    pipeline.go_through(job, pipeline.CHECK)
    if unmet := feasible.problems(job, job.counted):
        job.problems += unmet
    elif job.counted.attributes and not job.problems:
        job.problems += registry.of(job.policy.method).unmet(table_of(job, job.opened, job.counted))
    earlier = Catalog.look_into(job.places.catalog, job.context.journal)
    job_warnings.note(job, job.opened, job.counted, earlier)
    _guard(job)


def _guard(job: Job) -> None:
    """Add the problem that a run would refuse to replace what lies at the release's place."""
    try:
        guard_release(job)
    except PolicyError as error:
        job.problems += [each for each in error.problems if each not in job.places.problems()]


def _report(
    problems: Sequence[Problem], warnings: Sequence[Problem], job: Job | None, sound: bool = False
) -> CheckReport:
    """Return the document; sizes of the search only when the policy is ``sound`` enough for them to
    be right."""
    sound = (
        sound
        and job is not None
        and len(job.counted.attributes) == len(job.policy.quasi_identifiers)
    )
    return CheckReport(
        status="problems" if problems else "ok",
        exit_code=_exit_code(problems),
        problems=[finding(each) for each in problems],
        warnings=[finding(each) for each in warnings],
        records=job.counted.rows if job else None,
        combinations=job.counted.combinations if job and sound else None,
        lattice=sizes.lattice(job.policy, job.counted.attributes) if job and sound else None,
    )


def _exit_code(problems: Sequence[Problem]) -> int:
    """Return the exit code that a run of the policy would end with, by the problems found: faults
    of the policy count before promises that cannot be kept."""
    if not problems:
        return 0
    unmet = all(each.unmet for each in problems)
    return PrivacyError.exit_code if unmet else PolicyError.exit_code
