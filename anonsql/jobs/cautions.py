"""The warnings of ``check`` and ``run``: about what a policy allows and its author may not have
intended."""

from __future__ import annotations

import json
from collections.abc import Sequence

from anonsql.engines import column_types
from anonsql.errors import Problem
from anonsql.jobs import sizes
from anonsql.jobs.job import Job
from anonsql.policy import local as local_policy
from anonsql.risks import repeated_people as people_warnings
from anonsql.risks.kept import warnings as kept_warnings
from anonsql.risks.kept.counting import KEPT
from anonsql.risks.kept.warnings import Earlier


def note(job: Job, reports: Sequence[tuple[str, str]]) -> None:
    """Add the warnings about a job's policy and source to the job, and the limits to kept columns
    that cannot be met. ``reports`` are those of earlier releases: table and JSON document."""
    kept = kept_warnings.of_source(
        job.engine,
        job.source,
        [each for each in job.columns if each.name in job.policy.columns],
        job.policy,
        rows=job.rows,
        earlier=[_earlier(*each) for each in reports],
    )
    job.kept_in_source, job.telling = kept.rows, kept.steps
    if job.scheme is None:  # a scheme leaves out rows that do not fit instead
        job.problems += kept.problems
    job.warnings += [
        *sizes.warnings(job.policy, job.attributes),
        *kept.warnings,
        *_repeating(job),
        *_telling(job),
        *_unions(job),
        *_untrue(job),
    ]


def _earlier(table: str, report: str) -> Earlier:
    """Return an earlier release, from its report."""
    columns = json.loads(report)["columns"]  # every version of the report has these
    kept = {each["column"] for each in columns if each["role"] in KEPT and _as_it_is(each)}
    return Earlier(table, frozenset(kept))


def _as_it_is(column: dict[str, object]) -> bool:
    """Return whether a report says that a column was released unchanged beside the rows."""
    return column["looks_like"] == "as it is"


def _repeating(job: Job) -> list[Problem]:
    """Return a warning for an identifying column whose values repeat, so that several rows are one
    person, where the policy has no ``entity``."""
    if job.policy.privacy.entity is not None or job.policy.privacy.k < 2:
        return []
    roles = {name: each.role for name, each in job.policy.columns.items()}
    identifying = [each for each in job.columns if roles.get(each.name) == "identifying"]
    quasi = [each for each in job.columns if each.name in job.policy.quasi_identifiers]
    return people_warnings.repeating(
        job.engine, job.source, identifying, quasi, k=job.policy.privacy.k
    )


def _telling(job: Job) -> list[Problem]:
    """Return a warning for each condition that lets the mere fact that an entry is withheld reveal
    something sensitive."""
    return [
        Problem(*each) for each in local_policy.warnings(job.policy.columns, job.policy.conditions)
    ]


def _unions(job: Job) -> list[Problem]:
    """Return a warning for each kept column that is released as text which does not represent its
    values fully."""
    kept = [each for each in job.columns if each.name in job.policy.columns]
    kept = [each for each in kept if job.policy.columns[each.name].role in KEPT]
    text = "a union is released as text, which does not tell which member a value came from."
    remedy = "Where that matters, have a column for each member, in a view."
    return [
        Problem(f"columns.{each.name}", text, remedy)
        for each in kept
        if any(part.name == "UNION" for part in column_types.parse(each.type).everything())
    ]


def _untrue(job: Job) -> list[Problem]:
    """Return a warning that says how much of the release need not be true."""
    method, columns = job.policy.method, len(job.policy.quasi_identifiers)
    if not (most := method.max_changed(job.rows, columns)):
        return []
    rows = f"{min(most, job.rows):,} of {job.rows:,} rows"
    text = (
        f"up to {most:,} of {job.rows * columns:,} quasi-identifying cells, in up to {rows}, will"
        " not be true."
    )
    return [
        Problem(
            "method.p", text, "Lower it, or choose another method, where single rows must be true."
        )
    ]
