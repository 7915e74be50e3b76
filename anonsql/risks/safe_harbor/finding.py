"""The identifiers of safe harbor in the columns of a policy, as one table shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from anonsql.engines.base import Column, Engine, Relation
from anonsql.policy.columns import KEPT
from anonsql.policy.policy import Policy
from anonsql.risks.contents import problems as contents
from anonsql.risks.safe_harbor.looks import Identifier, Seen, looks
from anonsql.risks.safe_harbor.released import form, judged

_NUMBERS = ("integer", "decimal", "float")


@dataclass(frozen=True)
class Found:
    """A column that looks like an identifier: how the policy releases it, whether it ``passes``
    where safe harbor does not allow it, and what is to be done or seen."""

    column: str
    kind: Identifier
    by: Seen
    released: str
    passes: bool
    says: str


def identifiers(
    engine: Engine, table: Relation, rows: int, policy: Policy, *, released: bool
) -> list[Found]:
    """Return the columns of a policy that look like identifiers, in its order. The ``table`` of so
    many rows is the release (``released``), where only kept columns have values of their own, or
    the source."""
    present = {one.name: one for one in engine.columns(table) if one.name in policy.columns}
    own = [
        column
        for name, column in present.items()
        if not released or policy.columns[name].role in KEPT
    ]
    held = contents.look(engine, table, own, rows)
    found = {
        name: looks(name, present.get(name), frozenset(held[name].kinds if name in held else ()))
        for name in policy.columns
    }
    ages = [
        column
        for column in own
        if column.kind in _NUMBERS
        and any(look.kind == "ages over 89" for look in found[column.name])
    ]
    greatest = _greatest(engine, table, ages)
    return [
        Found(
            name,
            look.kind,
            look.by,
            form(policy.columns[name]),
            *judged(policy.columns[name], look, greatest.get(name), changed=released),
        )
        for name, seen in found.items()
        for look in seen
    ]


def _greatest(engine: Engine, table: Relation, columns: Sequence[Column]) -> dict[str, float]:
    """Return the greatest value of each column of numbers that has any."""
    if not columns:
        return {}
    parameters = {"relation": table, "columns": columns, "shares": [Decimal(1)]}
    rows = engine.query("risks/kept/quantiles", **parameters)
    return {
        column.name: float(value)
        for column, (_, value) in zip(columns, rows, strict=True)
        if value is not None
    }
