"""The search for the levels of all tables' columns: one lattice, whose nodes keep the promise or do
not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from anonsql.relational.judge import Judge, Outcome
from anonsql.relational.tables import CodedTables
from anonsql.search.boundary import Boundary
from anonsql.search.least import Least
from anonsql.search.results import Round
from anonsql.star.lattice import Lattice, Levels
from anonsql.system.clock import Progress

LARGEST = 2_000_000
"""Nodes of the greatest lattice that is searched."""


@dataclass(frozen=True)
class Node:
    """A node that keeps the promise, with its suppression and its loss (0 to 1)."""

    levels: Levels
    outcome: Outcome
    loss: float


@dataclass(frozen=True)
class NodeAim:
    """The loss as the aim of a search (see :mod:`anonsql.search.least`), for nodes that keep the
    monotone part of the promise. Nodes that do not keep all of it have no valid loss."""

    judge: Judge
    bounds: NDArray[np.float64]

    def values(self, nodes: Sequence[Levels]) -> list[float]:
        """Return the losses of some nodes."""
        return [
            _loss(self.judge.coded, levels, outcome) if outcome.satisfied else math.inf
            for levels, outcome in zip(nodes, self.judge.outcomes(nodes), strict=True)
        ]


def lattice_of(coded: CodedTables) -> Lattice:
    """Return the lattice over the columns of all tables."""
    attributes = coded.attributes
    return Lattice(
        tuple(attribute.index for attribute in attributes),
        tuple(attribute.min_level for attribute in attributes),
        tuple(attribute.max_level for attribute in attributes),
    )


def best(judge: Judge, progress: Progress) -> Node | None:
    """Return the satisfying node of least loss, then lowest levels; None without any."""
    loss, lattice = partial(_loss, judge.coded), lattice_of(judge.coded)
    aim = NodeAim(judge, _bounds(judge.coded, lattice))
    together = judge.together
    boundary = Least(lattice, judge.knowledge.k, judge.most[1], aim=aim)
    if together == 1:
        # every node takes statements of its own; satisfying nodes take the longest ones
        boundary.expected = boundary.growth = boundary.together = 1
    _decide(boundary, judge, progress)
    nodes = list(lattice.levels(boundary.satisfying & boundary.wanted).values())
    nodes.sort(key=lambda node: (loss(node), tuple(node.values())))
    result: Node | None = None
    for start in range(0, len(nodes), together):
        judge.outcomes(
            [
                node
                for node in nodes[start : start + together]
                if result is None or loss(node) < result.loss
            ]
        )
        for levels in nodes[start : start + together]:
            if result is not None and loss(levels) >= result.loss:
                return result
            node = node_of(judge, levels)
            if node is not None and (result is None or node.loss < result.loss):
                result = node
    return result


def every(judge: Judge, progress: Progress) -> list[Node]:
    """Return all satisfying nodes, the best one first. Nodes that satisfy because they generalize
    one that does are judged too: for what they suppress."""
    lattice = lattice_of(judge.coded)
    boundary = Boundary(lattice, judge.knowledge.k, judge.most[1])
    _decide(boundary, judge, progress)
    satisfying = list(lattice.levels(boundary.satisfying).values())
    judge.outcomes(satisfying)
    nodes = [node_of(judge, level) for level in satisfying]
    result = [node for node in nodes if node is not None]
    return sorted(result, key=lambda node: (node.loss, tuple(node.levels.values())))


def node_of(judge: Judge, levels: Levels) -> Node | None:
    """Return a node with its suppression; None where it does not keep the limits."""
    outcome = judge.outcome(levels)
    if not outcome.satisfied:
        return None
    return Node(levels, outcome, _loss(judge.coded, levels, outcome))


def _loss(coded: CodedTables, levels: Levels, outcome: Outcome | None = None) -> float:
    """Return the mean loss over the columns of all tables, weighted by the policy: of each column
    the mean over the rows of its table, before ``max_rows`` leaves any out. Suppressed rows lose
    all, the others what rows lose on average (LM: Iyengar, 2002); without an ``outcome`` none is
    suppressed."""
    total, weights = 0.0, 0.0
    for table in coded.tables:
        rows = coded.rows[table.number]
        left = rows if outcome is None else outcome.left[table.number]
        gone = 1 - left / rows if rows else 0.0
        for attribute in table.attributes:
            weight = attribute.policy.weight
            lost = coded.losses.get(attribute.index, {}).get(levels[attribute.index], 0.0)
            total, weights = total + weight * (gone + (1 - gone) * lost), weights + weight
    return total / weights


def _decide(boundary: Boundary, judge: Judge, progress: Progress) -> None:
    size = boundary.lattice.size

    def note(round_: Round) -> None:
        progress("search", size - (round_.undecided or 0), size)

    boundary.decide(lambda nodes: judge.sizes(nodes, core=True), note)


def _bounds(coded: CodedTables, lattice: Lattice) -> NDArray[np.float64]:
    attributes = coded.attributes
    weights = math.fsum(attribute.policy.weight for attribute in attributes)
    bounds = np.zeros(lattice.shape)
    for axis, attribute in enumerate(attributes):
        by_level: Mapping[int, float] = coded.losses.get(attribute.index, {})
        levels = range(attribute.min_level, attribute.max_level + 1)
        along = np.array([attribute.policy.weight * by_level.get(level, 0.0) for level in levels])
        shape = [1] * len(attributes)
        shape[axis] = len(along)
        bounds = bounds + along.reshape(shape) / weights
    return bounds
