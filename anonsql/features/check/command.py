"""``anonsql check``: report everything that is wrong with a policy, its hierarchies and its data in
one go, and change nothing."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.errors import PolicyError, PrivacyError, Problem
from anonsql.features import kinds
from anonsql.features.check.document import CheckReport
from anonsql.jobs import source_columns
from anonsql.jobs.sessions import read_only_job
from anonsql.policy import policies
from anonsql.policy.locations import JobLocations
from anonsql.policy.policies import AnyGiven
from anonsql.policy.policy import is_at
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
        return _report(problems, [])
    try:
        outcome = source_columns.resolved(outcome)
    except PolicyError as error:
        return _report([*problems, *error.problems], [])
    wrong_parts = {problem.where for problem in problems}
    kind = kinds.of(outcome)
    try:
        places = JobLocations.of(outcome)
        problems += (of_places := places.problems())
        release_is_wrong = any(location.where.startswith("release") for location in of_places)
        if release_is_wrong and places.release.has_own_engine:
            return _report(problems, [])  # no target can be opened there
        with read_only_job(
            outcome,
            "check",
            progress=progress,
            show_values=show_values,
            following=kind.check_follows(outcome),
        ) as job:
            kind.check(job)
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
            found = problems + result
            sizes = kind.sizes(job, sound=not wrong_parts, ready=not found)
            patterns = {at: len(names) for at, names in (outcome.origin.patterns or {}).items()}
            settled = {"patterns": patterns, **sizes}
            return _report(found, warnings).model_copy(update=settled)
    except PolicyError as error:
        return _report([*problems, *error.problems], [])


def _report(problems: Sequence[Problem], warnings: Sequence[Problem]) -> CheckReport:
    """Return the document without findings on the source."""
    return CheckReport(
        status="problems" if problems else "ok",
        exit_code=_exit_code(problems),
        problems=[finding(problem) for problem in dict.fromkeys(problems)],
        warnings=[finding(warning) for warning in warnings],
        records=None,
        combinations=None,
        lattice=None,
    )


def _exit_code(problems: Sequence[Problem]) -> int:
    """Return the exit code that a run of the policy would end with: that of a promise that cannot
    be kept only where nothing else is wrong."""
    if not problems:
        return 0
    only_unmet = all(problem.unmet for problem in problems)
    return PrivacyError.exit_code if only_unmet else PolicyError.exit_code
