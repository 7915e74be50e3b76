"""How many people have what may be known of one of them, and whose rows are in combinations that
too few have.

Combinations of each size are counted once. When people or rows are suppressed, the combinations of
those people alone are counted again, and taken from the counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from anonsql.engines.base import Engine
from anonsql.relational.tables import PersonalTable

_AT_ONCE = 16_000_000
"""About how many combinations one statement counts: they should fit into memory."""
_FEW = 1_000_000
"""So many are always counted at once."""
_PARTS = 64


Share = tuple[int, int, int] | None
"""Which parts of all combinations: the first, the one after the last, of how many; None: all."""


def make(
    engine: Engine, name: str, select: str, folder: str = "search", /, **parameters: Any
) -> None:
    """Make or replace a scratch table of what a template in a folder of ``relational/`` selects."""
    engine.drop(name)
    settings = {"name": name, "select": f"relational/{folder}/{select}"}
    engine.run("sql/table", **settings, **parameters)


def rows_of(engine: Engine, table: str) -> int:
    """Return how many rows a scratch table has."""
    rows: int = engine.query("sql/rows", table=table)[0][0]
    return rows


def keys(size: int, depth: int) -> list[str]:
    """Return the columns that name a combination of some known rows, where a table is ``depth``
    references below people: see ``relational/search/counts``."""
    names = ["own", *(f"c{one}" for one in range(1, size + 1))]
    if depth > 1:
        names += [f"s{one}_{other}" for one, other in combinations(range(1, size + 1), 2)]
    return names


@dataclass
class Combinations:
    """The combinations of the rows in ``standing_<number>`` of some ``tables``, of 0 to ``most``
    rows each, in an engine. ``alone`` says that whole people are suppressed, and no rows by
    themselves; ``work``, about how many combinations of each size there are; ``guarded``, that
    models are judged by ``held``, too."""

    engine: Engine
    tables: Sequence[PersonalTable]
    k: int
    most: int
    alone: bool
    work: Mapping[int, int]
    guarded: bool = False
    _counted: list[int] = field(default_factory=list)
    _less: dict[int, str] = field(default_factory=dict)
    _stale: bool = True

    def strike(self, allowed: int) -> int:
        """Make the table ``struck``: whose rows are in the smallest combinations of which some are
        rare. Return how many people these are, 0 where nothing is rare; where more than ``allowed``
        people are found, and people alone are suppressed, as many as were found so far."""
        for size in range(self.most + 1):
            if size not in self._counted:
                if count := self._count(size, allowed):
                    return count
            elif self._rare(size, f"counts_{size}"):
                self._make("struck", "struck", size=size)
                return self._people("struck")
        return 0

    def set_aside(self) -> None:
        """Count what the people in ``struck`` have, before what is asked for is suppressed."""
        self._make("changed", "gone", table="struck")
        self._less = {size: self._of_changed(size, "less") for size in self._counted}

    def recount(self) -> None:
        """Bring the counts up to date, after it was suppressed."""
        self._stale = True
        if not self.alone and 1 in self._counted:
            self.hold()
        for size, less in self._less.items():
            more = None if self.alone else self._of_changed(size, "more")
            parameters = {"keys": self._keys(size), "less": less, "more": more}
            self._make("recounted", "recounted", counts=f"counts_{size}", **parameters)
            self._make(f"counts_{size}", "united", tables=["recounted"])

    def _count(self, size: int, allowed: int) -> int:
        """Count the combinations of a size, in parts: see :meth:`strike`. Parts that find too many
        people end it early."""
        if size:
            self.refresh()
        people, struck, counts = 0, list[str](), list[str]()
        for number, some in enumerate(self.shares(size)):
            counts.append(f"counts_{size}_{number}")
            held = "held" if size else "standing_1"
            parameters = {"size": size, "keys": self._keys(size), "some": some}
            self._make(counts[-1], "counts", held=held, **parameters)
            if not (rare := self._rare(size, counts[-1])):
                continue
            if self.alone and allowed <= 0:
                return rare
            struck.append(f"struck_{number}")
            self._make(struck[-1], "struck", size=size)
            self._make("struck", "united", tables=struck)
            people = self._people("struck")
            if self.alone and people > allowed:
                return people
        self._make(f"counts_{size}", "united", tables=counts)
        for name in counts:
            self.engine.drop(name)
        self._counted.append(size)
        return people

    def shares(self, size: int) -> Iterator[Share]:
        """Yield which of so many parts of the combinations of a size to count together: few at
        first, as many nodes fail by far, later as many as fit into memory."""
        work = self.work.get(size, 0)
        if work <= _FEW:
            yield None
            return
        begin, most, step = 0, max(_AT_ONCE * _PARTS // work, 1), 1
        while begin < _PARTS:
            end = min(begin + min(step, most), _PARTS)
            yield begin, end, _PARTS
            begin, step = end, 4 * step

    def _rare(self, size: int, counts: str) -> int:
        """Make the table ``rare`` of what fewer than k people have; return how many those are."""
        self._make("rare", "rare", counts=counts, keys=self._keys(size), k=self.k)
        return rows_of(self.engine, "rare")

    def refresh(self) -> None:
        """Make ``held`` anew where it has rows of people who are gone."""
        if self.most and self._stale:
            self.hold()

    def hold(self) -> None:
        """Make the table ``held`` of the rows that may be known."""
        if not self.most:
            return
        below = [table for table in self.tables if table.depth]
        parameters = {"tables": below, "count": len(self.tables) + 1, "known_rows": self.most}
        parameters["few"] = self.guarded or self.most > 1  # to count k it is dearer than it saves
        self._make("held", "held", **parameters)
        self._stale = False

    def _of_changed(self, size: int, name: str) -> str:
        """Count what the people in ``changed`` have; return the table of it."""
        table, column = ("held", "person") if size else ("standing_1", "id")
        self._make("held_of", "of_people", table=table, column=column, people="changed")
        parameters = {"size": size, "keys": self._keys(size), "some": None}
        self._make(f"{name}_{size}", "counts", held="held_of", **parameters)
        return f"{name}_{size}"

    def _people(self, table: str) -> int:
        people: int = self.engine.query("relational/search/people", table=table)[0][0]
        return people

    @property
    def _depth(self) -> int:
        return max(table.depth for table in self.tables)

    def _keys(self, size: int) -> list[str]:
        return keys(size, self._depth)

    def _make(self, name: str, select: str, **parameters: Any) -> None:
        make(self.engine, name, select, depth=self._depth, alone=self.alone, **parameters)
