"""Open the tables of a relational source, and hold them against the policy and each other."""

from __future__ import annotations

from collections.abc import Mapping

from anonsql.errors import Problem
from anonsql.jobs.job import Job
from anonsql.jobs.relational.columns import make_hierarchies, make_values
from anonsql.jobs.relational.tables import OpenTable, at_table, key_of, open_tables, require_sound
from anonsql.jobs.timing import timed
from anonsql.policy.relational import RelationalPolicy
from anonsql.relational import coding
from anonsql.relational.tables import Linked
from anonsql.risks import narrowing
from anonsql.risks.contents import problems as contents


def open_and_check(job: Job, policy: RelationalPolicy) -> dict[str, OpenTable]:
    """Open all tables, hold them against the policy, and make the hierarchies; raise PolicyError
    with all problems."""
    return check(job, policy, open_tables(job, policy))


def check(
    job: Job, policy: RelationalPolicy, opened: Mapping[str, OpenTable]
) -> dict[str, OpenTable]:
    """Hold the rows of open tables against the policy, and make the hierarchies; raise PolicyError
    with all problems."""
    with timed(job, "check_keys"):
        check_keys(job, policy, dict(opened))
    with timed(job, "build_hierarchies"):
        built = make_hierarchies(job, policy, dict(opened))
        return make_values(job, policy, built)


def look_at_text(
    job: Job, policy: RelationalPolicy, opened: Mapping[str, OpenTable]
) -> list[Problem]:
    """Return what the text of kept columns holds and the policy does not accept, in all tables that
    are released. Keys and references are left aside: keys of people are released as other
    numbers."""
    found: list[Problem] = []
    for table in opened.values():
        settings = policy.tables[table.name]
        linked = (settings.key, *settings.references)
        columns = [column for column in table.columns if column.name not in linked]
        rows = job.engine.query("sql/rows", table=table.relation)[0][0]
        given = (columns, table.view.columns, rows)
        found += [
            at_table(table.where, problem)
            for problem in contents.problems(job.engine, table.relation, *given)
        ]
    return found


def warn_of_narrowing(job: Job, opened: Mapping[str, OpenTable]) -> None:
    """Note the kept columns that narrow generalized ones of the same table."""
    for table in opened.values():
        rows = job.engine.query("sql/rows", table=table.relation)[0][0]
        given = (table.relation, table.columns, table.attributes, table.view)
        job.warnings += [
            at_table(table.where, warning)
            for warning in narrowing.warnings(job.engine, *given, rows=rows)
        ]


def check_keys(job: Job, policy: RelationalPolicy, opened: dict[str, OpenTable]) -> None:
    """Note what is wrong with keys and references: rows without one, with the same, with one that
    leads nowhere."""
    engine = job.engine
    for name, table in opened.items():
        settings = policy.tables[name]
        key = key_of(policy, table)
        job.problems += coding.key_problems(engine, name, table.relation, key)
        for column, other in settings.references.items():
            where = f"{table.where}.references.{column}"
            reference, others = Linked(table.column(column)), opened[other]
            other_key = key_of(policy, others)
            if (reference.column.kind, reference.cast) != (other_key.column.kind, other_key.cast):
                text = (
                    f"it is {reference.column.family}, and {other_key.name!r} of {other} is"
                    f" {other_key.column.family}."
                )
                job.problems.append(Problem(where, text, "Cast one of them in a view."))
                continue
            job.problems += coding.reference_problems(
                engine,
                where,
                (table.relation, reference),
                (others.relation, other_key),
                needed=not policy.tables[other].public,
            )
    require_sound(job)


def too_few_people(policy: RelationalPolicy, people: int) -> list[Problem]:
    """Return a problem where there are fewer people than k: no release can keep the promise."""
    if people >= policy.privacy.k:
        return []
    found = f"{policy.privacy.of} has {people:,} rows, fewer than k={policy.privacy.k}."
    return [Problem("privacy.k", found, "Wait for more, or lower it.", unmet=True)]
