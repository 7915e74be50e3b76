"""The columns of a relational source: make the hierarchies of all tables, and the values of their
sensitive columns, and number the tables."""

from __future__ import annotations

from dataclasses import replace

from anonsql.errors import Problem
from anonsql.hierarchies import dimensions as hierarchies
from anonsql.hierarchies.dimensions import Attribute
from anonsql.hierarchies.lint import lint
from anonsql.jobs.job import Job
from anonsql.jobs.relational.state import OpenTable, Tables, tables_of
from anonsql.jobs.relational.tables import at_table, inside, require_sound
from anonsql.jobs.sources import QuasiColumn
from anonsql.privacy.promise import Promise
from anonsql.relational.tables import Guarded, Link, Linked, PersonalTable
from anonsql.release.columns import name_clashes, released_columns, same_names, without_surrogates
from anonsql.risks import mess
from anonsql.star import cells
from anonsql.star import coded as sensitive_columns

_CAST = "Cast it to text in a view, in both tables of a reference."


def build_hierarchies(job: Job) -> None:
    """Make the dimension tables of all columns, numbered over all tables, plan the released
    columns, and make the values of sensitive columns; raise PolicyError with what is wrong."""
    _make_dimensions(job)
    _plan_released(job)
    _make_values(job)


def _make_dimensions(job: Job) -> None:
    tables, engine, first = tables_of(job), job.engine, 1
    for name in tables.policy.ordered:
        table = tables.opened[name]
        with inside(job, table.where):
            attributes = _attributes(job, table, first)
            for attribute in attributes:
                hierarchies.build(engine, attribute, job.leaves)
            job.problems += [
                at_table(table.where, problem)
                for problem in lint(engine, attributes, job.leaves, job.show_values)
            ]
            job.warnings += [
                at_table(table.where, warning)
                for warning in mess.warnings(engine, attributes, f"{name}.")
            ]
            engine.drop("combinations")
            tables.opened[name] = replace(table, attributes=tuple(attributes))
            first += len(attributes)
    require_sound(job)


def _plan_released(job: Job) -> None:
    tables = tables_of(job)
    for name, table in tables.opened.items():
        released = released_columns(table.plan, table.columns, table.attributes)
        problems = name_clashes(table.plan, released)
        settings = tables.policy.tables[name]
        fields = {
            f"columns.{reference}": f"references.{reference}" for reference in settings.references
        }
        fields[f"columns.{settings.key}"] = "key"
        unsure = [
            replace(surrogate, remedy=_CAST)
            if surrogate.where.removesuffix(".replace") in fields
            else surrogate
            for surrogate in without_surrogates(released)
        ]
        if job.places.release.is_file:
            problems += same_names(released)
        for problem in problems + unsure:
            field = fields.get(problem.where.removesuffix(".replace"))
            job.problems.append(
                replace(problem, where=f"{table.where}.{field}")
                if field
                else at_table(table.where, problem)
            )
        tables.opened[name] = replace(table, released=released)
    require_sound(job)


def _make_values(job: Job) -> None:
    tables, engine = tables_of(job), job.engine
    first = 1 + sum(len(table.attributes) for table in tables.opened.values())
    for name in tables.policy.ordered:
        table = tables.opened[name]
        promised = tables.policy.promised_of(name)
        planned, problems = sensitive_columns.plan(promised, table.columns, first)
        for column in planned:
            select = "relational/sensitive/domain"
            parameters = {"name": "domain", "source": table.relation, "a": column}
            engine.run("sql/table", select=select, **parameters)
            cells.build(engine, [column], counted="domain")
            engine.drop("domain")
        problems += cells.problems(engine, planned)
        job.problems += [_of_model(name, problem) for problem in problems]
        tables.opened[name] = replace(table, sensitive=tuple(planned))
        first += len(planned)
    require_sound(job)


def _of_model(table: str, problem: Problem) -> Problem:
    section, _, rest = problem.where.partition(".")
    if section == "columns":
        return replace(problem, where=f"tables.{table}.{problem.where}")
    model, _, column = rest.partition(".")
    return replace(problem, where=f"{section}.{model}.{table}.{column}")


def guarded(tables: Tables) -> list[Guarded]:
    """Return the promise about each sensitive column with a model."""
    promises = []
    for number, name in enumerate(tables.policy.ordered, start=1):
        columns = tables.opened[name].sensitive
        promise = Promise.of(tables.policy.promised_of(name), columns)
        for column in columns:
            terms = tuple(term for term in promise.models if term.index == column.index)
            promises.append(Guarded(number, Promise(1, terms, (column.index,), matching=True)))
    return promises


def _attributes(job: Job, table: OpenTable, first: int) -> list[Attribute]:
    """Leave the table's distinct combinations in ``combinations``."""
    engine, order = job.engine, list(table.plan.quasi_identifiers)
    columns = sorted(
        (column for column in table.columns if column.name in order),
        key=lambda column: order.index(column.name),
    )
    for column in columns:
        hierarchies.require_generalizable(column)
    slots = [QuasiColumn(index, column) for index, column in enumerate(columns, start=first)]
    if not slots:
        return []
    slots_alone = {"attributes": slots, "coded": [], "population": ()}
    engine.drop("combinations")  # of a table before it, in which something was wrong
    engine.run("star/combinations", source=table.relation, **slots_alone)
    _, _, *nulls = engine.query("star/totals", **slots_alone)[0]
    return [
        hierarchies.plan(slot.index, slot.column, table.plan, null_rows, job.leaves.read)
        for slot, null_rows in zip(slots, nulls, strict=True)
    ]


def number_tables(tables: Tables) -> list[PersonalTable]:
    """Return the tables about people as statements see them."""
    policy, numbered = tables.policy, dict[str, PersonalTable]()
    for number, name in enumerate(policy.ordered, start=1):
        table, settings = tables.opened[name], policy.tables[name]
        link, chain = None, tuple[int, ...]()
        if number > 1:
            column, other = policy.to_people(name)
            upper = numbered[other]
            reference = Linked(table.column(column), f"map_{upper.number}")
            link, chain = Link(reference, upper.number), (number, *upper.chain)
        key = Linked(table.column(str(settings.key)), f"map_{number}")
        numbered[name] = PersonalTable(
            number,
            name,
            table.relation,
            key,
            link,
            chain,
            table.attributes,
            settings.max_rows,
            table.sensitive,
        )
    return list(numbered.values())
