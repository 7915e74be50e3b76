"""Count the cells of published tables again from the rows of their source, and join the published
values. Rows are gathered by their labels, and by people, before cells are counted.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from anonsql.engines.base import Column, Engine, OfColumn, Relation
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.protect import Protect
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.statistics.cells import Cells
from anonsql.statistics.cubes import PORTION, Sum, TableMeasure, levels_of
from anonsql.statistics.joined import Levels, Together, joined_tables
from anonsql.system.arrays import IntArray
from anonsql.verification.statistics.columns import has_room


def show(
    compared: Compared,
    policy: StatisticsPolicy,
    name: str,
    relation: Relation,
    table: str,
    *,
    reader: Engine,
) -> None:
    """Make the cells of a published table by the names of their groups, where the source is."""
    engine = compared.engine
    reader.run(
        "verification/statistics/shown",
        table=relation,
        attributes=[a for a in compared.attributes if a.name in policy.tables[name].by],
        all_attributes=compared.attributes,
        measures=compared.measures,
        roomy=[column.name for column in reader.columns(relation) if has_room(reader, column)],
        status=policy.protect.status,
        waived=compared.waived[name],
        name=table,
    )
    if reader is engine:
        return
    keys = [
        column
        for a in compared.attributes
        for column in (Column(f"l{a.index}", "BIGINT"), Column(f"k{a.index}", "VARCHAR"))
    ]
    positions = range(1, len(compared.measures) + 1)
    columns = keys + [Column(f"{name}{at}", "BIGINT") for at in positions for name in "bwh"]
    if engine.takes == "rows":
        names = [column.name for column in columns]
        rows = reader.query("verification/facts", table=(table,), columns=names)
        engine.load(table, [(column.name, column.type) for column in columns], rows)
    else:
        file = engine.context.workspace / table
        engine.receive(table, reader.carry(table, columns, file, engine.takes))
    reader.drop(table)


def leave_out(compared: Compared, pair: tuple[str, str]) -> None:
    """Leave out recounted cells that are not published."""
    engine, matched = compared.engine, f"{pair[0]}_matched"
    engine.run(
        "verification/statistics/matched",
        recounted=pair[0],
        shown=pair[1],
        attributes=compared.attributes,
        name=matched,
    )
    engine.drop(pair[0])
    engine.run("verification/statistics/together", portions=[matched], name=pair[0])
    engine.drop(matched)


@dataclass(frozen=True)
class Recounted(Cells):
    """The cells of all published tables, each once: what was ``counted`` of them anew (see the
    template ``verification/statistics/recounted``), and what is published (by the position of a
    measure: h1 …, 1 where it is hidden, b1 …, the value, w1 …, 1 where it is waived). ``hashes``
    are two numbers of each, where they are named."""

    hashes: Sequence[IntArray] = ()


def read(
    compared: Compared,
    policy: StatisticsPolicy,
    pairs: Sequence[tuple[str, str]],
    joined: Sequence[str],
    people: People,
    *,
    named: bool,
) -> Recounted:
    """Return the recounted cells of all tables, with their published values and relations; with
    their names where they are ``named``. ``joined`` are counted tables that are not published."""
    engine, attributes, protect = compared.engine, compared.attributes, policy.protect
    columns = ["people", "n", *(f"m{entry.index}" for entry in compared.sums)]
    if compared.ranked(protect):
        columns += [f"{name}{entry.index}" for entry in compared.sums for name in "atxy"]
    if protect.keyed:
        columns.append("ck")
    if people.exclusive:
        columns.append("exclusive")
    positions = range(1, len(compared.measures) + 1)
    statuses = [f"{name}{position}" for position in positions for name in "hbw"]
    shared: dict[str, Any] = {"attributes": attributes}
    who = people.named
    kept = [*columns, "e"] if who else columns
    engine.run(
        "verification/statistics/audited",
        pairs=pairs,
        joined=joined,
        columns=kept,
        statuses=statuses,
        **shared,
    )
    engine.run("verification/statistics/parents", **shared)
    names = [*columns, *statuses, "u"]
    levels = [f"l{a.index}" for a in attributes]
    if protect.noise is not None or policy.zeros:
        names += levels
    arrays = engine.numbers("verification/statistics/audited_numbers", columns=names, named=who)
    if who:
        names.append("who")
    whole, dimension, part = engine.numbers("verification/statistics/ties", **shared)
    hashes: Sequence[IntArray] = ()
    if named:
        own = {"numbered": engine.own["hex_number"], **shared}
        hashes = engine.numbers("verification/statistics/names", **own)
    counted = dict(zip(names, arrays, strict=True))
    engine.drop("audited", "parents")
    return Recounted(counted, (whole, dimension, part), counted["u"] == 1, hashes)


Row = Mapping[str, tuple[int, str | None]]
"""A row of a table: level and label of every dimension."""
Waived = Mapping[str, Mapping[str, Sequence[Row]]]
"""The rows that may be published although a rule forbids it, by table and measure."""


@dataclass(frozen=True)
class Compared:
    """The source that published tables are compared with: the ``source`` with its dimensions, the
    column of people (``entity``), the measures, and the rows that are ``waived``."""

    engine: Engine
    source: Relation
    attributes: Sequence[Attribute]
    entity: OfColumn | None
    measures: Sequence[TableMeasure]
    waived: Waived = field(default_factory=dict)

    @property
    def sums(self) -> list[Sum]:
        """The measures that are sums."""
        return [measure.sum for measure in self.measures if measure.sum is not None]

    def ranked(self, protect: Protect) -> int:
        """Return how many of the largest contributors of every cell are looked at."""
        if protect.of_sums:
            return protect.contributors
        return 2 if protect.by == "cell-key" and self.sums else 0

    def exclusive(self, protect: Protect) -> str | None:
        """Return how people are counted who are in one combination alone, where people are counted
        and cells are hidden: by their ``rows`` where these are published, else by ``groups``."""
        if protect.changes or self.entity is None or not any(m.people for m in self.measures):
            return None
        return "rows" if any(m.counted == "n" for m in self.measures) else "groups"

    def named(self, protect: Protect, *, more_rows: bool) -> bool:
        """Return whether it matters who is the only person of a cell: this person knows its sum,
        and, where a person has ``more_rows`` than one, how many rows."""
        rows = any(measure.sum is None and not measure.people for measure in self.measures)
        known = bool(self.sums) or (rows and more_rows)
        return not protect.changes and self.entity is not None and known


@dataclass(frozen=True)
class People:
    """The ``table`` that has people by labels, whether a person is in ``several`` rows of it,
    whether it matters who is the only person of a cell (``named``), and whether people in one
    combination alone are counted (``exclusive``)."""

    table: str
    several: bool
    named: bool = False
    exclusive: bool = False


def people_of(compared: Compared, policy: StatisticsPolicy, *, keyed: bool) -> People:
    """Add up the rows of the source by labels, and by people where a person may be counted twice or
    amounts are compared."""
    engine, levels = compared.engine, levels_of_all(compared, policy)
    exclusive = compared.exclusive(policy.protect)
    shared = {
        "attributes": compared.attributes,
        "levels": levels,
        "sums": compared.sums,
        "exclusive": exclusive,
    }
    engine.run(
        "verification/statistics/labelled",
        source=compared.source,
        entity=compared.entity,
        keyed=keyed,
        **shared,
    )
    noise = policy.protect.noise
    several, more_rows = noise is not None and noise.counts_apart, False
    if noise is None and compared.entity is not None:
        combined, people, rows = engine.query("verification/statistics/several")[0]
        several, more_rows = combined > people, (rows or 0) > people
    named = compared.named(policy.protect, more_rows=more_rows)
    if several or compared.ranked(policy.protect) or named:
        return People("labelled", several, named, exclusive is not None)
    engine.run(
        "verification/statistics/gathered",
        rows=("labelled",),
        keyed=keyed,
        name="gathered",
        **shared,
    )
    engine.drop("labelled")
    return People("gathered", several=False, exclusive=exclusive is not None)


def levels_of_all(compared: Compared, policy: StatisticsPolicy) -> dict[int, list[int]]:
    """Return by dimension the levels below the top that a table has."""
    tables = policy.tables.values()
    return {
        a.index: list(
            range(min(t.levels.get(a.name, 0) for t in tables if a.name in t.by), a.height)
        )
        for a in compared.attributes
    }


def people_of_table(
    compared: Compared, policy: StatisticsPolicy, name: str, people: People
) -> People:
    """Return people by the labels of one table's dimensions alone, where that is fewer rows."""
    settings = policy.tables[name]
    own = [a for a in compared.attributes if a.name in settings.by]
    levels = {a.index: range(settings.levels.get(a.name, 0), a.height) for a in own}
    if (
        people.table != "gathered"
        or len(own) == len(compared.attributes)
        or not any(levels.values())
    ):
        return people
    compared.engine.run(
        "verification/statistics/gathered",
        rows=(people.table,),
        attributes=own,
        levels={index: list(of_table) for index, of_table in levels.items()},
        keyed=policy.protect.keyed,
        sums=compared.sums,
        exclusive=people.exclusive,
        name="gathered_of_table",
    )
    return replace(people, table="gathered_of_table")


def joined_of(compared: Compared, policy: StatisticsPolicy, people: People) -> list[Levels]:
    """Return the tables that are not published and tie cells together, by the labels of people."""
    levels = levels_of_all(compared, policy)
    given: dict[str, Any] = {
        "rows": (people.table,),
        "attributes": compared.attributes,
        "levels": levels,
    }
    read = partial(compared.engine.numbers, "verification/statistics/occurring", **given)
    together = Together.of(compared.attributes, levels, read)
    return joined_tables([levels_of(table) for table in policy.tables.values()], together)


def recount(
    compared: Compared, policy: StatisticsPolicy, levels: Levels, table: str, people: People
) -> list[dict[int, int]]:
    """Count the cells of one table anew, which has these levels; return the vectors of its
    levels."""
    ranges = [
        range(levels[a.name], a.height + 1) if a.name in levels else [a.height]
        for a in compared.attributes
    ]
    indices = [a.index for a in compared.attributes]
    vectors = [dict(zip(indices, levels, strict=True)) for levels in itertools.product(*ranges)]
    engine, portions = compared.engine, list[str]()
    for first in range(0, len(vectors), PORTION):
        portions.append(f"{table}_{len(portions) + 1}")
        engine.run(
            "verification/statistics/recounted",
            all_attributes=compared.attributes,
            vectors=vectors[first : first + PORTION],
            rows=(people.table,),
            several=people.several,
            keyed=policy.protect.keyed,
            sums=compared.sums,
            ranked=compared.ranked(policy.protect),
            named=people.named,
            exclusive=people.exclusive,
            name=portions[-1],
        )
    engine.run("verification/statistics/together", portions=portions, name=table)
    engine.drop(*portions)
    return vectors


def recount_published(
    compared: Compared, policy: StatisticsPolicy, name: str, table: str, people: People
) -> None:
    """Count the cells of one published table anew."""
    vectors = recount(compared, policy, levels_of(policy.tables[name]), table, people)
    noise = policy.protect.noise
    if name in policy.zeros or (noise is not None and noise.domain == "public"):
        _complete(compared, policy, table, vectors, people)


def _complete(
    compared: Compared,
    policy: StatisticsPolicy,
    table: str,
    vectors: Sequence[Mapping[int, int]],
    people: People,
) -> None:
    """Add the empty cells to the recounted ones: of a public domain, else of the labels that
    occur."""
    engine, portions = compared.engine, list[str]()
    for first in range(0, len(vectors), PORTION):
        portions.append(f"{table}_domain_{len(portions) + 1}")
        engine.run(
            "verification/statistics/domain",
            recounted=table,
            rows=(people.table,) if policy.protect.noise is None else None,
            all_attributes=compared.attributes,
            vectors=vectors[first : first + PORTION],
            ranked=compared.ranked(policy.protect),
            named=people.named,
            exclusive=people.exclusive,
            sums=compared.sums,
            name=portions[-1],
        )
    engine.drop(table)
    engine.run("verification/statistics/together", portions=portions, name=table)
    engine.drop(*portions)
