"""Check models about sensitive columns for the people who match an attacker's knowledge.

For each possible knowledge, the matching people are a class. A value of a sensitive column counts
the people of the class who have it: in any row of its table, and for each known row also in the
rows related to it (itself, rows that it refers to, or rows that refer to it). NULL is a value, and
so is having no such row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from anonsql.engines.base import Engine
from anonsql.relational.combinations import keys
from anonsql.relational.scratch import make, rows_of
from anonsql.relational.shares import Share
from anonsql.relational.tables import Guarded, PersonalTable


@dataclass(frozen=True)
class Way:
    """How a row of the table ``origin`` reveals a value of another table, or its own: by the tables
    of ``path``, each referring to the next one."""

    origin: int
    path: tuple[int, ...]


def ways(tables: Sequence[PersonalTable], number: int) -> list[Way]:
    """Return how known rows reveal values of the table ``number``: rows of the tables on one chain
    of references with it. Of people's own rows they reveal only whose these are."""
    chains = {table.number: table.chain for table in tables}
    result = []
    for origin, chain in chains.items():
        if number in chain:
            result.append(Way(origin, chain[: chain.index(number) + 1]))
        elif origin in chains[number]:
            result.append(Way(origin, chains[number][: chains[number].index(origin) + 1]))
    return result


@dataclass(frozen=True)
class BrokenPromises:
    """The search for people in a class that breaks a promise of the ``guarded`` columns, or for the
    rows that form it. ``shares`` says which combinations of a size to look at together; ``told``,
    for which columns the tables of revealed values exist; ``together``, how many nodes are
    judged."""

    engine: Engine
    tables: Sequence[PersonalTable]
    guarded: Sequence[Guarded]
    shares: Callable[[int], Iterable[Share]]
    told: set[int]
    together: int

    def find_to_suppress(self, most: int, *, alone: bool) -> bool:
        """Make ``to_suppress`` of the smallest combinations of up to ``most`` known rows that break
        a promise; return whether any does. ``alone``: whole people are suppressed, and no single
        rows. Needs ``held`` unless ``most`` is 0."""
        for promise in self.guarded:
            parameters: dict[str, Any] = {"table": promise.table, "index": promise.index}
            parameters["together"] = self.together
            self._make(f"carried_{promise.index}", "carried", **parameters)
            if (
                promise.index not in self.told
                and most
                and (result := ways(self.tables, promise.table))
            ):
                parameters |= {"ways": result, "count": len(self.tables) + 1}
                self._make(f"told_{promise.index}", "told", **parameters)
                self.told.add(promise.index)
        return any(self._find_by(size, alone=alone) for size in range(most + 1))

    def _find_by(self, size: int, *, alone: bool) -> bool:
        depth = max(table.depth for table in self.tables)
        made = list[str]()
        for number, some in enumerate(self.shares(size)):
            broken = [
                f"broken_{promise.index}_{position}"
                for promise in self.guarded
                for position in range(size + 1)
                if self._broken(promise, position, some, size=size, depth=depth)
            ]
            if broken:
                self._make("rare", "rare", tables=broken, keys=keys(size, depth))
                made.append(f"to_suppress_{number}")
                make(self.engine, made[-1], "to_suppress", size=size, depth=depth, alone=alone)
        if not made:
            return False
        make(self.engine, "to_suppress", "united", tables=made)
        return rows_of(self.engine, "to_suppress") > 0

    def _broken(self, column: Guarded, position: int, some: Share, **given: int) -> bool:
        """Make the table of the knowledge under which a column's values, revealed by the known row
        in a place, break a promise; return whether there is any."""
        if position and not ways(self.tables, column.table):
            return False
        name = f"broken_{column.index}_{position}"
        named = keys(given["size"], given["depth"])
        known = {"index": column.index, "place": position, "some": some, **given}
        self._make("valued", "valued", keys=named, **known)
        self._make(name, "broken", promise=column.promise, table="valued", keys=named)
        return rows_of(self.engine, name) > 0

    def _make(self, name: str, select: str, **parameters: Any) -> None:
        make(self.engine, name, select, "sensitive", **parameters)
