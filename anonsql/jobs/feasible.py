"""Promises that no generalization of a table can keep, found before any is searched for. ``check``
shows them, and ``run`` ends with them."""

from __future__ import annotations

import math

from anonsql.errors import Problem
from anonsql.jobs.job import Counted, Session
from anonsql.privacy.risk import offence
from anonsql.risks import limits
from anonsql.system.numbers import counted as number


def problems(session: Session, counted: Counted) -> list[Problem]:
    """Return a problem where the table has fewer rows than k, or fewer values of a sensitive column
    than l: no class of any release can have more; or where one class of all rows breaks a limit."""
    if session.policy.privacy.differential is not None:
        return []  # a run that ended by its rows would tell of them
    rows = _too_few_rows(session, counted) if counted.attributes else []
    if counted.attributes:
        rows += _limits(session, counted)
    return rows if session.problems else rows + _too_few_values(session, counted)


def _too_few_rows(session: Session, counted: Counted) -> list[Problem]:
    k = session.policy.privacy.k
    if counted.rows >= k:
        return []
    lower = f", or lower privacy.k to {counted.rows} at most" if counted.rows >= 2 else ""
    text = f"the source has {number(counted.rows, 'row')}, fewer than k={k}."
    return [Problem("privacy.k", text, f"Wait for more rows{lower}.", unmet=True)]


def _limits(session: Session, counted: Counted) -> list[Problem]:
    """Return a problem where the population has fewer members than the table rows, and one for each
    limit of the release as a whole that not even a single class of all rows keeps."""
    risk = session.policy.privacy.risk
    if not risk.limits or not counted.rows:
        return []
    share = risk.share(counted.rows)
    if share > 1:
        text = (
            f"a population of {risk.population.size if risk.population else 0:,} is smaller than"
            f" the table, which has {counted.rows:,} rows."
        )
        remedy = "Give the number of people that the rows are drawn from."
        return [Problem("privacy.risk.population.size", text, remedy)]
    found = []
    for limit in limits.reached(risk, [(counted.rows, 1)], share):
        if limit.kept or limit.value is None:
            continue
        text = f"{offence(risk, limit)}, even where all {counted.rows:,} rows are one class."
        remedy = risk.relaxed(limit.name, limits.rounded_up(limit.value))
        remedy = f"Wait for more rows, or {remedy}."
        found.append(Problem(f"privacy.risk.{limit.name}", text, remedy, unmet=True))
    return found


def _too_few_values(session: Session, counted: Counted) -> list[Problem]:
    """Entropy and recursive l-diversity need l different values too. Where values are released
    apart from their rows, the method reports on the most frequent one."""
    if session.policy.separated is not None:
        return []
    result = []
    for column in counted.coded:
        model = session.policy.privacy.l_diversity.get(column.name)
        if model is None:
            continue
        least, distinct = (
            math.ceil(model.least),
            session.engine.query("sql/rows", table=f"values_{column.index}")[0][0],
        )
        if distinct < least:
            values = "one value" if distinct == 1 else f"{distinct:,} different values"
            text = (
                f"{column.name!r} has {values} (NULL is one), and l={least} asks for as many in"
                " every"
                " class."
            )
            remedy = (
                f"Lower it to {distinct}." if distinct > 1 else "Leave it out: no l can be kept."
            )
            result.append(Problem(f"privacy.l_diversity.{column.name}", text, remedy, unmet=True))
    return result
