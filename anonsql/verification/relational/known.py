"""Tables of people prepared for verification (equal rows, and equal trees), and how many people
match an attacker's knowledge: some rows of a person, each with the rows that it belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from anonsql.engines.base import Engine, Relation
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.table_plan import TablePlan
from anonsql.verification.facts import bounds_names


@dataclass(frozen=True)
class Laid:
    """A table as it was laid out to be verified: its number, the numbers of the tables from itself
    up to the one below people (none of people), and where its rows are."""

    number: int
    chain: tuple[int, ...]
    rows: Relation
    key: str

    @property
    def depth(self) -> int:
        """How many references lead to people."""
        return len(self.chain)

    @property
    def upper(self) -> int | None:
        """The number of the table that it refers to: 1 is that of people, which has none."""
        return (*self.chain, 1)[1] if self.chain else None


@contextmanager
def laid_out(
    engine: Engine,
    policy: RelationalPolicy,
    rows: Mapping[str, Relation],
    views: Mapping[str, TablePlan],
) -> Iterator[dict[str, Laid]]:
    """Make the tables ``verified_<number>`` of equal rows, and where all rows are known
    ``whole_<number>`` of equal trees and ``shape_<number>`` of rows in such trees. ``rows`` are the
    released tables, ``views`` the tables' own policies."""
    tables: dict[str, Laid] = {}
    for number, name in enumerate(policy.ordered, start=1):
        chain = () if number == 1 else (number, *tables[policy.to_people(name)[1]].chain)
        tables[name] = Laid(number, chain, rows[name], str(policy.tables[name].key))
    made = []
    try:
        for name, table in tables.items():
            made.append(f"verified_{table.number}")
            _find_alike(engine, policy, tables, name, views[name])
        if policy.privacy.known_rows == "all":
            made += _find_trees(engine, tables)
        yield tables
    finally:
        engine.drop(*made)


def _find_trees(engine: Engine, tables: Mapping[str, Laid]) -> list[str]:
    made = []
    for table in reversed([*tables.values()]):
        made.append(f"whole_{table.number}")
        lower = [laid.number for laid in tables.values() if laid.upper == table.number]
        parameters = {"number": table.number, "lower": lower}
        select = "verification/relational/trees"
        engine.run("sql/table", name=made[-1], select=select, **parameters)
    for table in tables.values():
        if table.depth:
            made.append(f"shape_{table.number}")
            upper = table.upper if table.depth > 1 else None
            select = "verification/relational/shapes"
            parameters = {"number": table.number, "upper": upper}
            engine.run("sql/table", name=made[-1], select=select, **parameters)
    return made


def _find_alike(
    engine: Engine,
    policy: RelationalPolicy,
    tables: Mapping[str, Laid],
    name: str,
    view: TablePlan,
) -> None:
    table = tables[name]
    reference = policy.to_people(name)[0] if table.depth else None
    names = [column.name for column in engine.columns(table.rows)]
    engine.run(
        "sql/table",
        name=f"verified_{table.number}",
        select="verification/relational/alike",
        table=table.rows,
        key=table.key,
        grouped=[
            name for name in names if name in view.quasi_identifiers or name in bounds_names(view)
        ],
        reference=reference,
        upper=table.upper,
        nested=table.depth > 1,
        depth=table.depth,
        number=table.number,
        tables=len(tables) + 1,
    )


_AT_ONCE = 16_000_000
"""About how many things that may be known one statement counts."""
_MOST_SHARES = 64


def most_known(policy: RelationalPolicy, tables: Mapping[str, Laid]) -> int:
    """Return how many rows of a person at most are looked at together: where all are known, and
    whole trees are counted, one by one."""
    known = policy.privacy.known_rows
    if not any(table.depth for table in tables.values()):
        return 0
    return 1 if known == "all" else known


@contextmanager
def knowable(
    engine: Engine, tables: Mapping[str, Laid], copies: int, *, shapes: bool = False
) -> Iterator[None]:
    """Make the table ``knowable`` of all rows that may be known; of a person's equal rows at most
    so many ``copies``. With ``shapes`` the trees below them are known, too."""
    engine.run(
        "sql/table",
        name="knowable",
        select="verification/relational/knowable",
        below=[table for table in tables.values() if table.depth],
        tables=len(tables) + 1,
        known_rows=copies,
        shapes=shapes,
        depth=depth_of(tables),
    )
    yield
    engine.drop("knowable")


def depth_of(tables: Mapping[str, Laid]) -> int:
    """Return how many references lead to people from the table that is farthest from them."""
    return max(table.depth for table in tables.values())


def keys(rows: int) -> list[str]:
    """Return the columns that name what is known with some rows: see
    ``verification/relational/macros``."""
    names = ["own", *(f"kind{one}" for one in range(1, rows + 1))]
    return names + [f"common{one}_{two}" for one in range(1, rows + 1) for two in range(1, one)]


def shares(engine: Engine, rows: int) -> Iterator[dict[str, int]]:
    """Yield the shares of possible knowledge of some rows that fit into memory, as statements take
    them. Needs ``knowable`` for more than no rows."""
    amount = engine.query("verification/relational/amounts")[0][rows - 1] if rows else None
    count = max(1, min(-(-int(amount or 0) // _AT_ONCE), _MOST_SHARES))
    for share in range(count):
        yield {"shares": count, "share": share}


def recounted(
    engine: Engine, policy: RelationalPolicy, tables: Mapping[str, Laid]
) -> tuple[int, int, list[str]]:
    """Return how many things may be known, how few people have one of them, and the offences."""
    k, most = policy.privacy.k, most_known(policy, tables)
    parameters: dict[str, Any] = {"k": k, "depth": depth_of(tables)}
    counted = [_people(engine, 0, **parameters)]
    if most:
        with knowable(engine, tables, most):
            counted += [_people(engine, rows, **parameters) for rows in range(1, most + 1)]
    if policy.privacy.known_rows == "all":
        counted.append(engine.query("verification/relational/whole", k=k)[0])
    total, fewest, offences = 0, -1, list[str]()
    for rows, (things, rare, least) in enumerate(counted):
        total += things
        if least is not None:
            fewest = least if fewest < 0 else min(fewest, least)
        if rare:
            what = "whole trees" if rows > most else f"combinations with {rows} known rows"
            offences.append(
                f"{rare:,} {what} belong to fewer than k={k} people, one of them to {least:,}"
            )
    return total, max(fewest, 0), offences


def _people(engine: Engine, rows: int, **given: Any) -> tuple[int, int, int | None]:
    """Return how many things may be known with some rows, those of fewer than k people, and the
    fewest people that one has."""
    results = [
        engine.query("verification/relational/known", rows=rows, keys=keys(rows), **given, **share)
        for share in shares(engine, rows)
    ]
    things, rare, least = zip(*(row[0] for row in results), strict=True)
    return (
        sum(things),
        sum(rare),
        min((value for value in least if value is not None), default=None),
    )
