"""Conditions, parsed from SQL in DuckDB's dialect to a syntax tree of four kinds of nodes.

A condition is made of columns, literals, NULL and the operators in :data:`OPERATORS`. Two packages
use the tree: :mod:`anonsql.policy` for ``sensitive_when``, :mod:`anonsql.query` for the WHERE of
questions. Each gives a meaning to some of the operators, and refuses the others by their names. No
other text of the SQL is in the tree, so nothing else can get into a statement.
"""

from __future__ import annotations

from typing import Literal

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from anonsql.grammar.expressions import ColumnTerm, Expression, Null, Operation
from anonsql.grammar.literals import CAST_REFUSED, SqlLiteral, UnsupportedError

OPERATORS: dict[type[exp.Expr], str] = {
    **{exp.And: "AND", exp.Or: "OR", exp.Not: "NOT"},
    **{exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="},
    **{exp.Between: "BETWEEN", exp.In: "IN", exp.Like: "LIKE", exp.Is: "IS"},
    **{exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Neg: "NEG"},
    **{exp.Lower: "LOWER", exp.Upper: "UPPER", exp.Length: "LENGTH", exp.Abs: "ABS"},
    **{exp.Coalesce: "COALESCE"},
}
"""The operators of conditions and of the values that they compare, by sqlglot's name for them. The
second part of IS is NULL or a truth value. BETWEEN has three parts; it is called BETWEEN SYMMETRIC
where its ends may be in either order. NEG is the minus before a number."""

_SYMMETRIC = "BETWEEN SYMMETRIC"
_SUBQUERY = "a subquery"
_TYPES: dict[str, Literal["date", "timestamp"]] = {"DATE": "date", "TIMESTAMP": "timestamp"}


def statements(text: str, what: str = "SQL") -> list[exp.Expr]:
    """Return the statements of a text, empty ones left out. Raise UnsupportedError where the text
    is not SQL, or is nested too deeply. Messages call the text ``what``."""
    try:
        result = sqlglot.parse(text, read="duckdb")
    except ParseError as error:
        raise UnsupportedError(f"this is no {what}{_place(error)}") from None
    except SqlglotError as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise UnsupportedError(f"this is no {what}: {reason}") from None
    except RecursionError:
        raise _too_deep() from None
    return [node for node in result if node is not None and not isinstance(node, exp.Semicolon)]


def _place(error: ParseError) -> str:
    """Return where a text is no SQL, and what may help."""
    found = error.errors[0] if error.errors else {}
    near = str(found.get("highlight") or "").strip()
    where = f" at line {found['line']}, column {found['col']}" if found.get("line") else ""
    if not near.isidentifier():
        return f": it cannot be read{where}" if not near else f": {near} is wrong{where}"
    return (
        f": {near} is wrong{where}. If it is the name of a column, write it in double quotes,"
        f' because {near} is also a word of SQL: "{near}"'
    )


def read(parsed: exp.Expr) -> Expression:
    """Return the expression of SQL that sqlglot has ``parsed``. Raise UnsupportedError for a cast
    that is not DATE or TIMESTAMP before a literal, and for conditions that are nested too
    deeply."""
    try:
        return _read(parsed)
    except RecursionError:
        raise _too_deep() from None


def _too_deep() -> UnsupportedError:
    return UnsupportedError("the conditions are nested too deeply")


def _read(parsed: exp.Expr) -> Expression:
    """Raise RecursionError where an expression is nested too deeply."""
    while isinstance(parsed, exp.Paren):
        parsed = parsed.this
    if parsed.args.get("negate"):  # NOT IN, NOT LIKE, NOT BETWEEN, IS NOT
        positive = parsed.copy()
        positive.set("negate", None)
        return Operation("NOT", (_read(positive),))
    if isinstance(parsed, exp.Column):
        unqualified = isinstance(parsed.this, exp.Identifier) and not parsed.table
        return ColumnTerm(parsed.name, parsed.sql("duckdb"), unqualified)
    if isinstance(parsed, exp.Literal):
        return SqlLiteral(str(parsed.this), string=parsed.is_string)
    if isinstance(parsed, exp.Boolean):
        return SqlLiteral(str(parsed.this), boolean=True)
    if isinstance(parsed, exp.Null):
        return Null()
    if isinstance(parsed, exp.Cast):
        return _cast(parsed)
    return _operation(parsed)


def _operation(parsed: exp.Expr) -> Operation:
    """Return an operator with its parts: a chain of ANDs, or of ORs, is one of many parts."""
    operator = OPERATORS.get(type(parsed))
    if operator is None:
        return Operation(sql_name(parsed))
    if isinstance(parsed, exp.In) and not parsed.expressions:
        return Operation(_SUBQUERY)
    if isinstance(parsed, exp.Connector):
        return Operation(operator, tuple(_read(node) for node in parsed.flatten()))
    if parsed.args.get("symmetric"):
        operator = _SYMMETRIC
    return Operation(operator, tuple(_read(expression) for expression in parsed.iter_expressions()))


def _cast(parsed: exp.Cast) -> SqlLiteral:
    """Return the literal of DATE '…' or TIMESTAMP '…'; engines differ in all other casts."""
    cast, literal = _TYPES.get(parsed.to.sql("duckdb")), parsed.this
    try_cast = isinstance(parsed, exp.TryCast)
    if cast is None or not isinstance(literal, exp.Literal):
        raise UnsupportedError(f"{'TRY_' if try_cast else ''}CAST {CAST_REFUSED}")
    return SqlLiteral(str(literal.this), literal.is_string, cast=cast, try_cast=try_cast)


def sql_name(parsed: exp.Expr) -> str:
    """Return how messages name SQL that sqlglot has ``parsed``."""
    if isinstance(parsed, exp.Subquery | exp.Exists | exp.Select):
        return _SUBQUERY
    if isinstance(parsed, exp.Column):
        return f"the column {parsed.sql('duckdb')}"
    if isinstance(parsed, exp.Anonymous):
        return str(parsed.this).upper()
    return OPERATORS.get(type(parsed)) or type(parsed).__name__.upper()
