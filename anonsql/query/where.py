"""The conditions that a WHERE may have, for ``query`` and for workloads: on single columns and
literals, in three-valued logic. The values of a label satisfy a condition surely, possibly, or not
at all.

Conditions on one column become the set of its values for which they are true, so they are decided
together, value by value. The rest are sets of different columns, joined by AND and OR: a row surely
satisfies an AND if it surely satisfies every part, and possibly if it possibly satisfies every
part. Negations are moved down to single conditions; the only one that is true of NULL is IS NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

from sqlglot import exp

from anonsql.grammar import conditions as grammar
from anonsql.grammar.expressions import (
    ColumnTerm,
    Expression,
    Null,
    Operation,
    expression_name,
    own_name,
)
from anonsql.grammar.literals import SqlLiteral, UnsupportedError, require_moment
from anonsql.query import value_sets
from anonsql.query.value_sets import ANY, KNOWN, NONE, ValueSet

Comparison = Literal["=", "<>", "<", "<=", ">", ">="]
Operator = Comparison | Literal["IS NULL", "LIKE"]
Connective = Literal["AND", "OR", "NOT", "IS TRUE"]
Found = TypeVar("Found")

_COMPARISONS: dict[str, Comparison] = {argument: argument for argument in get_args(Comparison)}
_FLIPPED: dict[str, Comparison] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_TRUE = SqlLiteral("True", boolean=True)


@dataclass(frozen=True)
class Atom:
    """A condition on one column: a comparison with a literal, ``=`` with one of several, LIKE with
    the beginning of texts, or IS NULL."""

    column: str
    operator: Operator
    literals: tuple[SqlLiteral, ...] = ()


@dataclass(frozen=True)
class JoinedCondition:
    """Conditions joined by AND or OR, or a single one under NOT or IS TRUE (which is never
    unknown)."""

    by: Connective
    parts: tuple[Condition, ...]


Condition = Atom | JoinedCondition


def atoms(condition: Condition | None) -> Iterator[Atom]:
    """Yield the single conditions that a condition is made of."""
    if isinstance(condition, Atom):
        yield condition
    elif condition is not None:
        for part in condition.parts:
            yield from atoms(part)


def parse(parsed: exp.Expr) -> Condition:
    """Return parsed SQL as a condition; raise UnsupportedError naming an unsuitable part."""
    return condition(grammar.read(parsed))


def condition(part: Expression) -> Condition:
    """Return an expression as a condition; raise UnsupportedError naming an unsuitable part."""
    if isinstance(part, ColumnTerm):
        return Atom(part.name, "=", (_TRUE,))
    if not isinstance(part, Operation):
        raise UnsupportedError(f"{expression_name(part)} is not supported")
    operator, parts = part.operator, part.parts
    if operator in ("AND", "OR", "NOT"):
        by: Connective = "AND" if operator == "AND" else "OR" if operator == "OR" else "NOT"
        return JoinedCondition(by, tuple(condition(column) for column in parts))
    if operator == "BETWEEN":
        name, low, high = operand(parts[0]), _literal(parts[1]), _literal(parts[2])
        ends = Atom(name, ">=", (low,)), Atom(name, "<=", (high,))
        return JoinedCondition("AND", ends)
    if operator == "IN":
        return Atom(operand(parts[0]), "=", tuple(_literal(part) for part in parts[1:]))
    if operator == "IS":
        return _is(*parts)
    if operator == "LIKE":
        return _like(*parts)
    if operator in _COMPARISONS:
        return _comparison(_COMPARISONS[operator], *parts)
    raise UnsupportedError(f"{operator} is not supported")


def _comparison(operator: Comparison, left: Expression, right: Expression) -> Atom:
    """Return a comparison of a column with a literal, whichever comes first."""
    if not isinstance(left, ColumnTerm) and not _is_literal(right):
        left, right, operator = right, left, _FLIPPED.get(operator, operator)
    return Atom(operand(left), operator, (_literal(right),))


def _is(part: Expression, other: Expression) -> Condition:
    """Return IS NULL of a column, or IS TRUE or IS FALSE of any condition."""
    if isinstance(other, Null):
        return Atom(operand(part), "IS NULL")
    if not isinstance(other, SqlLiteral) or not other.boolean:
        raise UnsupportedError("IS is supported only with NULL, TRUE and FALSE")
    true = condition(part)
    return JoinedCondition(
        "IS TRUE", (true if other == _TRUE else JoinedCondition("NOT", (true,)),)
    )


def _like(part: Expression, pattern: Expression) -> Atom:
    """Return LIKE with a pattern that has no wildcard, or a single % at its end."""
    name, literal = operand(part), _literal(pattern)
    plain = literal.text.removesuffix("%")
    if not literal.string or literal.cast or any(letter in plain for letter in "%_\\"):
        raise UnsupportedError("LIKE is supported only for the beginning of a text, as in 'x%'")
    operator: Operator = "LIKE" if plain != literal.text else "="
    return Atom(name, operator, (SqlLiteral(plain, string=True),))


def operand(part: Expression) -> str:
    """Return the column that a condition is on."""
    if not isinstance(part, ColumnTerm):
        raise UnsupportedError(f"{expression_name(part)} is not supported where a column is needed")
    return part.name


def named(parsed: exp.Expr) -> str:
    """Return the column that SQL was parsed to."""
    return operand(grammar.read(parsed))


def resolve(name: str, columns: Mapping[str, Found], what: str = "released") -> Found:
    """Return the column that a name means; case matters only where names differ in case alone."""
    return columns[own_name(name, columns, f"there is no {what} column {name!r}")]


def _is_literal(part: Expression) -> bool:
    """Return whether a part stands where the literal of a comparison stands."""
    negative = isinstance(part, Operation) and part.operator == "NEG"
    return negative or isinstance(part, SqlLiteral | Null)


def _literal(part: Expression) -> SqlLiteral:
    """Return a literal, which may be a number with a minus before it."""
    negative = isinstance(part, Operation) and part.operator == "NEG"
    literal = part.parts[0] if isinstance(part, Operation) and negative else part
    if not isinstance(literal, SqlLiteral):
        raise UnsupportedError(
            f"{expression_name(literal)} is not supported where a literal is needed"
        )
    if not negative:
        require_moment(literal)
        return literal
    if literal.string or literal.boolean or literal.cast is not None:
        raise UnsupportedError("a minus is supported only before a number")
    return SqlLiteral(f"-{literal.text}")


SetOf = Callable[[Atom], tuple[str, ValueSet]]
"""A function that returns the column of a single condition, and the values for which it is true."""


@dataclass(frozen=True)
class Leaf:
    """The condition that a column has one of some values."""

    column: str
    values: ValueSet


@dataclass(frozen=True)
class Junction:
    """Conditions joined by AND or OR (``by``)."""

    by: str
    parts: tuple[Node, ...]


Node = Leaf | Junction | bool


@dataclass(frozen=True)
class Conjunction:
    """A condition as the sets of values that columns must have (``columns``), joined by AND with
    further conditions (``others``), all of OR."""

    columns: Mapping[str, ValueSet]
    others: tuple[Junction, ...] = ()

    @property
    def leaves(self) -> list[Leaf]:
        """The leaves of the other conditions."""
        return [leaf for other in self.others for leaf in _leaves(other)]


def conjunction(
    condition: Condition | None, set_of: SetOf, known: str | None
) -> Conjunction | None:
    """Return a condition, and that a ``known`` column is not NULL; None where nothing satisfies
    it."""
    parts: list[Node] = [] if condition is None else [_node(condition, set_of, denied=False)]
    parts += [] if known is None else [Leaf(known, KNOWN)]
    node = _joined("AND", parts)
    if node is False:
        return None
    every = node.parts if isinstance(node, Junction) and node.by == "AND" else (node,)
    return Conjunction(
        {part.column: part.values for part in every if isinstance(part, Leaf)},
        tuple(part for part in every if isinstance(part, Junction)),
    )


def _leaves(node: Node) -> Iterator[Leaf]:
    if isinstance(node, Leaf):
        yield node
    elif isinstance(node, Junction):
        for part in node.parts:
            yield from _leaves(part)


def _node(condition: Condition, set_of: SetOf, *, denied: bool) -> Node:
    """Return a condition, or where it is ``denied`` its negation."""
    if isinstance(condition, Atom):
        name, values = set_of(condition)
        if denied:
            values = KNOWN if condition.operator == "IS NULL" else value_sets.but(values)
        return _leaf(name, values)
    if condition.by == "NOT":
        return _node(condition.parts[0], set_of, denied=not denied)
    if condition.by == "IS TRUE":
        true = _node(condition.parts[0], set_of, denied=False)
        return _otherwise(true) if denied else true
    by = condition.by if not denied else "OR" if condition.by == "AND" else "AND"
    return _joined(by, [_node(part, set_of, denied=denied) for part in condition.parts])


def _otherwise(node: Node) -> Node:
    """Return the condition that is true wherever another is not true: unknown or false."""
    if isinstance(node, bool):
        return not node
    if isinstance(node, Leaf):
        values = node.values
        return _leaf(node.column, ValueSet(not values.begins, values.cuts, not values.null))
    by = "OR" if node.by == "AND" else "AND"
    return _joined(by, [_otherwise(part) for part in node.parts])


def _leaf(name: str, values: ValueSet) -> Node:
    return Leaf(name, values) if values not in (ANY, NONE) else values == ANY


def _joined(by: str, parts: Sequence[Node]) -> Node:
    """Return conditions joined by AND or OR: those on one column as one, and simplified."""
    every = by == "AND"
    sets: dict[str, list[ValueSet]] = {}
    made: list[Node] = []
    waiting = list(reversed(parts))
    while waiting:
        part = waiting.pop()
        if isinstance(part, Leaf):
            sets.setdefault(part.column, []).append(part.values)
        elif isinstance(part, Junction) and part.by == by:
            waiting += reversed(part.parts)
        else:
            made.append(part)
    made += [_leaf(name, value_sets.joined(own, every)) for name, own in sets.items()]
    if (not every) in made:
        return not every
    left = [part for part in made if not isinstance(part, bool)]
    if len(left) < 2:
        return left[0] if left else every
    return Junction(by, tuple(left))
