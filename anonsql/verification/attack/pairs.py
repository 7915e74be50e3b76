"""Which released tuples go with which combinations of the source, joined one column after the
other.

``judged_tuples`` and ``judged_cells`` have a column v<i> for each attribute i that is joined by,
and ``covers_<i>`` says which pairs of those agree. Pairs that agree in all columns are the edges of
a graph of counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonsql.engines.base import Engine
from anonsql.verification.attack.assignment_graph import MatchGraph
from anonsql.verification.attack.transport import Ints

_EDGES_AT_ONCE = 500_000
_FEW = 20_000
"""The greatest number of pairs that are all looked at."""


@dataclass(frozen=True)
class _Joined:
    """The index of an attribute to join by, in the shape in which the templates take attributes."""

    index: int


class Pairs:
    """The scratch tables of one join. ``most`` bounds the number of pairs after each step; None:
    there is no bound."""

    def __init__(self, engine: Engine, indices: Sequence[int], most: int | None = None) -> None:
        self._engine, self._indices, self._most = engine, indices, most
        self._made: list[str] = []

    def join(self) -> bool:
        """Join tuples and combinations one column after the other, the one that leaves least open
        first. Return whether all pairs were found: they are not when a step has more than
        ``most``."""
        engine, few = self._engine, self._few()
        joined = [_Joined(index) for index in self._indices]
        order = [*self._indices]
        if not few:
            extents = engine.query("verification/attack/extent", attributes=joined)
            order = [index for index, _ in extents]
        columns = [f"v{index}" for index in order]
        for table, made in (
            ("judged_tuples", "judged_tuple_steps"),
            ("judged_cells", "judged_cell_steps"),
        ):
            engine.run("verification/attack/steps", table=table, made=made, order=columns)
            self._made.append(made)
        if few:
            engine.run("verification/attack/matches_at_once", steps=len(order), attributes=joined)
            self._made.append(f"judged_matches_{len(order)}")
            return True
        limit = None if self._most is None else self._most + 1
        for step, index in enumerate(order, start=1):
            by_name = {"step": step, "column": f"v{index}", "index": index, "most": limit}
            engine.run("verification/attack/matches", **by_name)
            self._made.append(f"judged_matches_{step}")
            if step > 1:
                engine.drop(f"judged_matches_{step - 1}")
            if limit is not None and self._total(step) >= limit:
                return False
        return True

    def _few(self) -> bool:
        """Return whether every tuple can be held against every combination at once: where
        statements cost more than rows."""
        pairs = int(self._engine.query("verification/attack/pairs_at_most")[0][0])
        return pairs <= (_FEW if self._most is None else min(_FEW, self._most))

    def graph(self) -> MatchGraph:
        """Read the pairs, and return them as a graph. Nodes are in the order of :meth:`cells` and
        of :meth:`tuples`."""
        steps = len(self._indices)
        cells, tuples = self.cells(["n"])[0], self.tuples(["n"])[0]
        block = max(1, _EDGES_AT_ONCE * len(cells) // max(1, self._total(steps)))
        parts = [
            as_array(
                self._engine.query(
                    "verification/attack/edges", steps=steps, first=first, last=first + block - 1
                ),
                2,
            )
            for first in range(1, len(cells) + 1, block)
        ]
        edges = np.concatenate([*parts, np.zeros((0, 2), dtype=np.int64)])
        return MatchGraph(cells, tuples, edges[:, 0] - 1, edges[:, 1] - 1)

    def cells(self, columns: Sequence[str]) -> list[Ints]:
        """Return columns of the source's combinations, all of numbers."""
        return self._sorted("judged_cell_steps", f"p{len(self._indices)}", columns)

    def tuples(self, columns: Sequence[str]) -> list[Ints]:
        """Return columns of the released tuples, all of numbers."""
        return self._sorted("judged_tuple_steps", "id", columns)

    def drop(self) -> None:
        """Drop all scratch tables."""
        for table in self._made:
            self._engine.drop(table)
        self._made.clear()

    def _total(self, step: int) -> int:
        return int(self._engine.query("verification/rows", table=f"judged_matches_{step}")[0][0])

    def _sorted(self, table: str, number: str, columns: Sequence[str]) -> list[Ints]:
        """Return columns of a table in the order of its numbers, which go from 1."""
        rows = self._engine.query("verification/facts", table=table, columns=[number, *columns])
        read = as_array(rows, len(columns) + 1)
        order = np.argsort(read[:, 0])
        return [read[order, position] for position in range(1, len(columns) + 1)]


def as_array(rows: Sequence[Sequence[int]], width: int) -> Ints:
    """Return rows of whole numbers as an array."""
    return np.array(rows, dtype=np.int64).reshape(-1, width)
