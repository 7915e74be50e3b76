"""Conditions and the values that they compare, as one syntax tree: columns, literals, NULL and
operators applied to these. :mod:`anonsql.grammar.conditions` reads it from SQL."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from anonsql.errors import did_you_mean
from anonsql.grammar.literals import SqlLiteral, UnsupportedError


@dataclass(frozen=True)
class ColumnTerm:
    """A column by its ``name``. ``text`` is how the SQL writes it; it is ``unqualified`` where that
    is the name alone, without the table's."""

    name: str
    text: str = field(compare=False)
    unqualified: bool = True


@dataclass(frozen=True)
class Null:
    """NULL."""


@dataclass(frozen=True)
class Operation:
    """An operator with its parts; an unknown one, which is refused, has none."""

    operator: str
    parts: tuple[Expression, ...] = ()


Expression = ColumnTerm | SqlLiteral | Null | Operation


def within(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and all its parts, and theirs."""
    waiting = [expression]
    while waiting:
        term = waiting.pop()
        yield term
        if isinstance(term, Operation):
            waiting += reversed(term.parts)


def expression_name(expression: Expression) -> str:
    """Return how messages name an expression."""
    match expression:
        case ColumnTerm(text=text):
            return f"the column {text}"
        case SqlLiteral():
            return "a literal"
        case Null():
            return "NULL"
        case Operation(operator=operator):
            return operator


def own_name(name: str, columns: Collection[str], unknown: str) -> str:
    """Return which of the ``columns`` is meant by ``name``: the one of that very name, or else the
    only one whose name differs from it in case alone. Raise UnsupportedError where several do, and
    with the message ``unknown`` and a hint where none does."""
    if name in columns:
        return name
    alike = [column for column in columns if column.lower() == name.lower()]
    if len(alike) > 1:
        several = ", ".join(map(repr, alike))
        raise UnsupportedError(
            f"{name!r} can mean any of the columns {several}. Write the exact name of one of them"
        )
    if not alike:
        raise UnsupportedError(f"{unknown}. {did_you_mean(name, columns)}".rstrip(" ."))
    return alike[0]
