"""What published tables are held against: their source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from anonsql.engines.base import Engine, OfColumn, Relation
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.protect import Protect
from anonsql.statistics.cubes import Shown, Sum

Row = Mapping[str, tuple[int, str | None]]
"""A row of a table: level and label of every dimension."""
Waived = Mapping[str, Mapping[str, Sequence[Row]]]
"""The rows that may be published although a rule forbids it, by table and measure."""


@dataclass(frozen=True)
class Compared:
    """What published tables are held against: the ``source`` with its dimensions, who is counted
    (``entity``), the measures, and the rows that are ``waived``."""

    engine: Engine
    source: Relation
    attributes: Sequence[Attribute]
    entity: OfColumn | None
    measures: Sequence[Shown]
    waived: Waived = field(default_factory=dict)

    @property
    def sums(self) -> list[Sum]:
        """The measures that are sums."""
        return [measure.sum for measure in self.measures if measure.sum is not None]

    def ranked(self, protect: Protect) -> int:
        """Return how many of the largest contributors of every cell are looked at."""
        if protect.of_sums:
            return protect.contributors
        return 2 if protect.by == "cell-key" and self.sums else 0

    def exclusive(self, protect: Protect) -> str | None:
        """Return how people are counted who are in one combination alone, where people are counted
        and cells are hidden: by their ``rows`` where these are published, else by ``groups``."""
        if protect.changes or self.entity is None or not any(m.people for m in self.measures):
            return None
        return "rows" if any(m.counted == "n" for m in self.measures) else "groups"

    def named(self, protect: Protect, *, more_rows: bool) -> bool:
        """Return whether it matters who is the only person of a cell: who knows the sum of it, and,
        where somebody has ``more_rows`` than one, how many rows."""
        rows = any(measure.sum is None and not measure.people for measure in self.measures)
        known = bool(self.sums) or (rows and more_rows)
        return not protect.changes and self.entity is not None and known
