"""Whether released rows are sorted by their own content, and the numbers of people, groups and rows
follow from it exactly.

:mod:`anonsql.release.numbering` states the rule. Here it is applied again: each row is compared
with the row stored before it, column by column, and each number with the number below it, by the
places of their rows. An order or a number that is anything but a function of the released content
could say more of a row than the row does. The order of things that are equal by this rule is not
checked: it is random.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonsql.engines.base import Column, Engine, Relation, ReleaseTables
from anonsql.policy.local import bucket_name
from anonsql.policy.release_parts import COMPLETED, MARGINALS
from anonsql.policy.table_plan import TablePlan
from anonsql.release.columns import GROUP, RECORD
from anonsql.system.numbers import counted

_SORTED = "a run sorts rows by their content; publish releases of earlier versions again"
Key = tuple[str, bool]
"""A column that rows are sorted by, and whether by its text."""
Holders = Sequence[tuple[str, str]]
"""The tables and columns that have a number: that which it belongs to first."""


def of_release(release: ReleaseTables, policy: TablePlan) -> list[str]:
    """Return what is wrong with the order of the tables of a release, and with its numbers."""
    columns = [column.name for column in release.engine.columns(release.rows)]
    tables: dict[str, Relation] = {"": release.rows}
    joined: dict[str, str] = {}
    for name, part in policy.tabled.items():
        if part in release.extras:
            tables[f"__{part}"] = release.extras[part]
            joined[GROUP.name if policy.separated else bucket_name(name)] = f"__{part}"
    own = {name for name, what in policy.replaced.items() if what == "surrogate"}
    own |= {GROUP.name, *map(bucket_name, policy.bucketized or ())} if policy.tabled else set()
    numbers: list[Holders] = [
        [("", name), *((joined[name], name) for _ in range(name in joined))]
        for name in columns
        if name in own
    ]
    if policy.bucketized is not None and RECORD.name in columns:
        numbers.append([("", RECORD.name)])
    offences = misnumbered(release.engine, tables, numbers)
    for beside in ("labels", MARGINALS, COMPLETED):
        if beside in release.extras:
            tables[f"__{beside}"] = release.extras[beside]
    return offences + unsorted(release.engine, tables)


def unsorted(engine: Engine, tables: Mapping[str, Relation]) -> list[str]:
    """Return which tables, by the names that they have in messages, are not stored sorted. None
    where the engine stores rows in no order (``engine.own['stored_order']``)."""
    offences = []
    for name, table in tables.items():
        keys = _keys(engine.columns(table))
        if not (stored := engine.own["stored_order"]) or not keys:
            continue
        asked = {"table": table, "keys": keys, "stored": stored}
        ((astray,),) = engine.query("verification/order/astray", **asked)
        if astray:
            text = f"{counted(astray, 'row is', 'rows are')} out of order ({_SORTED})"
            offences.append(f"{name}: {text}" if name else text)
    return offences


def misnumbered(
    engine: Engine, tables: Mapping[str, Relation], numbers: Sequence[Holders]
) -> list[str]:
    """Return which columns have numbers that do not follow from the content of ``tables``.
    ``numbers`` are in the order in which they are given."""
    offences, own = [], dict[str, list[str]]()
    for number in numbers:
        for name, column in number:
            own.setdefault(name, []).append(column)
    places = {name: f"order_{position}" for position, name in enumerate(own, start=1)}
    for name, place in places.items():
        columns = engine.columns(tables[name])
        keys = _keys([column for column in columns if column.name not in own[name]])
        select = {"select": "verification/order/places", "table": tables[name]}
        engine.drop(place)
        engine.run("sql/table", name=place, keys=keys, numbers=own[name], **select)
    given: set[tuple[str, str]] = set()
    for number in numbers:
        holders = [
            (
                places[name],
                own[name].index(column) + 1,
                [n for n, other in enumerate(own[name], start=1) if (name, other) in given],
            )
            for name, column in number
        ]
        numbered, template = engine.own["hex_number"], "verification/order/misnumbered"
        ((wrong,),) = engine.query(template, holders=holders, numbered=numbered)
        if wrong:
            name, column = number[0]
            text = f"{wrong:,} numbers in {column!r} do not follow from their rows"
            offences.append(f"{name}: {text}" if name else text)
        given.update(number)
    engine.drop(*places.values())
    return offences


def _keys(columns: Sequence[Column]) -> list[Key]:
    by_value = ("integer", "decimal", "float", "boolean", "date", "timestamp")
    keys: list[Key] = []
    for column in columns:
        mixed = column.type.startswith("MIXED")  # of SQLite: numbers, then texts, then bytes
        if column.kind in by_value or mixed:
            keys.append((column.name, False))
        if column.kind not in by_value or mixed or not column.exact:
            keys.append((column.name, True))
    return keys
