"""The fastest complete search: find the boundary between what satisfies and what does not, and
check only there.

A node that satisfies decides all its generalizations, one that does not all its specializations. So
every node is decided once the minimal satisfying and the maximal failing ones are checked, and no
search can check fewer. Which those are is foreseen: the logarithm of the suppressed rows is nearly
a sum of what each level contributes (a small least-squares fit on what was counted so far). Each
round checks the foreseen boundary of the undecided nodes, all in one statement, and learns from it;
a wrong forecast costs checks, never a verdict.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from anonsql.search.forecast import forecast
from anonsql.search.found import ClassSizes, Round, Verdict
from anonsql.star.lattice import (
    Lattice,
    Levels,
    Nodes,
    generalizations,
    maximal,
    minimal,
    specializations,
)

_PILOT = 32  # nodes, and no more than one in twenty
Count = Callable[[Sequence[Levels]], Sequence[ClassSizes]]


@dataclass
class Boundary:
    """A lattice being decided: which nodes are undecided, which satisfy, and what was counted."""

    lattice: Lattice
    k: int
    max_suppressed: int
    undecided: Nodes = field(init=False)
    satisfying: Nodes = field(init=False)
    sizes: dict[int, ClassSizes] = field(default_factory=dict)
    milliseconds: dict[int, float] = field(default_factory=dict)
    rounds: list[Round] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.undecided, self.satisfying = ~self.lattice.none(), self.lattice.none()

    def decide(self, count: Count, told: Callable[[Round], None]) -> None:
        """Check nodes, round by round, until every one is decided."""
        while self.undecided.any():
            self._check(self._pilot() if not self.sizes else self._foreseen(), count)
            told(self.rounds[-1])

    def counted(self) -> Nodes:
        """The nodes that were counted."""
        nodes = self.lattice.none()
        nodes.ravel()[np.array(list(self.sizes)) - 1] = True
        return nodes

    def verdicts(self) -> list[Verdict]:
        """A verdict on every node of the lattice, those that were not counted with one that they
        follow from."""
        satisfied, causes = self.satisfying.ravel().tolist(), self._causes().ravel().tolist()
        return [
            Verdict(number, ok, self.sizes.get(number), cause, self.milliseconds.get(number))
            for number, (ok, cause) in enumerate(zip(satisfied, causes, strict=True), start=1)
        ]

    def _check(self, nodes: Nodes, count: Count) -> None:
        """Count some nodes and decide all that follows."""
        started = time.perf_counter()
        asked = self.lattice.levels(nodes)
        self.sizes.update(zip(asked, count(list(asked.values())), strict=True))
        seconds = time.perf_counter() - started
        self.milliseconds.update(dict.fromkeys(asked, seconds * 1000 / len(asked)))
        suppressed = self.lattice.none()
        suppressed.ravel()[
            [number - 1 for number in asked if self.sizes[number].suppressed > self.max_suppressed]
        ] = True
        passed = nodes & ~suppressed
        implied = generalizations(passed)
        self.satisfying |= implied
        self.undecided &= ~(implied | specializations(suppressed))
        title = f"round {len(self.rounds) + 1}"
        self.rounds.append(
            Round(title, len(asked), int(passed.sum()), int(self.undecided.sum()), seconds)
        )

    def _pilot(self) -> Nodes:
        """A few nodes from all over the lattice; which ones is no secret, so they are the same
        every time."""
        nodes = self.lattice.none()
        some = random.Random(0)  # noqa: S311 - a sample of nodes, no secret
        nodes.ravel()[some.sample(range(nodes.size), min(_PILOT, -(-nodes.size // 20)))] = True
        return nodes

    def _foreseen(self) -> Nodes:
        """Both sides of the boundary that the nodes counted so far let expect, among the
        undecided."""
        above = (
            generalizations(
                self.undecided
                & (
                    forecast(
                        self.lattice.shape,
                        {number: self._score(sizes) for number, sizes in self.sizes.items()},
                    )
                    <= 0
                )
            )
            & self.undecided
        )
        return minimal(above) | maximal(self.undecided & ~above)

    def _score(self, sizes: ClassSizes) -> float:
        """The suppressed rows beside the limit, on a logarithmic scale; where none may be
        suppressed and none is, how far the smallest class is above k."""
        if self.max_suppressed == 0 and sizes.suppressed == 0:
            return -float(np.log(max(sizes.smallest / self.k, 1))) - 0.2
        return float(np.log((sizes.suppressed + 1) / (self.max_suppressed + 1))) + 0.2 * (
            self.max_suppressed == 0
        )

    def _causes(self) -> NDArray[np.int64]:
        """For every node the number of a counted one that decides it; its own where it was
        counted."""
        causes = np.zeros(self.lattice.shape, dtype=np.int64)
        flat = self.satisfying
        ends: Mapping[int, Levels] = self.lattice.levels(minimal(flat) | maximal(~flat))
        for number, levels in ends.items():
            place = self.lattice.place(levels)
            ahead = flat[place]
            part = causes[tuple(slice(at, None) if ahead else slice(None, at + 1) for at in place)]
            part[part == 0] = number
        causes.ravel()[np.array(list(self.sizes)) - 1] = list(self.sizes)
        return causes
