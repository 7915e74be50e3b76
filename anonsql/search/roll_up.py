"""Strategic materialization (Incognito names it as future work): count any nodes from small
frequency sets.

Nodes that have some levels in common have a common specialization whose frequency set is far
smaller than the cells. These sets are made first, attribute by attribute from the one with most
values, a statement for each; they are kept for later requests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TypeVar

from anonsql.privacy.promise import Promise
from anonsql.search.frequency import CELLS, FrequencySets, Request
from anonsql.search.results import NO_CLASSES, ClassSizes, PartSizes
from anonsql.star.lattice import Levels, meet
from anonsql.system.arrays import np

_Result = TypeVar("_Result")
_SHARED = 4  # as many nodes repay a roll-up that they share
_DEPTH = 5  # attributes; by more, few nodes would share a set
_AT_ONCE = 2_000_000
"""Greatest number of groups that one statement reads: they should fit into memory, and into the
processor's cache."""
_COMPARED = 2_000  # vectors of levels that are compared with all kept sets at once
_WORTHWHILE = 300_000  # groups to read; reading fewer takes no longer than another statement
_IN_PARTS = 200_000
"""Least number of cells at which nodes are counted in parts."""


@dataclass(frozen=True)
class KeptSet:
    """A frequency set that is in a table, with its levels in attribute order; an attribute that it
    does not contain has a level above its greatest one. The cells are in none."""

    node: int
    levels: tuple[int, ...]
    groups: int
    table: str = ""


@dataclass(frozen=True)
class Measured:
    """A node with its class sizes and the sum over its suppressed rows of the loss that they would
    have had if they were released: the mean of their attributes' losses by weight."""

    levels: Levels
    sizes: ClassSizes
    suppressed_loss: float


class RollUps:
    """Class sizes of many nodes, in any order. Those of one request have the same attributes."""

    def __init__(self, sets: FrequencySets) -> None:
        self._sets = sets
        attributes = sets.star.attributes
        self._absent = {attribute.index: attribute.max_level + 1 for attribute in attributes}
        self._diverse = sorted(
            range(len(attributes)), key=lambda axis: sets.star.chances[attributes[axis].index]
        )[:_DEPTH]
        self._kept = [KeptSet(CELLS, sets.star.bottom, sets.star.cells)]
        self._parts = _Parts(sets)

    def under(self, promise: Promise) -> RollUps:
        """Return the same roll-ups, kept sets included, under another promise of the same codes."""
        other = copy(self)
        other._sets = self._sets.under(promise)
        return other

    def sizes(self, nodes: Sequence[Levels]) -> list[ClassSizes]:
        """Return class sizes of nodes."""
        requests = self._requests(nodes) if nodes else []
        counted = self._counted(requests, self._sets.sizes)
        return [counted[request.node] for request in requests]

    def in_parts(self, nodes: Sequence[Levels], share: float) -> list[PartSizes | None]:
        """Return the class sizes of some nodes in a part of about a ``share`` of the rows; None for
        a node that has none (see :class:`_Parts`), and for all where there are few cells."""
        if self._kept[0].groups < _IN_PARTS:
            return [None] * len(nodes)
        fitting = self._parts.fitting([self._vector(levels) for levels in nodes], share)
        requests = [
            Request(number, levels, part.node)
            for number, (levels, part) in enumerate(zip(nodes, fitting, strict=True))
            if part is not None
        ]
        counted = self._counted(requests, self._sets.sizes)
        return [
            PartSizes(counted[number], part.share) if part is not None else None
            for number, part in enumerate(fitting)
        ]

    def measured(self, nodes: Sequence[Levels]) -> list[Measured]:
        """Return some nodes with their class sizes and suppressed losses, in the order given."""
        requests = self._requests(nodes) if nodes else []
        measured = self._counted(requests, self._sets.measured)
        return [
            Measured(request.levels, *measured.get(request.node, (NO_CLASSES, 0.0)))
            for request in requests
        ]

    def frequency_sets(
        self, nodes: Sequence[Levels], *, levels: bool = True
    ) -> tuple[str, list[int]]:
        """Make a table with the frequency sets of some nodes; return its name and the nodes'
        numbers in it. The table of the requests has their ``levels``, where they are of all
        attributes. The caller drops the table."""
        requests = self._requests(nodes)
        table = self._sets.keep(requests, self._tables(requests), levels=levels)
        return table, [request.node for request in requests]

    def close(self) -> None:
        """Drop the frequency sets that were kept."""
        self._sets.engine.drop(*{kept.table: None for kept in self._kept[1:]})
        del self._kept[1:]
        self._parts.close()

    def _requests(self, nodes: Sequence[Levels]) -> list[Request]:
        """Return requests for the nodes, each from the smallest frequency set that it can be rolled
        up from, which is made now where that pays."""
        vectors = [self._vector(levels) for levels in nodes]
        sources = self._nearest(vectors)
        for axis in self._diverse:
            shared: dict[tuple[int, int], list[int]] = {}
            for number, (vector, source) in enumerate(zip(vectors, sources, strict=True)):
                shared.setdefault((source, vector[axis]), []).append(number)
            groups = [
                (source, members)
                for (source, _), members in shared.items()
                if len(members) >= _SHARED
            ]
            to_read = sum(self._kept[source].groups * len(members) for source, members in groups)
            if to_read >= _WORTHWHILE and self._make(
                (source, [nodes[number] for number in members]) for source, members in groups
            ):
                sources = self._nearest(vectors)
        first = self._kept[-1].node + 1
        return [
            Request(number, levels, self._kept[source].node)
            for number, (levels, source) in enumerate(zip(nodes, sources, strict=True), start=first)
        ]

    def _vector(self, levels: Levels) -> tuple[int, ...]:
        return tuple(levels.get(index, absent) for index, absent in self._absent.items())

    def _counted(
        self,
        requests: Sequence[Request],
        count: Callable[[Sequence[Request], Sequence[str]], Mapping[int, _Result]],
    ) -> dict[int, _Result]:
        counted: dict[int, _Result] = {}
        for batch in self._batches(requests):
            counted |= count(batch, self._tables(batch))
        return counted

    def _batches(self, requests: Sequence[Request]) -> Iterator[list[Request]]:
        """Yield the requests in batches, a statement each; those of one source are together."""
        groups = {kept.node: kept.groups for kept in self._kept}
        groups |= {part.node: part.cells for part in self._parts.made}
        batch, to_read = list[Request](), 0
        for request in sorted(requests, key=lambda request: request.source):
            if batch and to_read + groups[request.source] > _AT_ONCE:
                yield batch
                batch, to_read = [], 0
            batch.append(request)
            to_read += groups[request.source]
        if batch:
            yield batch

    def _tables(self, requests: Sequence[Request]) -> list[str]:
        sources = {request.source for request in requests}
        sets = [(kept.node, kept.table) for kept in self._kept[1:]]
        sets += [(part.node, part.table) for part in self._parts.made]
        return list({table: None for node, table in sets if node in sources})

    def _make(self, groups: Iterable[tuple[int, Sequence[Levels]]]) -> bool:
        """Roll each source up to the meet of its nodes, if another; return whether any was."""
        requests: list[Request] = []
        for source, members in groups:
            levels = meet(members)
            if self._vector(levels) != self._kept[source].levels:
                requests.append(
                    Request(
                        self._kept[-1].node + 1 + len(requests), levels, self._kept[source].node
                    )
                )
        if not requests:
            return False
        made = list[KeptSet]()
        for batch in self._batches(requests):
            table = self._sets.keep(batch, self._tables(batch))
            groups_of = self._sets.groups(table)
            made += [
                KeptSet(request.node, self._vector(request.levels), groups_of[request.node], table)
                for request in batch
            ]
        self._kept += sorted(made, key=lambda kept: kept.node)
        return True

    def _nearest(self, vectors: Sequence[tuple[int, ...]]) -> list[int]:
        order = sorted(range(len(self._kept)), key=lambda number: self._kept[number].groups)
        kept = np.array([self._kept[number].levels for number in order], dtype=np.int16)
        nearest = list[int]()
        for start in range(0, len(vectors), _COMPARED):
            wanted = np.array(vectors[start : start + _COMPARED], dtype=np.int16)
            fits = np.ones((len(wanted), len(kept)), dtype=np.bool_)
            for axis in range(kept.shape[1]):
                fits &= wanted[:, axis, None] >= kept[None, :, axis]
            nearest += [order[result] for result in fits.argmax(axis=1).tolist()]
        return nearest


@dataclass(frozen=True)
class KeptPart:
    """The cells of some groups of the attribute on an ``axis`` at a ``level``, as a frequency set
    (numbered below 0) in a table of its own; ``share`` is that of all rows."""

    node: int
    axis: int
    level: int
    cells: int
    share: float
    table: str


class _Parts:
    """The parts of the rows in which a node may be shown to fail, made when first asked for.

    A part has every so many of the groups of one attribute at a level. A node with the attribute at
    that level or below has each of its classes in one group, whole: what it suppresses in a part,
    it suppresses in all rows. The groups are spread over the attribute's order, so a part is much
    like all rows.
    """

    def __init__(self, sets: FrequencySets) -> None:
        self._sets = sets
        self._of_share: dict[float, list[KeptPart]] = {}

    @property
    def made(self) -> list[KeptPart]:
        """All parts that were made."""
        return [part for parts in self._of_share.values() for part in parts]

    def fitting(self, vectors: Iterable[Sequence[int]], share: float) -> list[KeptPart | None]:
        """Return for each vector of levels the part of about a ``share`` of the rows that has the
        fewest cells of those in which its classes lie whole or not at all; None where none is."""
        if share not in self._of_share:
            self._of_share[share] = self._make(round(1 / share))
        parts = sorted(self._of_share[share], key=lambda part: part.cells)
        return [
            next((part for part in parts if part.share and vector[part.axis] <= part.level), None)
            for vector in vectors
        ]

    def close(self) -> None:
        """Drop all parts."""
        self._sets.engine.drop(*(part.table for part in self.made))
        self._of_share.clear()

    def _make(self, step: int) -> list[KeptPart]:
        """Make a part of each attribute's every ``step``-th group, at the highest possible
        level."""
        parts, number = list[KeptPart](), -1 - len(self.made)
        for axis, attribute in enumerate(self._sets.star.attributes):
            level = self._sets.base.level_with(attribute.index, step)
            if level is not None:
                table, cells, rows = self._sets.keep_part(number, attribute.index, level, step)
                share = rows / self._sets.star.rows
                parts.append(KeptPart(number, axis, level, cells, share, table))
                number -= 1
        return parts
