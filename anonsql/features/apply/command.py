"""``anonsql apply`` and ``anonsql compile``: the levels of an earlier release again."""

from __future__ import annotations

from pathlib import Path

from anonsql.errors import PolicyError
from anonsql.features.compile import command as compiling
from anonsql.features.compile.document import CompileReport
from anonsql.features.run import document_of_job
from anonsql.features.run.command import note_report
from anonsql.features.run.document import Report
from anonsql.jobs import pipeline, scheme
from anonsql.jobs.job import Job, Progress
from anonsql.jobs.sessions import running
from anonsql.methods.full_domain import choose as full_domain
from anonsql.policy.policy import Given, Policy
from anonsql.sql.dialects import Dialect


def apply_scheme(policy: Given, levels_of: str, progress: Progress, show_values: bool) -> Report:
    """Recode the source with levels that were published before: see :func:`anonsql.api.apply`."""
    given = _one_scheme(policy, "apply")
    with running(given, "apply", progress, show_values) as job:
        pipeline.go_through(job, pipeline.OPEN)
        job.scheme = _scheme(job, levels_of)
        pipeline.go_through(job, pipeline.APPLY)
        report = document_of_job.report(job)
        note_report(job, report)
        return report


def compile_scheme(
    policy: Given,
    dialect: Dialect,
    folder: Path,
    *,
    levels_of: str | None,
    source: str | None,
    progress: Progress,
    show_values: bool,
) -> CompileReport:
    """Write the recoding as plain SQL files: see :func:`anonsql.api.compile`."""
    given = _one_scheme(policy, "compile")
    with running(given, "compile", progress, show_values) as job:
        pipeline.go_through(job, pipeline.OPEN_SOURCE)
        if levels_of is None:
            pipeline.go_through(job, pipeline.CHOOSE)
        else:
            job.scheme = _scheme(job, levels_of)
            pipeline.go_through(job, pipeline.CHOOSE_AGAIN)
        pipeline.go_through(job, pipeline.LOOK_AT_TEXT)
        return compiling.write(job, dialect, folder.absolute(), source)


def _one_scheme(policy: Given, command: str) -> Policy:
    """Return a policy of levels, for one release. Raise PolicyError where the promise is made for
    several combinations of columns, each by itself, or for releases over time."""
    given = Policy.of(policy)
    full_domain.settings(given)
    if given.privacy.several:
        found = f"`{command}` judges classes of all quasi-identifying columns together."
        raise PolicyError.at(
            "privacy.quasi_identifiers", found, "Name one combination, or leave it out."
        )
    given.require_one_release(command)
    return given


def _scheme(job: Job, named: str) -> scheme.Scheme:
    """Return the scheme of a run, by its number, or of a release."""
    if named.isascii() and named.isdigit():
        return scheme.of_run(job.catalog, int(named))
    return scheme.of_release(job.engine, job.places, job.policy, named, job.context)
