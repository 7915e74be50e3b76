"""Tables of the values of coded columns, which searches and methods count by."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.engines.base import Engine
from anonsql.errors import Problem
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
            text = f"{missing} values of the column are not in it."
            result.append(Problem(column.order_at, text, "Add them; NULL needs no place."))
        if column.named and (
            unknown := len(set(column.named)) - engine.query("privacy/unnamed", a=column)[0][0]
        ):
            text = f"{unknown} of {len(set(column.named))} values are none of the column's."
            remedy = (
                "Spell them as the column's text is (1.50, true, 2025-01-31), or leave `values` out"
                " to mean all."
            )
            result.append(Problem(column.named_at, text, remedy))
    return result
