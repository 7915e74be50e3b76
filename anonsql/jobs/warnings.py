"""The warnings of ``check`` and ``run``: about what a policy allows and its author may not have
intended. And the promises that no generalization of a table can keep, found before any is searched
for: ``check`` shows them, and ``run`` ends with them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace

from anonsql.engines import column_types
from anonsql.engines.base import Column
from anonsql.errors import Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs import source_columns
from anonsql.jobs.job import Job, KeptColumns, Opened
from anonsql.jobs.scheme import Scheme
from anonsql.policy import local as local_policy
from anonsql.policy.columns import KEPT
from anonsql.policy.table_plan import TablePlan
from anonsql.privacy.risk import offence
from anonsql.risks import limits, linked, mess
from anonsql.risks.contents import looking as contents
from anonsql.risks.kept import warnings as kept_warnings
from anonsql.risks.kept.warnings import Earlier
from anonsql.risks.keys_of_people import problems as keys_of_people
from anonsql.risks.keys_of_people.finding import Key
from anonsql.risks.keys_of_people.problems import Repeating
from anonsql.star.lattice import size
from anonsql.system.numbers import counted as number


def unmet_promises(job: Job) -> list[Problem]:
    """Return a problem where the table has fewer rows than k, or fewer values of a sensitive column
    than l: no class of any release can have more; or where one class of all rows breaks a limit."""
    if job.policy.privacy.differential is not None:
        return []  # a run that ended because of its rows would reveal them
    rows = _too_few_rows(job) + _unmet_limits(job) if job.counted.attributes else []
    return rows if job.problems else rows + _too_few_values(job)


def _too_few_rows(job: Job) -> list[Problem]:
    k, rows = job.policy.privacy.k, job.counted.rows
    if rows >= k:
        return []
    lower = f", or lower privacy.k to {rows} at most" if rows >= 2 else ""
    text = f"the source has {number(rows, 'row')}, fewer than k={k}."
    return [Problem("privacy.k", text, f"Wait for more rows{lower}.", unmet=True)]


def _unmet_limits(job: Job) -> list[Problem]:
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


_LARGE_LATTICE = 1_000_000
_MANY_COLUMNS = 30


def note(
    job: Job,
    opened: Opened,
    reports: Sequence[tuple[str, str]],
    published: Scheme | None = None,
) -> KeptColumns:
    """Add the warnings about a policy and its source to the job, and the limits on kept columns
    that cannot be met; return the risk of these columns. ``reports`` are from earlier releases:
    table and JSON document. A ``published`` scheme leaves out rows that do not fit."""
    policy, counted = job.policy, job.counted
    columns = [column for column in opened.columns if column.name in policy.columns]
    narrowed = (
        []
        if job.problems
        else linked.narrowed(
            job.engine,
            opened.source,
            opened.columns,
            counted.attributes,
            policy,
            rows=counted.rows,
        )
    )
    kept = kept_warnings.of_source(
        job.engine,
        opened.source,
        columns,
        policy,
        rows=counted.rows,
        declared=opened.declared,
        earlier=[earlier for report in reports for earlier in _earlier(*report)],
    )
    if published is None:
        job.problems += kept.problems
    keys = look_at_contents(job, opened)
    people = _repeating(job, opened)
    job.warnings += [
        *size_warnings(policy, counted.attributes),
        *_one_class(policy, counted.rows),
        *([] if job.problems else mess.warnings(job.engine, counted.attributes)),
        *source_columns.kept(policy),
        *kept.warnings,
        *linked.of_kept(narrowed),
        *([people.warning] if people is not None else []),
        *(Problem(*text) for text in local_policy.warnings(policy.columns, policy.conditions)),
        *_unions(policy, columns),
        *_untrue(policy, counted.rows),
    ]
    return KeptColumns(kept.rows, kept.steps, people, keys)


def look_at_contents(job: Job, opened: Opened, *, then_counted: bool = True) -> list[Key]:
    """Note the contents of kept columns, and released keys of people, that the policy does not
    accept. Return the keys that are not released unchanged: each class must have k of them, which
    is ``then_counted``, or noted as a problem."""
    policy, columns = job.policy, opened.columns
    job.problems += contents.problems(
        job.engine, opened.source, columns, policy.columns, job.counted.rows
    )
    job.warnings += keys_of_people.accepted(policy)
    privacy, hidden = policy.privacy, []
    for key in keys_of_people.uncovered(
        job.engine, opened.source, columns, policy.columns, privacy.entity
    ):
        settings = policy.columns[key.name]
        shown = keys_of_people.shows_values(key, settings, privacy.k)
        if shown or (key.repeats and not then_counted):
            job.problems.append(keys_of_people.problem(key, policy))
        elif key.repeats:
            hidden.append(key)
            job.warnings.append(keys_of_people.then_counted(key, policy))
    return hidden


def _earlier(table: str, report: str) -> list[Earlier]:
    result = json.loads(report)
    tables = result.get("tables", [{"table": table, **result}])  # of several tables, or of one
    return [
        Earlier(
            value["table"],
            frozenset(
                column["column"]
                for column in value["columns"]
                if column["role"] in KEPT and column.get("form", "value") == "value"
            ),
        )
        for value in tables
        if "columns" in value
    ]


def _repeating(job: Job, opened: Opened) -> Repeating | None:
    """Return the removed column that identifies people and whose values repeat, so that several
    rows are one person, where the policy has no ``entity``."""
    policy = job.policy
    if policy.privacy.entity is not None or policy.privacy.k < 2:
        return None
    roles = {name: column.role for name, column in policy.columns.items()}
    identifying = [column for column in opened.columns if roles.get(column.name) == "identifying"]
    quasi = [column for column in opened.columns if column.name in policy.quasi_identifiers]
    result = keys_of_people.repeating(
        job.engine, opened.source, identifying, quasi, k=policy.privacy.k
    )
    if result is None or policy.privacy.differential is None:
        return result
    remedy = (
        "Differential privacy protects single rows: combine the rows of each person into one"
        " in a view."
    )
    return replace(result, warning=replace(result.warning, remedy=remedy))


def _one_class(policy: TablePlan, rows: int) -> list[Problem]:
    k = policy.privacy.k
    if not k <= rows < 2 * k or policy.privacy.differential is not None:
        return []
    text = f"the source has only {rows:,} rows, so k={k} puts all of them into one class."
    return [Problem("privacy.k", text, f"Lower k to {max(rows // 4, 2)}, or wait for more rows.")]


def _unions(policy: TablePlan, columns: Sequence[Column]) -> list[Problem]:
    kept = [column for column in columns if policy.columns[column.name].role in KEPT]
    text = "a union is released as text, which does not show the member that a value came from."
    remedy = "If that matters, make a column for each member in a view."
    return [
        Problem(f"columns.{column.name}", text, remedy)
        for column in kept
        if any(part.name == "UNION" for part in column_types.parse(column.type).everything())
    ]


def _untrue(policy: TablePlan, rows: int) -> list[Problem]:
    method, columns = policy.method, len(policy.quasi_identifiers)
    if not (most := method.max_changed(rows, columns)):
        return []
    changed = f"{min(most, rows):,} of {rows:,} rows"
    text = (
        f"the method may change up to {most:,} of {rows * columns:,} quasi-identifying cells, in"
        f" up to {changed}."
    )
    return [
        Problem("method.p", text, "If single rows must be true, lower p or choose another method.")
    ]


def generalizations(policy: TablePlan, attributes: Sequence[Attribute]) -> int | None:
    """Return the number of generalizations to choose from, where the method searches them."""
    if not policy.method.searches:
        return None
    return size(
        [attribute.min_level for attribute in attributes],
        [attribute.max_level for attribute in attributes],
    )


def size_warnings(policy: TablePlan, attributes: Sequence[Attribute]) -> list[Problem]:
    """Return a warning for a search that may take too long, and one for statements that may."""
    limit = (
        "" if policy.engine.seconds else " `engine: {seconds: 600}` ends a run that takes longer."
    )
    problems, nodes = [], generalizations(policy, attributes)
    if nodes is not None and nodes > _LARGE_LATTICE:
        remedy = (
            "Limit levels with min_level and max_level, or use fewer quasi-identifying columns."
        )
        text = f"there are {nodes:,} generalizations to search."
        problems.append(Problem("columns", text, remedy + limit))
    if len(attributes) > _MANY_COLUMNS:
        text = (
            f"there are {len(attributes)} quasi-identifying columns: planning time grows with the"
            " square of their number, and hardly any rows are equal in so many columns."
        )
        remedy = (
            "Make columns insensitive if no attacker can know them of a person, or identifying to"
            " remove them."
        )
        problems.append(Problem("columns", text, remedy + limit))
    return problems
