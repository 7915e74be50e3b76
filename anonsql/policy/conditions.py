"""``sensitive_when``: an SQL condition over one row, parsed once, and written out again in every
statement that evaluates it.

Only the following may occur in it: comparisons, ranges, lists and patterns of the row's columns,
literals, sums and a few functions that mean the same on every engine, joined by AND, OR and NOT. No
subquery, no aggregate, no function with an effect.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from anonsql.grammar.expressions import (
    ColumnTerm,
    Expression,
    Null,
    Operation,
    expression_name,
    own_name,
    within,
)
from anonsql.grammar.literals import SqlLiteral, UnsupportedError, number

_EITHER, _BOTH, _NOT, _COMPARED, _SUM, _PRODUCT, _NEGATIVE, _WHOLE = range(8)
"""How strongly the parts of an expression are bound to each other, from the weakest."""
_FORMS: dict[str, tuple[int, str]] = {
    "NOT": (_NOT, "NOT {}"),
    **{name: (_COMPARED, f"{{}} {name} {{}}") for name in ("=", "<>", "<", "<=", ">", ">=")},
    **{name: (_COMPARED, f"{{}} {name} {{}}") for name in ("LIKE", "IS")},
    "BETWEEN": (_COMPARED, "{} BETWEEN {} AND {}"),
    **{"+": (_SUM, "{} + {}"), "-": (_SUM, "{} - {}"), "*": (_PRODUCT, "{} * {}")},
    "NEG": (_NEGATIVE, "-{}"),
}
"""How an operator is written whose number of parts is fixed."""
_JOINED = {"OR": (_EITHER, " OR "), "AND": (_BOTH, " AND ")}
_FUNCTIONS = ("LOWER", "UPPER", "LENGTH", "ABS", "COALESCE")
_SYMMETRIC = "BETWEEN SYMMETRIC"
_CONDITIONS = {
    *(*_JOINED, "IN", _SYMMETRIC),
    *(operator for operator, (bound, _) in _FORMS.items() if bound <= _COMPARED),
}
_ORDERING = ("<", "<=", ">", ">=", "BETWEEN", _SYMMETRIC)
SUPPORTED = (
    "Supported: AND, OR, NOT, =, <>, <, <=, >, >=, BETWEEN, IN, LIKE, IS NULL, +, -, *, LOWER,"
    " UPPER, LENGTH, ABS, COALESCE, columns, literals, DATE '…'."
)


@dataclass(frozen=True)
class Condition:
    """A condition over the columns of one row. ``columns`` are the columns that it names, in the
    table's own spelling."""

    columns: tuple[str, ...]
    _parsed: Expression = field(repr=False)
    texts: frozenset[str] = frozenset()

    def over(self, texts: Collection[str]) -> Condition:
        """Return the same condition with the text columns given: these are compared byte by byte,
        whatever the database's collation."""
        return replace(self, texts=frozenset(texts))

    def sql(self, side: str) -> str:
        """Return the condition in DuckDB's dialect, its columns those of the relation ``side``,
        everything quoted."""
        return f"({_Writer(side, self.texts).written(self._parsed)})"


def parse(text: str, columns: Collection[str]) -> Condition:
    """Return the condition in ``text`` over a table with these ``columns``; raise ValueError naming
    the part that is not supported."""
    from anonsql.grammar import conditions as grammar  # with sqlglot, which takes long to load

    expressions = grammar.statements(text, "SQL condition")
    if len(expressions) != 1:
        raise UnsupportedError("write exactly one condition")
    parsed = grammar.read(expressions[0])
    for column in within(parsed):
        _require_supported(column)
    if not _is_condition(parsed):
        raise UnsupportedError(
            f"{expression_name(parsed)} is not a condition; write an expression that is true or"
            " false"
        )
    spelled = _spelled(parsed, columns)
    named = {column.name for column in within(spelled) if isinstance(column, ColumnTerm)}
    if not named:
        raise UnsupportedError(
            "it names no column, so it is the same for every row; give the column the role"
            " sensitive or quasi-identifying"
        )
    return Condition(tuple(sorted(named)), spelled)


def _require_supported(expression: Expression) -> None:
    if isinstance(expression, ColumnTerm) and not expression.unqualified:
        raise UnsupportedError(
            f"{expression.text} is not a plain column name: name columns without their table"
        )
    if isinstance(expression, SqlLiteral):
        _require_plain(expression)
    if not isinstance(expression, Operation):
        return
    operator, parts = expression.operator, expression.parts
    if operator not in _CONDITIONS and operator not in _FORMS and operator not in _FUNCTIONS:
        raise UnsupportedError(f"{operator} is not supported")
    if operator == "LIKE" and not _is_pattern(parts[1]):
        raise UnsupportedError("LIKE supports only a quoted pattern without a backslash")


def _require_plain(literal: SqlLiteral) -> None:
    """Raise UnsupportedError for a literal that no engine can be sent: text with a NUL character,
    or anything except text, a truth value or a number."""
    if "\0" in literal.text:
        raise UnsupportedError("text with a NUL character is not supported")
    if not literal.string and not literal.boolean and number(literal.text) is None:
        raise UnsupportedError(f"{literal.text!r} is not a number")


def _is_pattern(part: Expression) -> bool:
    if not isinstance(part, SqlLiteral) or part.boolean or part.cast is not None:
        return False
    return "\\" not in part.text


def _is_condition(parsed: Expression) -> bool:
    if isinstance(parsed, Operation):
        return parsed.operator in _CONDITIONS
    return isinstance(parsed, ColumnTerm) or (isinstance(parsed, SqlLiteral) and parsed.boolean)


def _spelled(expression: Expression, columns: Collection[str]) -> Expression:
    if isinstance(expression, ColumnTerm):
        unknown = f"`columns` has no {expression.name!r} (write text in single quotes)"
        return replace(expression, name=own_name(expression.name, columns, unknown))
    if isinstance(expression, Operation):
        return replace(
            expression, parts=tuple(_spelled(part, columns) for part in expression.parts)
        )
    return expression


@dataclass(frozen=True)
class _Writer:
    """Writes expressions over the columns of a relation in DuckDB's dialect."""

    side: str
    texts: frozenset[str]

    def written(self, expression: Expression, within: int = -1, ordering: bool = False) -> str:
        """Return an expression as SQL, in parentheses if its parent operator (``within``) binds as
        strongly as itself or more; ``ordering``: it is compared by an order."""
        match expression:
            case ColumnTerm(name=name):
                column = f"{_quoted(self.side)}.{_quoted(name)}"
                return f'{column} COLLATE "C"' if ordering and name in self.texts else column
            case SqlLiteral():
                return _literal(expression)
            case Null():
                return "NULL"
            case Operation():
                bound, text = self._operation(expression)
                return f"({text})" if bound <= within else text

    def _operation(self, operation: Operation) -> tuple[int, str]:
        operator, parts = operation.operator, operation.parts
        if operator in _JOINED:
            bound, between = _JOINED[operator]
            return bound, between.join(self._parts(operation, bound))
        if operator in _FUNCTIONS:
            return _WHOLE, f"{operator}({', '.join(map(self.written, parts))})"
        if operator == "IN":
            several = ", ".join(map(self.written, parts[1:]))
            return _COMPARED, f"{self.written(parts[0], _COMPARED)} IN ({several})"
        if operator == _SYMMETRIC:
            value, one, other = self._parts(operation, _COMPARED)
            either = f"{value} BETWEEN {one} AND {other} OR {value} BETWEEN {other} AND {one}"
            return _EITHER, either
        bound, form = _FORMS[operator]
        return bound, form.format(*self._parts(operation, bound))

    def _parts(self, operation: Operation, bound: int) -> list[str]:
        ordering = operation.operator in _ORDERING
        return [self.written(part, bound, ordering) for part in operation.parts]


def _literal(literal: SqlLiteral) -> str:
    if literal.boolean:
        return literal.text.upper()
    text = "'" + literal.text.replace("'", "''") + "'" if literal.string else literal.text
    if literal.cast is None:
        return text
    return f"{'TRY_' if literal.try_cast else ''}CAST({text} AS {literal.cast.upper()})"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
