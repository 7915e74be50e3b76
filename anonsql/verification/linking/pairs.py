"""Which released tuples go with which combinations of the source, joined one column after the
other.

``judged_tuples`` and ``judged_cells`` have a column v<i> for each attribute i that is joined by,
and ``covers_<i>`` says which pairs of those agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonsql.engines.base import Engine
from anonsql.system.arrays import IntArray, np

if TYPE_CHECKING:
    from anonsql.verification.linking.flow import Graph

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
            extents = engine.query("verification/linking/extent", attributes=joined)
            order = [index for index, _ in extents]
        columns = [f"v{index}" for index in order]
        for table, made in (
            ("judged_tuples", "judged_tuple_steps"),
            ("judged_cells", "judged_cell_steps"),
        ):
            engine.run("verification/linking/steps", table=table, made=made, order=columns)
            self._made.append(made)
        if few:
            engine.run("verification/linking/matches_at_once", steps=len(order), attributes=joined)
            self._made.append(f"judged_matches_{len(order)}")
            return True
        limit = None if self._most is None else self._most + 1
        for step, index in enumerate(order, start=1):
            by_name = {"step": step, "column": f"v{index}", "index": index, "most": limit}
            engine.run("verification/linking/matches", **by_name)
            self._made.append(f"judged_matches_{step}")
            if step > 1:
                engine.drop(f"judged_matches_{step - 1}")
            if limit is not None and self._total(step) >= limit:
                return False
        return True

    def _few(self) -> bool:
        """Return whether every tuple can be held against every combination at once: where
        statements cost more than rows."""
        pairs = int(self._engine.query("verification/linking/pairs_at_most")[0][0])
        return pairs <= (_FEW if self._most is None else min(_FEW, self._most))

    def lacking(self, tuples: str = "judged_tuple_steps", matches: str | None = None) -> int:
        """Return how many rows of the tuples can be no rows of the combinations that are not
        others' already: by counting, or, where a combination goes with several tuples, by a flow.
        ``tuples`` and ``matches`` are other tables in the place of the joined ones."""
        tables = {"tuples": tuples, "matches": matches or self._matches}
        query, steps = "verification/linking/lacking", len(self._indices)
        lacking, shared = self._engine.query(query, steps=steps, **tables)[0]
        if not shared:
            return int(lacking)
        from anonsql.verification.linking import flow

        return flow.unplaced(self.graph(**tables))

    def narrow(self) -> None:
        """Leave only the pairs that some assignment of all rows of the tuples uses, where there is
        one."""
        from anonsql.verification.linking import flow

        graph = self.graph()
        used = flow.used(graph)
        if not used.all():
            self._engine.drop(self._matches)
            columns = {"tuple": graph.tuple[used] + 1, "cell": graph.cell[used] + 1}
            self._engine.load_numbers(self._matches, columns)

    def graph(self, tuples: str = "judged_tuple_steps", matches: str | None = None) -> Graph:
        """Read the pairs, and return them as a graph, whose nodes are in the order of numbers."""
        from anonsql.verification.linking.flow import Graph

        columns = {"columns": ["cell", "tuple"]}
        edges = (
            self._engine.numbers("verification/facts", table=matches or self._matches, **columns)
            or _none()
        )
        counts = [self._counts(table) for table in ("judged_cell_steps", tuples)]
        return Graph(*counts, *(edge - 1 for edge in edges))

    def drop(self) -> None:
        """Drop all scratch tables."""
        for table in self._made:
            self._engine.drop(table)
        self._made.clear()

    def _total(self, step: int) -> int:
        return int(self._engine.query("verification/rows", table=f"judged_matches_{step}")[0][0])

    @property
    def _matches(self) -> str:
        return f"judged_matches_{len(self._indices)}"

    def _counts(self, table: str) -> IntArray:
        """Return the counts of a table in the order of its numbers, which go from 1."""
        columns = {"columns": [f"p{len(self._indices)}", "n"]}
        numbers, counts = (
            self._engine.numbers("verification/facts", table=table, **columns) or _none()
        )
        return counts[np.argsort(numbers)]


def _none() -> list[IntArray]:
    """Return two columns without rows."""
    return [np.zeros(0, dtype=np.int64)] * 2
