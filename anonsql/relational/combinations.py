"""How many people have what may be known of one of them, and whose rows are in combinations that
too few have: where rows are suppressed by themselves, or models look at combinations.

Combinations of each size are counted once. When rows are suppressed, the combinations of their
people alone are counted again, and taken from the counts; where there are few, all are counted
anew, which takes fewer statements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from anonsql.engines.base import Engine
from anonsql.relational.scratch import make, rows_of
from anonsql.relational.shares import FEW, shares
from anonsql.relational.tables import PersonalTable


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
    rows each, in an engine. ``work`` says about how many combinations of each size there are;
    ``guarded``, that models are judged by ``held``, too."""

    engine: Engine
    tables: Sequence[PersonalTable]
    k: int
    most: int
    work: Mapping[int, int]
    guarded: bool = False
    _counted: list[int] = field(default_factory=list)
    _less: dict[int, str] = field(default_factory=dict)
    _stale: bool = True

    def find_to_suppress(self) -> bool:
        """Make ``to_suppress`` of the units in the smallest rare combinations; return whether there
        are any."""
        for size in range(self.most + 1):
            if size not in self._counted:
                if self._count(size):
                    return True
            elif self._rare(size, f"counts_{size}"):
                self._make("to_suppress", "to_suppress", size=size)
                return True
        return False

    def set_aside(self) -> None:
        """Count the rows of people in ``to_suppress``, before the requested units are
        suppressed."""
        if not self._few:
            make(self.engine, "changed", "gone", tables=["to_suppress"], failed=[])
            self._less = {size: self._of_changed(size, "less") for size in self._counted}

    def recount(self) -> None:
        """Bring the counts up to date, after it was suppressed."""
        self._stale = True
        if self._few:
            self._counted.clear()
            return
        if 1 in self._counted:
            self.hold()
        for size, less in self._less.items():
            parameters = {"keys": self._keys(size), "less": less}
            parameters["more"] = self._of_changed(size, "more")
            self._make("recounted", "recounted", counts=f"counts_{size}", **parameters)
            self._make(f"counts_{size}", "united", tables=["recounted"])

    def _count(self, size: int) -> bool:
        """Count the combinations of a size, in parts: see :meth:`find_to_suppress`."""
        if size:
            self.refresh()
        to_suppress, counts = list[str](), list[str]()
        for number, some in enumerate(shares(self.work.get(size, 0))):
            counts.append(f"counts_{size}" if some is None else f"counts_{size}_{number}")
            held = "held" if size else "standing_1"
            parameters = {"size": size, "keys": self._keys(size), "some": some}
            self._make(counts[-1], "counts", held=held, **parameters)
            if self._rare(size, counts[-1]):
                to_suppress.append("to_suppress" if some is None else f"to_suppress_{number}")
                self._make(to_suppress[-1], "to_suppress", size=size)
        if len(counts) > 1:
            self._make(f"counts_{size}", "united", tables=counts)
            self.engine.drop(*counts)
            if to_suppress:
                self._make("to_suppress", "united", tables=to_suppress)
        self._counted.append(size)
        return bool(to_suppress)

    @property
    def _few(self) -> bool:
        """Whether to count anew takes less than to keep counts up to date."""
        return sum(self.work.values()) <= FEW

    def _rare(self, size: int, counts: str) -> int:
        """Make the table ``rare`` of combinations that fewer than k people have; return how many
        those are."""
        self._make("rare", "rare", counts=counts, keys=self._keys(size), k=self.k)
        return rows_of(self.engine, "rare")

    def refresh(self) -> None:
        """Make ``held`` anew where it has rows that are gone."""
        if self._stale:
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

    @property
    def _depth(self) -> int:
        return max(table.depth for table in self.tables)

    def _keys(self, size: int) -> list[str]:
        return keys(size, self._depth)

    def _make(self, name: str, select: str, **parameters: Any) -> None:
        make(self.engine, name, select, depth=self._depth, alone=False, **parameters)
