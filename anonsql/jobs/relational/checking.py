"""Hold the tables of a relational source against the policy and each other."""

from __future__ import annotations

from anonsql.errors import Problem
from anonsql.jobs.job import Job
from anonsql.jobs.relational.state import tables_of
from anonsql.jobs.relational.tables import at_table, require_sound
from anonsql.policy.columns import KEPT
from anonsql.policy.relational import RelationalPolicy
from anonsql.relational import coding
from anonsql.relational.tables import Linked
from anonsql.risks import linked
from anonsql.risks.contents import looking as contents
from anonsql.risks.keys_of_people import problems as keys_of_people
from anonsql.system.numbers import counted


def look_at_text(job: Job) -> None:
    """Raise PolicyError for text of kept columns that the policy does not accept, in all tables
    that are released; warn of kept columns that narrow generalized ones of the same table."""
    note_text(job)
    require_sound(job)
    warn_of_linked_values(job)


def warn_of_linked_values(job: Job) -> None:
    """Note the kept columns that narrow generalized ones of the same table."""
    for table in tables_of(job).opened.values():
        columns = (table.relation, table.columns, table.attributes, table.view)
        narrowed = linked.narrowed(job.engine, *columns, rows=table.rows)
        job.warnings += [at_table(table.where, warning) for warning in linked.of_kept(narrowed)]


def note_text(job: Job) -> None:
    """Note what kept columns hold and the policy does not accept, among it keys of people: of
    generalized ones k counts the people. Declared keys and references are left aside, as they are
    released as other numbers."""
    tables = tables_of(job)
    for table in tables.opened.values():
        keys = tables.policy.linked(table.name)
        columns = [column for column in table.columns if column.name not in keys]
        settings = table.view.columns
        found = contents.problems(job.engine, table.relation, columns, settings, table.rows)
        found += [
            keys_of_people.kept_problem(key, settings[key.name])
            for key in keys_of_people.uncovered(job.engine, table.relation, columns, settings)
            if settings[key.name].role in KEPT
        ]
        job.problems += [at_table(table.where, problem) for problem in found]


def check_keys(job: Job) -> None:
    """Raise PolicyError with what is wrong with keys and references: rows without one, with the
    same, with one that leads nowhere."""
    tables, engine = tables_of(job), job.engine
    policy, opened = tables.policy, tables.opened
    for name, table in opened.items():
        settings = policy.tables[name]
        job.problems += coding.key_problems(engine, name, table.relation, tables.key(name))
        for column, other in settings.references.items():
            where = f"{table.where}.references.{column}"
            reference, other_key = Linked(table.column(column)), tables.key(other)
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
                (opened[other].relation, other_key),
                needed=not policy.tables[other].public,
            )
    require_sound(job)


def count_people(job: Job) -> None:
    """Count the people of the source, and note where they are fewer than k."""
    tables = tables_of(job)
    tables.people = tables.opened[tables.policy.privacy.of].rows
    job.problems += too_few_people(tables.policy, tables.people)


def too_few_people(policy: RelationalPolicy, people: int) -> list[Problem]:
    """Return a problem where there are fewer people than k: no release can keep the promise."""
    if people >= policy.privacy.k:
        return []
    text = f"{policy.privacy.of} has {counted(people, 'row')}, fewer than k={policy.privacy.k}."
    return [Problem("privacy.k", text, "Wait for more, or lower it.", unmet=True)]
