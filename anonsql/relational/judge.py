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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anonsql.engines.base import Engine
from anonsql.errors import InvariantError
from anonsql.relational.sensitive import Strikes
from anonsql.relational.tables import Coded, Guarded, Knowledge, PersonalTable
from anonsql.search.results import ClassSizes
from anonsql.star.lattice import Levels

_AT_ONCE = 20_000_000
"""About how many combinations one statement counts: they should fit into memory."""
_MOST_PARTS = 64


@dataclass(frozen=True)
class Outcome:
    """What a node asks for: the rows left of each table, and the rows suppressed by themselves, by
    number. Where it does not keep the limits, they are what was found until then."""

    satisfied: bool
    left: Mapping[int, int]
    suppressed: Mapping[int, int]


@dataclass
class Judge:
    """Judges nodes of the lattice of all tables' columns, in an engine that has the tables of
    :mod:`anonsql.relational.coding`. ``most`` says how many rows of each table may be suppressed,
    by number; ``work``, about how many combinations of each size there are; ``guarded``, what is
    promised of sensitive columns."""

    engine: Engine
    coded: Coded
    knowledge: Knowledge
    most: Mapping[int, int]
    work: Mapping[int, int] = field(default_factory=dict)
    guarded: Sequence[Guarded] = ()
    _done: dict[tuple[bool, tuple[int, ...]], Outcome] = field(default_factory=dict, repr=False)

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
        terms = [term for each in self.guarded for term in each.promise.models]
        return self._people_alone and all(term.criterion.unions for term in terms)

    def sizes(self, nodes: Sequence[Levels], *, core: bool) -> list[ClassSizes]:
        """Return how many people some nodes suppress, as sizes of classes: more than may be where
        any limit is exceeded. ``core``: by the part of the promise that is monotone."""
        found = []
        for levels in nodes:
            outcome = self.outcome(levels, core=core)
            people = outcome.suppressed.get(1, 0)
            if not outcome.satisfied:
                people = max(people, self.most[1] + 1)
            k = self.knowledge.k
            found.append(ClassSizes(1, k, 1, k, people, 0))
        return found

    def outcome(self, levels: Levels, *, core: bool = False) -> Outcome:
        """Return what a node asks for; a node that was judged before is not judged again."""
        key = core and not self.monotone, tuple(levels.values())
        if key not in self._done:
            self._done[key] = self.stand(levels, core=key[0])
        return self._done[key]

    def stand(self, levels: Levels, *, core: bool = False) -> Outcome:
        """Judge a node; the tables ``standing_<number>`` are left with the rows that stay."""
        for table in self.coded.tables:
            given = {"table": table, "levels": levels}
            self._make(f"classes_{table.number}", "classes", **given)
            self._make(f"standing_{table.number}", "standing", table=table)
        suppressed = dict.fromkeys(self.coded.rows, 0)
        while people := self._strike(core=core, allowed=self.most[1] - suppressed[1]):
            if self._people_alone and suppressed[1] + people > self.most[1]:
                suppressed[1] += people
                return Outcome(False, {}, suppressed)
            if not any((gone := self._suppress()).values()):
                raise InvariantError("rows are to be suppressed, and none was found")
            for number, rows in gone.items():
                suppressed[number] += rows
            limited = {1: self.most[1]} if core else self.most
            if any(suppressed[number] > most for number, most in limited.items()):
                return Outcome(False, {}, suppressed)
        if self._people_alone and suppressed[1]:
            for table in self._below:
                self._leave(table, None)
        left = {number: self._count(f"standing_{number}") for number in self.coded.rows}
        return Outcome(True, left, suppressed)

    @property
    def _people_alone(self) -> bool:
        """Whether no rows but whole people are suppressed."""
        return not any(self.most[table.number] for table in self._below)

    def _strike(self, *, core: bool, allowed: int) -> int:
        """Make the table ``struck``: whose rows are in the smallest combinations of which some are
        rare. Return how many people these are, 0 where nothing is rare; where more than ``allowed``
        people are found, and people alone are suppressed, as many as were found so far. The
        ``core`` is what is monotone: k without models, and where rows are suppressed, what one row
        and no other limit than that of people ask for."""
        known, short = self.knowledge.rows, core and not self._people_alone
        most = 1 if known is None else min(known, 1) if short else known
        most = most if self._below else 0
        for size in range(most + 1):
            if size == 1:
                self._make_held(most)
            if people := self._strike_by(size, allowed):
                return people
        if known is None and not short and (people := self._strike_trees()):
            return people
        return self._strike_by_models(most) if self.guarded and not core else 0

    def _strike_by_models(self, most: int) -> int:
        """Make ``struck`` of what breaks a promise about sensitive columns; return how many people
        these are. Where all rows are known, the classes of people are those with the same trees."""
        parts = {size: self._parts(size) for size in range(most + 1)}
        strikes = Strikes(self.engine, self._make_any, self.coded.tables, self.guarded, parts)
        if self.knowledge.rows is not None:
            return strikes.strike(most)
        self._make("by_classes", "copied", table="standing_1")
        self._make_any("by_trees", "sensitive/by_trees")
        self._make("standing_1", "copied", table="by_trees")
        if most:
            self._make_held(most)
        people = strikes.strike(most)
        self._make("standing_1", "copied", table="by_classes")
        return people

    def _make_held(self, most: int) -> None:
        """Make the table ``held`` of the rows that may be known, up to ``most`` of them."""
        given = {"tables": self._below, "count": self._tables, "depth": self._depth}
        self._make("held", "held", known_rows=most, **given)

    def _parts(self, size: int) -> int:
        """Return in how many parts combinations of some rows are looked at."""
        return min(_MOST_PARTS, max(1, -(-self.work.get(size, 0) // _AT_ONCE)))

    def _strike_by(self, size: int, allowed: int) -> int:
        """Make ``struck`` of combinations of one size: see :meth:`_strike`. Classes of people are
        looked at in parts, as none says anything of another."""
        parts = self._parts(size)
        people, made = 0, list[str]()
        for part in range(parts):
            given = {"size": size, "depth": self._depth, "parts": parts, "part": part}
            self._make("rare", "rare", k=self.knowledge.k, **given)
            if not (rare := self._count("rare")):
                continue
            if self._people_alone and allowed <= 0:
                return rare
            made.append(f"struck_{part}")
            self._make(made[-1], "struck", **given)
            people += self.engine.query("relational/search/people", table=made[-1])[0][0]
            if self._people_alone and people > allowed:
                break
        if made:
            self._make("struck", "united", tables=made)
        return people

    def _strike_trees(self) -> int:
        """Make ``struck`` of the people whose whole trees fewer than k have; return how many."""
        for table in reversed(self.coded.tables):
            lower = [each.number for each in self.coded.tables if each.upper == table.number]
            self._make(f"trees_{table.number}", "trees", table=table, below=lower)
        self._make("struck", "rare_trees", k=self.knowledge.k)
        return self._count("struck")

    def _suppress(self) -> dict[int, int]:
        """Suppress what ``struck`` asks for; return how many rows of each table that are, without
        those that go with others."""
        if self._people_alone:
            return {1: self._suppress_people()}
        origins = {row[0] for row in self.engine.query("relational/search/origins")}
        by_unit: dict[int, list[PersonalTable]] = {}
        for table in self.coded.tables:
            if table.number in origins:
                by_unit.setdefault(self._unit(table), []).append(table)
        for unit, tables in by_unit.items():
            given = {"tables": tables, "unit": unit, "count": self._tables}
            self._make(f"suppressed_{unit}", "suppressed", **given)
        counts = {}
        for table in self.coded.tables:
            gone = f"suppressed_{table.number}" if table.number in by_unit else None
            if gone is not None:
                found = self.engine.query(
                    "relational/search/by_itself", table=table, suppressed=gone
                )
                counts[table.number] = int(found[0][0])
            self._leave(table, gone)
        return counts

    def _suppress_people(self) -> int:
        """Suppress the people of ``struck``; return how many they are. What is known of them goes
        with them, as ``held`` has rows of people that stand alone; their rows follow at the end."""
        self._make("suppressed_1", "gone", table="struck")
        self._leave(self.coded.tables[0], "suppressed_1")
        return self._count("suppressed_1")

    def _leave(self, table: PersonalTable, suppressed: str | None) -> None:
        """Take suppressed rows out of ``standing_<number>``, and those that refer to them."""
        self._make("left_over", "left", table=table, suppressed=suppressed)
        self._make(f"standing_{table.number}", "copied", table="left_over")

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

    @property
    def _depth(self) -> int:
        """The greatest number of references that lead to people."""
        return max(table.depth for table in self.coded.tables)

    def _count(self, table: str) -> int:
        rows: int = self.engine.query("sql/rows", table=table)[0][0]
        return rows

    def _make(self, name: str, select: str, **parameters: Any) -> None:
        """Make or replace a scratch table of what a template of the search selects."""
        self._make_any(name, f"search/{select}", **parameters)

    def _make_any(self, name: str, select: str, **parameters: Any) -> None:
        """Make or replace a scratch table of what a template of this package selects."""
        self.engine.drop(name)
        self.engine.run("star/models/table", name=name, select=f"relational/{select}", **parameters)
