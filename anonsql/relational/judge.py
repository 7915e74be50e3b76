"""Whether the levels of all columns keep the promise, and which rows have to be suppressed for it.

Somebody knows the own row of a person and up to m of the person's rows in other tables, each with
the rows that it refers to, and which of these two known rows have in common. What is known of fewer
than k people is rare. The search for rare combinations begins with the shortest ones; a rare one
without rows suppresses the person, a longer one its rows, each by itself where the policy allows
that, or else the next row up to the person that it allows it for. Then the search begins anew, as
others may have become rare, until nothing is rare. Models about sensitive columns are asked when
nothing is rare by numbers: what breaks them is struck as what is rare (see
:mod:`anonsql.relational.sensitive`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anonsql.engines.base import Engine
from anonsql.errors import InvariantError
from anonsql.relational.combinations import Combinations, make, rows_of
from anonsql.relational.sensitive import Strikes
from anonsql.relational.tables import CodedTables, Guarded, Knowledge, PersonalTable
from anonsql.search.results import ClassSizes
from anonsql.star.lattice import Levels

_MANY = 20_000
"""So many people are judged by and by."""
_PORTIONS = ((0, 1, 64), (1, 5, 64), (5, 21, 64), (21, 64, 64))
"""Which of so many parts of the classes of people are judged after each other: few at first, as
most nodes fail, and most of these by far."""


@dataclass(frozen=True)
class Outcome:
    """What a node asks for: the rows left of each table, and the rows suppressed by themselves, by
    number. Where it does not keep the limits, they are what was found until then. Where it does,
    ``missing`` are the tables of the ids of all rows that do not stay."""

    satisfied: bool
    left: Mapping[int, int]
    suppressed: Mapping[int, int]
    missing: Mapping[int, str] = field(default_factory=dict)


@dataclass
class Judge:
    """Judges nodes of the lattice of all tables' columns, in an engine that has the tables of
    :mod:`anonsql.relational.coding`. ``most`` says how many rows of each table may be suppressed,
    by number; ``work``, about how many combinations of each size there are; ``guarded``, what is
    promised of sensitive columns."""

    engine: Engine
    coded: CodedTables
    knowledge: Knowledge
    most: Mapping[int, int]
    work: Mapping[int, int] = field(default_factory=dict)
    guarded: Sequence[Guarded] = ()
    _done: dict[tuple[bool, tuple[int, ...]], Outcome] = field(default_factory=dict, repr=False)
    _lower_trees: bool = field(default=False, repr=False)
    _told: set[int] = field(default_factory=set, repr=False)
    _by_trees: bool = field(default=False, repr=False)

    @property
    def judged(self) -> int:
        """How many nodes were judged, those counted twice that were by a part of the promise
        first."""
        return len(self._done)

    @property
    def monotone(self) -> bool:
        """Whether a generalization of a satisfying node always satisfies, too. Where rows of other
        tables are suppressed by themselves, it may not: of some that went with a person, or made
        others rare, more may go by themselves. Nor may it where models are promised, but for those
        that any union with a class that keeps them keeps: a class of the coarser node is a union of
        classes, which may have people in common, and of others that were suppressed."""
        terms = [term for promise in self.guarded for term in promise.promise.models]
        return self._people_alone and all(term.criterion.unions for term in terms)

    def sizes(self, nodes: Sequence[Levels], *, core: bool) -> list[ClassSizes]:
        """Return how many people some nodes suppress, as sizes of classes: more than may be where
        any limit is exceeded. ``core``: by the part of the promise that is monotone."""
        class_sizes = []
        for levels in nodes:
            outcome = self.outcome(levels, core=core)
            people = outcome.suppressed.get(1, 0)
            if not outcome.satisfied:
                people = max(people, self.most[1] + 1)
            k = self.knowledge.k
            class_sizes.append(ClassSizes(1, k, 1, k, people, 0))
        return class_sizes

    def outcome(self, levels: Levels, *, core: bool = False) -> Outcome:
        """Return what a node asks for; a node that was judged before is not judged again."""
        key = core and not self.monotone, tuple(levels.values())
        if key not in self._done:
            self._done[key] = self._judged(levels, core=key[0])
        return self._done[key]

    def _judged(self, levels: Levels, *, core: bool) -> Outcome:
        """Judge a node."""
        for table in self.coded.tables:
            parameters = {"table": table, "levels": levels}
            self._make(f"classes_{table.number}", "classes", **parameters)
            self._make(f"standing_{table.number}", "standing", table=table)
        self._lower_trees = self._by_trees = False
        self._told.clear()
        suppressed = dict.fromkeys(self.coded.rows, 0)
        settle = self._settle_in_portions if self._in_portions else self._settle
        if not settle(suppressed, core=core):
            return Outcome(False, {}, suppressed)
        if self._people_alone and suppressed[1]:
            for table in self._below:
                self._leave(table, None)
        left = {number: self._count(f"standing_{number}") for number in self.coded.rows}
        return Outcome(True, left, suppressed, self._missing())

    @property
    def _in_portions(self) -> bool:
        """Whether classes of people are judged by and by, so that nodes that fail are known to fail
        early: nothing that is known of a person is compared with people of other classes."""
        return self._people_alone and self.coded.rows[1] >= _MANY

    def _settle_in_portions(self, suppressed: dict[int, int], *, core: bool) -> bool:
        """Suppress what is rare in some classes of people after others: see :meth:`_settle`."""
        self._make("everybody", "united", tables=["standing_1"])
        left = []
        for number, some in enumerate(_PORTIONS):
            self._make("standing_1", "portion", some=some)
            if not self._count("standing_1"):
                continue
            if not self._settle(suppressed, core=core):
                return False
            left.append(f"left_{number}")
            self._make(left[-1], "united", tables=["standing_1"])
        self._make("standing_1", "united", tables=left)
        return True

    def _settle(self, suppressed: dict[int, int], *, core: bool) -> bool:
        """Suppress what is rare in ``standing_<number>`` until nothing is, and count it in
        ``suppressed``, by table; return whether that keeps the limits."""
        combinations = Combinations(
            self.engine,
            self.coded.tables,
            self.knowledge.k,
            self._rows_at_once(core=core),
            self._people_alone,
            self._work(),
            guarded=bool(self.guarded) and not core,
        )
        while people := self._strike(combinations, self.most[1] - suppressed[1], core=core):
            if self._people_alone and suppressed[1] + people > self.most[1]:
                suppressed[1] += people
                return False
            units = self._find_suppressed()
            if self._by_trees:
                self._know_labels(combinations)
            combinations.set_aside()
            if not any((gone := self._suppress(units)).values()):
                raise InvariantError("rows are to be suppressed, and none was found")
            for number, rows in gone.items():
                suppressed[number] += rows
            limited = {1: self.most[1]} if core else self.most
            if any(suppressed[number] > most for number, most in limited.items()):
                return False
            combinations.recount()
        return True

    def _rows_at_once(self, *, core: bool) -> int:
        """Return how many known rows combinations are counted of. The ``core`` is what is monotone:
        k without models, and where rows are suppressed, what one row asks for."""
        known = self.knowledge.rows
        if not self._below:
            return 0
        if known is None:
            return 1
        return min(known, 1) if core and not self._people_alone else known

    def _work(self) -> dict[int, int]:
        """Return about how many combinations of each size the people in ``standing_1`` have."""
        people = self.coded.rows[1]
        here = self._count("standing_1") if self._in_portions else people
        return {size: count * here // people for size, count in self.work.items() if people}

    def _missing(self) -> dict[int, str]:
        """Keep the ids of all rows that do not stay, by table."""
        by_number = {}
        for table in self.coded.tables:
            by_number[table.number] = f"missing_{len(self._done)}_{table.number}"
            self._make(by_number[table.number], "missing", table=table)
        return by_number

    @property
    def _people_alone(self) -> bool:
        """Whether no rows but whole people are suppressed."""
        return not any(self.most[table.number] for table in self._below)

    def _strike(self, combinations: Combinations, allowed: int, *, core: bool) -> int:
        """Make the table ``struck``: see :meth:`Combinations.strike`; where all rows may be known,
        of rare trees too, and at last of what breaks a promise about sensitive columns."""
        if people := combinations.strike(allowed):
            return people
        all_rows = self.knowledge.rows is None and not (core and not self._people_alone)
        if all_rows and (people := self._strike_trees()):
            return people
        return self._strike_by_models(combinations) if self.guarded and not core else 0

    def _strike_by_models(self, combinations: Combinations) -> int:
        """Make ``struck`` of what breaks a promise about sensitive columns; return how many people
        these are. Where all rows are known, and any is struck, classes are left as by trees."""
        if not self._people_alone or self.knowledge.rows is None:
            self._told.clear()
        if self.knowledge.rows is None:
            self._know_trees(combinations)
        else:
            combinations.refresh()
        strikes = Strikes(
            self.engine, self.coded.tables, self.guarded, combinations.shares, self._told
        )
        people = strikes.strike(combinations.most, alone=self._people_alone)
        if self._by_trees and not people:
            self._know_labels(combinations)
        return people

    def _know_trees(self, combinations: Combinations) -> None:
        """Let the class of a row say all that is known of it where all rows are known: the trees
        below it and below the rows that it refers to. Needs ``trees_<number>``."""
        self._by_trees = True
        for table in self.coded.tables:
            self._make(f"by_labels_{table.number}", "united", tables=[f"standing_{table.number}"])
            make(self.engine, "by_trees", "by_trees", "sensitive", table=table)
            self._make(f"standing_{table.number}", "united", tables=["by_trees"])
        combinations.hold()

    def _know_labels(self, combinations: Combinations) -> None:
        """Take :meth:`_know_trees` back."""
        self._by_trees = False
        for table in self.coded.tables:
            self._make(f"standing_{table.number}", "united", tables=[f"by_labels_{table.number}"])
        combinations.hold()

    def _strike_trees(self) -> int:
        """Make ``struck`` of the people whose whole trees fewer than k have; return how many. Trees
        below people stay as they are where whole people are suppressed."""
        for table in reversed(self.coded.tables):
            if table.depth and self._people_alone and self._lower_trees:
                continue
            lower = [text.number for text in self.coded.tables if text.upper == table.number]
            self._make(f"trees_{table.number}", "trees", table=table, below=lower)
        self._lower_trees = True
        self._make("struck", "rare_trees", k=self.knowledge.k)
        return self._count("struck")

    def _find_suppressed(self) -> Collection[int]:
        """Make ``suppressed_<number>`` of the rows that are suppressed for those in ``struck``;
        return the numbers of their tables."""
        if self._people_alone:
            self._make("suppressed_1", "gone", table="struck")
            return [1]
        origins = {row[0] for row in self.engine.query("relational/search/origins")}
        by_unit: dict[int, list[PersonalTable]] = {}
        for table in self.coded.tables:
            if table.number in origins:
                by_unit.setdefault(self._unit(table), []).append(table)
        for unit, tables in by_unit.items():
            parameters = {"tables": tables, "unit": unit, "count": self._tables}
            self._make(f"suppressed_{unit}", "suppressed", **parameters)
        return by_unit

    def _suppress(self, units: Collection[int]) -> dict[int, int]:
        """Suppress what was found in some tables, by their numbers; return how many rows of each
        table that are, without those that go with others."""
        if self._people_alone:
            return {1: self._suppress_people()}
        counts = {}
        for table in self.coded.tables:
            gone = f"suppressed_{table.number}" if table.number in units else None
            if gone is not None:
                rows = self.engine.query(
                    "relational/search/by_itself", table=table, suppressed=gone
                )
                counts[table.number] = int(rows[0][0])
            self._leave(table, gone)
        return counts

    def _suppress_people(self) -> int:
        """Suppress the people who were found. What is known of them goes with them, as ``held`` has
        rows of people that stand alone; their rows follow at the end."""
        self._leave(self.coded.tables[0], "suppressed_1")
        return self._count("suppressed_1")

    def _leave(self, table: PersonalTable, suppressed: str | None) -> None:
        """Take suppressed rows out of ``standing_<number>``, and those that refer to them."""
        self._make("left_over", "left", table=table, suppressed=suppressed)
        self._make(f"standing_{table.number}", "united", tables=["left_over"])

    def _unit(self, table: PersonalTable) -> int:
        """Return the number of the table whose rows are suppressed for those of a table: its own,
        or the next one up to that of people that the policy allows it for."""
        return next((number for number in table.chain if self.most[number]), 1)

    @property
    def _below(self) -> list[PersonalTable]:
        """The tables below that of people."""
        return [table for table in self.coded.tables if table.depth]

    @property
    def _tables(self) -> int:
        return len(self.coded.tables) + 1

    def _count(self, table: str) -> int:
        return rows_of(self.engine, table)

    def _make(self, name: str, select: str, **parameters: Any) -> None:
        make(self.engine, name, select, **parameters)
