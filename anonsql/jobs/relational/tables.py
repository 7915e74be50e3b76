"""The tables of a relational source: open them, and hold their columns against the policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from anonsql.engines.base import Engine
from anonsql.errors import PolicyError, Problem, did_you_mean
from anonsql.jobs import fingerprints, source_columns, sources
from anonsql.jobs.job import Fingerprint, Job
from anonsql.jobs.relational.state import OpenTable, tables_of
from anonsql.policy.columns import KEPT
from anonsql.policy.relational import PUBLIC, REMOVED, RelationalPolicy
from anonsql.policy.relational_tables import TablePolicy
from anonsql.relational import coding
from anonsql.relational.tables import Linked
from anonsql.release.columns import not_numeric_weights
from anonsql.risks import linked
from anonsql.risks.contents import looking as contents
from anonsql.risks.kept import warnings as kept_warnings
from anonsql.risks.keys_of_people import problems as keys_of_people
from anonsql.system.numbers import counted

_WHERE_OF_SOURCE, _COLUMNS_OF_SOURCE = "source.table", "source.columns."
_PERSONAL_NAMES = (
    "name",
    "email",
    "mail",
    "phone",
    "telefon",
    "address",
    "adresse",
    "birth",
    "born",
)
"""Words in names of columns that mostly say something of people."""


def open_tables(job: Job) -> None:
    """Open all tables that are released, that of people first; note what is wrong."""
    tables = tables_of(job)
    policy, opened = tables.policy, tables.opened
    for name in policy.people_first:
        plan = policy.plan(name)
        with inside(job, f"tables.{name}"):
            if name == policy.privacy.of:
                relation = job.engine.open_source(plan.source)
            else:
                relation = job.engine.open_beside(plan.source, f"tables.{name}")
            columns = job.engine.columns(relation)
            if policy.tables[name].public:
                names = [column.name for column in columns if column.name not in plan.columns]
                as_is = dict.fromkeys(names, PUBLIC)
                plan = plan.changed(columns={**plan.columns, **as_is})
            opened[name] = OpenTable(name, relation, columns, plan)
            problems, made = sources.find_hierarchies(job, plan, relation, columns)
            job.problems += [at_table(f"tables.{name}", problem) for problem in problems]
            job.warnings += [at_table(f"tables.{name}", problem) for problem in made]
            job.warnings += source_columns.kept(plan, f"tables.{name}.columns")
            job.problems += _column_problems(opened[name], policy.tables[name])
            where = f"tables.{name}.columns"
            job.problems += not_numeric_weights(columns, plan.columns, where)
    require_sound(job)
    locations = _locations(job.engine, policy, opened)
    for name in list(opened):
        rows = job.engine.query("sql/rows", table=opened[name].relation)[0][0]
        table = opened[name] = replace(opened[name], rows=rows)
        job.problems += _declared_problems(job.engine, policy, table, locations)
        if policy.tables[name].public:
            job.warnings += _personal_names(table)
        else:
            job.warnings += _kept(job.engine, policy.tables[name], table)
    require_sound(job)
    tables.opened = {name: opened[name] for name in policy.released}


def _column_problems(table: OpenTable, settings: TablePolicy) -> list[Problem]:
    names = [column.name for column in table.columns]
    lacking = [name for name in table.plan.columns if name not in names]
    places = dict.fromkeys(settings.columns, "columns")
    places |= dict.fromkeys(settings.references, "references")
    return [
        Problem(
            f"{table.where}.columns.{name}",
            "this column of the source has no role.",
            did_you_mean(name, lacking) or "Give it a role, or name it in `references`.",
        )
        for name in names
        if name not in table.plan.columns
    ] + [
        Problem(
            f"{table.where}.{places[name]}.{name}" if name in places else f"{table.where}.key",
            f"the table has no column {name!r}.",
            did_you_mean(name, names),
        )
        for name in lacking
    ]


def _locations(
    engine: Engine, policy: RelationalPolicy, opened: Mapping[str, OpenTable]
) -> dict[tuple[str, ...], str]:
    """Tables that are left out are not opened, and may be known by name alone."""
    locations: dict[tuple[str, ...], str] = {}
    for name, settings in policy.tables.items():
        if settings.left_out:
            schema, _, alone = policy.source_name(name).rpartition(".")
            locations[(schema, alone) if schema else (alone,)] = name
        else:
            locations[tuple(engine.shown(opened[name].relation)[-2:])] = name
    return locations


def _declared_problems(
    engine: Engine,
    policy: RelationalPolicy,
    table: OpenTable,
    locations: Mapping[tuple[str, ...], str],
) -> list[Problem]:
    problems = []
    settings = policy.tables[table.name]
    for key in engine.keys(table.relation):
        other = locations.get(tuple(key.at)) or locations.get(tuple(key.at[-1:]))
        if key.kind == "referred" and other is None and not settings.public:
            problems.append(
                Problem(
                    "tables",
                    f"{key.other} refers to {table.name}, but is not in the policy.",
                    "Add the table, or set its `left_out: true`.",
                )
            )
        if key.kind != "refers" or other is None or policy.tables[other].left_out:
            continue
        column = key.columns[0]
        role = table.plan.columns[column].role
        if len(key.columns) > 1:
            names = ", ".join(key.columns)
            text = f"it refers to {other} by several columns, {names}."
            remedy = "Combine them in one column, in views of both tables."
            problems.append(Problem(f"{table.where}.references", text, remedy))
        elif column not in settings.references and role != "identifying":
            text = (
                f"it refers to {other}, so with the role {role} it would release the keys of"
                " that table."
            )
            remedy = f"Make it {REMOVED}."
            if not policy.tables[other].public:
                problems.append(Problem(f"{table.where}.columns.{column}", text, remedy))
    return problems


def _personal_names(table: OpenTable) -> list[Problem]:
    names = [
        column.name
        for column in table.columns
        if table.plan.columns[column.name].role != "identifying"
        and any(word in column.name.lower() for word in _PERSONAL_NAMES)
    ]
    if not names:
        return []
    text = (
        f"the table is public, so {', '.join(names)} would be released unchanged, which may"
        " identify people."
    )
    remedy = "Make these columns identifying, or leave the table out."
    return [Problem(table.where, text, remedy)]


def _kept(engine: Engine, settings: TablePolicy, table: OpenTable) -> list[Problem]:
    linked = (settings.key, *settings.references)
    columns = [column for column in table.columns if column.name not in linked]
    arguments = (engine, table.relation, columns, table.plan)
    findings = kept_warnings.of_source(*arguments, rows=table.rows)
    return [at_table(table.where, warning) for warning in findings.warnings]


def fingerprint_tables(job: Job) -> None:
    """Compute the fingerprint of the release's inputs: all tables that are released, hierarchies
    and policy. Raise PolicyError where a hierarchy's file cannot be read."""
    tables = tables_of(job)
    sources = [
        fingerprints.of_source(job.engine, table.relation, table.columns, table.plan)
        for table in tables.opened.values()
    ]
    of_policy = fingerprints.of_tables(tables.policy, job.places)
    job.fingerprint = Fingerprint(f"{'/'.join(sources)} {of_policy}")


def require_sound(job: Job) -> None:
    """Raise PolicyError with all problems that were found."""
    if job.problems:
        raise PolicyError(job.problems)


@contextmanager
def inside(job: Job, where: str) -> Iterator[None]:
    """Note the problems of a table at its place in the policy."""
    try:
        yield
    except PolicyError as error:
        job.problems += [at_table(where, problem) for problem in error.problems]


def at_table(where: str, problem: Problem) -> Problem:
    """Return a problem of a policy of one table at the place of that table."""
    if problem.where == _WHERE_OF_SOURCE:
        return replace(problem, where=where)
    if problem.where.startswith(_COLUMNS_OF_SOURCE):
        column = problem.where.removeprefix(_COLUMNS_OF_SOURCE)
        return replace(
            problem, where=f"{_COLUMNS_OF_SOURCE}{where.removeprefix('tables.')}.{column}"
        )
    inside = f"{problem.where}.".startswith(("columns.", "privacy.suppression"))
    return replace(problem, where=f"{where}.{problem.where}") if inside else problem


def look_at_text(job: Job) -> None:
    """Raise PolicyError for text of kept columns that the policy does not accept, in all tables
    that are released; warn of kept columns that narrow generalized ones of the same table."""
    note_text(job)
    require_sound(job)
    warn_of_linked_values(job)


def warn_of_linked_values(job: Job) -> None:
    """Note the kept columns that narrow generalized ones of the same table."""
    for table in tables_of(job).opened.values():
        columns = (table.relation, table.columns, table.attributes, table.plan)
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
        settings = table.plan.columns
        found = contents.problems(job.engine, table.relation, columns, settings, table.rows)
        found += [
            keys_of_people.kept_problem(key, settings[key.name])
            for key in keys_of_people.uncovered(job.engine, table.relation, columns, settings)
            if settings[key.name].role in KEPT
        ]
        job.problems += [at_table(table.where, problem) for problem in found]


def check_keys(job: Job) -> None:
    """Raise PolicyError for rows without keys or references, with the same, or dangling ones."""
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
    return [Problem("privacy.k", text, "Wait for more rows, or lower k.", unmet=True)]
