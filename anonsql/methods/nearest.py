"""Which groups are closest to each other: those that agree in most generalized attributes. Asked of the engine, for all nodes
that are tried at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anonsql.arrays import IntArray
from anonsql.engines.base import Engine
from anonsql.hierarchies import Attribute
from anonsql.methods.relocation import Answer, Ask

_PAIRS = 30_000_000
"""That are looked at of a node at most: of a table of 45,000 rows they are about half a million."""


@dataclass(frozen=True)
class Nearest:
    """Answers questions about the groups of ``node_groups``."""

    engine: Engine
    attributes: Sequence[Attribute]

    def answer(self, asks: Mapping[int, Ask]) -> dict[int, Answer]:
        """An answer to the question about each node."""
        paired = {node: ask for node, ask in asks.items() if ask.pairs is not None}
        others = {node: ask for node, ask in asks.items() if ask.pairs is None}
        return {**(self._of_pairs(paired) if paired else {}), **(self._of_all(others) if others else {})}

    def _of_all(self, asks: Mapping[int, Ask], most: float = _PAIRS) -> dict[int, Answer]:
        """Of all targets, or where movers and targets make more pairs than ``most`` at a node, of every so manieth, of others for
        every mover; of all again for those that find none among these."""
        span = max(len(ask.targets) for ask in asks.values()) + 1
        strides = {node: math.ceil(len(ask.movers) * len(ask.targets) / most) for node, ask in asks.items()}
        turns = {node: np.arange(len(ask.movers)) * ask.spread for node, ask in asks.items()}
        movers = [
            (node, ask.movers, ask.rows if ask.surplus is not None else 0, turns[node], np.arange(len(ask.movers)) % strides[node])
            for node, ask in asks.items()
        ]
        targets = []
        for node, ask in asks.items():
            places = np.arange(len(ask.targets))
            surplus = 0 if ask.surplus is None else ask.surplus
            targets.append((node, ask.targets, surplus, places, len(places), places % strides[node]))
        self._load("movers", ("node", "grp", "need", "turn", "slot"), movers, [len(ask.movers) for ask in asks.values()])
        names = ("node", "grp", "surplus", "place", "places", "slot")
        self._load("targets", names, targets, [len(ask.targets) for ask in asks.values()])
        found = self._found("hybrid/closest", span)
        answers = {node: self._read(ask, *found.get(node, _NOTHING), span, turns[node]) for node, ask in asks.items()}
        for node, answer in answers.items():
            without = np.flatnonzero(answer.targets < 0)
            if strides[node] > 1 and without.size:
                ask = asks[node]
                again = self._of_all({node: replace(ask, movers=ask.movers[without], rows=ask.rows[without])}, math.inf)[node]
                answer.targets[without], answer.cells[without] = again.targets, again.cells
        return answers

    def _of_pairs(self, asks: Mapping[int, Ask]) -> dict[int, Answer]:
        span = max(len(ask.targets) for ask in asks.values()) + 1
        told = []
        for node, ask in asks.items():
            assert ask.pairs is not None  # noqa: S101 - whoever calls this looked
            order = np.argsort(ask.targets)
            places = order[np.searchsorted(ask.targets, ask.pairs[:, 1], sorter=order)]
            told.append((node, ask.pairs[:, 0], ask.pairs[:, 1], places))
        self._load("pairs", ("node", "grp", "target", "place"), told, [len(each[1]) for each in told])
        found = self._found("hybrid/closest_pairs", span)
        return {node: self._read(ask, *found.get(node, _NOTHING), span, np.zeros(len(ask.movers), np.int64)) for node, ask in asks.items()}

    def _load(self, table: str, names: Sequence[str], told: Sequence[Sequence[object]], lengths: Sequence[int]) -> None:
        """A table of columns that are given by node, a single number standing for a column of it."""
        columns = []
        for at in range(len(names)):
            parts = [np.broadcast_to(np.asarray(each[at], dtype=np.int64), (length,)) for each, length in zip(told, lengths, strict=True)]
            columns.append(np.concatenate(parts))
        self.engine.load_numbers(table, dict(zip(names, columns, strict=True)))

    def _found(self, template: str, span: int) -> dict[int, tuple[IntArray, IntArray]]:
        """By node, the movers that have a target and the closest one's code, in the order of the movers."""
        found = self.engine.numbers(template, attributes=self.attributes, span=span)
        if not found:
            return {}
        nodes, movers, closest = found
        return {int(node): (movers[nodes == node], closest[nodes == node]) for node in np.unique(nodes)}

    def _read(self, ask: Ask, movers: IntArray, closest: IntArray, span: int, turns: IntArray) -> Answer:
        targets = np.full(len(ask.movers), -1, dtype=np.int64)
        cells = np.zeros(len(ask.movers), dtype=np.int64)
        at = np.searchsorted(ask.movers, movers)
        targets[at] = ask.targets[(closest % span - turns[at]) % len(ask.targets)]
        cells[at] = closest // span * ask.rows[at]
        return Answer(targets, cells)


_NOTHING = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
