"""Which rows of a source a release's rows may be, as a graph of counts: all that :mod:`anonsql.judging.judge` asks of engines.

The release's distinct values are read, for they are published, and what they may mean is loaded beside the source as words
and intervals. Which values of the source those cover is one join a column; which tuples cover which combinations, another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anonsql import reading
from anonsql.engines.base import Engine, Located, Relation
from anonsql.errors import VerificationError
from anonsql.hierarchies import Attribute
from anonsql.judging.assignment_graph import MatchGraph
from anonsql.judging.linked_values import Values
from anonsql.judging.released import Released, ends
from anonsql.judging.transport import Ints
from anonsql.reading import Said

_EDGES_AT_ONCE = 500_000


class Matching:
    """Scratch tables on both sides, and what is read of them: counts, and numbers that say nothing."""

    def __init__(
        self, engine: Engine, release: Located, released: Released, attributes: Sequence[Attribute]
    ) -> None:
        self._engine, self._release, self._reader = engine, release, release.engine
        self._released, self._attributes = released, attributes
        self._made: list[tuple[Engine, str]] = []

    def make(self, source: Relation) -> dict[str, tuple[int, int]]:
        """Find all matches. By column: released values that stand for no value of the source, and all of them."""
        engine, values = self._engine, self._released.values
        self._released.put_together(self._release)
        self._made.append((self._reader, "judged_rows"))
        self._run(self._reader, "judged_tuples", "judge/tuples", values=values)
        self._bring_tuples()
        self._run(engine, "judged_cells", "judge/cells", source=source, attributes=self._attributes)
        unread = {each.name: self._cover(each) for each in self._attributes}
        self._match(
            [index for index, _ in engine.query("judge/extent", attributes=self._attributes)]
        )
        return unread

    def graph(self) -> MatchGraph:
        """The matches, read."""
        steps = len(self._attributes)
        cells = self._sorted(self._engine, "judged_cell_steps", f"p{steps}")
        tuples = self._sorted(self._engine, "judged_tuple_steps", "id")
        table = f"judged_matches_{steps}"
        total = self._engine.query("judge/total", table=table)[0][0]
        block = max(1, _EDGES_AT_ONCE * len(cells) // max(1, total))
        parts = [
            _array(
                self._engine.query("judge/edges", steps=steps, first=first, last=first + block - 1),
                2,
            )
            for first in range(1, len(cells) + 1, block)
        ]
        edges = np.concatenate([*parts, np.zeros((0, 2), dtype=np.int64)])
        return MatchGraph(cells, tuples, edges[:, 0] - 1, edges[:, 1] - 1)

    def sensitive(self, number: int) -> Values:
        """The values of a sensitive column by released tuple."""
        found = _array(
            self._reader.query("judge/linked", values=self._released.values, j=number), 3
        )
        return Values(found[:, 0] - 1, found[:, 1] - 1, found[:, 2])

    def drop(self) -> None:
        """Let go of all scratch tables."""
        for engine, table in self._made:
            engine.drop(table)
        self._made.clear()

    def _run(self, engine: Engine, made: str, template: str, /, **parameters: Any) -> None:
        engine.run(template, **parameters)
        self._made.append((engine, made))

    def _load(
        self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]]
    ) -> bool:
        """Load rows, if there are any; whether there are."""
        if rows:
            self._engine.load(table, columns, rows)
            self._made.append((self._engine, table))
        return bool(rows)

    def _bring_tuples(self) -> None:
        """Bring the released tuples, as numbers, to where the source is."""
        if self._reader is self._engine:
            return
        columns = ["id", *self._released.values, "n"]
        rows = self._reader.query("judge/numbers", table="judged_tuples", columns=columns)
        if not self._load("judged_tuples", [(name, "BIGINT") for name in columns], rows):
            raise VerificationError(["no row of the source is in the release"])

    def _cover(self, attribute: Attribute) -> tuple[int, int]:
        """Find which of the source's values the released values of an attribute cover; how many of the latter cover none, and
        how many there are."""
        found = cover_released(self._engine, self._reader, self._released, attribute)
        self._made.append((self._engine, f"covers_{attribute.index}"))
        return found

    def _match(self, order: Sequence[int]) -> None:
        """Join tuples and combinations one column after the other, the one that leaves least open first."""
        columns = [f"v{index}" for index in order]
        for table, made in (
            ("judged_tuples", "judged_tuple_steps"),
            ("judged_cells", "judged_cell_steps"),
        ):
            self._run(self._engine, made, "judge/steps", table=table, made=made, order=columns)
        for step, index in enumerate(order, start=1):
            table = f"judged_matches_{step}"
            self._run(
                self._engine, table, "judge/matches", step=step, column=f"v{index}", index=index
            )
            if step > 1:
                self._engine.drop(f"judged_matches_{step - 1}")

    def _sorted(self, engine: Engine, table: str, number: str) -> Ints:
        """The counts of a table in the order of its numbers, which go from 1."""
        found = _array(engine.query("judge/numbers", table=table, columns=[number, "n"]), 2)
        counts: Ints = found[np.argsort(found[:, 0]), 1]
        return counts


def cover_released(
    engine: Engine, reader: Engine, released: Released, attribute: Attribute
) -> tuple[int, int]:
    """Make covers_<index> beside the source, of the released values of an attribute that judged_rows, in the ``reader``, has; how many of
    them cover none of the source's values, and how many there are."""
    index = attribute.index
    bounds = next(bounds for each, _, bounds in released.labels if each == index)
    found = reader.query("judge/values", i=index, bounds=len(bounds))
    said = {number: Said(label, ends(bounds, texts)) for number, label, *texts in found}
    types = ends(bounds, [each.type for each in bounds])
    covered = reading.cover(
        engine, attribute, said, every=True, level=released.levels.get(index), bounds=types
    )
    return len(said) - len(covered), len(said)


def _array(rows: Sequence[Sequence[int]], width: int) -> Ints:
    """Rows of whole numbers as an array."""
    return np.array(rows, dtype=np.int64).reshape(-1, width)
