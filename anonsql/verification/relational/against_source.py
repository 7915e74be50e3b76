"""Judge a release of several tables by its source, without any record of the run.

Keys are new, so which released row was which row of the source is not known. It can be checked that
the rows of each table are distinct rows of the source, generalized to the stated levels; that this
still holds when each row is joined with the rows that it refers to, up to the person's; and that it
holds for whole trees, a person with all their rows. If a tree lacks rows (suppressed individually,
or beyond ``max_rows``), only its paths must be the source's: as many trees may differ as rows are
stated to be suppressed, and as people have more rows in the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anonsql.engines.base import Column, Engine, PlainColumn, Relation, ReleaseTables
from anonsql.errors import InvariantError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.table_plan import TablePlan
from anonsql.release.columns import ReleasedColumn
from anonsql.verification import structure
from anonsql.verification.checks import Check, each, require
from anonsql.verification.compared import as_compared
from anonsql.verification.facts import count_of, facts_of

SURROGATE = Column("surrogate", "BIGINT")
"""The column that replaces keys that lead to people, and references to them."""


@dataclass(frozen=True)
class JudgedTable:
    """A released table and its stated relation to the source. ``view`` is the table's own policy,
    ``released`` its columns except keys and references to people, ``key`` and ``reference`` columns
    of the source, ``upper`` the name of the table of people that it refers to, ``max_rows`` how
    many rows of a person are released at most."""

    name: str
    release: ReleaseTables
    view: TablePlan
    source: Relation
    attributes: Sequence[Attribute]
    released: Sequence[ReleasedColumn]
    key: PlainColumn
    reference: PlainColumn | None
    upper: str | None
    public: bool
    max_rows: int | None = None


@dataclass(frozen=True)
class TableFound:
    """The findings on a table: rows of the source and of the release, and the columns that were
    ``not_compared``."""

    originals: int
    released: int
    not_compared: Sequence[str]


@dataclass
class Comparison:
    """The comparison of released ``tables`` with the source that ``engine`` has. Checks add the
    ``offences``, what they ``found`` by table, and the scratch tables that they ``made``."""

    engine: Engine
    tables: Sequence[JudgedTable]
    folder: Path
    offences: list[str] = field(default_factory=list)
    found: dict[str, TableFound] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)

    @property
    def personal(self) -> list[JudgedTable]:
        """The tables of people and of what belongs to them: that of people first."""
        return [table for table in self.tables if not table.public]

    def number(self, name: str | None) -> int | None:
        """Return the number of a table, which its scratch tables have in their names."""
        numbers = {table.name: number for number, table in enumerate(self.tables, start=1)}
        return None if name is None else numbers[name]


def _tables(comparison: Comparison) -> dict[str, JudgedTable]:
    return {table.name: table for table in comparison.tables}


def _columns(comparison: Comparison, table: JudgedTable) -> list[str]:
    """Return the columns and levels of a table that no run makes of the source's, and the columns
    that it lacks."""
    engine, names = comparison.engine, {column.name for column in _released(table)}
    lacking = [column.name for column in table.released if column.name not in names]
    return [
        *_levels(table)[0],
        *structure.against_source(
            engine, table.release, table.view, table.source, table.attributes
        ),
        *_key_types(engine, table),
        *([f"columns that are missing: {', '.join(lacking)}"] if lacking else []),
    ]


def _released(table: JudgedTable) -> list[Column]:
    return table.release.engine.columns(table.release.rows)


def _levels(table: JudgedTable) -> tuple[list[str], dict[int, int]]:
    """Return the levels that a released table states, by attribute, and the invalid ones."""
    stated = {one.name: one.level for one in table.release.stated_columns}
    levels, offences = dict[int, int](), list[str]()
    for attribute in table.attributes:
        level = stated.get(attribute.name)
        if level is None or not 0 <= level <= attribute.height:
            offences.append(
                f"__columns states level {level} for {attribute.name!r}, which does not exist"
            )
        else:
            levels[attribute.index] = level
    return offences, levels


def _key_types(engine: Engine, table: JudgedTable) -> list[str]:
    named = [table.key, *([table.reference] if table.reference is not None else [])]
    columns = {column.name: column for column in _released(table)}
    originals = {column.name: column for column in engine.columns(table.source)}
    result = []
    for joined in named:
        column = columns.get(joined.column.name)
        original = originals[joined.column.name]
        travels = table.release.engine is not engine
        kept = structure.possible(original, travels=travels)
        allowed = kept if table.public else structure.possible(SURROGATE, travels=travels)
        if column is not None and column.type not in allowed:
            result.append(
                f"the key {column.name!r} is {column.family}, a type that no run releases"
            )
    return result


@contextmanager
def _brought(
    engine: Engine, table: JudgedTable, folder: Path, number: int
) -> Iterator[tuple[Relation, Sequence[ReleasedColumn]]]:
    """Give the rows of a released table where the source is, with the columns that can be compared.
    From another engine they come as texts, which are not the same for all types."""
    release, rows = table.release, table.release.rows
    if release.engine is engine:
        yield rows, as_compared(engine, rows, table.released)
        return
    if engine.takes == "rows":
        raise InvariantError("a release of several tables has such a source")
    released = [column for column in table.released if _same_text(column)]
    linked = [] if table.public else [table.key.name]
    linked += [] if table.reference is None else [table.reference.name]
    names, name = [*linked, *(column.name for column in released)], f"released_{number}"
    select = {"select": "verification/relational/as_texts", "table": rows, "columns": names}
    release.engine.run("sql/table", name=name, **select)
    try:
        columns = [Column(name, "VARCHAR") for name in names]
        sent = release.engine.carry(name, columns, folder / name, engine.takes)
        engine.receive(name, sent)
    finally:
        release.engine.drop(name)
    yield (name,), as_compared(engine, (name,), released)
    engine.drop(name)


def _same_text(released: ReleasedColumn) -> bool:
    if released.kind == "label" or released.replaced:
        return True
    column = Column(released.name, released.type)
    plain = column.kind in ("integer", "boolean", "date", "text") and column.type != "BPCHAR"
    return plain and released.column.type != "BPCHAR"


def _rows(comparison: Comparison, table: JudgedTable) -> list[str]:
    """Return what is wrong with the rows of a table, by themselves or else joined, and with its
    surrogates. ``both_<number>`` has the rows of the source and the released ones, numbered by
    their content."""
    engine, number = comparison.engine, comparison.number(table.name) or 0
    named: dict[str, Any] = {} if table.public else {"key": table.key.name}
    if table.reference is not None:
        named["reference"] = table.reference.name
    with _brought(engine, table, comparison.folder, number) as (rows, compared):
        engine.run(
            "sql/table",
            name=f"both_{number}",
            select="verification/relational/both",
            source=table.source,
            table=rows,
            key=table.key,
            reference=table.reference,
            named=named,
            upper=comparison.number(table.upper),
            attributes=table.attributes,
            levels=_levels(table)[1],
            released=compared,
        )
        comparison.made.append(f"both_{number}")
        offences = _beyond(engine, table, number) + _of_surrogates(engine, table, rows)
    names = [column.name for column in compared]
    comparison.found[table.name] = TableFound(
        engine.query("verification/rows", table=table.source)[0][0],
        table.release.engine.query("verification/rows", table=table.release.rows)[0][0],
        [column.name for column in table.released if column.name not in names],
    )
    return offences


def _beyond(engine: Engine, table: JudgedTable, number: int) -> list[str]:
    asked = {"table": f"both_{number}", "equal": table.public}
    beyond = engine.query("verification/relational/beyond", numbered="own", **asked)[0][0]
    if beyond and table.public:
        return [f"{beyond:,} rows are in the release but not in the source, or the reverse"]
    if beyond:
        return [f"{beyond:,} released rows have no matching source row of their own"]
    if table.upper is None:
        return []
    beyond = engine.query("verification/relational/beyond", numbered="whole", **asked)[0][0]
    if not beyond:
        return []
    return [
        (
            f"{beyond:,} released rows, joined with the rows that they refer to, have no matching"
            " source row of their own"
        )
    ]


def _left_out(comparison: Comparison) -> list[str]:
    """Return the tables right below people whose stated number of missing rows is not the number
    beyond ``max_rows``. In tables further below, the missing rows depend on the rows left out
    above."""
    offences, tables = [], comparison.personal
    for table in tables:
        if table.max_rows is None or table.upper != tables[0].name:
            continue
        _, rows = _over_most(comparison, table)
        stated = count_of(facts_of(table.release), "beyond_max_rows")
        if stated != rows:
            text = f"people have {rows:,} rows beyond max_rows={table.max_rows:,}"
            offences.append(f"{table.name}: {text}, but {stated:,} are stated as left out")
    return offences


def _trees(comparison: Comparison) -> list[str]:
    """Return what is wrong with people's whole trees. As many of them may have more rows in the
    source as have rows beyond ``max_rows``."""
    engine, tables = comparison.engine, comparison.personal
    for table in reversed(tables):
        number = comparison.number(table.name)
        lower = [comparison.number(other.name) for other in tables if other.upper == table.name]
        select = {"select": "verification/relational/grown", "number": number, "lower": lower}
        engine.run("sql/table", name=f"tree_{number}", **select)
        comparison.made.append(f"tree_{number}")
    beyond = engine.query(
        "verification/relational/beyond", table="tree_1", numbered="tree", equal=False
    )[0][0]
    suppressed, left_out = (
        sum(count_of(facts_of(text.release), fact) for text in tables if text.upper is not None)
        for fact in ("suppressed", "beyond_max_rows")
    )
    capped = sum(_over_most(comparison, table)[0] for table in tables if table.max_rows is not None)
    lacking = suppressed + min(left_out, capped)
    if beyond <= lacking:
        return []
    return [
        (
            f"{tables[0].name}: {beyond:,} released people, each with all their rows, have no"
            f" matching person of their own in the source, and at most {lacking:,} lack rows"
        )
    ]


def _over_most(comparison: Comparison, table: JudgedTable) -> tuple[int, int]:
    """Return how many people have more rows of a table in the source than are released of one, and
    how many rows these are."""
    by_name, chain = {one.name: one for one in comparison.tables}, list[int | None]()
    above: str | None = table.name
    while above is not None and by_name[above].upper is not None:
        chain.append(comparison.number(above))
        above = by_name[above].upper
    parameters = {"chain": chain, "most": table.max_rows}
    people, rows = comparison.engine.query("verification/relational/over_most", **parameters)[0]
    return int(people), int(rows)


def _of_surrogates(engine: Engine, table: JudgedTable, rows: Relation) -> list[str]:
    """Return the columns with surrogates that link more rows than values of the source do."""
    offences = []
    for column in table.released:
        if column.replaced != "surrogate":
            continue
        asked = {"source": table.source, "column": column.column.name, "table": rows}
        columns = engine.query("verification/relational/more_alike", name=column.name, **asked)[0][
            0
        ]
        if columns:
            text = f"{columns:,} surrogates in {column.name!r} link more rows than any source value"
            offences.append(f"{text} of their own")
    return offences


def _counts(comparison: Comparison, table: JudgedTable) -> list[str]:
    found = comparison.found[table.name]
    about, accounted = facts_of(table.release), found.released
    if not table.public:
        gone = ("suppressed", "with_others", "beyond_max_rows")
        accounted += sum(count_of(about, fact) for fact in gone)
    if accounted == found.originals:
        return []
    return [f"the source has {found.originals:,} rows, but the release accounts for {accounted:,}"]


CHECKS: tuple[Check[Comparison], ...] = (
    Check(
        "columns, keys and levels are those that a run makes from the source",
        each(_tables, _columns),
        decisive=True,
    ),
    Check(
        "each released row, alone and with the rows it refers to, matches a source row of its own",
        each(_tables, _rows),
    ),
    Check("the number of source rows is accounted for", each(_tables, _counts)),
    Check("the number of rows beyond max_rows is the stated one", _left_out),
    Check("each person, with all their rows, matches a person of the source of their own", _trees),
)


def against_source(
    engine: Engine, tables: Sequence[JudgedTable], folder: Path
) -> dict[str, TableFound]:
    """Return the findings on each table of a release that proved correct without its source. A
    table comes after the table that it refers to. ``engine`` has the source, with the dimension
    tables of all attributes; ``folder`` is the run's private one. Raise VerificationError listing
    every offence."""
    comparison = Comparison(engine, tables, folder)
    try:
        require(CHECKS, comparison)
    finally:
        engine.drop(*comparison.made)
    return comparison.found
