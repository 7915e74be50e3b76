"""The search for the satisfying node of least value, which decides only the nodes that may have it.

A node's levels alone bound its value from below, and the value of any satisfying node bounds the
least one from above: once one is measured, all nodes whose bound is greater need no verdict. Most
nodes that are left fail, far from the boundary, and few counts rule them out: general nodes are
counted that are expected to fail and together generalize all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from anonsql.search.boundary import Boundary, Count
from anonsql.star.lattice import Levels, Nodes, generalizations, maximal, minimal
from anonsql.system.arrays import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FIRST = 12
"""Nodes that are expected to satisfy and are counted together at first."""
_MEASURED = 8
"""Nodes that are measured in a round, at most."""
_MARGIN = 0.2
"""How far (a logarithm, see :meth:`Boundary._score`) a node must be expected to be from satisfying
for its count to stand for those that it generalizes."""
_PAIRS = 4_000_000
"""Greatest number of pairs of nodes that are compared to find which rules out which."""
_SLACK = 1e-9
"""What bounds, which are sums, may miss by rounding."""


class Aim(Protocol):
    """What is to be as small as possible: a measure of generalizations."""

    @property
    def bounds(self) -> NDArray[np.float64]:
        """The least value that each node can have; generalizations have no lesser ones."""

    def values(self, nodes: Sequence[Levels]) -> list[float]:
        """Return the values of some nodes."""


@dataclass(kw_only=True)
class Least(Boundary):
    """A lattice being decided as far as the node of least value may lie there. ``least`` is the
    least value that was measured, ``measured`` the nodes that were. Of nodes that are expected to
    satisfy, ``expected`` are counted together at first, and ``growth`` times as many each time;
    ``together`` are measured in a round at most."""

    aim: Aim
    least: float = math.inf
    measured: Nodes = field(init=False)
    expected: int = _FIRST
    growth: int = 2
    together: int = _MEASURED

    def __post_init__(self) -> None:
        super().__post_init__()
        self.measured = self.lattice.none()

    @property
    def wanted(self) -> Nodes:
        """The nodes that may have the least value."""
        return self.aim.bounds <= self.least + abs(self.least) * _SLACK

    @property
    def open(self) -> Nodes:
        """See :class:`Boundary`."""
        return self.undecided & self.wanted

    def _check(self, nodes: Nodes, count: Count) -> None:
        super()._check(nodes, count)
        mask = self._first(self.satisfying & self.wanted & ~self.measured, self.together)
        if mask.any():
            values = self.aim.values(list(self.lattice.levels(mask).values()))
            self.measured |= mask
            self.least = min(self.least, *values)

    def _pilot(self) -> Nodes:
        """Return a sample of nodes from the middle up: they are fast, the others rarely satisfy."""
        heights = self.lattice.heights().ravel()
        return self._sample(np.flatnonzero(heights >= heights.mean()).tolist())

    def _foreseen(self) -> Nodes:
        """Return the nodes to count next: those with the least bounds among the minimal ones that
        are expected to satisfy, and nodes that rule out those with no greater bounds that are
        expected to fail: of the others many may soon be known to lose too much."""
        expected, wanted = self._forecast(), self.open
        above = generalizations(self.undecided & (expected <= 0)) & self.undecided
        hopeful = self._first(minimal(above) & wanted, self.expected)
        self.expected *= self.growth
        if hopeful.any():
            wanted &= self.aim.bounds <= self.aim.bounds[hopeful].max()
        failing = self.undecided & ~above
        return hopeful | self._covering(maximal(failing & wanted), failing & (expected > _MARGIN))

    def _covering(self, low: Nodes, failing: Nodes) -> Nodes:
        """Return few nodes of which each of the ``low`` ones is, or is a specialization: some of
        the maximal ones that are expected to be ``failing``, chosen greedily, and low ones that
        none of those generalizes. Where there are very many low ones, leave some for later."""
        targets, sources = np.argwhere(low), np.argwhere(maximal(failing & generalizations(low)))
        targets = targets[: max(_PAIRS // max(len(sources), 1), 1)]
        covers = np.ones((len(sources), len(targets)), dtype=np.bool_)
        for axis in range(low.ndim):
            covers &= sources[:, axis, None] >= targets[None, :, axis]
        chosen, left = self.lattice.none(), np.ones(len(targets), dtype=np.bool_)
        while (gains := covers[:, left].sum(axis=1)).any():
            source = int(gains.argmax())
            chosen[tuple(sources[source])] = True
            left &= ~covers[source]
        chosen[tuple(targets[left].T)] = True
        return chosen

    def _first(self, nodes: Nodes, count: int) -> Nodes:
        chosen, positions = self.lattice.none(), np.flatnonzero(nodes)
        order = np.argsort(self.aim.bounds.ravel()[positions], kind="stable")
        chosen.ravel()[positions[order[:count]]] = True
        return chosen
