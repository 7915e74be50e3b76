"""Warn of tables that are linked in a circle, where the audit knows less of it than readers do."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.errors import Problem
from anonsql.jobs.job import Job
from anonsql.jobs.statistics.joining import audited_circles
from anonsql.jobs.statistics.state import tabulation_of
from anonsql.statistics.circles import MOST_CELLS, Circle, circles_of


def warn_of_circles(job: Job) -> list[Problem]:
    """Return a warning for every circle of tables whose cells of all dimensions may not be audited (see
    :mod:`anonsql.jobs.statistics.joining`), and why."""
    policy, attributes = tabulation_of(job).policy, job.counted.attributes
    circles = circles_of(policy.tables, attributes)
    if not circles:
        return []
    groups = _groups(job)
    names, warnings = {attribute.index: attribute.name for attribute in attributes}, []
    for circle in circles:
        if policy.protect.over_time is not None:
            why = "not with `over_time`"
        elif circle.small(groups):
            continue
        elif circle.alike:
            why = f"if what is published leaves {MOST_CELLS:,} possible at most"
        else:
            why = "not where tables begin at different levels"
        warnings.append(_warning(circle, [names[index] for index in circle.levels], why))
    return warnings


def surely_audited(job: Job) -> list[dict[str, int]]:
    """Return the dimensions with their levels of every circle whose cells of all dimensions are
    audited, whatever is published."""
    tabulation = tabulation_of(job)
    names = {attribute.index: attribute.name for attribute in tabulation.plan.attributes}
    circles = audited_circles(tabulation)
    groups = _groups(job) if circles else {}
    return [
        {names[index]: level for index, level in circle.levels.items()}
        for circle in circles
        if circle.small(groups)
    ]


def _groups(job: Job) -> dict[tuple[int, int], int]:
    """Return how many groups every dimension has at every level."""
    found = job.engine.query("statistics/group_counts")
    return {(index, level): count for index, level, count in found}


def _warning(circle: Circle, dimensions: Sequence[str], why: str) -> Problem:
    """Return the warning of a circle by its dimensions, and when its cells are audited."""
    by = _listed(dimensions)
    text = (
        f"{_listed([*circle.tables])} are linked in a circle. Their cells are sums of cells by {by},"
        f" which are not negative, and by which readers may tell hidden ones. The audit looks at these"
        f" {why}."
    )
    remedy = f"Leave one of these tables out, or add one of {by}."
    return Problem("statistics.tables", text, remedy)


def _listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them."""
    return ", ".join(names[:-1]) + f" and {names[-1]}"
