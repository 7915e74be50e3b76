"""Whether models about sensitive columns hold of the people that match what may be known of one.

For everything that may be known, the people that match are a class. A value of a sensitive column
counts the people of the class who have it: in any row of its table, and besides, for each known
row, in the rows that this one tells of (itself, what it refers to, or what refers to it). NULL is a
value, and so is having no such row.
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
    """How a row of the table ``origin`` tells a value of another table, or its own: by the tables
    of ``path``, each of which refers to the next one."""

    origin: int
    path: tuple[int, ...]


def ways(tables: Sequence[PersonalTable], number: int) -> list[Way]:
    """Return how known rows tell of the table ``number``: those of the tables on one chain of
    references with it. None tells more of people's own rows than that they are theirs."""
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
    """BrokenPromises whoever is in a class that breaks a promise of the ``guarded`` columns, or the rows
    that make it, as the search for rare combinations does. ``shares`` says which combinations of a
    size to look at together; ``told``, of which columns the tables of what known rows tell are
    there; ``together``, how many nodes are judged."""

    engine: Engine
    tables: Sequence[PersonalTable]
    guarded: Sequence[Guarded]
    shares: Callable[[int], Iterable[Share]]
    told: set[int]
    together: int

    def find_to_suppress(self, most: int, *, alone: bool) -> bool:
        """Make ``to_suppress`` of the smallest combinations of up to ``most`` known rows of which some
        break a promise; return whether any does. ``alone``: whole people are suppressed, and no
        rows by themselves. Needs ``held`` for more than none."""
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
        """Make the table of what is known where a column's values, as the known row in a place
        tells them, break a promise; return whether there is any."""
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
