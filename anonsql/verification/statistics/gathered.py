"""Rows of the source gathered by their labels, and by people, before cells are counted anew."""

from __future__ import annotations

from dataclasses import dataclass, replace

from anonsql.policy.statistics import StatisticsPolicy
from anonsql.verification.statistics.compared import Compared


@dataclass(frozen=True)
class People:
    """The ``table`` that has people by labels, whether somebody is in ``several`` rows of it,
    whether it matters who is the only person of a cell (``named``), and whether people in one
    combination alone are counted (``exclusive``)."""

    table: str
    several: bool
    named: bool = False
    exclusive: bool = False


def people_of(compared: Compared, policy: StatisticsPolicy, *, keyed: bool) -> People:
    """Add the rows of the source up by labels, and by people where somebody may be counted twice or
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
