"""The fastest complete search: find the boundary between satisfying and failing nodes, and count
only there.

A node that satisfies decides all its generalizations, one that fails all its specializations. So
every node is decided once the minimal satisfying and the maximal failing nodes are counted, and no
search can count fewer. A forecast tells which these are: the logarithm of a node's suppressed rows
is nearly a sum of one contribution per attribute and level, fitted by least squares to the nodes
counted so far. Each round counts the expected boundary of the undecided nodes, all in one
statement, and the next forecast learns from it; a wrong forecast costs statements, never a wrong
verdict.

Where there are many cells, a node that is expected to fail is first counted in a small part of the
rows, in which each of its classes lies whole or not at all: as soon as that suppresses more rows
than may be suppressed, the node fails. What a part says of all rows the forecast learns from, too."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anonsql.search.results import ClassSizes, PartSizes, Round, Verdict
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


def forecast(shape: Sequence[int], scores: Mapping[int, float]) -> NDArray[np.float64]:
    """Return an estimated score for every node of a lattice of a ``shape`` (levels per attribute),
    from the ``scores`` of some nodes by number. A score is positive where a node is expected to
    fail. It is estimated as a sum of one contribution per attribute and level (least squares); the
    scores nearest to zero weigh most in the fit."""
    places = np.array(np.unravel_index(np.array(list(scores)) - 1, shape))
    steps = [(axis, level) for axis, levels in enumerate(shape) for level in range(1, levels)]
    features = np.array(
        [np.ones(places.shape[1]), *(places[axis] >= level for axis, level in steps)]
    ).T
    mask = np.array(list(scores.values()))
    weighted = features / (0.3 + np.abs(mask))[:, None]
    fit = np.linalg.solve(
        weighted.T @ features + 0.1 * np.eye(features.shape[1]), weighted.T @ mask
    )
    expected = np.full(shape, fit[0])
    for (axis, level), share in zip(steps, fit[1:], strict=True):
        np.moveaxis(expected, axis, 0)[level:] += share
    return expected


_PILOT = 32  # nodes, and no more than one in twenty
_SHARES = (1 / 64, 1 / 16, 1 / 4)
"""How large the parts are that nodes are counted in before they are counted in full."""
_ASSURED = 1.2
"""How many times the limit a part must be expected to suppress to be counted."""
Count = Callable[[Sequence[Levels]], Sequence[ClassSizes]]
CountPart = Callable[[Sequence[Levels], float], Sequence[PartSizes | None]]
"""Count nodes in a part of about a share of the rows; None where there is no such part."""


@dataclass
class Boundary:
    """A lattice being decided: which nodes are undecided, which satisfy, and what was counted.

    Of nodes that were counted in part, ``estimates`` has the sizes to expect, and ``tried`` the
    share of the rows that was asked for last. Those that ``failed_in_part`` are decided by it.
    """

    lattice: Lattice
    k: int
    max_suppressed: int
    undecided: Nodes = field(init=False)
    satisfying: Nodes = field(init=False)
    sizes: dict[int, ClassSizes] = field(default_factory=dict)
    estimates: dict[int, ClassSizes] = field(default_factory=dict)
    tried: dict[int, float] = field(default_factory=dict)
    failed_in_part: set[int] = field(default_factory=set)
    milliseconds: dict[int, float] = field(default_factory=dict)
    rounds: list[Round] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.undecided, self.satisfying = ~self.lattice.none(), self.lattice.none()

    @property
    def open(self) -> Nodes:
        """The nodes that are still to be decided."""
        return self.undecided

    def decide(
        self, count: Count, note: Callable[[Round], None], count_part: CountPart | None = None
    ) -> None:
        """Count nodes until none is open, with ``count_part`` in parts first; ``note`` each
        round."""
        while self.open.any():
            nodes = self._foreseen() if self.rounds else self._pilot()
            if count_part is not None:
                nodes = self._count_parts(nodes, count_part)
            self._check(nodes, count)
            note(self.rounds[-1])

    def counted(self) -> Nodes:
        """Return the nodes that were counted, or failed in part."""
        nodes = self.lattice.none()
        nodes.ravel()[np.array([*self.sizes, *self.failed_in_part], dtype=np.int64) - 1] = True
        return nodes

    def verdicts(self) -> list[Verdict]:
        """Return a verdict on every decided node; uncounted ones name a node that implies it."""
        satisfied, causes = self.satisfying.ravel().tolist(), self._causes().ravel().tolist()
        return [
            Verdict(number, ok, self.sizes.get(number), cause, self.milliseconds.get(number))
            for number, (ok, cause) in enumerate(zip(satisfied, causes, strict=True), start=1)
            if cause
        ]

    def _count_parts(self, nodes: Nodes, count_part: CountPart) -> Nodes:
        """Count some nodes in a part of the rows each, and decide what their sizes imply: in the
        smallest part at first, to learn what to expect, in a larger one where that is expected to
        show that the node fails. Return the nodes that are to be counted in full: those that have
        no part, that are expected to satisfy (but for the pilot), or that no part can decide."""
        by_share: dict[float, dict[int, Levels]] = {}
        for number, node in self.lattice.levels(nodes).items():
            share = self._share(number)
            if share is not None:
                by_share.setdefault(share, {})[number] = node
        for share, levels in by_share.items():
            for number, part in zip(levels, count_part(list(levels.values()), share), strict=True):
                if part is not None:
                    self._learn(number, part, share)
                    failing = part.estimate.suppressed > self.max_suppressed
                    # the pilot only learns: its nodes are counted in full where they have no part
                    nodes.ravel()[number - 1] = bool(self.rounds) and not failing
        return nodes

    def _learn(self, number: int, part: PartSizes, share: float) -> None:
        """Keep what a ``share`` of the rows says of a node; decide what fails by it."""
        self.estimates[number], self.tried[number] = part.estimate, share
        if part.sizes.suppressed > self.max_suppressed:
            self.failed_in_part.add(number)
            failed = self.lattice.none()
            failed.ravel()[number - 1] = True
            self.undecided &= ~specializations(failed)

    def _share(self, number: int) -> float | None:
        """Return the part to count a node in: one of the smallest where nothing is known, else the
        first untried one that is expected to show that it fails; None without any."""
        if number not in self.estimates:
            return _SHARES[0]
        rate = self.estimates[number].suppressed
        return next(
            (
                share
                for share in _SHARES
                if share > self.tried[number] and rate * share > self.max_suppressed * _ASSURED
            ),
            None,
        )

    def _check(self, nodes: Nodes, count: Count) -> None:
        started = time.perf_counter()
        levels = self.lattice.levels(nodes)
        self.sizes.update(zip(levels, count(list(levels.values())), strict=True))
        seconds = time.perf_counter() - started
        self.milliseconds.update(dict.fromkeys(levels, seconds * 1000 / max(len(levels), 1)))
        suppressed = self.lattice.none()
        suppressed.ravel()[
            [number - 1 for number in levels if self.sizes[number].failing > self.max_suppressed]
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
        known = self.estimates | self.sizes
        scores = {number: self._score(sizes) for number, sizes in known.items()}
        expected = forecast(self.lattice.shape, scores)
        estimated = np.array(list(self.estimates), dtype=np.int64)
        expected.ravel()[estimated - 1] = [scores[number] for number in self.estimates]
        return expected

    def _score(self, sizes: ClassSizes) -> float:
        """Return how far a node is from satisfying: suppressed rows relative to the limit,
        logarithmic; where none may be and none is, how far the smallest class is above k
        (negative)."""
        if self.max_suppressed == 0 and sizes.failing == 0:
            return -float(np.log(max(sizes.smallest / self.k, 1))) - 0.2
        return float(np.log((sizes.failing + 1) / (self.max_suppressed + 1))) + 0.2 * (
            self.max_suppressed == 0
        )

    def _causes(self) -> NDArray[np.int64]:
        """Return the number of a counted node that decides each node; 0 where none does."""
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
        counted = np.array(list(self.sizes), dtype=np.int64)
        causes.ravel()[counted - 1] = counted
        return causes
