"""Warn of tables that are linked in a circle, where the audit knows less of it than readers do."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.errors import Problem
from anonsql.jobs.job import Job
from anonsql.jobs.statistics.state import tabulation_of
from anonsql.statistics.circles import MOST_CELLS, Circle, circles_of


def warn_of_circles(job: Job) -> list[Problem]:
    """Return a warning for every circle of tables whose cells of all dimensions are not audited (see
    :mod:`anonsql.jobs.statistics.joining`), and why."""
    policy, attributes = tabulation_of(job).policy, job.counted.attributes
    circles = circles_of(policy.tables, attributes)
    if not circles:
        return []
    groups = {
        (index, level): count for index, level, count in job.engine.query("statistics/group_counts")
    }
    names, warnings = {attribute.index: attribute.name for attribute in attributes}, []
    for circle in circles:
        if policy.protect.over_time is not None:
            why = "with `over_time`"
        elif circle.audited(groups):
            continue
        elif circle.alike:
            why = f"as there may be more than {MOST_CELLS:,}"
        else:
            why = "as they begin at different levels"
        warnings.append(_warning(circle, [names[index] for index in circle.levels], why))
    return warnings


def _warning(circle: Circle, dimensions: Sequence[str], why: str) -> Problem:
    """Return the warning of a circle by its dimensions, which is not audited for a reason."""
    by = _listed(dimensions)
    text = (
        f"{_listed([*circle.tables])} are linked in a circle. Their cells are sums of cells by {by},"
        f" which are not negative; the audit does not look at these, {why}, and readers may tell"
        " hidden cells by them."
    )
    remedy = f"Leave one of these tables out, or add one of {by}."
    return Problem("statistics.tables", text, remedy)


def _listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them."""
    return ", ".join(names[:-1]) + f" and {names[-1]}"
