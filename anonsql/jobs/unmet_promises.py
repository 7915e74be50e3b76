"""Promises that no generalization of a table can keep, found before any is searched for. ``check``
shows them, and ``run`` ends with them."""

from __future__ import annotations

import math

from anonsql.errors import Problem
from anonsql.jobs.job import Job
from anonsql.privacy.risk import offence
from anonsql.risks import limits
from anonsql.system.numbers import counted as number


def problems(job: Job) -> list[Problem]:
    """Return a problem where the table has fewer rows than k, or fewer values of a sensitive column
    than l: no class of any release can have more; or where one class of all rows breaks a limit."""
    if job.policy.privacy.differential is not None:
        return []  # a run that ended because of its rows would reveal them
    rows = _too_few_rows(job) + _limits(job) if job.counted.attributes else []
    return rows if job.problems else rows + _too_few_values(job)


def _too_few_rows(job: Job) -> list[Problem]:
    k, rows = job.policy.privacy.k, job.counted.rows
    if rows >= k:
        return []
    lower = f", or lower privacy.k to {rows} at most" if rows >= 2 else ""
    text = f"the source has {number(rows, 'row')}, fewer than k={k}."
    return [Problem("privacy.k", text, f"Wait for more rows{lower}.", unmet=True)]


def _limits(job: Job) -> list[Problem]:
    """Return a problem where the population has fewer members than the table rows, and one for each
    limit of the release as a whole that not even a single class of all rows keeps."""
    risk, rows = job.policy.privacy.risk, job.counted.rows
    if not risk.limits or not rows:
        return []
    share = risk.share(rows)
    if share > 1:
        text = (
            f"the population has {risk.population.size if risk.population else 0:,} people, fewer"
            f" than the {rows:,} rows of the table."
        )
        remedy = "Give the size of the population from which the rows were sampled."
        return [Problem("privacy.risk.population.size", text, remedy)]
    found = []
    for limit in limits.reached(risk, [(rows, 1)], share):
        if limit.kept or limit.value is None:
            continue
        text = f"{offence(risk, limit)}, even if all {rows:,} rows form one class."
        remedy = risk.relaxed(limit.name, limits.rounded_up(limit.value))
        remedy = f"Wait for more rows, or {remedy}."
        found.append(Problem(f"privacy.risk.{limit.name}", text, remedy, unmet=True))
    return found


def _too_few_values(job: Job) -> list[Problem]:
    """Entropy and recursive l-diversity need l different values too. Where values are in a separate
    table, the method reports on the most frequent one."""
    if job.policy.separated is not None:
        return []
    result = []
    for column in job.counted.coded:
        model = job.policy.privacy.l_diversity.get(column.name)
        if model is None:
            continue
        least = math.ceil(model.least)
        [(distinct, null)] = job.engine.query("privacy/different", index=column.index)
        if distinct < least:
            values = "one value" if distinct == 1 else f"{distinct:,} different values"
            if null:
                values = "NULL alone" if distinct == 1 else f"{values}, one of which is NULL"
            text = f"{column.name!r} has {values}, but l={least} needs {least} in every class."
            remedy = (
                f"Lower l to {distinct}."
                if distinct > 1
                else "Leave it out: no value of l can be kept."
            )
            result.append(Problem(f"privacy.l_diversity.{column.name}", text, remedy, unmet=True))
    return result
