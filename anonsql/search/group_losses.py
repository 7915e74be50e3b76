"""Which generalizations leave out too much of a group: ``privacy.max_group_loss``.

A node loses the rows of its classes that do not keep the promise. Where generalization cannot break
a class (the promise is monotone), every failing class of a node consists of failing classes of any
node that it generalizes. So what a value loses never grows along the lattice: a node within the
limit decides all its generalizations, as with the suppression limit. The limit is applied to what a
search found without it, from the minimal nodes upward, whichever algorithm found them; where the
promise is not monotone, every node is looked at by itself (see :mod:`anonsql.search.filtering`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from anonsql.privacy import suppression_limit
from anonsql.search.frequency import REQUESTS, FrequencySets
from anonsql.search.roll_up import RollUps
from anonsql.star.lattice import Levels

_AT_ONCE = 4_000_000
"""About how many pairs of a node and a cell one statement looks at."""


@dataclass(frozen=True)
class WorstLoss:
    """The value of a column, by its number, that loses the greatest share of its ``rows``."""

    number: int
    lost: int
    rows: int

    def beyond(self, limit: Decimal) -> bool:
        """Return whether the value loses more than a share of its rows."""
        return self.lost > suppression_limit.max_suppressed(limit, self.rows)


class GroupLosses:
    """What values lose at nodes of a lattice, as a limit of a search. Values that fewer than
    ``least`` rows have do not count. ``valued``: whether the table ``group_values`` lies beside the
    cells: it has the values of sensitive columns."""

    title = "groups"

    def __init__(self, sets: FrequencySets, limit: Decimal, least: int, *, valued: bool) -> None:
        self._sets, self._limit, self._valued = sets, limit, valued
        engine, attributes = sets.engine, sets.star.attributes
        engine.drop("group_totals", "group_base")
        engine.run("search/group_totals", attributes=attributes, valued=valued, least=least)
        engine.run("search/group_base", attributes=attributes, keys=sets.base.keys)

    def worst(self, nodes: Sequence[Levels], roll_ups: RollUps) -> list[WorstLoss | None]:
        """Return for each of some nodes the value that loses most there; None where none loses."""
        result: list[WorstLoss | None] = []
        batch = max(1, _AT_ONCE // max(self._sets.star.cells, 1))
        for start in range(0, len(nodes), batch):
            result += self._worst(nodes[start : start + batch], roll_ups)
        return result

    def within(self, nodes: Sequence[Levels], roll_ups: RollUps) -> list[bool]:
        """Return whether no value loses more than the limit allows, for each of some nodes."""
        return [
            worst is None or not worst.beyond(self._limit) for worst in self.worst(nodes, roll_ups)
        ]

    def monotone(self, max_suppressed: int) -> bool:
        """Return whether generalizing what is within the limit stays within it."""
        return self._sets.promise.monotone(max_suppressed)

    def _worst(self, nodes: Sequence[Levels], roll_ups: RollUps) -> list[WorstLoss | None]:
        sets, keys = self._sets, self._sets.base.paths.keys
        table, numbers = roll_ups.frequency_sets(nodes)
        rows = sets.engine.query(
            "search/group_losses",
            table=table,
            requests=REQUESTS,
            names=["node", *keys],
            keys=keys,
            promise=sets.promise,
            attributes=sets.star.attributes,
            valued=self._valued,
        )
        sets.engine.drop(table)
        worst_loss = {node: WorstLoss(*worst) for node, *worst in rows}
        return [worst_loss.get(number) for number in numbers]
