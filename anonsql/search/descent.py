"""Searching the lattice for the node that loses least, where only trying tells whether a node
satisfies.

What is tried may fail although something below it would not (relocation is no monotone matter), so
that a failure rules out what is more specific as a rule of the search, not of nature: the authors'
own (Nergiz, Gök, Özkanlı 2013, Algorithm 1).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from anonsql.search.forecast import forecast
from anonsql.star.lattice import Lattice, Levels, Nodes, generalizations, maximal, specializations

_LIKELY = 8
_UNLIKELY = 48
"""Nodes that are tried together: of those that are expected to satisfy, and of those that are tried
to rule others out."""


class Tried(Protocol):
    """What came of trying a node: whether it satisfies, an order of preference, how far it is from
    satisfying (positive where it fails; a logarithm)."""

    @property
    def satisfied(self) -> bool:
        """Whether it satisfies."""

    @property
    def key(self) -> tuple[float, ...]:
        """What is preferred has less; the loss comes first."""

    @property
    def score(self) -> float:
        """How far it is from satisfying."""


T = TypeVar("T", bound=Tried)
Try = Callable[[Sequence[Levels]], Sequence[T]]


def best_first(lattice: Lattice, bounds: NDArray[np.float64], attempt: Try[T]) -> T | None:
    """The best satisfying node, found by trying few: those that could lose least (``bounds`` are
    the least that each node can lose) among those that are expected to satisfy, and the most
    general ones among the others, as their failing rules out most. Every node that could be better
    than the one found has been tried or lies below one that failed."""
    undecided, best = ~lattice.none(), list[T]()
    scores: dict[int, float] = {}
    while True:
        open_ones = undecided & (bounds <= best[0].key[0]) if best else undecided
        if not open_ones.any():
            return best[0] if best else None
        batch = _batch(lattice, open_ones, bounds, scores)
        asked = lattice.levels(batch)
        failed = lattice.none()
        for number, tried in zip(asked, attempt(list(asked.values())), strict=True):
            scores[number] = tried.score
            failed.ravel()[number - 1] = not tried.satisfied
            if tried.satisfied and (not best or tried.key < best[0].key):
                best = [tried]
        undecided &= ~(batch | specializations(failed))


def top_down(lattice: Lattice, attempt: Try[T]) -> T | None:
    """The best satisfying node among those all whose generalizations satisfy, every one of them
    tried (Algorithm 1)."""
    heights, undecided, best = lattice.heights(), ~lattice.none(), list[T]()
    for height in sorted(set(heights.ravel().tolist()), reverse=True):
        asked = lattice.levels(undecided & (heights == height))
        failed = lattice.none()
        for number, tried in zip(asked, _in_parts(list(asked.values()), attempt), strict=True):
            failed.ravel()[number - 1] = not tried.satisfied
            if tried.satisfied and (not best or tried.key < best[0].key):
                best = [tried]
        undecided &= ~specializations(failed)
    return best[0] if best else None


def _in_parts(nodes: Sequence[Levels], attempt: Try[T]) -> list[T]:
    return [
        each
        for start in range(0, len(nodes), _UNLIKELY)
        for each in attempt(nodes[start : start + _UNLIKELY])
    ]


def _batch(
    lattice: Lattice, open_ones: Nodes, bounds: NDArray[np.float64], scores: dict[int, float]
) -> Nodes:
    """The nodes to try next: all of them where they are few."""
    if open_ones.sum() <= _UNLIKELY:
        return open_ones
    if (
        not scores
    ):  # a few from all over the lattice, for the forecast, and those that would be best
        pilot, places = lattice.none(), np.flatnonzero(open_ones).tolist()
        many = min(_UNLIKELY, -(-len(places) // 20))
        pilot.ravel()[random.Random(0).sample(places, many)] = True  # noqa: S311 - no secret
        return pilot | _least(open_ones, bounds, _LIKELY)
    above = generalizations(open_ones & (forecast(lattice.shape, scores) <= 0)) & open_ones
    return _least(above, bounds, _LIKELY) | _least(maximal(open_ones & ~above), bounds, _UNLIKELY)


def _least(nodes: Nodes, bounds: NDArray[np.float64], count: int) -> Nodes:
    """So many of some nodes that could lose least."""
    chosen = nodes & False
    places = np.flatnonzero(nodes)
    chosen.ravel()[places[np.argsort(bounds.ravel()[places], kind="stable")[:count]]] = True
    return chosen
