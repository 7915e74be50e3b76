"""What an attacker infers from the rule of a method beyond the labels. The rule is public.

- *Least loss*: a combination goes into the class of least loss whose labels cover it. So
  combinations that a class of lesser loss covers, too, are excluded from a class.
- *Ends*: a range goes from the least to the greatest value of its class. So in a class of two rows
  each has one of both.

By least loss, a class keeps the values of combinations that are not excluded. There are two
attackers. The first knows the rule alone: all combinations of values that the labels cover may
occur, which are listed for the classes that cover few. The second also knows which combinations
occur in the source. No attacker excludes more than the second.

A loss is the share of the other values of a column that a label covers, by the columns' weights.
The work goes by distinct combinations: pairs of a class and a combination that it covers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from anonsql.attacks.sides import BOXES, SOURCE, Facet, Sides, TooManyPairsError

Rule = Literal["least loss", "ends"]
_WHOLE = 1_000_000_000
_MOST_COMBINATIONS = 200_000
"""Combinations that the labels of classes cover, in all, that are listed."""


@dataclass(frozen=True)
class Narrowed:
    """Generalized ``cells`` of a column, and how many of them have ``fewer`` values or a ``single``
    one for an attacker who knows the rule."""

    column: str
    cells: int
    fewer: int
    single: int


@dataclass(frozen=True)
class Ruled:
    """The values of each column that a rule leaves to an attacker who knows which combinations
    occur, and how many of the ``classes`` have as many rows as it gives them (``reproduced``; None
    where it does not determine that). ``alone`` are the values left to an attacker who does not
    know them, of classes that cover few combinations."""

    columns: Sequence[Narrowed]
    classes: int
    reproduced: int | None
    alone: Sequence[Narrowed] = ()


def narrowed(sides: Sides, rule: Rule, names: Sequence[str], weights: Mapping[str, float]) -> Ruled:
    """Return what a rule leaves of columns; ``weights`` are those of all columns in a loss. Raise
    TooManyPairsError for too many pairs of classes and combinations."""
    facets = [facet for facet in sides.labels if facet.name in names]
    total = sum(weights[facet.name] for facet in sides.labels)
    shares = {facet.number: round(weights[facet.name] / total * _WHOLE) for facet in sides.labels}
    steps, size = len(sides.labels), None
    pairs = _joined(sides, SOURCE, shares)
    try:
        if rule == "ends":
            return Ruled([_ends(sides, facet) for facet in facets], 0, None)
        sides.run("attacks/least_loss", "attacked_allowed", steps=steps)
        classes, reproduced = sides.engine.query("attacks/ruled_sizes", steps=steps)[0]
        columns = [_least_loss(sides, facet, steps) for facet in facets]
        found = sides.engine.query("attacks/box_size", most=_MOST_COMBINATIONS)
        if (size := found[0][0]) is not None:
            boxes = {"steps": steps, "facets": list(shares), "most": float(size)}
            sides.run("attacks/boxes", BOXES, **boxes)
    finally:
        pairs.drop()
    alone: Sequence[Narrowed] = ()
    with suppress(TooManyPairsError):
        alone = [] if size is None else _alone(sides, facets, shares, float(size))
    return Ruled(columns, int(classes), int(reproduced), alone)


def _joined(sides: Sides, table: str, shares: Mapping[int, int]) -> Any:
    """Join the classes with the combinations of a table that they cover, and find their losses."""
    sides.look_through(sides.labels)
    sides.hold_against(table, sides.labels)
    pairs, steps = sides.joined(sides.labels), len(sides.labels)
    weighed = list(shares.items())
    sides.run("attacks/class_losses", "attacked_losses", steps=steps, facets=weighed)
    return pairs


def _alone(
    sides: Sides, facets: Sequence[Facet], shares: Mapping[int, int], size: float
) -> list[Narrowed]:
    """Return what the rule by itself leaves of classes that cover so many combinations at most."""
    pairs, steps = _joined(sides, BOXES, shares), len(sides.labels)
    try:
        sides.run("attacks/least_loss", "attacked_allowed", steps=steps)
        return [_least_loss(sides, facet, steps, size) for facet in facets]
    finally:
        pairs.drop()


def _least_loss(sides: Sides, facet: Facet, steps: int, most: float | None = None) -> Narrowed:
    asked = {"facet": facet.number, "steps": steps, "most": most}
    return Narrowed(facet.name, *map(int, sides.engine.query("attacks/narrowed", **asked)[0]))


def _ends(sides: Sides, facet: Facet) -> Narrowed:
    found = sides.engine.query("attacks/few_rows", facet=facet.number)
    return Narrowed(facet.name, *map(int, found[0]))
