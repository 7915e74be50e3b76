"""Suppress people or rows until no possible knowledge is rare, at some nodes at once.

The attacker knows a person's own row and up to m of the person's rows in other tables, each with
the rows that it refers to, and which of these two known rows share. Knowledge that fewer than k
people match is rare. The search for rare combinations begins with the shortest ones; a rare one
without rows suppresses the person, a longer one its rows, each individually where the policy allows
that, or else the next row up to the person for which it does. The search is repeated until nothing
is rare, as others may have become rare. Models about sensitive columns are checked when nothing is
rare by numbers: combinations that break them are suppressed like rare ones (see
:mod:`anonsql.relational.sensitive`).

Nodes are settled together as if each had people of its own: its number is a part of all numbers of
rows (see ``relational/search/standing``), and so of their classes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anonsql.engines.base import Engine
from anonsql.errors import InvariantError
from anonsql.relational.census import Census
from anonsql.relational.combinations import Combinations
from anonsql.relational.scratch import make, people_of, rows_of
from anonsql.relational.sensitive import BrokenPromises
from anonsql.relational.shares import shares
from anonsql.relational.tables import Guarded, PersonalTable

MANY = 20_000
"""From this many people on they are judged in portions, and nodes one at a time."""
_LEAST_PORTION = 64


@dataclass
class Tally:
    """How many rows of each table are suppressed by themselves, by node and number of the table,
    and the nodes at which these are more than the ``most`` that may be."""

    most: Mapping[int, int]
    suppressed: list[dict[int, int]]
    failed: set[int] = field(default_factory=set)

    @property
    def over(self) -> bool:
        """Whether every node fails."""
        return len(self.failed) == len(self.suppressed)

    def failing(self, people: Mapping[int, int]) -> set[int]:
        """Add and return the nodes that fail if so many people more are suppressed."""
        nodes = {
            node
            for node, more in people.items()
            if node not in self.failed and self.suppressed[node][1] + more > self.most[1]
        }
        for node in nodes:
            self.suppressed[node][1] += people[node]
        self.failed |= nodes
        return nodes

    def add(self, number: int, rows: Mapping[int, int]) -> None:
        """Add rows of a table, by node; those of nodes that fail are not counted any more."""
        for node in rows.keys() - self.failed:
            self.suppressed[node][number] += rows[node]

    def limit(self, numbers: Collection[int]) -> set[int]:
        """Return the nodes that fail, and did not before, by the limits of some tables."""
        nodes = {
            node
            for node, rows in enumerate(self.suppressed)
            if node not in self.failed
            and any(rows[number] > self.most[number] for number in numbers)
        }
        self.failed |= nodes
        return nodes


@dataclass
class Settling:
    """Settles so many nodes ``together``, whose classes are in ``classes_<number>``. ``most_known``
    rows are counted together, and whole trees where ``trees`` says that; ``work`` says about how
    many combinations of each size there are at all nodes, ``guarded`` what is promised of sensitive
    columns, ``limited`` by which tables' limits nodes fail."""

    engine: Engine
    tables: Sequence[PersonalTable]
    k: int
    most_known: int
    trees: bool
    guarded: Sequence[Guarded]
    limited: Collection[int]
    together: int
    work: Mapping[int, int]
    tally: Tally
    _lower_trees: bool = False
    _told: set[int] = field(default_factory=set)
    _by_trees: bool = False

    @property
    def _alone(self) -> bool:
        raise NotImplementedError

    def _stand(self, tables: Sequence[PersonalTable], *, living: bool) -> None:
        for table in tables:
            parameters = {"table": table, "together": self.together, "living": living}
            self._make(f"standing_{table.number}", "standing", **parameters)

    def _combinations(self) -> Combinations:
        return Combinations(
            self.engine, self.tables, self.k, self.most_known, self.work, bool(self.guarded)
        )

    def _find_by_models(self, combinations: Combinations) -> bool:
        """Make ``to_suppress`` of the units that break a promise about sensitive columns; return
        whether any does. Where all rows are known, and there is any, classes are left as by
        trees."""
        if not self._alone or self.trees:
            self._told.clear()
        if self.trees:
            self._know_trees(combinations)
        else:
            combinations.refresh()
        broken = BrokenPromises(
            self.engine,
            self.tables,
            self.guarded,
            lambda size: shares(self.work.get(size, 0)),
            self._told,
            self.together,
        )
        found = broken.find_to_suppress(combinations.most, alone=self._alone)
        if self._by_trees and not found:
            self._know_labels(combinations)
        return found

    def _know_trees(self, combinations: Combinations) -> None:
        """Let the class of a row say all that is known of it where all rows are known: the trees
        below it and below the rows that it refers to. Needs ``trees_<number>``."""
        self._by_trees = True
        for table in self.tables:
            self._make(f"by_labels_{table.number}", "united", tables=[f"standing_{table.number}"])
            make(self.engine, "by_trees", "by_trees", "sensitive", table=table)
            self._make(f"standing_{table.number}", "united", tables=["by_trees"])
        combinations.hold()

    def _know_labels(self, combinations: Combinations) -> None:
        self._by_trees = False
        for table in self.tables:
            self._make(f"standing_{table.number}", "united", tables=[f"by_labels_{table.number}"])
        combinations.hold()

    def _find_rare_trees(self) -> bool:
        """Make ``to_suppress`` of people whose whole tree fewer than k people have; return whether
        there are any. Trees below people stay as they are where whole people are suppressed."""
        for table in reversed(self.tables):
            if table.depth and self._alone and self._lower_trees:
                continue
            lower = [text.number for text in self.tables if text.upper == table.number]
            self._make(f"trees_{table.number}", "trees", table=table, below=lower)
        self._lower_trees = True
        self._make("to_suppress", "rare_trees", k=self.k)
        return rows_of(self.engine, "to_suppress") > 0

    def _make(self, name: str, select: str, **parameters: Any) -> None:
        make(self.engine, name, select, **parameters)


@dataclass
class SettlingPeople(Settling):
    """Where whole people are suppressed. The choice does not depend on the order: the remaining
    people are the largest set that keeps the promise."""

    people: int = 0

    @property
    def _alone(self) -> bool:
        return True

    def settle(self) -> None:
        """Leave the remaining people in ``standing_1``, and the suppressed ones in ``tally``."""
        self._stand(self.tables[:1], living=False)
        if self.people < MANY:
            self._settle()
            return
        self._make("everybody", "united", tables=["standing_1"])
        left, everybody = list[str](), self.people * self.together
        for after, until in self._portions(everybody):
            self._make("standing_1", "portion", after=after, until=until)
            if not (here := rows_of(self.engine, "standing_1")):
                continue
            self._settle(here / everybody, warily=not left)
            if self.tally.over:
                return
            left.append(f"left_{len(left)}")
            self._make(left[-1], "united", tables=["standing_1"])
        self._make("standing_1", "united", tables=left)

    def _portions(self, everybody: int) -> list[tuple[int, int]]:
        """Return how many people's classes are judged one after the other. Most nodes fail, most by
        far: at first just more than may be suppressed, then ever more. Nothing that is known of a
        person is compared with people of other classes."""
        few = 2 * self.tally.most[1] * self.together
        ends = [min(max(everybody // _LEAST_PORTION, few), everybody // 2)]
        while 2 * ends[-1] < everybody:
            ends.append(max(3 * ends[-1], MANY, 1))
        ends[-1] = everybody
        return list(zip([0, *ends], ends, strict=False))

    def _settle(self, part: float = 1.0, *, warily: bool = True) -> None:
        self._lower_trees = False
        self._told.clear()
        self._stand(self.tables[1:], living=True)
        work = {size: int(count * part) for size, count in self.work.items()}
        counted = (self.k, self.most_known, self.together, work, warily)
        census = Census(self.engine, self.tables, *counted)
        census.begin()
        self._by_numbers(census)
        combinations = self._combinations()
        while not self.tally.over and self._find_to_suppress(census, combinations):
            people = people_of(self.engine, ["to_suppress"], self.together)
            failed = self.tally.failing(people)
            if self._by_trees:
                self._know_labels(combinations)
            self.tally.add(1, people)
            census.suppress(failed, "to_suppress")
            self._again(census)

    def _by_numbers(self, census: Census) -> None:
        for size in range(self.most_known + 1):
            failed, people = set[int](), dict[int, int]()
            for found in census.count(size):
                people = dict(found)
                failed |= self.tally.failing(people)
                if self.tally.over:
                    return
            if people:
                self.tally.add(1, people)
                census.suppress(failed)
        self._again(census)

    def _again(self, census: Census) -> None:
        while not self.tally.over and (people := census.again()):
            failed = self.tally.failing(people)
            self.tally.add(1, people)
            census.suppress(failed)
        if not self.tally.over:
            census.leave()

    def _find_to_suppress(self, census: Census, combinations: Combinations) -> bool:
        if self.trees and self._find_rare_trees():
            return True
        if not self.guarded:
            return False
        if combinations.most and not self.trees:
            combinations.hold()
        return self._find_by_models(combinations)


@dataclass
class SettlingRows(Settling):
    """Where rows are suppressed by themselves, of the tables ``may_go``."""

    may_go: Collection[int] = ()

    @property
    def _alone(self) -> bool:
        return False

    def settle(self) -> None:
        """Leave the remaining rows in ``standing_<number>``, and the suppressed ones in
        ``tally``."""
        self._stand(self.tables, living=False)
        combinations, failed = self._combinations(), set[int]()
        while self._find_to_suppress(combinations):
            if failed:
                parameters = {"failed": sorted(failed), "together": self.together}
                self._make("failed", "failed", **parameters)
                self._make("with_failed", "united", tables=["to_suppress", "failed"])
                self._make("to_suppress", "united", tables=["with_failed"])
            units = self._find_suppressed()
            if self._by_trees:
                self._know_labels(combinations)
            combinations.set_aside()
            self._suppress(units)
            failed = self.tally.limit(self.limited)
            if self.tally.over:
                return
            combinations.recount()

    def _find_to_suppress(self, combinations: Combinations) -> bool:
        """Make the table ``to_suppress``: see :meth:`Combinations.find_to_suppress`; where all rows
        may be known, of rare trees too, and at last of units that break a promise about sensitive
        columns."""
        if combinations.find_to_suppress() or (self.trees and self._find_rare_trees()):
            return True
        return bool(self.guarded) and self._find_by_models(combinations)

    def _find_suppressed(self) -> Collection[int]:
        origins = {row[0] for row in self.engine.query("relational/search/origins")}
        by_unit: dict[int, list[PersonalTable]] = {}
        for table in self.tables:
            if table.number in origins:
                by_unit.setdefault(self._unit(table), []).append(table)
        for unit, tables in by_unit.items():
            parameters = {"tables": tables, "unit": unit, "count": len(self.tables) + 1}
            self._make(f"suppressed_{unit}", "suppressed", **parameters)
        return by_unit

    def _suppress(self, units: Collection[int]) -> None:
        """Suppress the found units; count their rows without rows that go with others."""
        found = False
        for table in self.tables:
            gone = f"suppressed_{table.number}" if table.number in units else None
            if gone is not None:
                parameters = {"table": table, "suppressed": gone, "together": self.together}
                rows = self.engine.query("relational/search/by_itself", **parameters)
                found = found or bool(rows)
                self.tally.add(table.number, {int(node): int(count) for node, count in rows})
            if gone is not None or self._below(table, units):
                self._make("left_over", "left", table=table, suppressed=gone)
                self._make(f"standing_{table.number}", "united", tables=["left_over"])
        if not found:
            raise InvariantError("rows are to be suppressed, and none was found")

    def _below(self, table: PersonalTable, units: Collection[int]) -> bool:
        return bool(table.depth) and (1 in units or any(number in units for number in table.chain))

    def _unit(self, table: PersonalTable) -> int:
        """Return the number of the table whose rows are suppressed for those of a table: its own,
        or the next one up to that of people that the policy allows it for."""
        return next((number for number in table.chain if number in self.may_go), 1)
