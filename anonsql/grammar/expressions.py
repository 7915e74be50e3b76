"""Conditions and the values that they compare, as one syntax tree: columns, literals, NULL and
operators applied to these. :mod:`anonsql.grammar.conditions` reads it from SQL."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from anonsql.errors import did_you_mean
from anonsql.grammar.literals import SqlLiteral, UnsupportedError


@dataclass(frozen=True)
class Column:
    """A column by its ``name``; ``text`` is how the SQL names it, which is ``plain`` where it is
    the name alone, without the table's."""

    name: str
    text: str = field(compare=False)
    plain: bool = True


@dataclass(frozen=True)
class Null:
    """NULL."""


@dataclass(frozen=True)
class Operation:
    """An operator applied to its parts. One that the grammar does not know has no parts: there is
    no reader that has a meaning for it."""

    operator: str
    parts: tuple[Expression, ...] = ()


Expression = Column | SqlLiteral | Null | Operation


def within(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and all that it is made of."""
    waiting = [expression]
    while waiting:
        each = waiting.pop()
        yield each
        if isinstance(each, Operation):
            waiting += reversed(each.parts)


def called(expression: Expression) -> str:
    """Return the name of an expression, as messages give it."""
    match expression:
        case Column(text=text):
            return f"the column {text}"
        case SqlLiteral():
            return "a literal"
        case Null():
            return "NULL"
        case Operation(operator=operator):
            return operator


def own_name(name: str, columns: Collection[str], unknown: str) -> str:
    """Return a column's own spelling of its name: case matters only where names differ in case
    alone. Raise UnsupportedError where there is none, which ``unknown`` says, or several."""
    if name in columns:
        return name
    alike = [each for each in columns if each.lower() == name.lower()]
    if len(alike) > 1:
        several = ", ".join(map(repr, alike))
        raise UnsupportedError(
            f"{name!r} may be any of the columns {several}. Spell it as one of them"
        )
    if not alike:
        raise UnsupportedError(f"{unknown}. {did_you_mean(name, columns)}".rstrip(" ."))
    return alike[0]
