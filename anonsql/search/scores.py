"""Scores of all nodes of a lattice, for a choice of levels that is drawn at random: how many rows
of the source a node would release, weighed by how much is left of each.

A class of n rows counts max(0, n - least + 1) times what is left of its rows' entries, a number
from 0 to 1. That follows from its labels and from the hierarchies alone, so one more row raises a
score by 1 at most, and never lowers it: what the exponential mechanism needs
(:mod:`anonsql.privacy.exponential`). So losses that are shares of the values that occur are none to
score by: of a hierarchy that is not given leaf by leaf, a level's share of the height is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from typing import Final

from anonsql.search.frequency import REQUESTS, FrequencySets
from anonsql.search.roll_up import RollUps
from anonsql.star.lattice import Levels

UNIT: Final = 10**9
"""Scores are whole multiples of 1 / UNIT."""
_AT_ONCE = 8_000_000
"""About how many pairs of a node and a cell one statement looks at."""
_Node = tuple[tuple[int, int], ...]


def scores(
    sets: FrequencySets, roll_ups: RollUps, nodes: Sequence[Levels], least: int, reach: int
) -> list[int]:
    """Return the scores of some nodes, in parts of :data:`UNIT`; 0 of a node whose score lies more
    than ``reach`` below the greatest, which need not be counted then. The frequency sets count the
    rows of the source as those of a population."""
    engine, attributes = sets.engine, sets.star.attributes
    sets.base.lay_out_steps()
    keys = sets.base.paths.keys
    total = sum(Fraction(weight) for weight in sets.star.weights.values())
    most = {index: Fraction(weight) / total for index, weight in sets.star.weights.items()}
    gains = [(attribute, int(UNIT * most[attribute.index])) for attribute in attributes]
    engine.run("search/gains", gains=gains, keys=keys)
    masks = {
        attribute.index: [
            (key, mask) for key, parts in sets.base.keys for one, mask in parts if one is attribute
        ]
        for attribute in attributes
    }
    rows = engine.query("search/gain_bounds", gains=gains)
    scoring = _Scoring(
        sets,
        roll_ups,
        {"attributes": attributes, "masks": masks, "least": least, "requests": REQUESTS},
        {(attribute, level): (int(most), int(all_)) for attribute, level, most, all_ in rows},
        reach,
    )
    by_height = sorted(nodes, key=lambda levels: -sum(levels.values()))
    for _, some in groupby(by_height, key=lambda levels: sum(levels.values())):
        scoring.count(list(some))
    engine.drop("gains")
    return [scoring.found.get(tuple(levels.items()), 0) for levels in nodes]


@dataclass
class _Scoring:
    """A count of scores from the most general nodes down. ``bounds`` are by attribute and level
    what is left of an entry at most, and of all entries together; ``beyond`` are the rows beyond
    the least number by node, or more: a generalization has no fewer of them."""

    sets: FrequencySets
    roll_ups: RollUps
    shared: Mapping[str, object]
    bounds: Mapping[tuple[int, int], tuple[int, int]]
    reach: int
    greatest: int = 0
    found: dict[_Node, int] = field(default_factory=dict)
    beyond: dict[_Node, int] = field(default_factory=dict)

    def count(self, nodes: Sequence[Levels]) -> None:
        """Count the nodes of one height, as far as they can come near the greatest score."""
        batch = max(1, _AT_ONCE // max(self.sets.star.cells, 1))
        left = [levels for levels in nodes if self._bound(levels) >= self.greatest - self.reach]
        for start in range(0, len(left), batch):
            some = left[start : start + batch]
            table, numbers = self.roll_ups.frequency_sets(some)
            rows = self.sets.engine.query("search/scores", table=table, **self.shared)
            self.sets.engine.drop(table)
            by_number = {node: (int(beyond), int(score)) for node, beyond, score in rows}
            for levels, number in zip(some, numbers, strict=True):
                node = tuple(levels.items())
                self.beyond[node], self.found[node] = by_number.get(number, (0, 0))
                self.greatest = max(self.greatest, self.found[node])

    def _bound(self, levels: Levels) -> int:
        """Return a score that a node does not exceed, and note the rows that it has at most."""
        node = tuple(levels.items())
        above = [
            rows
            for place, (index, level) in enumerate(node)
            if (rows := self.beyond.get((*node[:place], (index, level + 1), *node[place + 1 :])))
            is not None
        ]
        by_level = [self.bounds.get(entry, (0, 0)) for entry in node]
        if not above:
            return sum(total for _, total in by_level)
        rows = self.beyond[node] = min(above)
        return sum(min(total, rows * most) for most, total in by_level)
