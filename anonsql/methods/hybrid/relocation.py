"""Relocating rows between groups so that all of them keep the promise (Nergiz, Gök, Özkanlı 2013, Algorithm 2).

Nothing but counts is known here: groups go by numbers, and what lies between two of them is asked of the engine. A
relocation is a generator that yields an :class:`Ask` and is sent an :class:`Answer`, so that whoever drives it can put the
questions of many relocations into one statement.

The algorithm has two phases. In the distribution every *small* group, one that needs no fewer rows than it has, goes whole
into the closest *big* group, one that needs fewer, and into the closest group that keeps the promise when no big one is left.
In the completion every big group that is left takes the rows that it needs from the closest group that can spare them. The
order in which groups are moved is free: those that want the same group are moved, closest first, while there is room, and
the others ask again. It ends, the last move undone, as soon as a move would exceed what may be changed.
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
    """Which of ``targets`` is closest to each of ``movers``, where so many ``rows`` change their group. They go whole into a target; or,
    where the targets have a ``surplus`` of rows to spare, take the rows from one that has enough. Of equally close targets the first one
    is meant, or, to ``spread`` them, another first one for each mover. Where there are ``pairs``, each (mover, target), the
    targets of a mover are those alone."""

    movers: IntArray
    rows: IntArray
    targets: IntArray
    surplus: IntArray | None = None
    spread: bool = False
    pairs: IntArray | None = None


@dataclass(frozen=True)
class Answer:
    """For each mover its target (-1: there is none), and how many cells change with these rows."""

    targets: IntArray
    cells: IntArray


Asking = Generator[Ask, Answer, bool]
"""A phase of a relocation; false when it had to end early."""


def relocate(groups: Groups) -> Asking:
    """Relocate rows until every group keeps the promise, or no more may be changed; what was moved is in ``groups.moves``."""
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
        for place in _order(answer):
            mover, target = int(small[place]), int(answer.targets[place])
            if big.size and groups.need[target] == 0:
                left.append(mover)  # that group is no longer a big one
            elif not groups.whole(mover, target, int(answer.cells[place])):
                return False
        small = np.array(sorted(left), dtype=np.int64)
    return True


def _complete(groups: Groups) -> Asking:
    """Give the big groups that are left what they need."""
    big, picky = groups.big(), set[int]()
    while big.size:
        asked = _ask_givers(groups, big, picky)
        if asked is None:
            return False
        answer = yield asked
        left = []
        for place in _order(answer):
            group, giver, rows = int(big[place]), int(answer.targets[place]), int(asked.rows[place])
            if giver < 0:
                return False
            if not groups.can_give(giver, group, rows):
                left.append(group)  # others took what it had, or it has not the values
                picky.add(group)
            elif not groups.some(giver, group, rows, int(answer.cells[place])):
                return False
        big = np.array(sorted(left), dtype=np.int64)
    return True


def _order(answer: Answer) -> list[int]:
    """Those that change least first; those without a target before all."""
    order: list[int] = np.lexsort((answer.cells, answer.targets >= 0)).tolist()
    return order


def _ask_takers(groups: Groups, small: IntArray, targets: IntArray, *, spread: bool) -> Ask:
    """For the closest target of each, or for one drawn at random."""
    rows = groups.sizes[small]
    if groups.draw is None:
        return Ask(small, rows, targets, spread=spread)
    drawn = np.array(
        [[each, groups.draw.choice(targets)] for each in small.tolist()], dtype=np.int64
    )
    return Ask(small, rows, targets, pairs=drawn)


def _ask_givers(groups: Groups, big: IntArray, picky: Collection[int]) -> Ask | None:
    """For the closest group that can give each what it needs, or for one of them drawn at random; None when one has none. Whether
    a group has the values is looked at where it was asked in vain before (``picky``), or where it is drawn."""
    kept = groups.kept()
    givers = kept[groups.surplus(kept) > 0]
    rows = groups.need[big]
    if not givers.size:
        return None
    if groups.draw is None and not (groups.values and picky):
        return Ask(big, rows, givers, groups.surplus(givers), spread=True)
    pairs = list[tuple[int, int]]()
    for place, group in enumerate(big.tolist()):
        able = groups.able(givers, groups.need[group]).tolist()
        if groups.draw is not None:
            groups.draw.shuffle(able)
        if groups.values and (groups.draw is not None or group in picky):
            fit = (each for each in able if groups.can_give(each, group, int(groups.need[group])))
            able = list(fit if groups.draw is None else islice(fit, 1))
        if not able:
            return None
        if groups.draw is not None:
            able = able[:1]
            rows[place] = groups.number(able[0], group)
        pairs += [(group, each) for each in able]
    return Ask(big, rows, givers, groups.surplus(givers), pairs=np.array(pairs, dtype=np.int64))
