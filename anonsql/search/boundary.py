"""The fastest complete search: find the boundary between satisfying and failing nodes, and count
only there.

A node that satisfies decides all its generalizations, one that fails all its specializations. So
every node is decided once the minimal satisfying and the maximal failing nodes are counted, and no
search can count fewer. A forecast tells which these are: the logarithm of a node's suppressed rows
is nearly a sum of one contribution per attribute and level, fitted by least squares to the nodes
counted so far. Each round counts the expected boundary of the undecided nodes, all in one
statement, and the next forecast learns from it; a wrong forecast costs statements, never a wrong
verdict.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anonsql.search.forecast import forecast
from anonsql.search.results import ClassSizes, Round, Verdict
from anonsql.star.lattice import (
    Lattice,
    Levels,
    Nodes,
    generalizations,
    maximal,
    minimal,
    specializations,
)
from anonsql.system.arrays import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

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

    @property
    def open(self) -> Nodes:
        """The nodes that are still to be decided."""
        return self.undecided

    def decide(self, count: Count, note: Callable[[Round], None]) -> None:
        """Count nodes, round by round, until none is open. ``note`` is called after each round."""
        while self.open.any():
            self._check(self._pilot() if not self.sizes else self._foreseen(), count)
            note(self.rounds[-1])

    def counted(self) -> Nodes:
        """Return the nodes that were counted."""
        nodes = self.lattice.none()
        nodes.ravel()[np.array(list(self.sizes)) - 1] = True
        return nodes

    def verdicts(self) -> list[Verdict]:
        """Return a verdict on every node of the lattice that is decided; that of a node that was
        not counted names a counted node that implies it."""
        satisfied, causes = self.satisfying.ravel().tolist(), self._causes().ravel().tolist()
        return [
            Verdict(number, ok, self.sizes.get(number), cause, self.milliseconds.get(number))
            for number, (ok, cause) in enumerate(zip(satisfied, causes, strict=True), start=1)
            if cause
        ]

    def _check(self, nodes: Nodes, count: Count) -> None:
        """Count some nodes, and decide all nodes that their sizes imply."""
        started = time.perf_counter()
        levels = self.lattice.levels(nodes)
        self.sizes.update(zip(levels, count(list(levels.values())), strict=True))
        seconds = time.perf_counter() - started
        self.milliseconds.update(dict.fromkeys(levels, seconds * 1000 / len(levels)))
        suppressed = self.lattice.none()
        suppressed.ravel()[
            [number - 1 for number in levels if self.sizes[number].suppressed > self.max_suppressed]
        ] = True
        passed = nodes & ~suppressed
        implied = generalizations(passed)
        self.satisfying |= implied
        self.undecided &= ~(implied | specializations(suppressed))
        title = f"round {len(self.rounds) + 1}"
        self.rounds.append(
            Round(title, len(levels), int(passed.sum()), int(self.open.sum()), seconds)
        )

    def _pilot(self) -> Nodes:
        """Return a sample of nodes from all over the lattice, to begin with: the same in every run,
        as which ones they are is no secret."""
        return self._sample(range(self.lattice.size))

    def _sample(self, positions: Sequence[int]) -> Nodes:
        nodes = self.lattice.none()
        some = random.Random(0)  # noqa: S311 - a sample of nodes, no secret
        nodes.ravel()[some.sample(positions, min(_PILOT, -(-len(positions) // 20)))] = True
        return nodes

    def _foreseen(self) -> Nodes:
        """Return the expected boundary among the undecided nodes, on both sides: the minimal nodes
        that the forecast expects to satisfy, and the maximal ones that it expects to fail."""
        above = generalizations(self.undecided & (self._forecast() <= 0)) & self.undecided
        return minimal(above) | maximal(self.undecided & ~above)

    def _forecast(self) -> NDArray[np.float64]:
        """Return how far every node is expected to be from satisfying."""
        scores = {number: self._score(sizes) for number, sizes in self.sizes.items()}
        return forecast(self.lattice.shape, scores)

    def _score(self, sizes: ClassSizes) -> float:
        """Return how far a node is from satisfying: its suppressed rows relative to the limit, on a
        logarithmic scale; where none may be suppressed and none is, how far the smallest class is
        above k (negative)."""
        if self.max_suppressed == 0 and sizes.suppressed == 0:
            return -float(np.log(max(sizes.smallest / self.k, 1))) - 0.2
        return float(np.log((sizes.suppressed + 1) / (self.max_suppressed + 1))) + 0.2 * (
            self.max_suppressed == 0
        )

    def _causes(self) -> NDArray[np.int64]:
        """Return for every node the number of a counted node that decides it, its own where it was
        counted; 0 for one that is not decided."""
        causes = np.zeros(self.lattice.shape, dtype=np.int64)
        flat, failing = self.satisfying, ~(self.satisfying | self.undecided)
        ends: Mapping[int, Levels] = self.lattice.levels(minimal(flat) | maximal(failing))
        for number, levels in ends.items():
            position = self.lattice.position(levels)
            ahead = flat[position]
            part = causes[
                tuple(slice(at, None) if ahead else slice(None, at + 1) for at in position)
            ]
            part[part == 0] = number
        causes.ravel()[np.array(list(self.sizes)) - 1] = list(self.sizes)
        return causes
