"""Sums, differences, products and quotients of aggregates, and what HAVING asks of them, by
interval arithmetic: from the bounds of aggregates to bounds of what is computed of them.

The numbers are exact: a share of one third is 1/3, whatever an engine rounds it to. A number that
may be NULL (a sum of nothing), or infinite (a quotient by 0), is bounded where it is one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from sqlglot import exp

from anonsql.grammar.literals import UnsupportedError
from anonsql.query import aggregates
from anonsql.query.aggregates import Selected
from anonsql.query.where import Comparison

Operator = Literal["+", "-", "*", "/"]
_OPERATORS: dict[type[exp.Expr], Operator] = {
    **{exp.Add: "+", exp.Sub: "-"},
    **{exp.Mul: "*", exp.Div: "/"},
}
_COMPARISONS: dict[type[exp.Expr], Comparison] = {
    **{exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<"},
    **{exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="},
}
_DENIED: dict[Comparison, Comparison] = {
    **{"=": "<>", "<>": "=", "<": ">="},
    **{"<=": ">", ">": "<=", ">=": "<"},
}


@dataclass(frozen=True)
class Leaf:
    """An aggregate, by its number among those of the query."""

    number: int


@dataclass(frozen=True)
class Constant:
    """A number that the query has."""

    value: Fraction


@dataclass(frozen=True)
class Computed:
    """What an operator makes of two numbers; ``null``: a quotient by 0 is NULL, not infinite."""

    operator: Operator
    left: Formula
    right: Formula
    null: bool = False


Formula = Leaf | Constant | Computed


@dataclass(frozen=True)
class Output:
    """What the answer has of every group: a number under its title."""

    title: str
    formula: Formula


@dataclass(frozen=True)
class Compared:
    """A comparison of two numbers."""

    operator: Comparison
    left: Formula
    right: Formula


@dataclass(frozen=True)
class JoinedHaving:
    """Conditions on groups, joined."""

    by: Literal["AND", "OR"]
    parts: tuple[Having, ...]


Having = Compared | JoinedHaving


@dataclass(frozen=True)
class Interval:
    """What is known of a number: an end is None where it has none. It may be ``null``, or
    ``infinite``, besides; ``whole`` if it is a whole number that is not negative."""

    lower: Fraction | None = None
    upper: Fraction | None = None
    estimate: Fraction | None = None
    null: bool = False
    infinite: bool = False
    whole: bool = False

    @property
    def ends(self) -> tuple[Fraction | float, Fraction | float]:
        """The ends, infinite where there is none."""
        return (
            -math.inf if self.lower is None else self.lower,
            math.inf if self.upper is None else self.upper,
        )


@dataclass
class Reader:
    """Reads formulas of a query, and collects their aggregates."""

    selected: list[Selected] = field(default_factory=list)

    def output(self, part: exp.Expr) -> Output:
        """Return an expression of the SELECT; raise UnsupportedError for one without aggregates."""
        before = len(self.selected)
        body = part.unalias().unnest()
        if aggregates.is_aggregate(body) and aggregates.share(body) is None:
            own = aggregates.read(exp.alias_(body, part.alias) if part.alias else body)
            return Output(own.title, self._leaf(own))
        formula = self.formula(body)
        if len(self.selected) == before:
            aggregates.read(body)
        return Output(part.alias or part.unalias().sql("duckdb"), formula)

    def formula(self, part: exp.Expr) -> Formula:
        """Return an expression over aggregates and numbers; raise UnsupportedError for others."""
        part = part.unnest()
        if isinstance(part, exp.Literal) and not part.is_string:
            return Constant(Fraction(str(part.this)))
        if isinstance(part, exp.Neg):
            return Computed("-", Constant(Fraction(0)), self.formula(part.this))
        if (operator := _OPERATORS.get(type(part))) is not None:
            left, right = self.formula(part.this), part.expression.unnest()
            null = operator == "/" and isinstance(right, exp.Nullif) and _is_zero(right.expression)
            return Computed(operator, left, self.formula(right.this if null else right), null)
        if (condition := aggregates.share(part)) is not None:
            rows = [Selected("COUNT", None, "", own) for own in (condition, None)]
            numerator, denominator = map(self._leaf, rows)
            return Computed("/", numerator, denominator, null=True)
        return self._leaf(aggregates.read(part))

    def having(self, part: exp.Expr, denied: bool = False) -> Having:
        """Return a condition on aggregates, or its negation; raise UnsupportedError for others."""
        part = part.unnest()
        if isinstance(part, exp.Not):
            return self.having(part.this, not denied)
        if isinstance(part, exp.And | exp.Or):
            by: Literal["AND", "OR"] = "AND" if isinstance(part, exp.And) != denied else "OR"
            parts = [self.having(one, denied) for one in (part.this, part.expression)]
            return JoinedHaving(by, tuple(parts))
        if isinstance(part, exp.Between) and not part.args.get("symmetric"):
            value = self.formula(part.this)
            low, high = self.formula(part.args["low"]), self.formula(part.args["high"])
            ends = [_compared(">=", value, low, denied), _compared("<=", value, high, denied)]
            return JoinedHaving("OR" if denied else "AND", tuple(ends))
        if (operator := _COMPARISONS.get(type(part))) is None:
            raise UnsupportedError(f"HAVING compares aggregates, found {part.sql('duckdb')}")
        left, right = self.formula(part.this), self.formula(part.expression)
        return _compared(operator, left, right, denied)

    def _leaf(self, own: Selected) -> Leaf:
        """Return an aggregate as a formula, known from now on."""
        self.selected.append(own)
        return Leaf(len(self.selected) - 1)


def _compared(operator: Comparison, left: Formula, right: Formula, denied: bool) -> Compared:
    return Compared(_DENIED[operator] if denied else operator, left, right)


def _is_zero(part: exp.Expr) -> bool:
    return isinstance(part, exp.Literal) and not part.is_string and Fraction(str(part.this)) == 0


def numbers(formula: Formula) -> list[int]:
    """Return the numbers of the aggregates that a formula is made of."""
    if isinstance(formula, Leaf):
        return [formula.number]
    if isinstance(formula, Constant):
        return []
    return [*numbers(formula.left), *numbers(formula.right)]


def same(one: Formula, other: Formula, selected: Sequence[Selected]) -> bool:
    """Return whether two formulas are of the same aggregates, computed in the same way."""
    if isinstance(one, Leaf) and isinstance(other, Leaf):
        return selected[one.number].same(selected[other.number])
    if isinstance(one, Computed) and isinstance(other, Computed):
        alike = (one.operator, one.null) == (other.operator, other.null)
        pairs = (one.left, other.left), (one.right, other.right)
        return alike and all(same(left, right, selected) for left, right in pairs)
    return one == other


def value(formula: Formula, leaves: Sequence[Interval]) -> Interval:
    """Return what is known of a formula, from what is known of its aggregates."""
    if isinstance(formula, Leaf):
        return leaves[formula.number]
    if isinstance(formula, Constant):
        return Interval(formula.value, formula.value, formula.value)
    left, right = value(formula.left, leaves), value(formula.right, leaves)
    infinite, null = left.infinite or right.infinite, left.null or right.null
    if formula.operator == "/":
        zero = right.ends[0] <= 0 <= right.ends[1]
        null, infinite = null or (zero and formula.null), infinite or (zero and not formula.null)
        right = _inverse(right)
    elif formula.operator == "-":
        right = _negative(right)
    join = _sum if formula.operator in "+-" else _product
    return replace(join(left, right), null=null, infinite=infinite)


def truth(having: Having, leaves: Sequence[Interval]) -> tuple[bool, bool]:
    """Return whether a condition on a group surely holds, and whether it may."""
    if isinstance(having, JoinedHaving):
        parts = [truth(part, leaves) for part in having.parts]
        join = all if having.by == "AND" else any
        return join(sure for sure, _ in parts), join(may for _, may in parts)
    left, right = value(having.left, leaves), value(having.right, leaves)
    sure, may = _holds(having.operator, left.ends, right.ends)
    numbers_ = not (left.null or right.null or left.infinite or right.infinite)
    return sure and numbers_, may or left.infinite or right.infinite


_Ends = tuple["Fraction | float", "Fraction | float"]


def _holds(operator: Comparison, left: _Ends, right: _Ends) -> tuple[bool, bool]:
    """Return whether a comparison holds of all, and of any, numbers of two intervals."""
    if operator in ("<", "<="):
        left, right = right, left
    if operator in ("<", ">"):
        return left[0] > right[1], left[1] > right[0]
    if operator in ("<=", ">="):
        return left[0] >= right[1], left[1] >= right[0]
    apart = left[1] < right[0] or right[1] < left[0]
    point = left[0] == left[1] == right[0] == right[1]
    return (point, not apart) if operator == "=" else (apart, not point)


def _sum(left: Interval, right: Interval) -> Interval:
    lower, upper = (one + other for one, other in zip(left.ends, right.ends, strict=True))
    both = left.estimate is not None and right.estimate is not None
    return _interval(lower, upper, left.estimate + right.estimate if both else None)  # type: ignore[operator]


def _product(left: Interval, right: Interval) -> Interval:
    corners = [_times(one, other) for one in left.ends for other in right.ends]
    both = left.estimate is not None and right.estimate is not None
    estimate = left.estimate * right.estimate if both else None  # type: ignore[operator]
    return _interval(min(corners), max(corners), estimate)


def _negative(one: Interval) -> Interval:
    lower, upper = one.ends
    return _interval(-upper, -lower, None if one.estimate is None else -one.estimate)


def _inverse(one: Interval) -> Interval:
    """Return what is known of one divided by a number: nothing where it may be on both sides of
    0. A whole number that is not 0 is at least 1."""
    lower, upper = one.ends
    if one.whole and lower < 1:
        lower = Fraction(1)
    if lower > upper or lower < 0 < upper or lower == upper == 0:
        return Interval()
    estimate = 1 / one.estimate if one.estimate else None
    return _interval(_over(upper, -1), _over(lower, 1), estimate)


def _over(end: Fraction | float, sign: int) -> Fraction | float:
    """Return one divided by an end, which is approached from the other one: from above 0 where the
    end is the lower one (``sign`` 1)."""
    if end == 0:
        return sign * math.inf
    return Fraction(0) if math.isinf(end) else 1 / end


def _times(one: Fraction | float, other: Fraction | float) -> Fraction | float:
    """Return a product in which 0 times anything is 0."""
    if one == 0 or other == 0:
        return Fraction(0)
    if math.isinf(one) or math.isinf(other):
        return math.inf if (one > 0) == (other > 0) else -math.inf
    return one * other


def _interval(
    lower: Fraction | float, upper: Fraction | float, estimate: Fraction | None
) -> Interval:
    ends = [None if math.isinf(end) else Fraction(end) for end in (lower, upper)]
    return Interval(ends[0], ends[1], estimate)
