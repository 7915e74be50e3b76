"""Relocate rows between groups so that all groups keep the promise (Nergiz, Gök, Özkanlı 2013,
Algorithm 2).

Only counts are known here: groups are identified by numbers, and the engine knows the distance of
two groups. A relocation is a generator that yields an :class:`Ask` and is sent an :class:`Answer`,
so that its caller can put the questions of many relocations into one statement.

The algorithm has two phases. In the distribution every *small* group (it needs at least as many
rows as it has) is moved whole into the closest *big* group (it needs fewer rows than it has); when
no big one is left, into the closest group that keeps the promise. In the completion every remaining
big group takes the rows that it needs from the closest group that can spare them. The algorithm
leaves open in which order groups are moved: groups with the same target are moved, closest first,
while that target has room, and the others ask again. It ends, with the last move undone, as soon as
a move would exceed the limits of change.
"""

from __future__ import annotations

from collections.abc import Collection, Generator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from anonsql.methods.hybrid.relocated_groups import Groups
from anonsql.system.arrays import IntArray


@dataclass(frozen=True)
class Ask:
    """A question: which of ``targets`` is closest to each of ``movers``? ``rows`` of each mover
    change their group.

    Movers are moved whole into a target; or, where targets have a ``surplus`` of rows to spare,
    they take the rows from a target that has enough. Of equally close targets the first one is the
    answer; with ``spread``, each mover starts counting at another target. Where there are ``pairs``
    of (mover, target), only these are compared.
    """

    movers: IntArray
    rows: IntArray
    targets: IntArray
    surplus: IntArray | None = None
    spread: bool = False
    pairs: IntArray | None = None


@dataclass(frozen=True)
class Answer:
    """Each mover's target (-1: none), and how many entries change with its rows."""

    targets: IntArray
    cells: IntArray

    @classmethod
    def none(cls, ask: Ask) -> Answer:
        """Return an answer with no target for any mover."""
        return cls(np.full(len(ask.movers), -1, np.int64), np.zeros(len(ask.movers), np.int64))


Asking = Generator[Ask, Answer, bool]
"""A phase of a relocation: yields questions, is sent answers, and returns False when it had to end
early."""


def relocate(groups: Groups) -> Asking:
    """Relocate rows until all groups keep the promise, or a limit; see ``groups.moves``."""
    return (yield from _distribute(groups)) and (yield from _complete(groups))


def _distribute(groups: Groups) -> Asking:
    """Move the small groups whole."""
    small = groups.small()
    while small.size:
        big = groups.big()
        targets = big if big.size else groups.kept()
        if not targets.size:
            return False
        answer = yield _ask_takers(groups, small, targets, spread=big.size > 0)
        left = []
        movers, result, cells = small.tolist(), answer.targets.tolist(), answer.cells.tolist()
        for position in _order(answer):
            mover, target = movers[position], result[position]
            if big.size and groups.need[target] == 0:
                left.append(mover)  # the target is no longer a big group
            elif not groups.whole(mover, target, cells[position]):
                return False
        small = np.array(sorted(left), dtype=np.int64)
    return True


def _complete(groups: Groups) -> Asking:
    """Move to the remaining big groups the rows that they need."""
    big, picky = groups.big(), set[int]()
    while big.size:
        question = _ask_givers(groups, big, picky)
        if question is None:
            return False
        answer = yield question
        left = []
        for position in _order(answer):
            group, giver = int(big[position]), int(answer.targets[position])
            rows = int(question.rows[position])
            if giver < 0:
                return False
            if not groups.can_give(giver, group, rows):
                left.append(group)  # the giver lacks the rows by now, or the values
                picky.add(group)
            elif not groups.some(giver, group, rows, int(answer.cells[position])):
                return False
        big = np.array(sorted(left), dtype=np.int64)
    return True


def _order(answer: Answer) -> list[int]:
    """Return the order of movers: without a target first, then by fewest changed entries."""
    order: list[int] = np.lexsort((answer.cells, answer.targets >= 0)).tolist()
    return order


def _ask_takers(groups: Groups, small: IntArray, targets: IntArray, *, spread: bool) -> Ask:
    rows = groups.sizes[small]
    if groups.draw is None:
        return Ask(small, rows, targets, spread=spread)
    drawn = np.array(
        [[value, groups.draw.choice(targets)] for value in small.tolist()], dtype=np.int64
    )
    return Ask(small, rows, targets, pairs=drawn)


def _ask_givers(groups: Groups, big: IntArray, picky: Collection[int]) -> Ask | None:
    """Return the question for the closest group, or a random one, that can give each big group what
    it needs; None when some has none. Sensitive values are only checked for big groups that were
    refused before (``picky``), or where the choice is random."""
    kept = groups.kept()
    givers = kept[groups.surplus(kept) > 0]
    rows = groups.need[big]
    if not givers.size:
        return None
    if groups.draw is None and not (groups.values and picky):
        return Ask(big, rows, givers, groups.surplus(givers), spread=True)
    pairs = list[tuple[int, int]]()
    for position, group in enumerate(big.tolist()):
        able = groups.able(givers, groups.need[group]).tolist()
        if groups.draw is not None:
            groups.draw.shuffle(able)
        if groups.values and (groups.draw is not None or group in picky):
            fit = (
                value for value in able if groups.can_give(value, group, int(groups.need[group]))
            )
            able = list(fit if groups.draw is None else islice(fit, 1))
        if not able:
            return None
        if groups.draw is not None:
            able = able[:1]
            rows[position] = groups.number(able[0], group)
        pairs += [(group, value) for value in able]
    return Ask(big, rows, givers, groups.surplus(givers), pairs=np.array(pairs, dtype=np.int64))
