"""Parts of the rows in which a node may be shown to fail.

A part has every so many of the groups of one attribute at a level. A node with the attribute at
that level or below has each of its classes in one group, whole: what it suppresses in a part, it
suppresses in all rows. The groups are spread over the attribute's order, so a part is much like all
rows, and tells about what to expect of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from anonsql.search.frequency import FrequencySets


@dataclass(frozen=True)
class KeptPart:
    """The cells of some groups of the attribute on an ``axis`` at a ``level``, as a frequency set
    (numbered below 0) in a table of its own; ``share`` is that of all rows."""

    node: int
    axis: int
    level: int
    cells: int
    share: float
    table: str


class Parts:
    """The parts of some shares, made when first asked for."""

    def __init__(self, sets: FrequencySets) -> None:
        self._sets = sets
        self._of_share: dict[float, list[KeptPart]] = {}

    @property
    def made(self) -> list[KeptPart]:
        """All parts that were made."""
        return [part for parts in self._of_share.values() for part in parts]

    def fitting(self, vectors: Iterable[Sequence[int]], share: float) -> list[KeptPart | None]:
        """Return for each vector of levels the part of about a ``share`` of the rows that has the
        fewest cells of those in which its classes lie whole or not at all; None where none is."""
        if share not in self._of_share:
            self._of_share[share] = self._make(round(1 / share))
        parts = sorted(self._of_share[share], key=lambda part: part.cells)
        return [
            next((part for part in parts if part.share and vector[part.axis] <= part.level), None)
            for vector in vectors
        ]

    def close(self) -> None:
        """Drop all parts."""
        for part in self.made:
            self._sets.drop(part.table)
        self._of_share.clear()

    def _make(self, step: int) -> list[KeptPart]:
        """Make a part for each attribute that has enough groups: every ``step``-th of them, at the
        highest level with that many."""
        parts, number = list[KeptPart](), -1 - len(self.made)
        for axis, attribute in enumerate(self._sets.star.attributes):
            level = self._sets.level_with(attribute.index, step)
            if level is not None:
                table, cells, rows = self._sets.keep_part(number, attribute.index, level, step)
                share = rows / self._sets.star.rows
                parts.append(KeptPart(number, axis, level, cells, share, table))
                number -= 1
        return parts
