"""Published cells, put beside those that were counted anew; and both as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anonsql.engines.base import Column, Engine, Relation
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.statistics.cells import Cells
from anonsql.system.arrays import IntArray
from anonsql.verification.statistics.columns import has_room
from anonsql.verification.statistics.recount import Compared, People


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
    """Leave out what was counted anew of cells that are not published."""
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
    measure: h1 …, 1 where it is hidden, b1 …, the value, w1 …, 1 where it is waived). ``hashes`` are
    two numbers of each, where they are named."""

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
    """Return the cells of all tables, counted anew, with what is told of them and what ties them
    together; with their names where they are ``named``. ``joined`` are counted tables that are not
    published."""
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
    engine.drop("audited")
    engine.drop("parents")
    return Recounted(counted, (whole, dimension, part), counted["u"] == 1, hashes)
