"""A user's COUNT queries: a file of ``SELECT COUNT(*) FROM t WHERE …;``, the conditions joined by AND."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from anonsql.engines.base import Column
from anonsql.errors import PolicyError, Problem, did_you_mean
from anonsql.measuring.workload import Condition, Operator, Query, Word

_OPERATORS: dict[type[exp.Expr], Operator] = {exp.EQ: "=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
_FLIPPED: dict[Operator, Operator] = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_SUPPORTED = "Supported: AND of =, <, <=, >, >=, BETWEEN and IN between a column and literals."
_PLAIN = {"expressions", "from", "from_", "where", "kind", "hint", "distinct", "limit", "operation_modifiers"}


class _UnsupportedError(Exception):
    """What of a query is not supported, in words."""


def read(path: Path, columns: Mapping[str, Column]) -> list[Query]:
    """The queries of a file over some columns; raises PolicyError naming every query that cannot be understood."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise PolicyError.at(str(path), f"the workload cannot be read: {error}.", "Name a file of SQL in UTF-8.") from None
    try:
        statements = [each for each in sqlglot.parse(text, read="duckdb") if each is not None and not isinstance(each, exp.Semicolon)]
    except SqlglotError as error:
        raise PolicyError.at(str(path), f"this is no SQL: {str(error).splitlines()[0]}", _SUPPORTED) from None
    found, problems = [], []
    for number, statement in enumerate(statements, start=1):
        try:
            found.append(_query(statement, columns))
        except _UnsupportedError as error:
            problems.append(Problem(f"{path}, query {number}", f"{error}.", _SUPPORTED))
    if problems:
        raise PolicyError(problems)
    if not found:
        raise PolicyError.at(str(path), "there is no query in it.", "Write one `SELECT COUNT(*) FROM t WHERE …;` a line.")
    return found


def _query(statement: exp.Expr, columns: Mapping[str, Column]) -> Query:
    """A statement as a query."""
    if not isinstance(statement, exp.Select):
        raise _UnsupportedError(f"a SELECT is needed, found {_name(statement)}")
    told = list(statement.expressions)
    counted = told[0].this if len(told) == 1 and isinstance(told[0], exp.Alias) else told[0] if len(told) == 1 else None
    if not isinstance(counted, exp.Count) or not isinstance(counted.this, exp.Star):
        raise _UnsupportedError("what is selected must be COUNT(*)")
    extra = [key for key, value in statement.args.items() if value and (key not in _PLAIN or key in ("distinct", "limit"))]
    if extra:
        raise _UnsupportedError(f"{extra[0].upper().strip('_')} is not supported")
    tables = statement.find_all(exp.Table)
    if len(list(tables)) != 1:
        raise _UnsupportedError("one table is needed after FROM")
    where = statement.args.get("where")
    if where is None:
        raise _UnsupportedError("there is no WHERE")
    asked: dict[str, tuple[Condition, ...]] = {}
    for part in where.this.flatten() if isinstance(where.this, exp.And) else [where.this]:
        for name, condition in _conditions(part.unnest(), columns):
            asked[name] = (*asked.get(name, ()), condition)
    return Query(asked)


def _conditions(part: exp.Expr, columns: Mapping[str, Column]) -> list[tuple[str, Condition]]:
    """The conditions of a part of a WHERE."""
    if isinstance(part, exp.And):
        return [each for side in (part.left, part.right) for each in _conditions(side.unnest(), columns)]
    if isinstance(part, exp.Between):
        column = _column(part.this, columns)
        low, high = (_word(part.args[end], column) for end in ("low", "high"))
        return [(column.name, Condition(">=", (low,))), (column.name, Condition("<=", (high,)))]
    if isinstance(part, exp.In) and part.expressions:
        column = _column(part.this, columns)
        return [(column.name, Condition("=", tuple(_word(each, column) for each in part.expressions)))]
    operator = _OPERATORS.get(type(part))
    if operator is None:
        raise _UnsupportedError(f"{_name(part)} is not supported")
    left, right = part.this, part.expression
    if isinstance(right, exp.Column) and not isinstance(left, exp.Column):
        left, right, operator = right, left, _FLIPPED[operator]
    column = _column(left, columns)
    return [(column.name, Condition(operator, (_word(right, column),)))]


def _name(part: exp.Expr) -> str:
    """An expression's kind as SQL has it."""
    return type(part).__name__.upper()


def _column(part: exp.Expr, columns: Mapping[str, Column]) -> Column:
    """The column that an expression names."""
    if not isinstance(part, exp.Column):
        raise _UnsupportedError(f"{_name(part)} is not supported in the place of a column")
    by_lower = {name.lower(): column for name, column in columns.items()}
    column = columns.get(part.name) or by_lower.get(part.name.lower())
    if column is None:
        raise _UnsupportedError(f"no released column is called {part.name!r} {did_you_mean(part.name, columns)}".rstrip(" ."))
    if column.kind == "other":
        raise _UnsupportedError(f"{column.name!r} is {column.type}, which cannot be compared")
    return column


def _word(part: exp.Expr, column: Column) -> Word:
    """A literal as a value of the column's kind."""
    negative = isinstance(part, exp.Neg)
    literal = part.this if isinstance(part, exp.Neg | exp.Cast) else part
    if isinstance(literal, exp.Boolean) and column.kind == "boolean":
        return bool(literal.this)
    if not isinstance(literal, exp.Literal):
        raise _UnsupportedError(f"{_name(part)} is not supported in the place of a literal")
    text = ("-" if negative else "") + str(literal.this)
    try:
        if column.kind in ("integer", "decimal", "float"):
            number = Decimal(text)
            if not number.is_finite():
                raise InvalidOperation
            return number
        if column.kind == "date":
            return date.fromisoformat(text)
        if column.kind == "timestamp":
            return datetime.fromisoformat(text)
    except (ValueError, InvalidOperation):
        raise _UnsupportedError(f"a literal compared with {column.name!r} is no {column.kind}") from None
    if not literal.is_string or column.kind == "boolean":
        raise _UnsupportedError(f"a literal compared with {column.name!r} is no {column.kind}")
    return text
