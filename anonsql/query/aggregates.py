"""The aggregates that a query selects: of all rows or of a column's values, and of those rows alone
that a FILTER or a CASE picks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from sqlglot import exp

from anonsql.grammar.conditions import sql_name
from anonsql.grammar.literals import UnsupportedError
from anonsql.query import where
from anonsql.query.where import Condition

Function = Literal["COUNT", "DISTINCT", "SUM", "AVG", "MIN", "MAX", "MEDIAN"]
_FUNCTIONS: dict[type[exp.Expr], Function] = {
    **{exp.Count: "COUNT", exp.Sum: "SUM", exp.Avg: "AVG"},
    **{exp.Min: "MIN", exp.Max: "MAX", exp.Median: "MEDIAN"},
}


@dataclass(frozen=True)
class Selected:
    """One aggregate, over the rows (``column`` None) or over a column's values, and its name in the
    answer; rows satisfy a condition of its own, ``where`` there is one. DISTINCT is the number of
    different values. ``summed``: rows are counted by a SUM of ones, which of none is NULL."""

    function: Function
    column: str | None
    title: str
    where: Condition | None = None
    summed: bool = False

    @property
    def counts(self) -> bool:
        """Whether the aggregate is a number of rows or values."""
        return self.function in ("COUNT", "DISTINCT")

    def same(self, other: Selected) -> bool:
        """Return whether another aggregate is this one under a title of its own."""
        kinds = [
            (one.function, (one.column or "").lower(), one.column is None, one.where, one.summed)
            for one in (self, other)
        ]
        return kinds[0] == kinds[1]


def is_aggregate(part: exp.Expr) -> bool:
    """Return whether an expression is an aggregate, or one with a FILTER."""
    return type(part) in _FUNCTIONS or isinstance(part, exp.Filter)


def read(part: exp.Expr) -> Selected:
    """Return the aggregate that an expression is; raise UnsupportedError naming what is none."""
    aggregate = part.unalias()
    if isinstance(aggregate, exp.Filter):
        inner = read(aggregate.this)
        title, own = part.alias or aggregate.sql("duckdb"), where.parse(aggregate.expression.this)
        return replace(inner, title=title, where=_both(inner.where, own))
    function = _FUNCTIONS.get(type(aggregate))
    if function is None:
        raise UnsupportedError(
            f"{sql_name(aggregate)} is not supported in the place of an aggregate"
        )
    counted, several, title = aggregate.this, aggregate.expressions, function
    if isinstance(counted, exp.Case) and not several and function in ("COUNT", "SUM"):
        return _of_case(function, counted, part.alias or aggregate.sql("duckdb"))
    if isinstance(counted, exp.Distinct):
        if function != "COUNT" or counted.args.get("on"):
            raise UnsupportedError(f"DISTINCT is not supported but in COUNT, found in {function}")
        function, title = "DISTINCT", "COUNT"
        several = counted.expressions[1:]
        counted = counted.expressions[0]
    if function == "COUNT" and not several and _every_row(counted):
        return Selected(function, None, part.alias or aggregate.sql("duckdb"))
    if not isinstance(counted, exp.Column) or isinstance(counted.this, exp.Star) or several:
        text = name_of_argument(counted)
        raise UnsupportedError(f"{title} of a single column can be answered, not of {text}")
    argument = f"{'DISTINCT ' if function == 'DISTINCT' else ''}{counted.name}"
    return Selected(function, counted.name, part.alias or f"{title}({argument})")


def share(part: exp.Expr) -> Condition | None:
    """Return the condition whose share of the rows an expression is: that of ``AVG(CASE WHEN … THEN
    1 ELSE 0 END)``; None of any other expression."""
    case = part.this if isinstance(part, exp.Avg) and not part.expressions else None
    if not isinstance(case, exp.Case) or case.this is not None or len(case.args["ifs"]) != 1:
        return None
    (branch,) = case.args["ifs"]
    one, zero = _number(branch.args.get("true")), _number(case.args.get("default"))
    return where.parse(branch.this) if one == 1 and zero == 0 else None


def _of_case(function: Function, case: exp.Case, title: str) -> Selected:
    """Return COUNT or SUM of ``CASE WHEN … THEN x ELSE 0 END`` as one of x, of those rows that
    satisfy the condition. What ELSE adds to a sum must be nothing, what it adds to a number of rows
    must not be there."""
    branches, otherwise = case.args["ifs"], case.args.get("default")
    if case.this is not None or len(branches) != 1:
        raise UnsupportedError("CASE with one WHEN can be answered, not with several")
    (branch,) = branches
    value = branch.args.get("true")
    nothing = otherwise is None or isinstance(otherwise, exp.Null)
    if not nothing and not (function == "SUM" and _number(otherwise) == 0):
        raise UnsupportedError(
            f"ELSE of a CASE in {function} can be answered where it adds nothing"
        )
    condition = where.parse(branch.this)
    if function == "SUM" and _number(value) == 1:
        return Selected("COUNT", None, title, condition, summed=True)
    if function == "COUNT" and _every_row(value):
        return Selected("COUNT", None, title, condition)
    if not isinstance(value, exp.Column) or isinstance(value.this, exp.Star):
        text = name_of_argument(value)
        raise UnsupportedError(f"{function} of a single column can be answered, not of {text}")
    return Selected(function, value.name, title, condition)


def _both(one: Condition | None, other: Condition) -> Condition:
    """Return a condition that holds where both do."""
    return other if one is None else where.JoinedCondition("AND", (one, other))


def _number(part: exp.Expr | None) -> Fraction | None:
    """Return the number that a literal is; None of any other expression."""
    plain = isinstance(part, exp.Literal) and not part.is_string
    return Fraction(str(part.this)) if plain and part is not None else None


def _every_row(counted: exp.Expr | None) -> bool:
    """Return whether what is counted is ``*``, or a literal that is not NULL."""
    if isinstance(counted, exp.Star):
        return not any(counted.args.values())
    return isinstance(counted, exp.Literal | exp.Boolean)


def name_of_argument(counted: exp.Expr | None) -> str:
    """Return what an aggregate is of, in words."""
    return (
        "nothing"
        if counted is None
        else "several columns"
        if isinstance(counted, exp.Column)
        else sql_name(counted)
    )
