"""Random assignments of rows to the generalized tuples of their ring (Wong, Mamoulis, Cheung 2010,
section 5.2).

In a part of s rows with window w, the generalized tuple at ring position j covers the rows j, j+1,
..., j+w-1 (mod s). Which row is released under which tuple is a perfect matching of a w-regular
bipartite graph. Two properties are required: every match has probability exactly 1/w, and knowing
some matches does not determine the others. A matching drawn uniformly from all of them violates the
first (the paper's ring of 5 with w = 3: matches of 5/13), a random cyclic shift the second.

The paper builds w random disjoint matchings one after another and chooses one of them at random.
Here the graph is halved repeatedly instead, so that only the halves that contain the chosen
matching are built, in time linear in the edges:

* Even degree: at every vertex, on both sides, the edges are paired at random. The pairs form cycles
  of even length; along each, edges are alternately dropped and kept, beginning by a fair coin for
  each cycle. The edges kept have half the degree at every vertex. An edge is kept with probability
  1/2, whatever the pairs.
* Odd degree w: one random perfect matching (Hopcroft and Karp 1973 on the randomly renumbered
  graph, random walks in large parts) is the result with probability 1/w; otherwise it is removed,
  and the degree is w-1. Whether or not an edge is in this matching, its probability of being in the
  result is 1/w: 1/w directly, or (1 - 1/w) times 1/(w-1) later.

So each match has probability exactly 1/w, by the coins alone and not by how pairs and matchings are
found. Every perfect matching of the ring can be the result, as each is one colour of some edge
colouring of the graph; hence whatever matches are known, any other that is compatible with them
remains possible. Array operations halve all parts at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonsql.system.arrays import IntArray, RandomBytes

EDGES = 1 << 22
"""Edges that are handled at once: enough to hide the cost of an array operation, few enough for
little memory."""
LARGEST = 1 << 22
"""Number of edges up to which the whole graph of a part is built; for a larger graph some of its
offsets are drawn first."""
FEWEST = 128
"""Least degree that such a draw reduces a graph to."""
WALKED = 1000
"""Number of rows up to which the matchings of parts are found together; larger parts are matched
one by one."""
STEPS = 1 << 14
"""Steps of a random walk that are drawn at once."""


def entropy(seed: int | None = None) -> RandomBytes:
    """Return the source of a draw: the operating system's cryptographic generator, or with a
    ``seed`` a reproducible stream.

    numpy's generators must not be used for a release. An attacker who knows some matches knows some
    of their output, and PCG64's state has been recovered from its output (Bouillaguet, Martinez,
    Sauvage 2020), however good its seed was; the state reveals all other matches. A draw without a
    seed is as hard to predict as the operating system's generator. A draw with a seed is for tests
    and measurements: an attacker who knows or guesses the seed can undo the release.
    """
    return os.urandom if seed is None else np.random.Generator(np.random.PCG64(seed)).bytes


def assign(sizes: IntArray, windows: IntArray, random: RandomBytes) -> IntArray:
    """Draw an assignment for every part. ``sizes``: rows of each; ``windows``: how many rows each
    of its generalized tuples covers, from 1 to its size; ``random``: see :func:`entropy`.

    Return one offset per row, part after part: the row at position p of its ring is released under
    the generalized tuple of ring position (p - offset) mod size, 0 <= offset < window. Within a
    part this is a permutation, each offset has probability 1/window, and parts are independent.
    Where the window is the whole part, all permutations are equally likely. Raise ValueError for a
    window that does not fit its part.
    """
    sizes, windows = np.asarray(sizes, np.int64), np.asarray(windows, np.int64)
    if sizes.shape != windows.shape or np.any(windows < 1) or np.any(windows > sizes):
        raise ValueError("every part needs a window of at least 1 and at most its size")
    ends = np.cumsum(sizes)
    offsets = np.zeros(int(ends[-1]) if len(ends) else 0, np.int64)
    whole = windows == sizes
    for parts in _batches(np.flatnonzero(whole), sizes):
        rows = _ranges(ends[parts] - sizes[parts], sizes[parts])
        offsets[rows] = _offsets(_permutations(sizes[parts], random), sizes[parts])
    others = np.flatnonzero(~whole)
    degrees = np.minimum(windows, np.maximum(LARGEST // np.maximum(sizes, 1), FEWEST))
    others = others[np.argsort(degrees[others], kind="stable")]
    for parts in _batches(others, sizes * degrees):
        rows = _ranges(ends[parts] - sizes[parts], sizes[parts])
        offsets[rows] = _offsets(
            _matched(sizes[parts], windows[parts], degrees[parts], random), sizes[parts]
        )
    return offsets


def _batches(parts: IntArray, edges: IntArray) -> Iterator[IntArray]:
    if len(parts):
        number = np.cumsum(edges[parts]) // EDGES
        yield from np.split(parts, np.flatnonzero(np.diff(number)) + 1)


def _ranges(starts: IntArray, sizes: IntArray) -> IntArray:
    """Return the positions in several intervals, one interval after another."""
    ranges: IntArray = np.arange(int(sizes.sum()), dtype=np.int64) + np.repeat(
        starts - _starts(sizes), sizes
    )
    return ranges


def _starts(sizes: IntArray) -> IntArray:
    starts: IntArray = np.cumsum(sizes) - sizes
    return starts


def _offsets(places: IntArray, sizes: IntArray) -> IntArray:
    """Return how far before each row the ring position assigned to it is."""
    return np.mod(_ranges(np.zeros_like(sizes), sizes) - places, np.repeat(sizes, sizes))


def _permutations(sizes: IntArray, random: RandomBytes) -> IntArray:
    order = np.lexsort(
        (_numbers(int(sizes.sum()), random), np.repeat(np.arange(len(sizes)), sizes))
    )
    places: IntArray = order - np.repeat(_starts(sizes), sizes)
    return places


# The halving -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Graphs:
    """Regular bipartite graphs: for each row, part by part, the positions that it may have."""

    parts: IntArray
    sizes: IntArray
    places: IntArray

    def places_apart(self) -> IntArray:
        apart: IntArray = self.places + self.first_places()
        return apart

    def first_places(self) -> IntArray:
        """Return for each row, as a column, the first position of its part."""
        return np.repeat(_starts(self.sizes), self.sizes)[:, np.newaxis]

    def of(self, wanted: NDArray[np.bool_]) -> _Graphs:
        return _Graphs(
            self.parts[wanted], self.sizes[wanted], self.places[np.repeat(wanted, self.sizes)]
        )


def _joined(graphs: list[_Graphs]) -> _Graphs:
    parts, sizes, places = zip(
        *((graph.parts, graph.sizes, graph.places) for graph in graphs), strict=True
    )
    return _Graphs(np.concatenate(parts), np.concatenate(sizes), np.concatenate(places))


def _matched(
    sizes: IntArray, windows: IntArray, degrees: IntArray, random: RandomBytes
) -> IntArray:
    """Return the ring position that each row is assigned to, part after part."""
    starts, numbers = _starts(sizes), np.zeros(int(sizes.sum()), np.int64)

    def settle(done: _Graphs) -> None:
        numbers[_ranges(starts[done.parts], done.sizes)] = done.places[:, 0]

    waiting: dict[int, list[_Graphs]] = {}
    for degree in np.unique(degrees).tolist():
        parts = np.flatnonzero(degrees == degree)
        waiting[degree] = [
            _Graphs(parts, sizes[parts], _ring(sizes[parts], windows[parts], degree, random))
        ]
    while waiting:
        degree = max(waiting)
        graphs = _joined(waiting.pop(degree))
        if degree == 1:
            settle(graphs)
        elif degree % 2 == 0:
            waiting.setdefault(degree // 2, []).append(_halved(graphs, random))
        else:
            matching = _matching(graphs, random)
            taken = _below(degree, len(graphs.parts), random) == 0
            settle(_Graphs(graphs.parts, graphs.sizes, matching[:, np.newaxis]).of(taken))
            left = graphs.places[graphs.places != matching[:, np.newaxis]].reshape(-1, degree - 1)
            waiting.setdefault(degree - 1, []).append(
                _Graphs(graphs.parts, graphs.sizes, left).of(~taken)
            )
    return numbers


def _ring(sizes: IntArray, windows: IntArray, degree: int, random: RandomBytes) -> IntArray:
    """Return the ring positions that each row may be assigned to: all whose tuples cover it, or
    those at ``degree`` offsets, drawn for each part independently. An offset that is drawn with
    probability degree/window and then chosen with 1/degree has probability 1/window."""
    shifts = np.broadcast_to(np.arange(degree, dtype=np.int64), (len(sizes), degree)).copy()
    for number in np.flatnonzero(windows > degree).tolist():
        shifts[number] = np.argsort(_numbers(int(windows[number]), random))[:degree]
    rows = _ranges(np.zeros_like(sizes), sizes)[:, np.newaxis]
    places = rows - np.repeat(shifts, sizes, axis=0)
    return np.where(places < 0, places + np.repeat(sizes, sizes)[:, np.newaxis], places)


def _halved(graphs: _Graphs, random: RandomBytes) -> _Graphs:
    """Return graphs with half the edges at every vertex.

    Edges are numbered consecutively, those of a row in a random order and side by side; edge e is
    paired with e^1 at its row. Stepping to the other edge of the row, and from there to the partner
    at that edge's ring position, visits every second edge of a cycle. The cycle's other edges are
    visited likewise, in the other direction; so the smallest number in either half distinguishes
    the halves and identifies the cycle.
    """
    from scipy.sparse import csr_matrix  # takes longer to load than everything else

    rows, degree = graphs.places.shape
    places = _shuffled(graphs.places_apart(), random)
    edges = np.arange(rows * degree, dtype=np.int32)
    by_place = csr_matrix(
        (edges, places.ravel(), np.arange(0, rows * degree + 1, degree)), shape=(rows, rows)
    ).tocsc()
    pairs = _shuffled(by_place.data.reshape(rows, degree).astype(np.int64), random).reshape(-1, 2)
    partner = np.empty(rows * degree, np.int32)
    partner[pairs[:, 0]], partner[pairs[:, 1]] = pairs[:, 1], pairs[:, 0]
    least = _least_of_orbits(partner[edges ^ 1]).reshape(-1, 2)
    coins = np.unpackbits(np.frombuffer(random(rows * degree // 8 + 1), np.uint8))
    second = (coins[least.min(axis=1)] == 1) ^ (least[:, 0] > least[:, 1])
    kept = places.reshape(-1, 2)[np.arange(len(second)), second.astype(np.int64)].reshape(
        rows, degree // 2
    )
    return _Graphs(graphs.parts, graphs.sizes, kept - graphs.first_places())


def _least_of_orbits(onward: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return each element's least one of its cycle, by steps of doubled lengths."""
    least = np.arange(len(onward), dtype=np.int32)
    while True:
        less = np.minimum(least, least[onward])
        if np.array_equal(less, least):
            return least
        least, onward = less, onward[onward]


def _matching(graphs: _Graphs, random: RandomBytes) -> IntArray:
    """Return each row's position by a random perfect matching; every one is possible."""
    numbers = np.empty(len(graphs.places), np.int64)
    large = graphs.sizes > WALKED
    if not np.all(large):
        numbers[np.repeat(~large, graphs.sizes)] = _by_augmenting(graphs.of(~large), random)
    ends = np.cumsum(graphs.sizes)
    for number in np.flatnonzero(large).tolist():
        rows = slice(int(ends[number] - graphs.sizes[number]), int(ends[number]))
        numbers[rows] = _by_walking(graphs.places[rows], random)
    return numbers


def _by_augmenting(graphs: _Graphs, random: RandomBytes) -> IntArray:
    """Find a perfect matching by Hopcroft and Karp's algorithm, on all parts as one graph. Its
    first round assigns each row to the first free position of its list; with lists and rows in
    random order that alone can produce any perfect matching."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import maximum_bipartite_matching

    rows, degree = graphs.places.shape
    places = _shuffled(graphs.places_apart(), random)
    order, names = (np.argsort(_numbers(rows, random)) for _ in range(2))
    listed = names[places[order]].ravel()
    shuffled = csr_matrix(
        (np.ones(rows * degree, np.int8), listed, np.arange(0, rows * degree + 1, degree)),
        shape=(rows, rows),
    )
    named = maximum_bipartite_matching(shuffled, perm_type="column")
    real, numbers = np.empty(rows, np.int64), np.empty(rows, np.int64)
    real[names] = np.arange(rows)
    numbers[order] = real[named]
    return numbers - graphs.first_places()[:, 0]


def _by_walking(places: IntArray, random: RandomBytes) -> IntArray:
    """Find a perfect matching by random walks in one regular graph (Goel, Kapralov, Khanna 2010):
    from a row to one of its positions and on to the row that has it, until a position is free; then
    each row on the way, without loops, is assigned to the position by which the walk left it last.
    That takes n log n steps; the other algorithm has been observed to take many more with few edges
    at thousands of rows."""
    rows, degree = places.shape
    lists, owner, left_by = places.ravel().tolist(), [-1] * rows, [0] * rows
    drawn: list[int] = []
    for first in np.argsort(_numbers(rows, random)).tolist():
        row = first
        while row >= 0:
            if not drawn:
                drawn = (_numbers(STEPS, random) % np.uint64(degree)).tolist()
            perfect = left_by[row] = lists[row * degree + drawn.pop()]
            row = owner[perfect]
        row = first
        while row >= 0:
            perfect = left_by[row]
            owner[perfect], row = row, owner[perfect]
    numbers = np.empty(rows, np.int64)
    numbers[np.array(owner)] = np.arange(rows)
    return numbers


# Random numbers ----------------------------------------------------------------------------------


def _numbers(count: int, random: RandomBytes) -> NDArray[np.uint64]:
    return np.frombuffer(random(8 * count), np.uint64)


def _below(bound: int, count: int, random: RandomBytes) -> NDArray[np.uint64]:
    """Return uniform numbers below a bound; those of the last, incomplete range are redrawn."""
    numbers = _numbers(count, random).copy()
    limit = np.uint64((1 << 64) // bound * bound - 1)
    while np.any(beyond := numbers > limit):
        numbers[beyond] = _numbers(int(np.count_nonzero(beyond)), random)
    return numbers % np.uint64(bound)


def _shuffled(numbers: IntArray, random: RandomBytes) -> IntArray:
    """Return each row of an array of numbers below 2^31 in a random order. The sort keys have 32
    bits: enough here, as no probability depends on these orders."""
    keys = (
        np.frombuffer(random(4 * numbers.size), np.uint32).astype(np.int64).reshape(numbers.shape)
    )
    keys <<= 31
    keys |= numbers
    keys.sort(axis=1)
    keys &= (1 << 31) - 1
    return keys
