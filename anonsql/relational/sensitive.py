"""Whether models about sensitive columns hold of the people that match what may be known of one.

For everything that may be known, the people that match are a class. A value of a sensitive column
counts the people of the class who have it: in any row of its table, and besides, for each known
row, in the rows that this one tells of (itself, what it refers to, or what refers to it). NULL is a
value, and so is having no such row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from anonsql.engines.base import Engine
from anonsql.relational.tables import Guarded, PersonalTable

Make = Callable[..., None]
"""What makes or replaces a scratch table of what a template of ``relational/`` selects, by its name
and the template's, with what that takes."""


@dataclass(frozen=True)
class Way:
    """How a row of the table ``origin`` tells a value of another table, or its own: by the tables
    of ``path``, each of which refers to the next one."""

    origin: int
    path: tuple[int, ...]


def ways(tables: Sequence[PersonalTable], number: int) -> list[Way]:
    """Return how known rows tell of the table ``number``: those of the tables on one chain of
    references with it. None tells more of people's own rows than that they are theirs."""
    chains = {each.number: each.chain for each in tables}
    found = []
    for origin, chain in chains.items():
        if number in chain:
            found.append(Way(origin, chain[: chain.index(number) + 1]))
        elif origin in chains[number]:
            found.append(Way(origin, chains[number][: chains[number].index(origin) + 1]))
    return found


def keys(size: int, depth: int) -> list[str]:
    """Return the columns that name what is known with some rows: see ``relational/search/rare``."""
    names = ["own", *(f"c{one}" for one in range(1, size + 1))]
    if depth > 1:
        names += [f"s{a}_{b}" for a, b in product(range(1, size + 1), repeat=2) if a < b]
    return names


@dataclass(frozen=True)
class Strikes:
    """Strikes whoever is in a class that breaks a promise of the ``guarded`` columns, or the rows
    that make it, as the search for rare combinations does. ``parts`` says in how many parts
    combinations of each size are looked at."""

    engine: Engine
    make: Make
    tables: Sequence[PersonalTable]
    guarded: Sequence[Guarded]
    parts: Mapping[int, int]

    def strike(self, most: int) -> int:
        """Make ``struck`` of the smallest combinations of up to ``most`` known rows of which some
        break a promise; return how many people these are of, 0 where none does. Needs ``held`` for
        more than none."""
        for each in self.guarded:
            given: dict[str, Any] = {"table": each.table, "index": each.index}
            self.make(f"carried_{each.index}", "sensitive/carried", **given)
            if most and (found := ways(self.tables, each.table)):
                given |= {"ways": found, "count": len(self.tables) + 1}
                self.make(f"told_{each.index}", "sensitive/told", **given)
        for size in range(most + 1):
            if people := self._strike_by(size):
                return people
        return 0

    def _strike_by(self, size: int) -> int:
        """Make ``struck`` of combinations of one size: see :meth:`strike`."""
        depth = max(table.depth for table in self.tables)
        parts = self.parts.get(size, 1)
        made = list[str]()
        for part in range(parts):
            given = {"size": size, "depth": depth, "parts": parts, "part": part}
            broken = [
                f"broken_{each.index}_{place}"
                for each in self.guarded
                for place in range(size + 1)
                if self._broken(each, place, **given)
            ]
            if broken:
                self.make("rare", "sensitive/rare", tables=broken, keys=keys(size, depth))
                made.append(f"struck_{part}")
                self.make(made[-1], "search/struck", **given)
        if not made:
            return 0
        self.make("struck", "search/united", tables=made)
        people: int = self.engine.query("relational/search/people", table="struck")[0][0]
        return people

    def _broken(self, column: Guarded, place: int, **given: int) -> bool:
        """Make the table of what is known where a column's values, as the known row in a place
        tells them, break a promise; return whether there is any."""
        if place and not ways(self.tables, column.table):
            return False
        name = f"broken_{column.index}_{place}"
        self.make("valued", "sensitive/valued", index=column.index, place=place, **given)
        named = {"table": "valued", "keys": keys(given["size"], given["depth"])}
        self.make(name, "sensitive/broken", promise=column.promise, **named)
        return bool(self.engine.query("sql/rows", table=name)[0][0])
