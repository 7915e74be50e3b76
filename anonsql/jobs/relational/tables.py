"""The tables of a relational source: open them, and hold their columns against the policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from anonsql.engines.base import Engine
from anonsql.errors import PolicyError, Problem, did_you_mean
from anonsql.jobs import fingerprints, sources
from anonsql.jobs.job import Fingerprint, Job
from anonsql.jobs.relational.state import OpenTable, tables_of
from anonsql.policy.relational import PUBLIC, REMOVED, RelationalPolicy
from anonsql.policy.relational_tables import TablePolicy
from anonsql.release.columns import not_numeric_weights
from anonsql.risks.kept import warnings as kept_warnings

_WHERE_OF_SOURCE = "source.table"
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
    """Open all tables that are released, the one of people first, and note what is wrong with
    them."""
    tables = tables_of(job)
    policy, opened = tables.policy, tables.opened
    for name in policy.people_first:
        view = policy.view(name)
        with inside(job, f"tables.{name}"):
            if name == policy.privacy.of:
                relation = job.engine.open_source(view.source)
            else:
                relation = job.engine.open_beside(view.source, f"tables.{name}")
            columns = job.engine.columns(relation)
            if policy.tables[name].public:
                names = [column.name for column in columns if column.name not in view.columns]
                as_is = dict.fromkeys(names, PUBLIC)
                view = view.model_copy(update={"columns": {**view.columns, **as_is}})
            opened[name] = OpenTable(name, relation, columns, view)
            problems, made = sources.find_hierarchies(job, view, relation, columns)
            job.problems += [at_table(f"tables.{name}", problem) for problem in problems]
            job.warnings += [at_table(f"tables.{name}", problem) for problem in made]
            job.problems += _column_problems(opened[name], policy.tables[name])
            where = f"tables.{name}.columns"
            job.problems += not_numeric_weights(columns, view.columns, where)
    require_sound(job)
    locations = _locations(policy, opened)
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
    lacking = [name for name in table.view.columns if name not in names]
    places = dict.fromkeys(settings.columns, "columns")
    places |= dict.fromkeys(settings.references, "references")
    return [
        Problem(
            f"{table.where}.columns.{name}",
            "this column of the source has no role.",
            did_you_mean(name, lacking) or "Give it one, or name it in `references`.",
        )
        for name in names
        if name not in table.view.columns
    ] + [
        Problem(
            f"{table.where}.{places[name]}.{name}" if name in places else f"{table.where}.key",
            f"the table has no column {name!r}.",
            did_you_mean(name, names),
        )
        for name in lacking
    ]


def _locations(
    policy: RelationalPolicy, opened: Mapping[str, OpenTable]
) -> dict[tuple[str, ...], str]:
    """Tables that are left out are not opened, and may be known by name alone."""
    locations: dict[tuple[str, ...], str] = {}
    for name, settings in policy.tables.items():
        if settings.left_out:
            schema, _, alone = policy.source_name(name).rpartition(".")
            locations[(schema, alone) if schema else (alone,)] = name
        else:
            locations[tuple(opened[name].relation[-2:])] = name
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
                    f"{key.other} refers to {table.name} and is not in the policy.",
                    "Add it, or say `left_out: true` of it.",
                )
            )
        if key.kind != "refers" or other is None or policy.tables[other].left_out:
            continue
        column = key.columns[0]
        role = table.view.columns[column].role
        if len(key.columns) > 1:
            names = ", ".join(key.columns)
            text = f"it refers to {other} by several columns, {names}."
            remedy = "Make one column of them in views of both tables."
            problems.append(Problem(f"{table.where}.references", text, remedy))
        elif column not in settings.references and role != "identifying":
            text = f"it refers to {other}, and as {role} it would release that table's keys."
            remedy = f"Make it {REMOVED}."
            if not policy.tables[other].public:
                problems.append(Problem(f"{table.where}.columns.{column}", text, remedy))
    return problems


def _personal_names(table: OpenTable) -> list[Problem]:
    names = [
        column.name
        for column in table.columns
        if table.view.columns[column.name].role != "identifying"
        and any(word in column.name.lower() for word in _PERSONAL_NAMES)
    ]
    if not names:
        return []
    text = f"it is public, and {', '.join(names)} may name people: it is released as it is."
    remedy = "Make such columns identifying, or leave the table out."
    return [Problem(table.where, text, remedy)]


def _kept(engine: Engine, settings: TablePolicy, table: OpenTable) -> list[Problem]:
    linked = (settings.key, *settings.references)
    columns = [column for column in table.columns if column.name not in linked]
    arguments = (engine, table.relation, columns, table.view)
    findings = kept_warnings.of_source(*arguments, rows=table.rows)
    return [at_table(table.where, warning) for warning in findings.warnings]


def fingerprint_tables(job: Job) -> None:
    """Compute the fingerprint of what the release would be made from: all tables that are released,
    hierarchies and policy. Raise PolicyError where a hierarchy's file cannot be read."""
    tables = tables_of(job)
    sources = [
        fingerprints.of_source(job.engine, table.relation, table.columns, table.view)
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
    inside = f"{problem.where}.".startswith(("columns.", "privacy.suppression"))
    return replace(problem, where=f"{where}.{problem.where}") if inside else problem
