"""Fitting the joint model of a release on its engine, and loading what rows are drawn by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonsql.completion.columns import CompletedColumn
from anonsql.completion.joint import LEAST_ROWS, Combinations, Marginal, Mixture, fit
from anonsql.completion.least_loss import LeastLoss
from anonsql.completion.lookups import CHANCES
from anonsql.completion.weights import Weights
from anonsql.engines.base import Engine
from anonsql.system.arrays import IntArray, np

STRETCHES = 8
"""How many stretches the values of a kept column are divided into; twice as many texts, the most
frequent, are stretches of their own."""
_DIVIDED = 6
"""How many kept columns take part in the model."""
_AT_ONCE = 50_000
"""For how many combinations the components are worked out at once."""
_RARE = 2.0**-10
"""How probable a component is at least that rows draw."""


@dataclass(frozen=True)
class Joint:
    """How columns are drawn together: the ``weights`` of the atoms of each column, by index
    (components × atoms), and for each pattern of classes that may hold what rows of others draw
    (:mod:`anonsql.completion.least_loss`) the columns in which they have one value."""

    weights: Mapping[int, Weights]
    patterns: Sequence[Sequence[CompletedColumn]]


def divided(kept: Sequence[CompletedColumn]) -> list[CompletedColumn]:
    """Return the kept columns that take part in the model."""
    return [column for column in kept if column.column.comparable][:_DIVIDED]


def model(
    engine: Engine,
    shared: Mapping[str, Any],
    marginals: Mapping[int, Marginal],
    *,
    least_loss: bool,
) -> Joint | None:
    """Make ``completed_rows``, ``completed_combinations`` and ``completed_components``, and with
    ``least_loss`` the tables of that rule; return the model by which rows are drawn, none where too
    little is known for one. ``shared`` is what the templates take."""
    labeled: Sequence[CompletedColumn] = shared["labeled"]
    occurring = any(len(marginal.named) for marginal in marginals.values())
    if shared["buckets"] or not (least_loss or occurring):
        return None
    for table in ("rows", "combinations"):
        engine.drop(f"completed_{table}")
        engine.run(f"completion/{table}_made", **shared)
    *columns, rows = engine.numbers("completion/combinations", **shared)
    tokens, kept = columns[: len(labeled)], columns[len(labeled) :]
    if not len(rows):
        return None
    new = np.ones(len(rows), dtype=np.bool_)
    new[1:] = np.logical_or.reduce([np.diff(token) != 0 for token in tokens])
    of = Combinations([token - 1 for token in tokens], kept, rows, np.cumsum(new) - 1)
    if of.count < LEAST_ROWS or any(int(token.min(initial=1)) < 1 for token in tokens):
        return None
    own = [marginals[column.index] for column in labeled]
    rule = None
    if least_loss and not occurring:
        weights = [column.weight for column in labeled]
        rule = LeastLoss.of(own, [label[new] for label in of.labels], weights)
    mixture = fit(own, of, rule.broken if rule is not None else None)
    _load_components(engine, mixture, own, of, rule)
    patterns: list[list[CompletedColumn]] = []
    if rule is not None and rule.patterns:
        for name, numbers in rule.tables([column.index for column in labeled]).items():
            engine.load_numbers(name, numbers)
        patterns = [[labeled[number] for number in one.exact] for one in rule.patterns]
    mixed = zip(labeled, mixture.weights, strict=True)
    return Joint({column.index: of_column for column, of_column in mixed}, patterns)


def _load_components(
    engine: Engine,
    mixture: Mixture,
    marginals: Sequence[Marginal],
    of: Combinations,
    rule: LeastLoss | None,
) -> None:
    """Load for each combination which numbers draw which component, and the loss of its class."""
    loss = np.zeros_like(of.rows) if rule is None else rule.loss[of.group]
    names = ("combination", "component", "first", "past", "loss")
    parts: list[tuple[IntArray, ...]] = []
    for start in range(0, len(of.rows), _AT_ONCE):
        own = of.part(slice(start, start + _AT_ONCE))
        chances = mixture.chances(marginals, own)
        reached = np.cumsum(np.where(chances < _RARE, 0.0, chances), axis=0)
        past = np.floor(reached / reached[-1] * CHANCES).astype(np.int64)
        first = np.concatenate((np.zeros((1, len(own.rows)), dtype=np.int64), past[:-1]))
        component, number = np.nonzero(past > first)
        ends = (first[component, number], past[component, number])
        parts.append((number + start + 1, component, *ends, loss[number + start]))
    columns = {
        name: np.concatenate(own) for name, own in zip(names, zip(*parts, strict=True), strict=True)
    }
    engine.load_numbers("completed_components", columns)
