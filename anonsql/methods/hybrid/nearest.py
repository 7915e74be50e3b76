"""The closest groups: groups that agree in most generalized attributes. The engine finds them for
all nodes that are tried at once.

A *mover* is a group that needs another one, a *target* a group that it may get. Where movers and
targets are few, all pairs are compared. Where they are many, targets that agree with a mover in all
attributes but one are found by a join on the equal attributes, then targets that differ in two;
only movers without such a neighbour are compared in pairs, with a sample of the targets where there
are very many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb

import numpy as np

from anonsql.engines.base import Engine
from anonsql.errors import InvariantError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.methods.hybrid.relocation import Answer, Ask
from anonsql.methods.hybrid.words import Word
from anonsql.system.arrays import IntArray

_PAIRS = 10_000_000
"""Greatest number of pairs that are compared at once without looking for neighbours first, and
greatest number for one node."""
_NEIGHBOURS = 2
"""How many attributes targets of the first search may differ in."""
_KEYS = 5_000_000
"""Greatest number of targets, as patterns leave them, that are looked up at once."""
_PER_KEY = 5
"""How many pairs are compared in the time of one look-up of a group by a pattern."""


@dataclass(frozen=True)
class Nearest:
    """Answers which groups of ``node_groups`` are closest."""

    engine: Engine
    attributes: Sequence[Attribute]
    words: Sequence[Word]

    def answer(self, asks: Mapping[int, Ask]) -> dict[int, Answer]:
        """Return the answer to the question about each node."""
        paired = {node: ask for node, ask in asks.items() if ask.pairs is not None}
        others = {node: ask for node, ask in asks.items() if ask.pairs is None}
        return {
            **(self._of_pairs(paired) if paired else {}),
            **(self._of_all(others) if others else {}),
        }

    def _of_all(self, asks: Mapping[int, Ask]) -> dict[int, Answer]:
        answers = {node: Answer.none(ask) for node, ask in asks.items()}
        left, strides = dict(asks), dict.fromkeys(asks, 1)
        if sum(len(ask.movers) * len(ask.targets) for ask in asks.values()) > _PAIRS:
            for distance in range(1, _NEIGHBOURS + 1):
                dear = self._dear(left, strides, distance)
                paired = {
                    node: ask
                    for node, ask in left.items()
                    if node not in dear and _stride(ask) == 1
                }
                self._note_closest(paired, strides, asks, answers)
                others = {node: ask for node, ask in left.items() if node not in paired}
                self._note_neighbours(others, distance, strides, asks, answers)
                left = _left({node: asks[node] for node in others}, answers)
            strides = {node: _stride(ask) for node, ask in left.items()}
            dear = self._dear(left, strides, _NEIGHBOURS + 1)
            self._note_neighbours(dear, _NEIGHBOURS + 1, strides, asks, answers)
            left = _left({node: asks[node] for node in left}, answers)
        self._note_closest(left, strides, asks, answers)
        again = {
            node: ask
            for node, ask in _left({node: asks[node] for node in left}, answers).items()
            if strides[node] > 1
        }  # the sampled targets had none for them
        self._note_closest(again, dict.fromkeys(again, 1), asks, answers)
        return answers

    def _note_neighbours(
        self,
        left: Mapping[int, Ask],
        distance: int,
        strides: Mapping[int, int],
        asks: Mapping[int, Ask],
        answers: Mapping[int, Answer],
    ) -> None:
        """Note for each mover a target that differs in ``distance`` attributes, where one of the
        compared targets does (see :meth:`_note_closest`); none of them differs in fewer."""
        patterns = self._load_patterns(distance) if left else 0
        for part in _in_parts(left, _KEYS // max(patterns, 1)):
            shape = {
                "words": self.words,
                "slots": max(strides[node] for node in part),
                "count": patterns,
            }
            span = self._load_groups(part, strides, patterns)
            self.engine.run("methods/hybrid/left_out", **shape)
            by_number = self._found("methods/hybrid/neighbours", **shape)
            self.engine.drop("target_keys")
            for node, (movers, closest) in by_number.items():
                _note(
                    asks[node],
                    answers[node],
                    movers,
                    closest + span * distance,
                    span,
                    spread=part[node].spread,
                )

    def _dear(
        self, left: Mapping[int, Ask], strides: Mapping[int, int], distance: int
    ) -> dict[int, Ask]:
        """Return the questions with pairs dearer than looking ``distance`` attributes away."""
        patterns = comb(len(self.attributes), distance)
        return {
            node: ask
            for node, ask in left.items()
            if patterns
            and (len(ask.movers) + len(ask.targets)) * patterns * _PER_KEY
            < len(ask.movers) * len(ask.targets) // strides[node]
        }

    def _load_patterns(self, distance: int) -> int:
        """Make ``patterns``, all choices of ``distance`` attributes to leave out; count them."""
        left_out = [
            set(some)
            for some in combinations([attribute.index for attribute in self.attributes], distance)
        ]
        masks = {
            f"m{position}": np.array([word.without(some) for some in left_out])
            for position, word in enumerate(self.words, start=1)
        }
        many = len(left_out)
        numbers = {"pattern": np.arange(many), "many": np.full(many, many)}
        self.engine.load_numbers("patterns", numbers | masks)
        return many

    def _note_closest(
        self,
        part: Mapping[int, Ask],
        strides: Mapping[int, int],
        asks: Mapping[int, Ask],
        answers: Mapping[int, Answer],
    ) -> None:
        """Note the closest target of each mover. Where a node's stride is above 1, movers look at
        every stride-th target, and consecutive ones begin at different targets."""
        if not part:
            return
        count, slots = self._load_patterns(0), max(strides[node] for node in part)
        span = self._load_groups(part, strides, count)
        self.engine.run("methods/hybrid/left_out", words=self.words, slots=slots, count=count)
        by_number = self._found("methods/hybrid/closest", words=self.words, slots=slots, span=span)
        self.engine.drop("target_keys")
        for node, (movers, closest) in by_number.items():
            _note(asks[node], answers[node], movers, closest, span, spread=part[node].spread)

    def _load_groups(self, asks: Mapping[int, Ask], strides: Mapping[int, int], many: int) -> int:
        """Make ``movers`` and ``targets`` for ``many`` patterns; return more than any position."""
        movers, targets = [], []
        for node, ask in asks.items():
            turns, positions = np.arange(len(ask.movers)), np.arange(len(ask.targets))
            need = 0 if ask.surplus is None else ask.rows
            turn, slot = ask.movers * ask.spread, turns % strides[node]
            movers.append((node, ask.movers, need, turn, slot, many))
            surplus = 0 if ask.surplus is None else ask.surplus
            targets.append(
                (node, ask.targets, surplus, positions, len(positions), positions % strides[node])
            )
        self._load("movers", ("node", "grp", "need", "turn", "slot", "many"), movers)
        self._load("targets", ("node", "grp", "surplus", "place", "places", "slot"), targets)
        return max(len(ask.targets) for ask in asks.values()) + 1

    def _of_pairs(self, asks: Mapping[int, Ask]) -> dict[int, Answer]:
        span = max(len(ask.targets) for ask in asks.values()) + 1
        pairs = []
        for node, ask in asks.items():
            if ask.pairs is None:
                raise InvariantError("no pairs are given")
            order = np.argsort(ask.targets)
            positions = order[np.searchsorted(ask.targets, ask.pairs[:, 1], sorter=order)]
            pairs.append((node, ask.pairs[:, 0], ask.pairs[:, 1], positions))
        self._load("pairs", ("node", "grp", "target", "place"), pairs)
        answers = {node: Answer.none(ask) for node, ask in asks.items()}
        for node, (movers, closest) in self._found(
            "methods/hybrid/closest_pairs", words=self.words, span=span
        ).items():
            _note(asks[node], answers[node], movers, closest, span, spread=False)
        return answers

    def _load(
        self, table: str, names: Sequence[str], results: Sequence[Sequence[IntArray | int]]
    ) -> None:
        """Load a table from columns, node by node. A single number means a column of equal entries;
        the second column must not be one."""
        columns = []
        for at in range(len(names)):
            parts = [
                np.broadcast_to(np.asarray(sequence[at], dtype=np.int64), np.shape(sequence[1]))
                for sequence in results
            ]
            columns.append(np.concatenate(parts))
        self.engine.load_numbers(table, dict(zip(names, columns, strict=True)))

    def _found(self, template: str, **parameters: object) -> dict[int, tuple[IntArray, IntArray]]:
        arrays = self.engine.numbers(template, **parameters)
        if not arrays:
            return {}
        nodes, movers, closest = arrays
        return {
            int(node): (movers[nodes == node], closest[nodes == node]) for node in np.unique(nodes)
        }


def _left(asks: Mapping[int, Ask], answers: Mapping[int, Answer]) -> dict[int, Ask]:
    left = {}
    for node, ask in asks.items():
        without = answers[node].targets < 0
        if without.any():
            left[node] = replace(ask, movers=ask.movers[without], rows=ask.rows[without])
    return left


def _stride(ask: Ask) -> int:
    """Return how many targets there are to each that a mover is compared with."""
    return max(len(ask.movers) * len(ask.targets) // _PAIRS, 1)


def _in_parts(asks: Mapping[int, Ask], most: int) -> list[dict[int, Ask]]:
    parts, size = list[dict[int, Ask]](), 0
    for node, ask in asks.items():
        size += len(ask.targets)
        if not parts or size > most:
            parts.append({})
            size = len(ask.targets)
        parts[-1][node] = ask
    return parts


def _note(
    ask: Ask, answer: Answer, movers: IntArray, closest: IntArray, span: int, *, spread: bool
) -> None:
    """Note what was found for some movers. ``closest`` is the number of attributes that differ,
    times ``span``, plus the position of the target, counted from the mover's own starting position
    where targets are ``spread``."""
    at = np.searchsorted(ask.movers, movers)
    answer.targets[at] = ask.targets[(closest % span - movers * spread) % len(ask.targets)]
    answer.cells[at] = closest // span * ask.rows[at]
