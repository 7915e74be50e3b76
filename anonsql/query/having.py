"""Conditions of HAVING: aggregates compared with numbers, decided by the bounds of the
aggregates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from sqlglot import exp

from anonsql.grammar.literals import UnsupportedError
from anonsql.query.where import Comparison

_COMPARISONS: dict[type[exp.Expr], Comparison] = {
    **{exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<"},
    **{exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="},
}
_DENIED: dict[Comparison, Comparison] = {
    **{"=": "<>", "<>": "=", "<": ">="},
    **{"<=": ">", ">": "<=", ">=": "<"},
}
_FLIPPED: dict[Comparison, Comparison] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class Compared:
    """A comparison of an aggregate, by its number among those of the query, with a number."""

    aggregate: int
    operator: Comparison
    value: Fraction


@dataclass(frozen=True)
class JoinedHaving:
    """Conditions on groups, joined."""

    by: Literal["AND", "OR"]
    parts: tuple[Having, ...]


Having = Compared | JoinedHaving


@dataclass(frozen=True)
class Interval:
    """The bounds of an aggregate: an end is None where there is none. ``sure``: the aggregate
    surely is a number, and neither NULL nor infinite."""

    lower: int | Fraction | None
    upper: int | Fraction | None
    sure: bool


def read(part: exp.Expr, number_of: Callable[[exp.Expr], int], *, denied: bool = False) -> Having:
    """Return a condition on aggregates, or where it is ``denied`` its negation; ``number_of``
    returns the number of an aggregate. Raise UnsupportedError for any other condition."""
    part = part.unnest()
    if isinstance(part, exp.Not):
        return read(part.this, number_of, denied=not denied)
    if isinstance(part, exp.And | exp.Or):
        by: Literal["AND", "OR"] = "AND" if isinstance(part, exp.And) != denied else "OR"
        sides = (part.this, part.expression)
        return JoinedHaving(by, tuple(read(side, number_of, denied=denied) for side in sides))
    if isinstance(part, exp.Between) and not part.args.get("symmetric"):
        ends = (
            exp.GTE(this=part.this, expression=part.args["low"]),
            exp.LTE(this=part.this, expression=part.args["high"]),
        )
        return read(exp.and_(*ends), number_of, denied=denied)
    operator = _COMPARISONS.get(type(part))
    if operator is None:
        raise UnsupportedError(f"HAVING compares aggregates, found {part.sql('duckdb')}")
    left, value = part.this, _number(part.expression)
    if value is None:
        left, value = part.expression, _number(part.this)
        operator = _FLIPPED.get(operator, operator)
    if value is None:
        raise UnsupportedError(f"HAVING compares with a number, found {part.sql('duckdb')}")
    return Compared(number_of(left), _DENIED[operator] if denied else operator, value)


def _number(part: exp.Expr) -> Fraction | None:
    """Return the number that a literal is, which may have a minus before it; None of any other
    expression."""
    inner = part.unnest()
    negative = isinstance(inner, exp.Neg)
    literal = inner.this.unnest() if negative else inner
    if not isinstance(literal, exp.Literal) or literal.is_string:
        return None
    return (-1 if negative else 1) * Fraction(str(literal.this))


def aggregates_of(having: Having | None) -> Iterator[int]:
    """Yield the numbers of the aggregates that a condition is about."""
    if isinstance(having, JoinedHaving):
        for part in having.parts:
            yield from aggregates_of(part)
    elif having is not None:
        yield having.aggregate


def truth(having: Having, bounds: Sequence[Interval]) -> tuple[bool, bool]:
    """Return whether a condition on a group surely holds, and whether it possibly does."""
    if isinstance(having, JoinedHaving):
        parts = [truth(part, bounds) for part in having.parts]
        join = all if having.by == "AND" else any
        return join(must for must, _ in parts), join(may for _, may in parts)
    own, value = bounds[having.aggregate], having.value
    below = own.lower is None or own.lower < value
    above = own.upper is None or own.upper > value
    least, most = own.lower == value, own.upper == value
    must, may = {
        "<": (not (above or most), below),
        "<=": (not above, below or least),
        ">": (not (below or least), above),
        ">=": (not below, above or most),
        "=": (least and most, (below or least) and (above or most)),
        "<>": (not (below or least) or not (above or most), not (least and most)),
    }[having.operator]
    return must and own.sure, may
