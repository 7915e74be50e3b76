"""The source of a relational release: open its tables, hold them against the policy, and make their
hierarchies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from anonsql.engines.base import Column, Engine, Relation
from anonsql.errors import PolicyError, Problem, did_you_mean
from anonsql.hierarchies import dimensions as hierarchies
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs import fingerprints
from anonsql.jobs.job import Fingerprint, Job
from anonsql.jobs.sources import QuasiColumn
from anonsql.policy.locations import Location
from anonsql.policy.policy import Policy
from anonsql.policy.relational import PUBLIC, RelationalPolicy, TablePolicy
from anonsql.relational import coding
from anonsql.relational.tables import Guarded, Link, Linked, PersonalTable
from anonsql.release.columns import (
    ReleasedColumn,
    name_clashes,
    released_columns,
    same_names,
    without_surrogates,
)
from anonsql.risks.kept import warnings as kept_warnings
from anonsql.star import coded as sensitive_columns
from anonsql.star import values
from anonsql.star.coded import Coded
from anonsql.star.models import Promise

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
        return next(each for each in self.columns if each.name == name)

    @property
    def where(self) -> str:
        """The table's place in the policy."""
        return f"tables.{self.name}"


def require_engine(source: Location) -> None:
    """Raise PolicyError for a database that several tables are not released from."""
    known = {"sqlite": "SQLite", "mysql": "MariaDB or MySQL"}
    if source.kind in known:
        found = f"found {known[source.kind]}; several tables are released from DuckDB, PostgreSQL"
        raise PolicyError.at(
            "source.database",
            f"{found} and Spark.",
            "Copy them to one of these, or name one table.",
        )


def open_tables(job: Job, policy: RelationalPolicy) -> dict[str, OpenTable]:
    """Open all tables that are released, the one of people first, and note what is wrong with
    them."""
    engine, of = job.engine, policy.privacy.of
    opened: dict[str, OpenTable] = {}
    for name in sorted(policy.released, key=lambda each: each != of):
        view = policy.view(name)
        with _inside(job, f"tables.{name}"):
            if name == of:
                relation = engine.open_source(view.source)
            else:
                relation = engine.open_beside(view.source, f"tables.{name}")
            columns = engine.columns(relation)
            if policy.tables[name].public:
                known = {each.name: PUBLIC for each in columns if each.name not in view.columns}
                view = view.model_copy(update={"columns": {**view.columns, **known}})
            opened[name] = OpenTable(name, relation, columns, view)
            job.problems += _column_problems(opened[name], policy.tables[name])
    _require_sound(job)
    for name, table in opened.items():
        job.problems += _declared_problems(engine, policy, table)
        if policy.tables[name].public:
            job.warnings += _telling(table)
        else:
            job.warnings += _kept(engine, policy.tables[name], table)
    _require_sound(job)
    return {name: opened[name] for name in policy.released}


def _column_problems(table: OpenTable, settings: TablePolicy) -> list[Problem]:
    """Return the columns that the policy or the table lacks."""
    names = [each.name for each in table.columns]
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


def _declared_problems(engine: Engine, policy: RelationalPolicy, table: OpenTable) -> list[Problem]:
    """Return the references that the database declares and the policy does not follow."""
    found = []
    settings = policy.tables[table.name]
    by_source = {policy.source_name(name).rpartition(".")[2]: name for name in policy.tables}
    for key in engine.keys(table.relation):
        other = by_source.get(key.other.rpartition(".")[2].strip('"'))
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
            remedy = "Name it in `references`, or make it identifying."
            if not policy.tables[other].public:
                found.append(Problem(f"{table.where}.columns.{column}", text, remedy))
    return found


def _telling(table: OpenTable) -> list[Problem]:
    """Return a warning where columns of a public table may say something of people."""
    names = [
        each.name
        for each in table.columns
        if table.view.columns[each.name].role != "identifying"
        and any(word in each.name.lower() for word in _TELLING)
    ]
    if not names:
        return []
    text = f"it is public, and {', '.join(names)} may name people: it is released as it is."
    remedy = "Make such columns identifying, or leave the table out."
    return [Problem(table.where, text, remedy)]


def _kept(engine: Engine, settings: TablePolicy, table: OpenTable) -> list[Problem]:
    """Return warnings where columns that are released as they are point to single rows."""
    linked = (settings.key, *settings.references)
    columns = [each for each in table.columns if each.name not in linked]
    rows = engine.query("sql/rows", table=table.relation)[0][0]
    found = kept_warnings.of_source(engine, table.relation, columns, table.view, rows=rows)
    return [at_table(table.where, each) for each in found.warnings]


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
    _require_sound(job)


def make_hierarchies(
    job: Job, policy: RelationalPolicy, opened: dict[str, OpenTable]
) -> dict[str, OpenTable]:
    """Make the dimension tables of all columns, numbered over all tables, and return the tables
    with their attributes and released columns."""
    engine, done, first = job.engine, dict(opened), 1
    for name in policy.ordered:
        table = opened[name]
        with _inside(job, table.where):
            attributes = _attributes(engine, table, first)
            for each in attributes:
                hierarchies.build(engine, each)
            job.problems += [
                at_table(table.where, each)
                for each in hierarchies.lint(engine, attributes, job.show_values)
            ]
            engine.drop("combinations")
            done[name] = replace(table, attributes=tuple(attributes))
            first += len(attributes)
    _require_sound(job)
    for name, table in done.items():
        released = released_columns(table.view, table.columns, table.attributes)
        found = name_clashes(table.view, released)
        linked = {f"columns.{each}.replace" for each in policy.linked(name)}
        found += [
            _of_key(each) if each.where in linked else each for each in without_surrogates(released)
        ]
        if job.places.release.is_file:
            found += same_names(released)
        job.problems += [at_table(table.where, each) for each in found]
        done[name] = replace(table, released=released)
    _require_sound(job)
    return done


def make_values(
    job: Job, policy: RelationalPolicy, opened: dict[str, OpenTable]
) -> dict[str, OpenTable]:
    """Make the tables of the values of all sensitive columns that models are about, numbered behind
    the attributes, and return the tables with these columns. Note what is wrong with them."""
    engine, done = job.engine, dict(opened)
    first = 1 + sum(len(table.attributes) for table in opened.values())
    for name in policy.ordered:
        table = opened[name]
        planned, problems = sensitive_columns.plan(policy.promised_of(name), table.columns, first)
        for each in planned:
            select = "relational/sensitive/domain"
            given = {"name": "domain", "source": table.relation, "a": each}
            engine.run("star/models/table", select=select, **given)
            values.build(engine, [each], counted="domain")
            engine.drop("domain")
        problems += values.problems(engine, planned)
        job.problems += [_of_model(name, each) for each in problems]
        done[name] = replace(table, sensitive=tuple(planned))
        first += len(planned)
    _require_sound(job)
    return done


def _of_model(table: str, problem: Problem) -> Problem:
    """Return a problem of a sensitive column at its place in the policy of several tables."""
    section, _, rest = problem.where.partition(".")
    if section == "columns":
        return replace(problem, where=f"tables.{table}.{problem.where}")
    model, _, column = rest.partition(".")
    return replace(problem, where=f"{section}.{model}.{table}.{column}")


def guarded(policy: RelationalPolicy, opened: dict[str, OpenTable]) -> list[Guarded]:
    """Return what is promised of each sensitive column that a model is about."""
    found = []
    for number, name in enumerate(policy.ordered, start=1):
        columns = opened[name].sensitive
        promise = Promise.of(policy.promised_of(name), columns)
        for each in columns:
            terms = tuple(term for term in promise.models if term.index == each.index)
            found.append(Guarded(number, Promise(1, terms, (each.index,), matching=True)))
    return found


def _of_key(problem: Problem) -> Problem:
    """Return a problem of surrogates with the remedy for a key or a reference."""
    return replace(problem, remedy="Cast it to text in a view, in both tables of a reference.")


def _attributes(engine: Engine, table: OpenTable, first: int) -> list[Attribute]:
    """Return the quasi-identifying columns of a table, planned by its distinct combinations, which
    are left in ``combinations``."""
    order = list(table.view.quasi_identifiers)
    columns = sorted(
        (each for each in table.columns if each.name in order),
        key=lambda column: order.index(column.name),
    )
    for column in columns:
        hierarchies.require_generalizable(column)
    slots = [QuasiColumn(index, column) for index, column in enumerate(columns, start=first)]
    if not slots:
        return []
    given = {"attributes": slots, "coded": [], "population": ()}
    engine.drop("combinations")  # of a table before it, in which something was wrong
    engine.run("star/combinations", source=table.relation, **given)
    _, _, *nulls = engine.query("star/totals", **given)[0]
    return [
        hierarchies.plan(slot.index, slot.column, table.view, null_rows)
        for slot, null_rows in zip(slots, nulls, strict=True)
    ]


def number_tables(policy: RelationalPolicy, opened: dict[str, OpenTable]) -> list[PersonalTable]:
    """Return the tables about people as statements see them."""
    tables: dict[str, PersonalTable] = {}
    for number, name in enumerate(policy.ordered, start=1):
        table, settings = opened[name], policy.tables[name]
        link, chain = None, tuple[int, ...]()
        if number > 1:
            column, other = policy.to_people(name)
            upper = tables[other]
            reference = Linked(table.column(column), f"map_{upper.number}")
            link, chain = Link(reference, upper.number), (number, *upper.chain)
        key = Linked(table.column(str(settings.key)), f"map_{number}")
        tables[name] = PersonalTable(
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
    return list(tables.values())


def too_few_people(policy: RelationalPolicy, people: int) -> list[Problem]:
    """Return a problem where there are fewer people than k: no release can keep the promise."""
    if people >= policy.privacy.k:
        return []
    found = f"{policy.privacy.of} has {people:,} rows, fewer than k={policy.privacy.k}."
    return [Problem("privacy.k", found, "Wait for more, or lower it.", unmet=True)]


def _require_sound(job: Job) -> None:
    """Raise PolicyError with all problems that were found."""
    if job.problems:
        raise PolicyError(job.problems)


@contextmanager
def _inside(job: Job, where: str) -> Iterator[None]:
    """Note the problems of a table at its place in the policy."""
    try:
        yield
    except PolicyError as error:
        job.problems += [at_table(where, each) for each in error.problems]


def at_table(where: str, problem: Problem) -> Problem:
    """Return a problem of a policy of one table at the place of that table."""
    if problem.where == _WHERE_OF_SOURCE:
        return replace(problem, where=where)
    inside = problem.where.startswith(("columns.", "privacy.suppression"))
    return replace(problem, where=f"{where}.{problem.where}") if inside else problem
