"""Tables of the values of coded columns, which searches and methods count by."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.engines.base import Engine
from anonsql.errors import Problem
from anonsql.star.coded import Coded


def build(engine: Engine, coded: Sequence[Coded], counted: str = "combinations") -> None:
    """Make a table of each column's values, and one of their groups where the column has a
    hierarchy, from ``counted`` rows."""
    for each in coded:
        name = f"values_{each.index}"
        engine.run(
            "star/models/table", name=name, select="star/models/values", a=each, counted=counted
        )
        if each.attribute is not None:
            engine.run(
                "star/models/table",
                name=f"groups_{each.index}",
                select="star/models/groups",
                a=each,
            )


def problems(engine: Engine, coded: Sequence[Coded]) -> list[Problem]:
    """Return what is wrong with the values that a policy lists: an order that lacks values of the
    table, and named values that the table lacks (a promise about a misspelt value would promise
    nothing)."""
    found = []
    for each in coded:
        if each.order and (missing := engine.query("star/models/unordered", a=each)[0][0]):
            text = f"{missing} values of the column are not in it."
            found.append(Problem(each.order_at, text, "Add them; NULL needs no place."))
        if each.named and (
            unknown := len(set(each.named)) - engine.query("star/models/unnamed", a=each)[0][0]
        ):
            text = f"{unknown} of {len(set(each.named))} values are none of the column's."
            remedy = (
                "Spell them as the column's text is (1.50, true, 2025-01-31), or leave `values` out"
                " to mean all."
            )
            found.append(Problem(each.named_at, text, remedy))
    return found
