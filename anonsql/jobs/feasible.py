"""Promises that no generalization of a table can keep, found before any is searched for. ``check``
shows them, and ``run`` ends with them."""

from __future__ import annotations

import math

from anonsql.errors import Problem
from anonsql.jobs.job import Job


def problems(job: Job) -> list[Problem]:
    """Return a problem where the table has fewer rows than k, or fewer values of a sensitive column
    than l: no class of any release can have more."""
    rows = _too_few_rows(job) if job.attributes else []
    return rows if job.problems else rows + _too_few_values(job)


def _too_few_rows(job: Job) -> list[Problem]:
    k = job.policy.privacy.k
    if job.rows >= k:
        return []
    lower = f", or lower privacy.k to {job.rows} at most" if job.rows >= 2 else ""
    found = f"the source has {job.rows:,} rows, fewer than k={k}."
    return [Problem("privacy.k", found, f"Wait for more rows{lower}.", unmet=True)]


def _too_few_values(job: Job) -> list[Problem]:
    """Return a problem for each sensitive column with fewer values than l. Entropy and recursive
    l-diversity need l different values too. Where values are released apart from their rows, their
    most frequent value decides instead, and the method reports it."""
    if job.policy.separated is not None:
        return []
    found = []
    for each in job.coded:
        asked = job.policy.privacy.l_diversity.get(each.name)
        if asked is None:
            continue
        least, there = (
            math.ceil(asked.least),
            job.engine.query("sql/rows", table=f"values_{each.index}")[0][0],
        )
        if there < least:
            values = "one value" if there == 1 else f"{there:,} different values"
            text = (
                f"{each.name!r} has {values} (NULL is one), and l={least} asks for as many in every"
                " class."
            )
            remedy = f"Lower it to {there}." if there > 1 else "Leave it out: no l can be kept."
            found.append(Problem(f"privacy.l_diversity.{each.name}", text, remedy, unmet=True))
    return found
