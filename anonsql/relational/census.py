"""Count the people with each combination that may be known, and find the people with rare ones:
where whole people are suppressed, and no single rows.

Knowledge is counted by kinds, not by rows: each row that refers to a person offers kinds of
knowledge (itself, or rows below it). An entry says how many rows offer a kind, and which are the
first and the last. This shows whether different rows offer several kinds, so each combination is
met once a person, however many rows would do (see ``relational/census/macros``). Nothing is counted
twice: when people are suppressed, only their combinations are counted, as only these can have
become rare.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anonsql.engines.base import Engine
from anonsql.relational.scratch import make, people_of
from anonsql.relational.shares import shares
from anonsql.relational.tables import PersonalTable


@dataclass
class Census:
    """What may be known of the people in ``standing_1``, with the rows in ``standing_<number>`` of
    some ``tables``: of 0 to ``most`` rows each, at ``together`` nodes. ``work`` says about how many
    combinations of each size there are, ``warily`` whether many nodes are expected to fail."""

    engine: Engine
    tables: Sequence[PersonalTable]
    k: int
    most: int
    together: int
    work: Mapping[int, int]
    warily: bool = True
    _counts: list[str] = field(default_factory=list)
    _less: list[str] = field(default_factory=list)
    _gone: list[str] = field(default_factory=list)
    _to_suppress: list[str] = field(default_factory=list)
    _counted: int = 0
    _left: int = 0
    _off: int = 0

    def begin(self) -> None:
        """Make the entries of all tables that others refer to, from the lowest ones up."""
        offering: dict[int, list[str]] = {}
        for table in reversed(self.tables):
            below = [lower for lower in self.tables if lower.upper == table.number]
            if not self.most or (table.depth and not below):
                continue
            self._make(
                f"entries_{table.number}",
                "entries",
                number=table.number,
                below=[{"number": t.number, "offering": offering.get(t.number, [])} for t in below],
                count=self._count,
                most=self.most,
            )
            if table.depth:
                offering[table.number] = [f"entries_{table.number}"]
            if table.depth and self.most > 1:
                parameters = {"number": table.number, "kinds": self._kinds}
                self._make(f"sets_{table.number}", "sets", most=self.most, **parameters)
                self._make(f"joined_{table.number}", "joined", count=self._count, **parameters)
                self.engine.drop(f"sets_{table.number}")
                offering[table.number].append(f"joined_{table.number}")
        if not self.most:
            self._make("entries_1", "entries", number=1, below=[], count=self._count, most=0)

    def count(self, size: int) -> Iterator[Mapping[int, int]]:
        """Count the combinations of ``size`` rows; yield, part by part, people with rare ones by
        node."""
        self._to_suppress, self._counted = [], size
        if gone := self._gone[self._off :]:
            # what those had who went before this size was counted is never taken from its counts
            self._make("left_over", "left", table="entries_1", column="holder", gone=gone)
            make(self.engine, "entries_1", "united", tables=["left_over"])
            self._off = len(self._gone)
        for number, some in enumerate(shares(self.work.get(size, 0), warily=self.warily)):
            self._counts.append(f"counts_{size}_{number}")
            known = {"entries": "entries_1", "least": size, "most": size, "some": some}
            self._make(self._counts[-1], "counts", kinds=self._kinds, **known)
            self._make("rare", "rare", counts=self._counts[-1], kinds=self._kinds, k=self.k)
            self._find(f"to_suppress_{size}_{number}", least=size, some=some)
            yield people_of(self.engine, self._to_suppress, self.together)

    def again(self) -> Mapping[int, int]:
        """Return how many people have what has become rare since others were suppressed."""
        self._to_suppress = []
        if not self._less:
            return {}
        parameters = {"counts": self._counts, "less": self._less, "k": self.k}
        self._make("rare", "lowered", kinds=self._kinds, **parameters)
        self._find("to_suppress", least=0, some=None)
        return people_of(self.engine, self._to_suppress, self.together)

    def suppress(self, failed: Collection[int], to_suppress: str | None = None) -> None:
        """Suppress the people found last or in ``to_suppress``; leave those at ``failed`` nodes
        out."""
        tables = [to_suppress] if to_suppress else self._to_suppress
        gone, number = {"failed": sorted(failed), "together": self.together}, len(self._gone)
        if failed:
            make(self.engine, "failed", "failed", **gone)
            make(self.engine, f"gone_{number}", "gone", tables=["failed"], **{**gone, "failed": []})
            self._gone.append(f"gone_{number}")
            number += 1
        make(self.engine, f"gone_{number}", "gone", tables=tables, **gone)
        parameters = {"table": "entries_1", "column": "holder", "people": f"gone_{number}"}
        make(self.engine, "changed", "of_people", **parameters)
        known = {"entries": "changed", "least": 0, "most": self._counted, "some": None}
        self._make(f"less_{number}", "counts", kinds=self._kinds, **known)
        self._gone.append(f"gone_{number}")
        self._less.append(f"less_{number}")

    def leave(self) -> None:
        """Take the people who are suppressed out of ``standing_1``."""
        if gone := self._gone[self._left :]:
            self._make("left_over", "left", table="standing_1", column="id", gone=gone)
            make(self.engine, "standing_1", "united", tables=["left_over"])
            self._left = len(self._gone)

    def _find(self, name: str, **known: Any) -> None:
        some = self._kinds[: max(self._counted, 1)]
        self._make("suspects", "suspects", gone=self._gone, kinds=some)
        self._make(name, "found", most=self._counted, kinds=self._kinds, **known)
        self._to_suppress.append(name)

    @property
    def _kinds(self) -> list[str]:
        """The columns of the kinds that are known together."""
        return [f"t{kind}" for kind in range(1, max(self.most, 1) + 1)]

    @property
    def _count(self) -> int:
        return len(self.tables) + 1

    def _make(self, name: str, select: str, **parameters: Any) -> None:
        make(self.engine, name, select, "census", **parameters)
