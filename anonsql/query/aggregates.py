"""The aggregates that a query selects: of all rows or of a column's values, and of those rows alone
that a FILTER picks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from sqlglot import exp

from anonsql.grammar.conditions import sql_name
from anonsql.grammar.literals import UnsupportedError
from anonsql.query import where
from anonsql.query.where import Condition, JoinedCondition

Function = Literal["COUNT", "SUM", "AVG", "MIN", "MAX"]
_FUNCTIONS: dict[type[exp.Expr], Function] = {
    **{exp.Count: "COUNT", exp.Sum: "SUM", exp.Avg: "AVG"},
    **{exp.Min: "MIN", exp.Max: "MAX"},
}


@dataclass(frozen=True)
class Selected:
    """One aggregate, over the rows (``column`` None) or over a column's values, and its name in the
    answer; its rows satisfy a condition of its own, ``where`` there is one."""

    function: Function
    column: str | None
    title: str
    where: Condition | None = None

    @property
    def counts(self) -> bool:
        """Whether the aggregate is a number of rows or values."""
        return self.function == "COUNT"

    def same(self, other: Selected) -> bool:
        """Return whether another aggregate is this one under a title of its own."""
        kinds = [
            (one.function, (one.column or "").lower(), one.column is None, one.where)
            for one in (self, other)
        ]
        return kinds[0] == kinds[1]


def read(part: exp.Expr) -> Selected:
    """Return the aggregate that an expression is; raise UnsupportedError naming what is none."""
    aggregate = part.unalias().unnest()
    if isinstance(aggregate, exp.Filter):
        inner, own = read(aggregate.this), where.parse(aggregate.expression.this)
        both = own if inner.where is None else JoinedCondition("AND", (inner.where, own))
        return replace(inner, title=part.alias or aggregate.sql("duckdb"), where=both)
    function = _FUNCTIONS.get(type(aggregate))
    if function is None:
        raise UnsupportedError(
            f"{sql_name(aggregate)} is not supported in the place of an aggregate"
        )
    counted, several = aggregate.this, aggregate.expressions
    if isinstance(counted, exp.Distinct):
        raise UnsupportedError(f"DISTINCT is not supported in {function}")
    if function == "COUNT" and not several and _every_row(counted):
        return Selected(function, None, part.alias or aggregate.sql("duckdb"))
    if not isinstance(counted, exp.Column) or isinstance(counted.this, exp.Star) or several:
        text = _argument(counted)
        raise UnsupportedError(f"{function} of a single column can be answered, not of {text}")
    return Selected(function, counted.name, part.alias or f"{function}({counted.name})")


def _every_row(counted: exp.Expr | None) -> bool:
    """Return whether what is counted is ``*``, or a literal that is not NULL."""
    if isinstance(counted, exp.Star):
        return not any(counted.args.values())
    return isinstance(counted, exp.Literal | exp.Boolean)


def _argument(counted: exp.Expr | None) -> str:
    """Return the name of an aggregate's argument in messages."""
    if counted is None:
        return "nothing"
    return "several columns" if isinstance(counted, exp.Column) else sql_name(counted)
