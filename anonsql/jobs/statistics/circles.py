"""Warn of tables that are linked in a circle, where the audit knows less of it than readers do."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.errors import Problem
from anonsql.jobs.job import Job
from anonsql.jobs.statistics.state import tabulation_of
from anonsql.statistics import circles, cubes


def warn_of_circles(job: Job) -> list[Problem]:
    """Return a warning for every circle of tables whose cells of all dimensions may not be audited (see
    :mod:`anonsql.jobs.statistics.joining`), and why."""
    policy, attributes = tabulation_of(job).policy, job.counted.attributes
    found = circles.circles_of(policy.tables, attributes)
    if not found:
        return []
    groups = {
        (index, level): count for index, level, count in job.engine.query("statistics/group_counts")
    }
    cells = cubes.most_cells(policy, attributes, groups, max(job.counted.combinations, 1))
    names, warnings = {attribute.index: attribute.name for attribute in attributes}, []
    for circle in found:
        if policy.protect.over_time is not None:
            why = "not with `over_time`"
        elif not circle.countable({}):
            why = f"not where tables begin at different levels, or more than {circles.MOST_TABLES} form a circle"
        elif cells > circles.MOST_PUBLISHED or circle.combinations(groups) > circles.MOST_CELLS:
            why = (
                f"if at most {circles.MOST_CELLS:,} of them are possible, and the tables have"
                f" {circles.MOST_PUBLISHED:,} cells at most"
            )
        else:
            continue
        warnings.append(_warning(circle, [names[index] for index in circle.levels], why))
    return warnings


def _warning(circle: circles.Circle, dimensions: Sequence[str], why: str) -> Problem:
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
