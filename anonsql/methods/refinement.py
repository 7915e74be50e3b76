"""Refinements of single-dimension recodings (Incognito, section 5.1). A recoding partitions each
attribute's codes into parts, the same for all rows; a refinement divides one part of one attribute.
One statement judges all candidate refinements of many recodings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from anonsql.engines.base import Engine
from anonsql.hierarchies.dimensions import Attribute
from anonsql.methods.groups import Cells
from anonsql.privacy.promise import Promise

Measure = Literal["loss", "discernibility"]
WHOLE = 1_000_000_000
"""The loss of a suppressed row. Losses are counted in billionths of a row, so that sums and ties
are exact."""


@dataclass(frozen=True)
class Total:
    """A recoding's suppressed rows, cost, and lower bound of the cost of coarser ones."""

    suppressed: int
    cost: int
    least: int


@dataclass(frozen=True)
class LevelChange:
    """How a refinement of ``part`` would change its recoding's suppressed rows and cost."""

    node: int
    attribute: int
    candidate: int
    part: int
    suppressed: int
    cost: int


@dataclass
class Refiner:
    """Judges the recodings that a table ``parts`` describes, any number of them (nodes) at once.

    ``parts`` has the columns node, attribute, code, part and lost, and besides reach and finest:
    the code that represents all codes that no candidate separates from this one, and the loss of a
    row if all candidates were taken.
    """

    engine: Engine
    attributes: Sequence[Attribute]
    promise: Promise
    rows: int
    measure: Measure
    _coded: str = field(default="", init=False)
    _number: int = field(default=0, init=False)

    def judge(self, parts: str, *, onward: bool = False) -> dict[int, Total]:
        """Return the totals of each recoding, counted from the cells. ``onward`` counts from the
        cells as they were merged for the recodings judged last: every part, and every candidate,
        must refine a part of the same node there."""
        self._number += 1
        before, self._coded = self._coded, f"coded_{self._number}"
        parameters = {
            "attributes": self.attributes,
            "promise": self.promise,
            "parts": parts,
            "started": onward,
        }
        self.engine.run(
            "methods/refinement/coded",
            cells=before if onward else "cells",
            table=self._coded,
            **parameters,
        )
        if before:
            self.engine.drop(before)
        return self._totals(
            "classes", [f"r{attribute.index}" for attribute in self.attributes], "lost"
        )

    def judge_finest(self) -> dict[int, Total]:
        """Return the totals of the recodings judged last with all their candidates taken."""
        return self._totals(
            "finest_classes", [f"c{attribute.index}" for attribute in self.attributes], "finest"
        )

    def _totals(self, table: str, parts: Sequence[str], lost: str) -> dict[int, Total]:
        self.engine.drop(table)
        self.engine.run(
            "methods/refinement/classes",
            table=table,
            coded=self._coded,
            parts=parts,
            lost=lost,
            promise=self.promise,
        )
        rows = self.engine.query(
            "methods/refinement/totals",
            classes=table,
            measure=self.measure,
            rows=self.rows,
            promise=self.promise,
        )
        return {node: Total(*counts) for node, *counts in rows}

    def changes(self) -> list[LevelChange]:
        """Return how each candidate in the table ``refinements`` (node, attribute, candidate, code,
        part, gain) would change the recodings judged last."""
        keys = [
            "node",
            "attribute",
            "candidate",
            *(f"r{attribute.index}" for attribute in self.attributes),
            "side",
            "lost",
        ]
        rows = self.engine.query(
            "methods/refinement/changes",
            coded=self._coded,
            classes="classes",
            keys=keys,
            attributes=self.attributes,
            promise=self.promise,
            measure=self.measure,
            rows=self.rows,
        )
        return [LevelChange(*row) for row in rows]


def shares(attributes: Sequence[Attribute]) -> dict[int, int]:
    """Return what losing each attribute wholly costs a row, in billionths of its whole loss."""
    total = sum(attribute.policy.weight for attribute in attributes)
    return {
        attribute.index: round(attribute.policy.weight / total * WHOLE) for attribute in attributes
    }


def greatest_gains(changes: Iterable[LevelChange], room: int) -> list[LevelChange]:
    """Return the best changes of one recoding that can be made at once: the change that lowers the
    cost most, and the next best as long as they refine other parts of the same attribute, for then
    no two of them touch the same class.

    ``room`` is how many more rows may be suppressed. Ties are broken by attribute and candidate.
    """
    taken: list[LevelChange] = []
    for change in sorted(
        changes, key=lambda change: (change.cost, change.attribute, change.candidate)
    ):
        another = taken and (
            change.attribute != taken[0].attribute
            or change.part in {change.part for change in taken}
        )
        if another or change.cost > 0 or change.suppressed > room:
            break
        taken.append(change)
        room -= change.suppressed
    return taken


def keep(cells: Cells, parts: str, node: int) -> None:
    """Make ``kept``, the classes of a judged recoding that keep the promise, and ``assigned``."""
    attributes = cells.star.attributes
    cells.engine.run("methods/refinement/kept", classes="classes", attributes=attributes, node=node)
    cells.engine.run(
        "methods/refinement/assigned",
        parts=parts,
        attributes=attributes,
        node=node,
        promise=cells.promise,
    )
