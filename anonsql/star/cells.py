"""The star schema: integer-coded dimensions around a fact table of counted combinations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from anonsql.engines.base import Engine
from anonsql.hierarchies.dimensions import Attribute
from anonsql.privacy.promise import Promise
from anonsql.star.coded import Coded


@dataclass(frozen=True)
class Star:
    """What Python knows of the star schema: sizes and mean losses, no values.

    ``rows`` counts the source's rows. ``losses[attribute][level]`` is the mean over all rows of
    (leaves under the value at that level - 1) / (leaves of the domain - 1). ``codes`` is each
    attribute's greatest code, ``chances`` the probability that two rows agree in it at its least
    level; ``cells`` counts the cells.
    """

    attributes: tuple[Attribute, ...]
    rows: int
    losses: dict[int, dict[int, float]]
    codes: dict[int, int]
    chances: dict[int, float]
    cells: int

    @cached_property
    def weights(self) -> dict[int, float]:
        """The weight of each attribute, by its index."""
        return {attribute.index: attribute.policy.weight for attribute in self.attributes}

    @cached_property
    def heights(self) -> dict[int, int]:
        """The height of each attribute's hierarchy, by its index."""
        return {attribute.index: attribute.height for attribute in self.attributes}

    @property
    def bottom(self) -> tuple[int, ...]:
        """The least levels that may be released."""
        return tuple(attribute.min_level for attribute in self.attributes)

    @property
    def top(self) -> tuple[int, ...]:
        """The greatest levels that may be released."""
        return tuple(attribute.max_level for attribute in self.attributes)


def code(
    engine: Engine, attributes: Sequence[Attribute], columns: Sequence[Coded], promise: Promise
) -> None:
    """Code the combinations into ``cells``, where the rows are."""
    engine.run("star/cells", attributes=attributes, coded=columns, promise=promise)
    engine.drop("combinations")


def lay_out(engine: Engine, attributes: Sequence[Attribute], rows: int) -> Star:
    """Lay all dimensions out in ``steps`` (Incognito, section 3); return the sizes."""
    engine.run("star/steps", attributes=attributes)
    losses = {
        attribute.index: dict.fromkeys(range(attribute.min_level, attribute.max_level + 1), 0.0)
        for attribute in attributes
    }  # where a sample has no row
    codes = {attribute.index: 0 for attribute in attributes}
    chances = {attribute.index: 0.0 for attribute in attributes}
    cells = 0
    for attribute, level, loss, code, chance, counted in engine.query(
        "star/level_losses", attributes=attributes
    ):
        losses[attribute][level] = float(loss)
        codes[attribute], chances[attribute], cells = code, float(chance), counted
    return Star(tuple(attributes), rows, losses, codes, chances, cells)
