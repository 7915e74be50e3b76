"""The tables of a relational source: open them, and hold their columns against the policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from anonsql.engines.base import Column, Engine, Relation
from anonsql.errors import PolicyError, Problem, did_you_mean
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs import fingerprints
from anonsql.jobs.job import Fingerprint, Job
from anonsql.jobs.timing import timed
from anonsql.policy.databases import of_several_tables
from anonsql.policy.locations import Location
from anonsql.policy.policy import Policy
from anonsql.policy.relational import PUBLIC, REMOVED, RelationalPolicy
from anonsql.policy.relational_tables import TablePolicy
from anonsql.relational.tables import Linked
from anonsql.release.columns import ReleasedColumn
from anonsql.risks.kept import warnings as kept_warnings
from anonsql.star.coded import Coded

_WHERE_OF_SOURCE = "source.table"
_TELLING = ("name", "email", "mail", "phone", "telefon", "address", "adresse", "birth", "born")
"""Words in names of columns that mostly say something of people."""


@dataclass(frozen=True)
class OpenTable:
    """One table of the source: where it is, its columns, and what a policy of this table by itself
    would say of them. ``sensitive`` are the columns that privacy models are about."""

    name: str
    relation: Relation
    columns: Sequence[Column]
    view: Policy
    attributes: tuple[Attribute, ...] = ()
    released: Sequence[ReleasedColumn] = ()
    sensitive: tuple[Coded, ...] = ()

    def column(self, name: str) -> Column:
        """Return a column by its name."""
        return next(column for column in self.columns if column.name == name)

    @property
    def where(self) -> str:
        """The table's place in the policy."""
        return f"tables.{self.name}"


def require_engine(source: Location) -> None:
    """Raise PolicyError for a database that several tables are not released from."""
    if not source.database.several_tables:
        known = source.database
        title = f"{known.title} or {known.also}" if known.also else known.title
        raise PolicyError.at(
            "source.database",
            f"found {title}; several tables are released from {of_several_tables()}.",
            "Copy them to one of these, or name one table.",
        )


def open_tables(job: Job, policy: RelationalPolicy) -> dict[str, OpenTable]:
    """Open all tables that are released, the one of people first, and note what is wrong with
    them."""
    with timed(job, "open_tables"):
        engine, of = job.engine, policy.privacy.of
        opened: dict[str, OpenTable] = {}
        for name in sorted(policy.released, key=lambda name: name != of):
            view = policy.view(name)
            with inside(job, f"tables.{name}"):
                if name == of:
                    relation = engine.open_source(view.source)
                else:
                    relation = engine.open_beside(view.source, f"tables.{name}")
                columns = engine.columns(relation)
                if policy.tables[name].public:
                    known = {
                        column.name: PUBLIC for column in columns if column.name not in view.columns
                    }
                    view = view.model_copy(update={"columns": {**view.columns, **known}})
                opened[name] = OpenTable(name, relation, columns, view)
                job.problems += _column_problems(opened[name], policy.tables[name])
        require_sound(job)
        places = _places(policy, opened)
        for name, table in opened.items():
            job.problems += _declared_problems(engine, policy, table, places)
            if policy.tables[name].public:
                job.warnings += _telling(table)
            else:
                job.warnings += _kept(engine, policy.tables[name], table)
        require_sound(job)
        return {name: opened[name] for name in policy.released}


def _column_problems(table: OpenTable, settings: TablePolicy) -> list[Problem]:
    """Return the columns that the policy or the table lacks."""
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


def _places(
    policy: RelationalPolicy, opened: Mapping[str, OpenTable]
) -> dict[tuple[str, ...], str]:
    """Return the tables of the policy by their schema and name; those that are left out are not
    opened, and may be by their name alone."""
    places: dict[tuple[str, ...], str] = {}
    for name, settings in policy.tables.items():
        if settings.left_out:
            schema, _, alone = policy.source_name(name).rpartition(".")
            places[(schema, alone) if schema else (alone,)] = name
        else:
            places[tuple(opened[name].relation[-2:])] = name
    return places


def _declared_problems(
    engine: Engine,
    policy: RelationalPolicy,
    table: OpenTable,
    places: Mapping[tuple[str, ...], str],
) -> list[Problem]:
    """Return the references that the database declares and the policy does not follow. ``places``
    are those of :func:`_places`."""
    found = []
    settings = policy.tables[table.name]
    for key in engine.keys(table.relation):
        other = places.get(tuple(key.at)) or places.get(tuple(key.at[-1:]))
        if key.kind == "referred" and other is None and not settings.public:
            found.append(
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
            found.append(Problem(f"{table.where}.references", text, remedy))
        elif column not in settings.references and role != "identifying":
            text = f"it refers to {other}, and as {role} it would release that table's keys."
            remedy = f"Make it {REMOVED}."
            if not policy.tables[other].public:
                found.append(Problem(f"{table.where}.columns.{column}", text, remedy))
    return found


def _telling(table: OpenTable) -> list[Problem]:
    """Return a warning where columns of a public table may say something of people."""
    names = [
        column.name
        for column in table.columns
        if table.view.columns[column.name].role != "identifying"
        and any(word in column.name.lower() for word in _TELLING)
    ]
    if not names:
        return []
    text = f"it is public, and {', '.join(names)} may name people: it is released as it is."
    remedy = "Make such columns identifying, or leave the table out."
    return [Problem(table.where, text, remedy)]


def _kept(engine: Engine, settings: TablePolicy, table: OpenTable) -> list[Problem]:
    """Return warnings where columns that are released as they are point to single rows."""
    linked = (settings.key, *settings.references)
    columns = [column for column in table.columns if column.name not in linked]
    rows = engine.query("sql/rows", table=table.relation)[0][0]
    found = kept_warnings.of_source(engine, table.relation, columns, table.view, rows=rows)
    return [at_table(table.where, warning) for warning in found.warnings]


def fingerprint(job: Job, policy: RelationalPolicy, opened: Mapping[str, OpenTable]) -> Fingerprint:
    """Return the fingerprint of what the release would be made from: all tables that are released,
    hierarchies and policy. Raise PolicyError where a hierarchy's file cannot be read."""
    sources = [
        fingerprints.of_source(job.engine, table.relation, table.columns, table.view)
        for table in opened.values()
    ]
    of_policy = fingerprints.of_tables(policy, job.places)
    return Fingerprint(f"{'/'.join(sources)} {of_policy}")


def key_of(policy: RelationalPolicy, table: OpenTable) -> Linked:
    """Return the column that is the key of a table."""
    return Linked(table.column(str(policy.tables[table.name].key)))


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
