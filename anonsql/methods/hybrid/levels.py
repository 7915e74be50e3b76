"""S-Hybrid: full-domain generalization helped by relocation (Nergiz, Gök, Özkanlı 2013, section 4).

A few nodes of the lattice are tried at a time: the groups of all of them are in one table, and one
statement answers the pending questions of all their relocations. Only sizes and numbers of groups
reach Python; rows are selected once, for the chosen node.

Counts alone rule out a node, before anything is relocated, where too many rows are in groups of at
most k / 2 rows. Such a group is moved whole, which changes at least one entry of each of its rows,
and adds its size to the chi-squared statistic.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from anonsql.measures import full_domain as metrics
from anonsql.methods.groups import Cells, Form, Grouped
from anonsql.methods.hybrid.descent import best_first, top_down
from anonsql.methods.hybrid.nearest import Nearest
from anonsql.methods.hybrid.relocated_groups import (
    Groups,
    Limits,
    RelocatedGroups,
    Values,
    critical,
)
from anonsql.methods.hybrid.relocated_levels import lay_out, make_groups
from anonsql.methods.hybrid.relocation import Ask, Asking, relocate
from anonsql.methods.hybrid.settings import Hybrid
from anonsql.methods.hybrid.words import words
from anonsql.search.frequency import FrequencySets
from anonsql.search.results import ClassSizes
from anonsql.search.roll_up import RollUps
from anonsql.star.lattice import Lattice, Levels
from anonsql.system.numbers import rounded

_LOSS_UNIT = 1e12
_GROUPS = 2_000_000
"""Greatest number of groups of all nodes that are tried together."""
_BARELY = 0.05
"""The score of a node that fails although it exceeds no limit (for want of a target, say)."""


@dataclass(frozen=True)
class LevelOutcome:
    """The outcome of relocating rows at a node: the groups with their moves, the suppressed rows,
    the loss LM of the release, and how far the node is from satisfying."""

    levels: Levels
    groups: Groups
    suppressed: int
    loss: float
    satisfied: bool
    score: float

    @property
    def key(self) -> tuple[float, ...]:
        """The sort key of preference: less loss first, then fewer suppressed rows, fewer changed
        entries, lower height, and the smaller levels in policy order."""
        return (
            rounded(self.loss),
            self.suppressed,
            self.groups.cells,
            sum(self.levels.values()),
            *self.levels.values(),
        )


def relocate_levels(
    cells: Cells, method: Hybrid, sets: FrequencySets, roll_ups: RollUps
) -> tuple[Grouped, RelocatedGroups, Levels] | None:
    """Make ``assigned``, with the group that each portion comes from as ``home``, and ``groups`` of
    the generalization that loses least with relocation. Return what was relocated, and the levels;
    None when relocation makes no generalization satisfy."""
    outcome = Trial(cells, method, sets, roll_ups).best()
    if outcome is None:
        return None
    made = outcome.groups
    changed = lay_out(cells, sets, roll_ups, outcome.levels, made)
    tested = (None, None) if method.alpha is None else (made.chi_squared, made.limits.critical)
    forms: dict[int, Form] = {attribute.index: "node" for attribute in cells.star.attributes}
    return (
        Grouped(forms, split=True, by_values=bool(cells.promise.extras)),
        RelocatedGroups(made.rows, changed, *tested),
        outcome.levels,
    )


@dataclass(frozen=True)
class RuledOut:
    """A node that counts alone rule out, and how far it is from satisfying."""

    score: float
    satisfied: bool = False
    key: tuple[float, ...] = ()


@dataclass
class Trial:
    """Tries nodes. ``spans``: greatest minus least loss of an entry, by attribute and level."""

    cells: Cells
    method: Hybrid
    sets: FrequencySets
    roll_ups: RollUps
    spans: Mapping[tuple[int, int], float] = field(init=False)
    max_cells: int = field(init=False)

    def __post_init__(self) -> None:
        self.max_cells = self.method.max_changed(
            self.cells.star.rows, len(self.cells.star.attributes)
        )
        rows = self.cells.engine.query("methods/hybrid/loss_ranges")
        self.spans = {(attribute, level): float(span) for attribute, level, span in rows}

    def best(self) -> LevelOutcome | None:
        """Return the best node that satisfies; None when none does."""
        star = self.cells.star
        lattice = Lattice(
            tuple(attribute.index for attribute in star.attributes), star.bottom, star.top
        )
        if self.method.search == "top-down":
            result = top_down(lattice, self.attempt)
        else:
            result = best_first(lattice, self._bounds(lattice), self.attempt)
        return result if isinstance(result, LevelOutcome) else None

    def attempt(self, nodes: Sequence[Levels]) -> list[LevelOutcome | RuledOut]:
        """Relocate at those of some nodes that counts do not rule out; return the outcomes."""
        promise = self.cells.promise
        # rows in groups of at most k / 2 rows are suppressed here
        small = self.roll_ups.under(replace(promise, k=promise.k // 2 + 1, models=()))
        sizes = small.sizes(nodes)
        ruled_out = [self._ruled_out(size) for size in sizes]
        worth = [
            (levels, size.groups)
            for levels, size, score in zip(nodes, sizes, ruled_out, strict=True)
            if score is None
        ]
        made = iter([outcome for part in _in_parts(worth) for outcome in self._outcomes(part)])
        return [next(made) if score is None else RuledOut(score) for score in ruled_out]

    def _ruled_out(self, small: ClassSizes) -> float | None:
        """Return by how much (a logarithm) a node's small groups rule it out; None: not at all."""
        allowed = critical(self.method.alpha, small.groups)
        most = self.max_cells if allowed is None else min(self.max_cells, allowed)
        most += self.cells.max_suppressed
        return math.log((small.suppressed + 1) / (most + 1)) if small.suppressed > most else None

    def _outcomes(self, nodes: Sequence[Levels]) -> list[LevelOutcome]:
        engine = self.cells.engine
        table, numbers = self.roll_ups.frequency_sets(nodes)
        make_groups(self.cells, self.sets, table)
        at, sizes, lost = engine.numbers("methods/hybrid/sizes")
        values = self._values(table)
        tried, losses = {}, {}
        for number in numbers:
            of_node = at == number
            limits = self._limits(int(of_node.sum()))
            draw = random.SystemRandom() if self.method.variant == "randomized" else None
            tried[number] = Groups(sizes[of_node], limits, values.get(number, ()), draw)
            losses[number] = lost[of_node] / _LOSS_UNIT
        self._relocate(tried)
        engine.drop(table, "node_groups")
        return [
            self._outcome(levels, tried[number], losses[number])
            for levels, number in zip(nodes, numbers, strict=True)
        ]

    def _relocate(self, tried: Mapping[int, Groups]) -> None:
        attributes, codes = self.cells.star.attributes, self.cells.star.codes
        nearest = Nearest(self.cells.engine, attributes, words(attributes, codes))
        running: dict[int, Asking] = {number: relocate(groups) for number, groups in tried.items()}
        asks: dict[int, Ask] = {}
        for number, generator in list(running.items()):
            try:
                asks[number] = next(generator)
            except StopIteration:
                del running[number]
        while asks:
            following = {}
            for number, answer in nearest.answer(asks).items():
                try:
                    following[number] = running[number].send(answer)
                except StopIteration:
                    continue
            asks = following

    def _limits(self, groups_before: int) -> Limits:
        promise = self.cells.promise
        least = {model.index: int(model.bound) for model in promise.models}
        allowed = critical(self.method.alpha, groups_before)
        return Limits(
            promise.k, self.max_cells, allowed, tuple(least[index] for index in promise.coded)
        )

    def _values(self, table: str) -> dict[int, list[Counter[Values]]]:
        promise = self.cells.promise
        if not promise.extras:
            return {}
        at, group, *codes, rows = self.cells.engine.numbers(
            "methods/hybrid/values",
            table=table,
            names=self.sets.base.paths.keys,
            promise=promise,
        )
        counts: dict[int, list[Counter[Values]]] = {}
        for node, number, values, n in zip(
            at.tolist(), group.tolist(), np.array(codes).T.tolist(), rows.tolist(), strict=True
        ):
            of_node = counts.setdefault(node, [])
            if number == len(of_node):
                of_node.append(Counter())
            of_node[number][tuple(values)] = n
        return counts

    def _outcome(self, levels: Levels, made: Groups, lost: NDArray[np.float64]) -> LevelOutcome:
        """Return the outcome of relocating at a node. Rows that were moved in vain, into groups
        that are suppressed all the same, are moved back; and where suppression alone would lose no
        more, nothing is relocated."""
        score = self._score(made)
        made.undo_vain()
        rows, before = self.cells.star.rows, metrics.loss(self.cells.star, levels)
        still = Groups(made.homes, made.limits, made.values)
        kept = min(
            (made, still),
            key=lambda groups: (groups.failing > self.cells.max_suppressed, _lost(groups, lost)),
        )
        failing = kept.failing
        satisfied = failing <= self.cells.max_suppressed and failing < rows
        return LevelOutcome(
            levels,
            kept,
            failing,
            before + _lost(kept, lost) / rows,
            satisfied,
            min(score, 0.0) if satisfied else max(score, _BARELY),
        )

    def _score(self, made: Groups) -> float:
        """Return the logarithm of the final number of changes by relocation over the allowed
        number."""
        left = made.failing - self.cells.max_suppressed
        if left <= 0:
            return math.log((made.cells + 1) / (made.limits.max_cells + 1))
        more = (made.rows + left) / made.rows if made.rows else 1.0
        score = math.log(
            (made.cells * more + left * (not made.rows) + 1) / (made.limits.max_cells + 1)
        )
        if made.limits.critical is None:
            return score
        return max(
            score,
            math.log(
                (made.chi_squared * more + left * (not made.rows) + 1) / (made.limits.critical + 1)
            ),
        )

    def _bounds(self, lattice: Lattice) -> NDArray[np.float64]:
        """Return a lower bound of the loss of each node: the loss of its levels, minus what
        relocation could gain where values of one level have different losses."""
        star = self.cells.star
        weights = {attribute.index: attribute.policy.weight for attribute in star.attributes}
        total, most = sum(weights.values()), self.max_cells / star.rows
        bounds, better = np.zeros(lattice.shape), np.zeros(lattice.shape)
        for axis, (index, low, high) in enumerate(
            zip(lattice.attributes, lattice.bottom, lattice.top, strict=True)
        ):
            shape = [-1 if other == axis else 1 for other in range(bounds.ndim)]
            share = weights[index] / total
            bounds = bounds + share * np.array(
                [star.losses[index][level] for level in range(low, high + 1)]
            ).reshape(shape)
            spans = share * np.array(
                [self.spans[index, level] for level in range(low, high + 1)]
            ).reshape(shape)
            better = np.maximum(better, spans)
        return bounds - better * most


def _in_parts(nodes: Sequence[tuple[Levels, int]]) -> Iterator[list[Levels]]:
    part, groups_of_part = list[Levels](), 0
    for levels, count in nodes:
        if part and groups_of_part + count > _GROUPS:
            yield part
            part, groups_of_part = [], 0
        part.append(levels)
        groups_of_part += count
    if part:
        yield part


def _lost(made: Groups, lost: NDArray[np.float64]) -> float:
    moved = sum(move.rows * float(lost[move.target] - lost[move.home]) for move in made.moves)
    failing = np.flatnonzero(made.need > 0)
    return moved + float((made.sizes[failing] * (1 - lost[failing])).sum())
