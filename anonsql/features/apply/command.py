"""``anonsql apply``: the levels of an earlier release again, which ``compile`` takes too."""

from __future__ import annotations

from anonsql.errors import PolicyError
from anonsql.features.run import document_of_job
from anonsql.features.run.command import note_report
from anonsql.features.run.document import Report
from anonsql.jobs import pipeline, scheme
from anonsql.jobs.job import Job, Progress, silent
from anonsql.jobs.sessions import running
from anonsql.methods.full_domain import choose as full_domain
from anonsql.policy.policy import Given, Policy


def apply(
    policy: Given, levels_of: str | int, *, progress: Progress = silent, show_values: bool = False
) -> Report:
    """Recode the policy's source with the levels that were published before: by a run of the
    catalog (its number), or in a release (its file or folder, or its table on the server). Rows
    that would break k are quarantined: left out and counted. Raise PolicyError when the hierarchies
    miss values or are not those of the scheme."""
    given = one_scheme(policy, "apply")
    with running(given, "apply", progress, show_values) as job:
        pipeline.go_through(job, pipeline.OPEN)
        job.scheme = scheme_of(job, str(levels_of))
        pipeline.go_through(job, pipeline.APPLY)
        report = document_of_job.report(job)
        note_report(job, report)
        return report


def one_scheme(policy: Given, command: str) -> Policy:
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


def scheme_of(job: Job, named: str) -> scheme.Scheme:
    """Return the scheme of a run, by its number, or of a release."""
    if named.isascii() and named.isdigit():
        return scheme.of_run(job.catalog, int(named))
    return scheme.of_release(job.engine, job.places, job.policy, named, job.context)
