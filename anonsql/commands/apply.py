"""``anonsql apply`` and ``anonsql compile``: the levels of an earlier release again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from anonsql.commands import compile as compiling
from anonsql.commands.run import note_report
from anonsql.errors import PolicyError
from anonsql.jobs import courses, pipeline, scheme
from anonsql.jobs.job import Job, Progress
from anonsql.jobs.sessions import running
from anonsql.methods.full_domain import choose as full_domain
from anonsql.policy.given import AnyPolicy
from anonsql.policy.policy import Policy
from anonsql.report.documents import CompileReport, Report
from anonsql.sql.dialects import Dialect

if TYPE_CHECKING:
    from anonsql.report.relational_documents import RelationalReport


def apply_scheme(
    policy: AnyPolicy, levels_of: str, progress: Progress, show_values: bool
) -> Report | RelationalReport:
    """Recode the source with levels that were published before: see :func:`anonsql.api.apply`."""
    if isinstance(policy, Policy):
        _require_one_scheme(policy, "apply")
    with running(policy, "apply", progress, show_values) as job:
        courses.open_to_apply(job)
        job.scheme = _scheme(job, levels_of)
        courses.apply(job)
        report = courses.report(job)
        note_report(job, report)
        return report


def compile_scheme(
    policy: Policy,
    dialect: Dialect,
    folder: Path,
    *,
    levels_of: str | None,
    source: str | None,
    progress: Progress,
    show_values: bool,
) -> CompileReport:
    """Write the recoding as plain SQL files: see :func:`anonsql.api.compile`."""
    _require_one_scheme(policy, "compile")
    with running(policy, "compile", progress, show_values) as job:
        pipeline.go_through(job, pipeline.OPEN_SOURCE)
        if levels_of is None:
            pipeline.go_through(job, pipeline.CHOOSE)
        else:
            job.scheme = _scheme(job, levels_of)
            pipeline.go_through(job, pipeline.CHOOSE_AGAIN)
        pipeline.go_through(job, pipeline.LOOK_AT_TEXT)
        return compiling.write(job, dialect, folder.absolute(), source)


def _require_one_scheme(policy: Policy, command: str) -> None:
    """Raise PolicyError where a policy has no levels, or is not of one release: where the
    promise is made for several combinations of columns, each by itself, or for releases over
    time."""
    full_domain.settings(policy)
    if policy.privacy.several:
        found = f"`{command}` judges classes of all quasi-identifying columns together."
        raise PolicyError.at(
            "privacy.quasi_identifiers", found, "Name one combination, or leave it out."
        )
    policy.require_one_release(command)


def _scheme(job: Job, named: str) -> scheme.Scheme:
    """Return the scheme of a run, by its number, or of a release."""
    if job.tables is not None:
        from anonsql.jobs.relational import scheme as of_tables

        return of_tables.of_job(job, named)
    if named.isascii() and named.isdigit():
        return scheme.of_run(job.catalog, int(named))
    return scheme.of_release(job.engine, job.places, job.policy, named, job.context)
