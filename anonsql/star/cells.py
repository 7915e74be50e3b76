"""The star schema: integer-coded dimensions around a fact table of counted combinations, and tables
of the values of coded columns, which searches and methods count by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from anonsql.engines.base import Engine
from anonsql.errors import Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.privacy.promise import Promise
from anonsql.star.coded import Coded


def build(engine: Engine, coded: Sequence[Coded], counted: str = "combinations") -> None:
    """Make tables of columns' values, and of their groups with a hierarchy, from ``counted``."""
    for column in coded:
        name = f"values_{column.index}"
        engine.run("sql/table", name=name, select="privacy/values", a=column, counted=counted)
        if column.attribute is not None:
            engine.run(
                "sql/table",
                name=f"groups_{column.index}",
                select="privacy/groups",
                a=column,
            )


def problems(engine: Engine, coded: Sequence[Coded]) -> list[Problem]:
    """Return what is wrong with listed values: an order that lacks values of the table, and named
    values that the table lacks (a misspelt promise would promise nothing)."""
    result = []
    for column in coded:
        if column.order and (missing := engine.query("privacy/unordered", a=column)[0][0]):
            text = f"{missing} values of the column are missing here."
            result.append(Problem(column.order_at, text, "Add them; NULL needs no place."))
        if column.named and (
            unknown := len(set(column.named)) - engine.query("privacy/unnamed", a=column)[0][0]
        ):
            text = f"{unknown} of {len(set(column.named))} values do not occur in the column."
            remedy = (
                "Write them like the column's text (1.50, true, 2025-01-31), or leave `values`"
                " out to mean all values."
            )
            result.append(Problem(column.named_at, text, remedy))
    return result


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
