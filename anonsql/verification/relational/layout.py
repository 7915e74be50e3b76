"""Tables of people as they are laid out to be verified: rows that are alike, and whole trees that
are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from anonsql.engines.base import Engine, Relation
from anonsql.policy.policy import Policy
from anonsql.policy.relational import RelationalPolicy
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
    views: Mapping[str, Policy],
) -> Iterator[dict[str, Laid]]:
    """Have the tables ``verified_<number>`` of rows that are alike, and where all rows are known
    ``whole_<number>`` of trees that are, and ``shape_<number>`` of rows in such trees. ``rows`` are
    the released tables, ``views`` the policies of the tables by themselves."""
    tables: dict[str, Laid] = {}
    for number, name in enumerate(policy.ordered, start=1):
        chain = () if number == 1 else (number, *tables[policy.to_people(name)[1]].chain)
        tables[name] = Laid(number, chain, rows[name], str(policy.tables[name].key))
    made = []
    for name, table in tables.items():
        made.append(f"verified_{table.number}")
        _find_alike(engine, policy, tables, name, views[name])
    if policy.privacy.known_rows == "all":
        made += _find_trees(engine, tables)
    yield tables
    for entry in made:
        engine.drop(entry)


def _find_trees(engine: Engine, tables: Mapping[str, Laid]) -> list[str]:
    """Make the tables ``whole_<number>`` and ``shape_<number>``; return their names."""
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
    view: Policy,
) -> None:
    """Make the table ``verified_<number>`` of one table's rows."""
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
