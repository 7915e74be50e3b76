"""The labels that cost most: those of few people, whose cells nearly all ask for protection."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from anonsql.errors import PrivacyError
from anonsql.statistics.cells import Cells
from anonsql.statistics.cubes import Plan
from anonsql.statistics.protection import Protected
from anonsql.system.arrays import BoolArray, np

_MOST = 3
"""The labels that are named at most."""
_FEW = 20
"""Labels of one in so many people at most are looked at."""
_SMALL = 100_000
"""Primary cells times all cells up to which the choice of hidden cells is repeated."""
_WORTH = 20
"""Labels are named that cost one in so many hidden cells."""


@dataclass(frozen=True)
class CostlyLabel:
    """A label of the finest level of a ``dimension``, by the number of the ``cell`` that has it and
    totals alone; its ``people``; the hidden cells that have it (``own_hidden``); and how many
    ``fewer`` of all ``hidden`` cells are hidden where its cells ask for no protection, None where
    that was not tried."""

    dimension: str
    cell: int
    people: int
    own_hidden: int
    hidden: int
    fewer: int | None

    @property
    def cost(self) -> int:
        """The hidden cells that it costs, as far as that is known."""
        return self.own_hidden if self.fewer is None else self.fewer


def costly_labels(
    plan: Plan,
    cells: Cells,
    protected: Protected,
    repeat: Callable[..., Protected] | None,
) -> list[CostlyLabel]:
    """Return the labels that cost most, those of most cells first, as the counts of a table are
    hidden; where there is none, its first measure. ``repeat`` hides cells where some of them
    (``without``) ask for no protection; None where there is no time for it."""
    name = next((one.name for one in plan.measures if one.sum is None), plan.measures[0].name)
    shown, primary = ~cells.unpublished, protected.primary[name]
    hidden = protected.hidden[name] & shown
    small = int(primary.sum()) * cells.size <= _SMALL
    found = list[CostlyLabel]()
    for dimension, cell, own in _few_people(plan, cells, primary)[:_MOST]:
        fewer = None
        if small and repeat is not None:
            with suppress(PrivacyError):  # no other choice: nothing is said of it
                fewer = int(hidden.sum() - (repeat(without=own).hidden[name] & shown).sum())
        people, of_label = int(cells.people[cell]), int((hidden & own).sum())
        found.append(CostlyLabel(dimension, cell, people, of_label, int(hidden.sum()), fewer))
    worth = [one for one in found if _WORTH * one.cost >= one.hidden]
    return sorted(worth, key=lambda one: -one.cost)


def _few_people(plan: Plan, cells: Cells, primary: BoolArray) -> list[tuple[str, int, BoolArray]]:
    """Return labels of few people with more than half of the cells primary, the most first:
    dimension, the cell of label and totals, and all cells that have the label."""
    if cells.boxes is None or cells.matrix is None:
        return []
    found = list[tuple[int, int, str, int, BoolArray]]()
    vectors, everybody = cells.counted["v"], int(cells.people.max(initial=0))
    for number, index in enumerate(np.unique(cells.matrix[1]).tolist()):
        finest = min(((level, v) for v, own, level in plan.singles if own == index), default=None)
        if finest is None:
            continue
        place = cells.boxes.place[:, number]
        dimension = next(a.name for a in plan.attributes if a.index == index)
        for cell in np.flatnonzero(vectors == finest[1]).tolist():
            own = (place == place[cell]) & ~cells.unpublished
            people, count = int(cells.people[cell]), int((primary & own).sum())
            if _FEW * people <= everybody and 2 * count > int(own.sum()):
                found.append((-count, people, dimension, cell, own))
    return [(name, cell, own) for _, _, name, cell, own in sorted(found, key=lambda line: line[:4])]
