"""Search the lattice for the node that loses least, where only trying a node shows whether it
satisfies.

Relocation is not monotone: a node may fail although one of its specializations would satisfy. A
failing node rules out its specializations: this is therefore a heuristic, the authors' (Nergiz,
Gök, Özkanlı 2013, Algorithm 1).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anonsql.search.boundary import forecast
from anonsql.star.lattice import Lattice, Levels, Nodes, generalizations, maximal, specializations

if TYPE_CHECKING:
    from anonsql.methods.hybrid.levels import LevelOutcome, RuledOut

    Tried: TypeAlias = LevelOutcome | RuledOut
    Try: TypeAlias = Callable[[Sequence[Levels]], Sequence[Tried]]

_LIKELY = 8
_UNLIKELY = 48
"""How many nodes are tried together: nodes that are expected to satisfy (``_LIKELY``), and nodes
that are tried to rule others out."""


def best_first(lattice: Lattice, bounds: NDArray[np.float64], attempt: Try) -> Tried | None:
    """Return the best satisfying node, found by trying few.

    Among the nodes that are expected to satisfy, nodes with the least possible loss (``bounds``)
    are tried first; among the others the most general ones, whose failing rules out most. Every
    node that could be better than the result has been tried, or is a specialization of a failed
    node.
    """
    undecided, best = ~lattice.none(), list["Tried"]()
    scores: dict[int, float] = {}
    while True:
        open_ones = undecided & (bounds <= best[0].key[0]) if best else undecided
        if not open_ones.any():
            return best[0] if best else None
        batch = _batch(lattice, open_ones, bounds, scores)
        levels = lattice.levels(batch)
        failed = lattice.none()
        for number, tried in zip(levels, attempt(list(levels.values())), strict=True):
            scores[number] = tried.score
            failed.ravel()[number - 1] = not tried.satisfied
            if tried.satisfied and (not best or tried.key < best[0].key):
                best = [tried]
        undecided &= ~(batch | specializations(failed))


def top_down(lattice: Lattice, attempt: Try) -> Tried | None:
    """Return the best node whose generalizations satisfy too, by trying all (Algorithm 1)."""
    heights, undecided, best = lattice.heights(), ~lattice.none(), list["Tried"]()
    for height in sorted(set(heights.ravel().tolist()), reverse=True):
        levels = lattice.levels(undecided & (heights == height))
        failed = lattice.none()
        for number, tried in zip(levels, _in_parts(list(levels.values()), attempt), strict=True):
            failed.ravel()[number - 1] = not tried.satisfied
            if tried.satisfied and (not best or tried.key < best[0].key):
                best = [tried]
        undecided &= ~specializations(failed)
    return best[0] if best else None


def _in_parts(nodes: Sequence[Levels], attempt: Try) -> list[Tried]:
    return [
        entry
        for start in range(0, len(nodes), _UNLIKELY)
        for entry in attempt(nodes[start : start + _UNLIKELY])
    ]


def _batch(
    lattice: Lattice, open_ones: Nodes, bounds: NDArray[np.float64], scores: dict[int, float]
) -> Nodes:
    if open_ones.sum() <= _UNLIKELY:
        return open_ones
    if not scores:  # a sample of the lattice, for the forecast, and the nodes that could lose least
        pilot, positions = lattice.none(), np.flatnonzero(open_ones).tolist()
        many = min(_UNLIKELY, -(-len(positions) // 20))
        pilot.ravel()[random.Random(0).sample(positions, many)] = True  # noqa: S311 - no secret
        return pilot | _least(open_ones, bounds, _LIKELY)
    above = generalizations(open_ones & (forecast(lattice.shape, scores) <= 0)) & open_ones
    return _least(above, bounds, _LIKELY) | _least(maximal(open_ones & ~above), bounds, _UNLIKELY)


def _least(nodes: Nodes, bounds: NDArray[np.float64], count: int) -> Nodes:
    chosen = nodes & False
    positions = np.flatnonzero(nodes)
    chosen.ravel()[positions[np.argsort(bounds.ravel()[positions], kind="stable")[:count]]] = True
    return chosen
