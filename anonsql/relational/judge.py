"""Whether the levels of all columns keep the promise, and which rows have to be suppressed for it:
of as many nodes of the lattice in one statement as fit (see :mod:`anonsql.relational.settling`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anonsql.engines.base import Engine
from anonsql.relational.scratch import make
from anonsql.relational.settling import MANY, SettlingPeople, SettlingRows, Tally
from anonsql.relational.tables import CodedTables, Guarded, Knowledge, PersonalTable
from anonsql.search.results import ClassSizes
from anonsql.star.lattice import Levels

_ROWS_TOGETHER = 8_000_000
"""Nodes are judged together up to about this many rows and combinations."""
_NODES_TOGETHER = 256


@dataclass(frozen=True)
class Missing:
    """The rows of a table that do not stay at a ``node``: ``relational/search/missing``."""

    table: str
    node: int


@dataclass(frozen=True)
class Outcome:
    """What a node asks for: the rows left of each table, and the rows suppressed by themselves, by
    number. Where it does not keep the limits, they are what was found until then. Where it does,
    ``missing`` are all rows that do not stay."""

    satisfied: bool
    left: Mapping[int, int]
    suppressed: Mapping[int, int]
    missing: Mapping[int, Missing] = field(default_factory=dict)


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

    @property
    def judged(self) -> int:
        """How many nodes were judged; two parts of the promise count twice."""
        return len(self._done)

    @property
    def together(self) -> int:
        """How many nodes are judged together: one from ``MANY`` people on."""
        if self.coded.rows[1] >= MANY:
            return 1
        size = sum(self.coded.rows.values()) + sum(self.work.values())
        return max(1, min(_ROWS_TOGETHER // max(size, 1), _NODES_TOGETHER))

    @property
    def monotone(self) -> bool:
        """Whether a generalization of a satisfying node always satisfies, too. Where rows of other
        tables are suppressed individually, it may not: rows that went with a person, or made others
        rare, may go individually. Nor may it where models are promised, except models that every
        union with a keeping class keeps: a class of the coarser node is a union of classes, which
        may share people, and of suppressed ones."""
        terms = [term for promise in self.guarded for term in promise.promise.models]
        return self._people_alone and all(term.criterion.unions for term in terms)

    def sizes(self, nodes: Sequence[Levels], *, core: bool) -> list[ClassSizes]:
        """Return how many people some nodes suppress, as sizes of classes: more than may be where
        any limit is exceeded. ``core``: by the part of the promise that is monotone."""
        class_sizes = []
        for outcome in self.outcomes(nodes, core=core):
            people = outcome.suppressed.get(1, 0)
            if not outcome.satisfied:
                people = max(people, self.most[1] + 1)
            k = self.knowledge.k
            class_sizes.append(ClassSizes(1, k, 1, k, people, 0))
        return class_sizes

    def outcome(self, levels: Levels) -> Outcome:
        """Return the suppression that a node needs."""
        return self.outcomes([levels])[0]

    def outcomes(self, nodes: Sequence[Levels], *, core: bool = False) -> list[Outcome]:
        """Return what nodes ask for; one that was judged before is not judged again."""
        core = core and not self.monotone
        new = {
            key: node for node in nodes if (key := (core, tuple(node.values()))) not in self._done
        }
        keys = list(new)
        for start in range(0, len(keys), self.together):
            some = keys[start : start + self.together]
            outcomes = self._judged([new[key] for key in some], core=core)
            self._done.update(zip(some, outcomes, strict=True))
        return [self._done[core, tuple(node.values())] for node in nodes]

    def _judged(self, nodes: Sequence[Levels], *, core: bool) -> list[Outcome]:
        indices = [attribute.index for attribute in self.coded.attributes]
        self.engine.load(
            "nodes",
            [("node", "BIGINT"), *((f"l{index}", "INTEGER") for index in indices)],
            [(number, *(node[index] for index in indices)) for number, node in enumerate(nodes)],
        )
        for table in self.coded.tables:
            self._make(f"classes_{table.number}", "classes", table=table)
        tally = self._settled(len(nodes), core=core)
        kept = [number for number in range(len(nodes)) if number not in tally.failed]
        tables, missing = self._missing(kept, len(nodes)) if kept else ({}, {})
        return [
            Outcome(
                True,
                {
                    table: rows - missing[table].get(number, 0)
                    for table, rows in self.coded.rows.items()
                },
                suppressed,
                {table: Missing(name, number) for table, name in tables.items()},
            )
            if number in kept
            else Outcome(False, {}, suppressed)
            for number, suppressed in enumerate(tally.suppressed)
        ]

    def _settled(self, together: int, *, core: bool) -> Tally:
        """Suppress rare combinations at the nodes of ``nodes``. The ``core`` is the monotone part:
        k without models, and where rows are suppressed, the suppression for single known rows."""
        tally = Tally(self.most, [dict.fromkeys(self.coded.rows, 0) for _ in range(together)])
        known, alone = self.knowledge.rows, self._people_alone
        most = 0 if not self._below else 1 if known is None or (core and not alone) else known
        parameters: dict[str, Any] = {
            "engine": self.engine,
            "tables": self.coded.tables,
            "k": self.knowledge.k,
            "most_known": min(most, 1 if known is None else known),
            "trees": known is None and (alone or not core),
            "guarded": () if core else self.guarded,
            "limited": [1] if core else list(self.most),
            "together": together,
            "work": {size: count * together for size, count in self.work.items()},
            "tally": tally,
        }
        if alone:
            SettlingPeople(**parameters, people=self.coded.rows[1]).settle()
        else:
            may_go = [table.number for table in self._below if self.most[table.number]]
            SettlingRows(**parameters, may_go=may_go).settle()
        return tally

    def _missing(
        self, kept: Sequence[int], together: int
    ) -> tuple[dict[int, str], dict[int, dict[int, int]]]:
        tables, counts = dict[int, str](), dict[int, dict[int, int]]()
        for table in self.coded.tables:
            name = tables[table.number] = f"missing_{len(self._done)}_{table.number}"
            gone = tables[1] if table.depth and self._people_alone else None
            parameters = {"table": table, "kept": kept, "together": together, "gone": gone}
            self._make(name, "missing", **parameters)
            rows = self.engine.query("relational/search/by_node", table=name)
            counts[table.number] = {int(node): int(count) for node, count in rows}
        return tables, counts

    @property
    def _people_alone(self) -> bool:
        return not any(self.most[table.number] for table in self._below)

    @property
    def _below(self) -> list[PersonalTable]:
        return [table for table in self.coded.tables if table.depth]

    def _make(self, name: str, select: str, **parameters: Any) -> None:
        make(self.engine, name, select, **parameters)
