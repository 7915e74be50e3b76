"""``anonsql init --of PEOPLE``: a policy for the tables that belong to a table of people, by the
database's keys, or by names and values where it declares none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from anonsql.engines import open_engine
from anonsql.engines.base import Context, Engine, Key, Relation
from anonsql.errors import PolicyError
from anonsql.features.init.command import given_place, profiles_of, require_new, write
from anonsql.features.init.document import InitReport
from anonsql.features.init.families import joined
from anonsql.features.init.pairs import pairs
from anonsql.features.init.policy_text import column_lines, comment, shown, undecided
from anonsql.features.init.proposals import Decision, Profile, propose_all
from anonsql.jobs.workspace import private_memory, scratch
from anonsql.policy import locations as places
from anonsql.policy.databases import of_several_tables
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.source import Source
from anonsql.policy.yaml_text import quoted
from anonsql.presentation.documents import finding
from anonsql.relational.tables import Linked
from anonsql.system.journal import Journal

_KINDS = ("text", "integer")
"""The kinds of columns that keys and references are taken for, where none are declared."""
_DECLARED = "declared by the database"
_TEXT = (
    "# A policy for several tables, proposed from keys, counts and names alone. Read every line:",
    "# only you know which columns can be linked to a person. Decide what is left open;",
    "# `anonsql check` lists what is missing.",
)
_PEOPLE = (
    (
        "# At least k people match whatever an attacker knows of a person: all quasi-identifying"
        " values"
    ),
    "# of the person's own row, and of known_rows rows in the other tables. Up to this share of",
    "# the people may be suppressed. `max_rows` of a table caps the rows of one person.",
)


@dataclass
class _Table:
    """A table that was looked at. ``key``, and ``references`` to other tables, have their reason;
    ``to_itself`` are columns that refer to the table; ``notes`` are for its owner."""

    name: str
    relation: Relation
    profiles: Sequence[Profile]
    keys: Sequence[Key]
    key: tuple[str, str] | None = None
    references: dict[str, tuple[str, str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    to_itself: list[str] = field(default_factory=list)

    def profile(self, name: str) -> Profile:
        return next(profile for profile in self.profiles if profile.column.name == name)


def init_tables(database: str, of: str, output: Path) -> InitReport:
    """Write a policy to ``output``, a new file, for the table ``of`` people and all tables of its
    schema that belong to it. Raise PolicyError without such a table, or a key of it."""
    require_new(output)
    location = places.database(
        database, "DATABASE", lambda text: Path(text).expanduser().absolute()
    )
    if not location.database.several_tables:
        words = f"{location} is another database."
        raise PolicyError.at(
            "DATABASE", words, f"Several tables can be released from {of_several_tables()}."
        )
    with private_memory(), scratch() as folder:
        context = Context(folder, EngineSettings(), Journal(), purpose="anonsql init")
        with closing(open_engine(location, context)) as engine:
            of, schema, tables = _tables(engine, database, of)
            for table in tables.values():
                _find_key(table)
            if tables[of].key is None:
                text = f"no column of {of} identifies its rows and is not a reference."
                raise PolicyError.at(
                    "--of", text, "Make such a column in a view: people need a key."
                )
            for table in tables.values():
                _find_references(engine, table, tables)
            personal = _leading_to(of, tables)
            several = [name for name in personal if _of_several_ways(tables[name], personal)]
            decided = {name: _decided(tables[name]) for name in personal}
            warnings = [
                replace(pair.warning, where=f"tables.{name}.{pair.warning.where}")
                for name in personal
                for pair in pairs(engine, tables[name].relation, decided[name])
            ]
    public = _referred_to(personal, tables)
    place = given_place(database, location, output)
    of_schema = f", schema: {quoted(schema)}" if schema else ""
    lines = [
        *_TEXT,
        f"source:  {{database: {quoted(place)}{of_schema}}}",
        f"release: {{{_release(place, schema)}}}",
        *_body(of, tables, decided, public),
        *(line for warning in warnings for line in comment(str(warning))),
    ]
    write(output, "\n".join(lines) + "\n")
    return InitReport(
        policy=str(output),
        columns=sum(map(len, decided.values())),
        undecided=[
            f"{name}.{decision.name}"
            for name, decisions in decided.items()
            for decision in joined(decisions)
            if "UNDECIDED" in decision.why
        ]
        + [f"{name}.key" for name in personal + public if tables[name].key is None]
        + [f"{name}.references" for name in several]
        + [f"{name}.public" for name in public],
        warnings=[finding(warning) for warning in warnings],
    )


def _tables(engine: Engine, database: str, of: str) -> tuple[str, str | None, dict[str, _Table]]:
    """Return the table of people, its schema where a policy has to name it, and the tables of that
    schema, people first."""
    try:
        people = engine.open_source(Source(database=database, table=of))
    except PolicyError as error:
        problems = [
            replace(problem, where="--of") if problem.where == "source.table" else problem
            for problem in error.problems
        ]
        raise PolicyError(problems) from None
    schema, named = people[-2] if len(people) > 1 else None, people[-1]
    if schema == engine.default_schema:
        schema = None
    tables = {}
    for name in sorted(engine.beside(people), key=lambda name: name != named):
        where = name if schema is None else f"{schema}.{name}"
        relation = people
        if name != named:
            relation = engine.open_beside(Source(database=database, table=where), "DATABASE")
        profiles = profiles_of(engine, relation, f"{name}.")
        tables[name] = _Table(name, relation, profiles, engine.keys(relation))
    return named, schema, tables


def _find_key(table: _Table) -> None:
    """Find the column that identifies the rows of a table and is no reference."""
    refer = {name for key in table.keys if key.kind == "refers" for name in key.columns}
    for kind in ("primary", "unique"):
        for key in table.keys:
            if key.kind == kind and len(key.columns) == 1 and key.columns[0] not in refer:
                table.key = (key.columns[0], _DECLARED)
                return
    primary = next((key for key in table.keys if key.kind == "primary"), None)
    if primary is not None:
        names = ", ".join(map(shown, primary.columns))
        several = len(primary.columns) > 1
        why = (
            f"Its key has several columns, {names}: combine them in one column of a view,"
            if several
            else f"Its key, {names}, is also its reference: make a key in a view,"
        )
        table.notes.append(f"{why} name the view here, and write `left_out: true` for this table.")
        return
    unique = [
        profile.column.name
        for profile in table.profiles
        if profile.distinct == profile.rows and profile.column.kind in _KINDS
    ]
    named = [name for name in unique if name.lower().endswith(("id", "key", "nr", "no"))]
    if unique:
        table.key = ((named or unique)[0], "every row has a different value")


def _find_references(engine: Engine, table: _Table, tables: Mapping[str, _Table]) -> None:
    for column in table.keys:
        if column.kind != "refers":
            continue
        schema, other = column.at
        if other not in tables or schema != table.relation[-2]:
            table.notes.append(f"{shown(column.columns[0])} refers to {shown(column.other)}.")
        elif len(column.columns) > 1:
            table.notes.append(
                f"{', '.join(map(shown, column.columns))} refer to {shown(other)} together:"
                " combine them in one column, in views of both tables."
            )
        elif other == table.name:
            table.to_itself.append(column.columns[0])
        else:
            table.references[column.columns[0]] = (other, _DECLARED)
    known = {name for key in table.keys if key.kind == "refers" for name in key.columns}
    for profile in table.profiles:
        name = profile.column.name
        if name in known or (table.key is not None and name == table.key[0]):
            continue
        for candidate in tables.values():
            if _may_refer(profile, candidate, table) and _leads(engine, table, name, candidate):
                table.references[name] = (candidate.name, "by its name and values")
                break


def _may_refer(profile: Profile, other: _Table, table: _Table) -> bool:
    if other is table or other.key is None or profile.column.kind not in _KINDS:
        return False
    key, name = other.key[0].lower(), profile.column.name.lower()
    if profile.column.kind != other.profile(other.key[0]).column.kind:
        return False
    stems = {other.name.lower(), other.name.lower().removesuffix("s")}
    own = {key} if key not in ("id", "key", "nr", "no") else set()
    return name in own | {f"{stem}_{end}" for stem in stems for end in ("id", "key", key)}


def _leads(engine: Engine, table: _Table, name: str, other: _Table) -> bool:
    if other.key is None:
        return False
    _, dangling = engine.query(
        "relational/dangling",
        source=table.relation,
        reference=Linked(table.profile(name).column),
        other=other.relation,
        key=Linked(other.profile(other.key[0]).column),
    )[0]
    return not dangling


def _leading_to(of: str, tables: Mapping[str, _Table]) -> list[str]:
    """Return the tables that lead to people, by one reference or several."""
    leading = [of]
    for upper in leading:
        leading += [
            name
            for name, table in tables.items()
            if name not in leading and upper in {other for other, _ in table.references.values()}
        ]
    return leading


def _of_several_ways(table: _Table, personal: Sequence[str]) -> bool:
    """Return whether a table leads to people in several ways, and note it: a policy names one."""
    ways = [name for name, (other, _) in table.references.items() if other in personal]
    if len(ways) < 2:
        return False
    table.notes.append(
        f"UNDECIDED: {' and '.join(map(shown, ways))} lead to people. Keep the one that shows"
        " whose row it is, and move the others to `columns`: {role: identifying} removes a"
        " column; with `replace: surrogate` it shows which rows have the same value."
    )
    return True


def _decided(table: _Table) -> list[Decision]:
    """Return the proposals for columns except key and references; a reference to the table itself
    is removed."""
    others = [
        profile
        for profile in table.profiles
        if profile.column.name not in table.references
        and (table.key is None or profile.column.name != table.key[0])
    ]
    why = (
        "It refers to the table itself; `replace: surrogate` shows which rows have the same value."
    )
    return [
        Decision(decision.profile, "identifying", why)
        if decision.profile.column.name in table.to_itself
        else decision
        for decision in propose_all(others)
    ]


def _referred_to(personal: Sequence[str], tables: Mapping[str, _Table]) -> list[str]:
    names = list(personal)
    for name in names:
        names += [other for other, _ in tables[name].references.values() if other not in names]
    return names[len(personal) :]


def _release(text: str, schema: str | None) -> str:
    if "://" in text or text.startswith("local["):
        released = f"{schema or 'public'}_released"
        return f"database: {quoted(text)}, schema: {quoted(released)}"
    return f"database: {quoted(f'{Path(text).stem}_released.duckdb')}"


def _body(
    of: str,
    tables: Mapping[str, _Table],
    decided: Mapping[str, Sequence[Decision]],
    public: Sequence[str],
) -> Iterator[str]:
    released = [*decided, *public]
    yield "tables:"
    for name, decisions in decided.items():
        yield from _table_lines(tables[name], released, decisions)
    for name in public:
        yield from _public_lines(tables[name], public)
    if others := [shown(name) for name in tables if name not in released]:
        yield f"# Not in the release, because nothing leads from them to {shown(of)}:"
        yield f"# {', '.join(others)}."
    yield from _PEOPLE
    limit = f"suppression_limit: {{{quoted(of)}: 0.05}}"
    yield f"privacy: {{k: 10, of: {quoted(of)}, known_rows: 1, {limit}}}"
    yield "method:  {type: full-domain}"


def _heading(table: _Table, released: Sequence[str]) -> Iterator[str]:
    yield f"  {quoted(table.name)}:"
    for note in table.notes:
        yield from comment(note, "    ")
    if table.key is None:
        yield "    # UNDECIDED: a column that identifies its rows and is not a reference."
        yield "    key: null"
    else:
        yield f"    key: {quoted(table.key[0])}  # {table.key[1]}"
    links = {
        name: reference for name, reference in table.references.items() if reference[0] in released
    }
    if links:
        yield "    references:"
    for name, (other, why) in links.items():
        yield f"      {quoted(name)}: {quoted(other)}  # {why}"


def _table_lines(
    table: _Table, released: Sequence[str], decided: Sequence[Decision]
) -> Iterator[str]:
    yield from _heading(table, released)
    if decided:
        yield from undecided(decided, "    ")
        yield "    columns:"
    for decision in joined(decided):
        yield from column_lines(decision, indent=6 * " ")


def _public_lines(table: _Table, released: Sequence[str]) -> Iterator[str]:
    names = ", ".join(shown(profile.column.name) for profile in table.profiles)
    yield from _heading(table, released)
    text = f"UNDECIDED: true if it is about no person. Then it is released unchanged: {names}."
    yield from comment(text, "    ")
    yield "    public: null"
