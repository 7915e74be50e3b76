"""Scores of all nodes of a lattice, for a choice of levels that is drawn at random: how many rows
of the source a node would release, weighed by how much is left of each.

A class of n rows counts max(0, n - least + 1) times what is left of its rows' entries, a number
from 0 to 1. That follows from its labels and from the hierarchies alone, so one more row raises a
score by 1 at most, and never lowers it: what the exponential mechanism needs
(:mod:`anonsql.privacy.exponential`). So losses that are shares of the values that occur are none to
score by: of a hierarchy that is not given leaf by leaf, a level's share of the height is.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from anonsql.search.frequency import REQUESTS, FrequencySets
from anonsql.search.roll_up import RollUps
from anonsql.star.lattice import Levels

UNIT: Final = 10**9
"""Scores are whole multiples of 1 / UNIT."""
_AT_ONCE = 4_000_000
"""About how many pairs of a node and a cell one statement looks at."""


def scores(
    sets: FrequencySets, roll_ups: RollUps, nodes: Sequence[Levels], least: int
) -> list[int]:
    """Return the scores of some nodes, in parts of :data:`UNIT`. The frequency sets count the rows
    of the source as those of a population."""
    engine, attributes = sets.engine, sets.star.attributes
    sets.lay_out_steps()
    keys = [key for key, _ in sets.keys]
    total = sum(Fraction(weight) for weight in sets.star.weights.values())
    most = {index: Fraction(weight) / total for index, weight in sets.star.weights.items()}
    gains = [(attribute, int(UNIT * most[attribute.index])) for attribute in attributes]
    engine.run("search/gains", gains=gains, keys=keys)
    masks = {
        attribute.index: [
            (key, mask) for key, parts in sets.keys for one, mask in parts if one is attribute
        ]
        for attribute in attributes
    }
    result: list[int] = []
    batch = max(1, _AT_ONCE // max(sets.star.cells, 1))
    shared = {"attributes": attributes, "masks": masks, "least": least, "requests": REQUESTS}
    for start in range(0, len(nodes), batch):
        table, numbers = roll_ups.frequency_sets(nodes[start : start + batch])
        found = dict(engine.query("search/scores", table=table, **shared))
        sets.drop(table)
        result += [int(found.get(number, 0)) for number in numbers]
    engine.drop("gains")
    return result
