"""The least distance of a release's rows from the source's: how many of their quasi-identifying
entries do not stand for the source's values, whichever row of the source each released row is.

A released row can be a row of the source only where their kept values (sensitive and insensitive
ones) are equal. The cost of that is the number of its entries that do not stand for the values of
the row of the source, and what is sought is an assignment of released rows to different rows of the
source that costs least in all. Rows that are alike are treated as one node with a count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from anonsql.errors import InvariantError

from .least_cost import Costs, least_cost
from .transport import Bools, Ints, greatest_flow

_PAIRS = 100_000_000
_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Nodes:
    """Nodes, each standing for rows that are alike: ``kept`` numbers their kept values, ``values``
    (a row for each node, a column for each attribute) has the classes of the source's values or the
    released values, ``rows`` counts the rows. Nodes are in the order of ``kept``."""

    kept: Ints
    values: Ints
    rows: Ints

    @classmethod
    def of(cls, columns: Sequence[Ints], width: int) -> Nodes:
        """Return the nodes of columns (kept, ``width`` values, rows); no nodes when there are no
        columns."""
        if not columns:
            return cls(
                np.zeros(0, dtype=np.int64),
                np.zeros((0, width), dtype=np.int64),
                np.zeros(0, dtype=np.int64),
            )
        return cls(columns[0], np.stack(columns[1:-1], axis=1), columns[-1])

    def some(self, chosen: Ints | Bools, rows: Ints | None = None) -> Nodes:
        """Return some of the nodes, with other numbers of rows where such are given."""
        return Nodes(
            self.kept[chosen], self.values[chosen], self.rows[chosen] if rows is None else rows
        )

    @property
    def total(self) -> int:
        """The rows of all nodes."""
        return int(self.rows.sum())


class Correspondence:
    """Which released values of an attribute stand for which class of the source's values: pairs of
    a class and a released value. ``only`` is, by class, the one released value that stands for it,
    0 where none does; None when a class has several."""

    def __init__(self, classes: Ints, labels: Ints) -> None:
        self._width = int(max(labels.max(initial=0), 0)) + 1
        self._pairs = np.unique(classes * self._width + labels)
        self.only: Ints | None = None
        if len(np.unique(classes)) == len(self._pairs):
            self.only = np.zeros(int(classes.max(initial=0)) + 1, dtype=np.int64)
            self.only[classes] = labels

    def __call__(self, classes: Ints, labels: Ints) -> Bools:
        """Return whether a released value stands for a class, pair by pair."""
        wanted = classes * self._width + labels
        if not len(self._pairs):
            return np.zeros(wanted.shape, dtype=np.bool_)
        result = np.minimum(np.searchsorted(self._pairs, wanted), len(self._pairs) - 1)
        mask: Bools = (self._pairs[result] == wanted) & (labels < self._width)
        return mask

    def sole(self, classes: Ints) -> Ints:
        """Return the one released value that stands for each class, 0 where none does."""
        if self.only is None:
            raise InvariantError("released sets were asked for their sole values and have several")
        return np.where(
            classes < len(self.only), self.only[np.minimum(classes, len(self.only) - 1)], 0
        )


@dataclass(frozen=True)
class Changes:
    """How many released rows differ from their row of the source, and in how many entries, by the
    best assignment that was found; ``least`` when no assignment has fewer such entries."""

    rows: int
    cells: int
    least: bool

    def __add__(self, other: Changes) -> Changes:
        """Return the changes of two disjoint sets of rows together."""
        return Changes(self.rows + other.rows, self.cells + other.cells, self.least and other.least)


def fewest_changes(
    source: Nodes, released: Nodes, correspondences: Sequence[Correspondence]
) -> Changes:
    """Return the changes by the assignment of released rows to rows of the source in which fewest
    entries changed. For all kept values the source has as many rows as the release, or more.

    Where each value of the source is released as one label (full-domain generalization), costs are
    distances, and rows that are the same may be taken for the same: if a released row of a label is
    that of another row, and a row of that label is another released one or none, exchanging the two
    costs no more, by the triangle inequality. What is left is solved exactly where there are no
    more than a hundred million pairs of unlike rows. Beyond that it is solved in parts, where
    labels overlap after taking as many rows as can be for rows that they stand for whole: a good
    assignment, and not certainly the best.
    """
    distances = all(correspondence.only is not None for correspondence in correspondences)
    if distances:
        source = _by_label(source, correspondences)
        source, released = _without_alike(source, released)
    changes, (source, released) = _of_one_choice(source, released, correspondences, distances)
    for givers, takers in _together(source, released):
        changes += _cheapest(givers, takers, correspondences, distances)
    return changes


def _cheapest(
    givers: Nodes, takers: Nodes, correspondences: Sequence[Correspondence], distances: bool
) -> Changes:
    """Return the fewest changes for rows of one combination of kept values, solved in parts where
    the rows are too many for one problem."""
    rows, cells, least = 0, 0, True
    if not distances and len(givers.rows) * len(takers.rows) > _PAIRS:
        givers, takers = _without_whole(givers, takers, correspondences)
        least = False
    step = max(1, _PAIRS // max(1, len(takers.rows)))
    lacking = takers.rows.copy()
    for first in range(0, len(givers.rows), step):
        part, open_ = (
            givers.some(np.arange(len(givers.rows))[first : first + step]),
            np.flatnonzero(lacking),
        )
        costs = _costs(part, takers.some(open_), correspondences, distances)
        carried = least_cost(part.rows, lacking[open_], costs)
        each = costs[carried.giver, carried.taker].astype(np.int64)
        rows += int(carried.rows[each > 0].sum())
        cells += int((carried.rows * each).sum())
        np.subtract.at(lacking, open_[carried.taker], carried.rows)
    return Changes(rows, cells, least and len(givers.rows) <= step)


def _of_one_choice(
    source: Nodes, released: Nodes, correspondences: Sequence[Correspondence], distances: bool
) -> tuple[Changes, tuple[Nodes, Nodes]]:
    """Return the changes of those kept values whose rows are all alike on one side, which are
    assigned the cheapest rows of the other side, and the nodes of all other kept values."""
    kept, starts, takers = np.unique(released.kept, return_index=True, return_counts=True)
    low = np.searchsorted(source.kept, kept)
    givers = np.searchsorted(source.kept, kept, side="right") - low
    one = np.flatnonzero((givers == 1) | (takers == 1))
    pairs = givers[one] * takers[one]
    of_kept = np.repeat(np.arange(len(one)), pairs)
    inside = np.arange(len(of_kept)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    giver = low[one][of_kept] + np.where(takers[one][of_kept] == 1, inside, 0)
    taker = starts[one][of_kept] + np.where(takers[one][of_kept] == 1, 0, inside)
    costs = np.zeros(len(of_kept), dtype=np.int64)
    for i, correspondence in enumerate(correspondences):
        left, right = source.values[giver, i], released.values[taker, i]
        costs += (left != right) if distances else ~correspondence(left, right)
    order = np.lexsort((costs, of_kept))
    most = np.minimum(source.rows[giver], released.rows[taker])[order]
    before = np.cumsum(most) - most
    before -= before[np.cumsum(pairs) - pairs][of_kept]
    needed = (
        np.add.reduceat(np.append(released.rows, 0), starts)[one][of_kept] if len(kept) else most
    )
    rows = np.clip(needed - before, 0, most)
    costs = costs[order]
    changes = Changes(int(rows[costs > 0].sum()), int((rows * costs).sum()), True)
    rest = tuple(nodes.some(~np.isin(nodes.kept, kept[one])) for nodes in (source, released))
    return changes, (rest[0], rest[1])


def _by_label(source: Nodes, correspondences: Sequence[Correspondence]) -> Nodes:
    """Return the source's rows by what they are released as."""
    return Nodes(
        source.kept,
        np.stack(
            [
                correspondence.sole(source.values[:, i])
                for i, correspondence in enumerate(correspondences)
            ],
            axis=1,
        ),
        source.rows,
    )


def _without_alike(source: Nodes, released: Nodes) -> tuple[Nodes, Nodes]:
    """Return the nodes that are left when as many rows as possible are assigned to equal ones."""
    number, unlike = _numbered(
        np.concatenate(
            [np.column_stack([nodes.kept, nodes.values]) for nodes in (source, released)]
        )
    )
    numbers = np.bincount(
        number[: len(source.rows)], weights=source.rows, minlength=len(unlike)
    ).astype(np.int64)
    taken = np.bincount(
        number[len(source.rows) :], weights=released.rows, minlength=len(unlike)
    ).astype(np.int64)
    same = np.minimum(numbers, taken)
    result = []
    for value in (numbers - same, taken - same):
        some = np.flatnonzero(value)
        result.append(Nodes(unlike[some, 0], unlike[some, 1:], value[some]))
    return result[0], result[1]


def by_values(nodes: Nodes) -> Nodes:
    """Return the nodes with their kept values disregarded, equal ones merged."""
    number, values = _numbered(nodes.values)
    rows = np.bincount(number, weights=nodes.rows, minlength=len(values)).astype(np.int64)
    return Nodes(np.zeros(len(values), dtype=np.int64), values, rows)


def _numbered(rows: Ints) -> tuple[Ints, Ints]:
    """Return the number of each row of an array among its distinct ones, and these in order."""
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    first = np.ones(len(rows), dtype=np.bool_)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    number = np.empty(len(rows), dtype=np.int64)
    number[order] = np.cumsum(first) - 1
    return number, ordered[first]


def _together(source: Nodes, released: Nodes) -> Iterator[tuple[Nodes, Nodes]]:
    """Yield the nodes of source and release for each combination of kept values in the release."""
    kept, starts = np.unique(released.kept, return_index=True)
    ends = np.append(starts, len(released.kept))[1:]
    low, high = np.searchsorted(source.kept, kept), np.searchsorted(source.kept, kept, side="right")
    for a, b, c, d in zip(low.tolist(), high.tolist(), starts.tolist(), ends.tolist(), strict=True):
        yield source.some(np.arange(a, b)), released.some(np.arange(c, d))


def _costs(
    givers: Nodes, takers: Nodes, correspondences: Sequence[Correspondence], distances: bool
) -> Costs:
    """Return how many values of each taker do not stand for those of each giver, which are labels
    already where costs are ``distances``."""
    costs = np.zeros((len(givers.rows), len(takers.rows)), dtype=np.uint16)
    step = max(1, _AT_ONCE // max(1, len(takers.rows)))
    for i, correspondence in enumerate(correspondences):
        classes, row = np.unique(givers.values[:, i], return_inverse=True)
        labels, column = np.unique(takers.values[:, i], return_inverse=True)
        different = (
            (classes[:, None] != labels[None, :])
            if distances
            else ~correspondence(classes[:, None], labels[None, :])
        )
        by_taker = different[:, column]
        for first in range(0, len(row), step):
            costs[first : first + step] += by_taker[row[first : first + step]]
    return costs


def _without_whole(
    givers: Nodes, takers: Nodes, correspondences: Sequence[Correspondence]
) -> tuple[Nodes, Nodes]:
    """Return the nodes that are left when as many rows as possible are assigned to rows that they
    stand for in every attribute."""
    tail, head = whole_pairs(givers, takers, correspondences)
    cells, tuples = len(givers.rows), len(takers.rows)
    supply = np.concatenate([givers.rows, np.zeros(tuples, dtype=np.int64)])
    demand = np.concatenate([np.zeros(cells, dtype=np.int64), takers.rows])
    flow = greatest_flow(
        supply, demand, tail, cells + head, np.minimum(givers.rows[tail], takers.rows[head])
    )
    left, lacking = givers.rows.copy(), takers.rows.copy()
    np.subtract.at(left, tail, flow)
    np.subtract.at(lacking, head, flow)
    return givers.some(left > 0, left[left > 0]), takers.some(lacking > 0, lacking[lacking > 0])


def whole_pairs(
    givers: Nodes, takers: Nodes, correspondences: Sequence[Correspondence]
) -> tuple[Ints, Ints]:
    """Return all pairs, as positions, of a giver and a taker that stands for it in every attribute,
    whatever their kept values. Takers are distinct."""
    if all(correspondence.only is not None for correspondence in correspondences):
        labels = _by_label(givers, correspondences).values
        number, distinct = _numbered(np.concatenate([labels, takers.values]))
        mask = np.full(len(distinct), -1)
        mask[number[len(labels) :]] = np.arange(len(takers.rows))
        head = mask[number[: len(labels)]]
        return np.flatnonzero(head >= 0), head[head >= 0]
    pairs: list[tuple[Ints, Ints]] = [(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))]
    step = max(1, _AT_ONCE // max(1, len(takers.rows)))
    for first in range(0, len(givers.rows), step):
        tail, head = np.divmod(
            np.arange(min(step, len(givers.rows) - first) * len(takers.rows)),
            max(1, len(takers.rows)),
        )
        tail += first
        for i, correspondence in enumerate(correspondences):
            whole = correspondence(givers.values[tail, i], takers.values[head, i])
            tail, head = tail[whole], head[whole]
        pairs.append((tail, head))
    return np.concatenate([array for array, _ in pairs]), np.concatenate(
        [array for _, array in pairs]
    )
