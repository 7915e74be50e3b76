"""Which rows of a source a release's rows may be, as a graph of counts: all statements that
:mod:`anonsql.verification.attack.judge` needs.

What the release's distinct values may mean is read by SQL, and brought beside the source as words
and intervals. Which values of the source those cover is one join a column; which tuples cover which
combinations, another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anonsql.engines.base import Engine, Relation, ReleaseTables
from anonsql.errors import VerificationError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.labels.bench import bench_for
from anonsql.labels.readings import ask_released, asked
from anonsql.verification.attack.assignment_graph import MatchGraph
from anonsql.verification.attack.linked_values import Values
from anonsql.verification.attack.pairs import Pairs, as_array
from anonsql.verification.attack.released import Released, ends
from anonsql.verification.attack.transport import Ints
from anonsql.verification.label_coverage import cover


class Matching:
    """The scratch tables beside release and source. Only counts and meaningless numbers are read
    from them."""

    def __init__(
        self,
        engine: Engine,
        release: ReleaseTables,
        released: Released,
        attributes: Sequence[Attribute],
        *,
        every: bool = True,
    ) -> None:
        """Look at ``every`` reading of a label, or at its most likely one alone."""
        self._engine, self._release, self._reader = engine, release, release.engine
        self._released, self._attributes, self._every = released, attributes, every
        self._made: list[tuple[Engine, str]] = []
        self._pairs = Pairs(engine, [attribute.index for attribute in attributes])

    def make(self, source: Relation) -> dict[str, tuple[int, int]]:
        """Find all matches. Return, by column, how many released values stand for no value of the
        source, and how many there are."""
        engine, values = self._engine, self._released.values
        self._released.put_together(self._release)
        self._made.append((self._reader, "judged_rows"))
        self._run(self._reader, "judged_tuples", "verification/attack/tuples", values=values)
        self._bring_tuples()
        self._run(
            engine,
            "judged_cells",
            "verification/attack/cells",
            source=source,
            attributes=self._attributes,
        )
        unread = {attribute.name: self._cover(attribute) for attribute in self._attributes}
        self._pairs.join()
        return unread

    def graph(self) -> MatchGraph:
        """Read the matches, and return them as a graph."""
        return self._pairs.graph()

    def cells(self, columns: Sequence[str]) -> list[Ints]:
        """Return columns of the source's combinations, in the order of the graph's nodes."""
        return self._pairs.cells(columns)

    def sensitive(self, number: int) -> Values:
        """Return the values of a sensitive column by released tuple."""
        values = as_array(
            self._reader.query(
                "verification/attack/linked", values=self._released.values, j=number
            ),
            3,
        )
        return Values(values[:, 0] - 1, values[:, 1] - 1, values[:, 2])

    def drop(self) -> None:
        """Drop all scratch tables."""
        self._pairs.drop()
        for engine, table in self._made:
            engine.drop(table)
        self._made.clear()

    def _run(self, engine: Engine, made: str, template: str, /, **parameters: Any) -> None:
        engine.run(template, **parameters)
        self._made.append((engine, made))

    def _load(
        self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]]
    ) -> bool:
        """Load rows, if there are any; return whether there are."""
        if rows:
            self._engine.load(table, columns, rows)
            self._made.append((self._engine, table))
        return bool(rows)

    def _bring_tuples(self) -> None:
        """Bring the released tuples, as numbers, to where the source is."""
        if self._reader is self._engine:
            return
        columns = ["id", *self._released.values, "n"]
        rows = self._reader.query("verification/facts", table="judged_tuples", columns=columns)
        if not self._load("judged_tuples", [(name, "BIGINT") for name in columns], rows):
            raise VerificationError(["no row of the source is in the release"])

    def _cover(self, attribute: Attribute) -> tuple[int, int]:
        """Find which of the source's values the released values of an attribute cover; return how
        many released values cover none, and how many there are."""
        pair = cover_released(
            self._engine, self._reader, self._released, attribute, every=self._every
        )
        self._made.append((self._engine, f"covers_{attribute.index}"))
        return pair


def cover_released(
    engine: Engine,
    reader: Engine,
    released: Released,
    attribute: Attribute,
    *,
    every: bool = True,
) -> tuple[int, int]:
    """Make covers_<index> beside the source, of the released values of an attribute that
    judged_rows, in the ``reader``, has, by ``every`` reading of each or its most likely one; return
    how many of them cover none of the source's values, and how many there are."""
    index = attribute.index
    bounds = next(bounds for label, _, bounds in released.labels if label == index)
    types = ends(bounds, [bound.type for bound in bounds])
    arrays, level = index not in released.texts, released.levels.get(index)
    with bench_for(reader) as bench:
        ask_released(bench, reader, "verification/attack/values", bounds, arrays, i=index)
        covered, _ = cover(engine, bench, attribute, every=every, level=level, bounds=types)
        values = asked(bench)
    return values - len(covered), values
