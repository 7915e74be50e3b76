"""The conditions that a WHERE may have, parsed from SQL, for ``query`` and for workloads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Literal, TypeVar

from sqlglot import exp

from anonsql.engines.base import Kind
from anonsql.errors import did_you_mean

Operator = Literal["=", "<>", "<", "<=", ">", ">=", "IS NULL", "LIKE"]
Connective = Literal["AND", "OR", "NOT", "IS TRUE"]
Applied = Literal["", "LOWER", "YEAR"]
Found = TypeVar("Found")

_OPERATORS: dict[type[exp.Expr], Operator] = {
    **{exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="},
}
_FLIPPED: dict[Operator, Operator] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_CLAUSES = {
    "joins": "JOIN",
    "group": "GROUP BY",
    "order": "ORDER BY",
    "with_": "WITH",
    "laterals": "LATERAL",
    "windows": "WINDOW",
}
_PLAIN = {"expressions", "from", "from_", "where", "kind", "hint", "operation_modifiers"}


_CASTS = {"DATE": "date", "TIMESTAMP": "timestamp"}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME = re.compile(r"[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_GREATEST_POWER, _MOST_PLACES = 300, 1_000


class UnsupportedError(Exception):
    """A part of a query is not supported; the text names it."""


@dataclass(frozen=True)
class Written:
    """A literal as it is written: its text, whether it is a string or a truth value, and the kind
    that DATE or TIMESTAMP before it gives it."""

    text: str
    string: bool = False
    boolean: bool = False
    cast: Literal["date", "timestamp"] | None = None


@dataclass(frozen=True)
class Atom:
    """A condition on one column, or on a function ``applied`` to it: a comparison with a literal,
    ``=`` with one of several, LIKE with the beginning of texts, or IS NULL."""

    column: str
    operator: Operator
    words: tuple[Written, ...] = ()
    applied: Applied = ""


@dataclass(frozen=True)
class Joined:
    """Conditions joined by AND or OR, or a single one under NOT or IS TRUE (which is never
    unknown)."""

    by: Connective
    parts: tuple[Condition, ...]


Condition = Atom | Joined


def require_plain(statement: exp.Expr, *, groups: bool = False) -> exp.Select:
    """Return the statement, which must be a SELECT from one table with nothing but conditions, and
    ``groups`` where those may be."""
    if not isinstance(statement, exp.Select):
        raise UnsupportedError(f"a SELECT is needed, found {name_of(statement)}")
    for key, value in statement.args.items():
        if value and key not in _PLAIN and not (groups and key == "group"):
            raise UnsupportedError(f"{_CLAUSES.get(key, key.upper().strip('_'))} is not supported")
    return statement


def table_of(statement: exp.Select) -> str:
    """Return the table that a SELECT is from, with its schema where it has one; raise
    UnsupportedError when there is none, its columns are renamed, or a column is said to be of
    another table."""
    source = statement.args.get("from_") or statement.args.get("from")
    table = source.this if source is not None else None
    if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
        told = (
            "a subquery"
            if isinstance(table, exp.Subquery)
            else "nothing"
            if table is None
            else name_of(table)
        )
        raise UnsupportedError(f"one table is needed after FROM, found {told}")
    extra = [
        key
        for key, value in table.args.items()
        if value and key not in ("this", "db", "catalog", "alias")
    ]
    if extra:
        raise UnsupportedError(f"{extra[0].upper()} is not supported")
    if table.alias_column_names:
        raise UnsupportedError("a list of columns after the table's alias is not supported")
    parts = [part.name for part in table.parts]
    known = [[table.alias]] if table.alias else [parts[place:] for place in range(len(parts))]
    for column in statement.find_all(exp.Column):
        qualifier = [part.name.lower() for part in column.parts[:-1]]
        if qualifier and qualifier not in [[part.lower() for part in each] for each in known]:
            raise UnsupportedError(
                f"{column.sql('duckdb')} is a column of another table than {'.'.join(known[0])}"
            )
    return ".".join(parts)


def condition(part: exp.Expr) -> Condition:
    """Return an expression as a condition; raise UnsupportedError naming what is not one."""
    part = part.unnest()
    if isinstance(part, exp.And | exp.Or):
        by: Connective = "AND" if isinstance(part, exp.And) else "OR"
        return Joined(by, tuple(condition(each) for each in part.flatten()))
    if part.args.get("negate"):
        part = part.copy()
        part.set("negate", None)
        return Joined("NOT", (condition(part),))
    if isinstance(part, exp.Not):
        return Joined("NOT", (condition(part.this),))
    if isinstance(part, exp.Column):
        return Atom(_column(part), "=", (Written("True", boolean=True),))
    if isinstance(part, exp.Between) and not part.args.get("symmetric"):
        name, applied = operand(part.this)
        low, high = _written(part.args["low"]), _written(part.args["high"])
        return Joined(
            "AND", (Atom(name, ">=", (low,), applied), Atom(name, "<=", (high,), applied))
        )
    if isinstance(part, exp.In) and part.expressions:
        name, applied = operand(part.this)
        return Atom(name, "=", tuple(_written(each) for each in part.expressions), applied)
    if isinstance(part, exp.In):
        raise UnsupportedError("a subquery is not supported")
    if isinstance(part, exp.Is):
        return _is(part)
    if isinstance(part, exp.Like):
        return _like(part)
    operator = _OPERATORS.get(type(part))
    if operator is None:
        raise UnsupportedError(f"{name_of(part)} is not supported")
    left, right = part.this.unnest(), part.expression.unnest()
    if not isinstance(left, exp.Column) and not _is_literal(right):
        left, right, operator = right, left, _FLIPPED.get(operator, operator)
    name, applied = operand(left)
    return Atom(name, operator, (_written(right),), applied)


def _is(part: exp.Is) -> Condition:
    """Return IS NULL of a column, or IS TRUE or IS FALSE of any condition."""
    asked = part.expression.unnest()
    if isinstance(asked, exp.Null):
        return Atom(operand(part.this)[0], "IS NULL")
    if not isinstance(asked, exp.Boolean):
        raise UnsupportedError(f"IS {name_of(asked)} is not supported")
    true = condition(part.this)
    return Joined("IS TRUE", (true if asked.this else Joined("NOT", (true,)),))


def _like(part: exp.Like) -> Condition:
    """Return LIKE with a pattern that has no wildcard, or a single % at its end."""
    name, applied = operand(part.this)
    word = _written(part.expression)
    plain = word.text.removesuffix("%")
    if not word.string or word.cast or any(each in plain for each in "%_\\"):
        raise UnsupportedError("LIKE is not supported but with the beginning of a text, as in 'x%'")
    operator: Operator = "LIKE" if plain != word.text else "="
    return Atom(name, operator, (Written(plain, string=True),), applied)


def _is_literal(part: exp.Expr) -> bool:
    return isinstance(part, exp.Literal | exp.Boolean | exp.Neg | exp.Cast | exp.Null)


def operand(part: exp.Expr) -> tuple[str, Applied]:
    """Return the column that a condition is on, and the function that is applied to it."""
    part = part.unnest()
    if isinstance(part, exp.Lower):
        return _column(part.this), "LOWER"
    if isinstance(part, exp.Year):
        return _column(part.this), "YEAR"
    if isinstance(part, exp.Extract) and str(part.this).upper() == "YEAR":
        return _column(part.expression), "YEAR"
    return _column(part), ""


def named(part: exp.Expr) -> tuple[str, bool]:
    """Return the column that an expression names, and whether it is the year of it."""
    name, applied = operand(part)
    if applied == "LOWER":
        raise UnsupportedError("LOWER is not supported in GROUP BY")
    return name, applied == "YEAR"


def name_of(part: exp.Expr) -> str:
    """Return an expression's kind as SQL has it."""
    if isinstance(part, exp.Subquery | exp.Exists):
        return "a subquery"
    if isinstance(part, exp.Column):
        return f"the column {part.sql()}"
    return (
        str(part.this).upper() if isinstance(part, exp.Anonymous) else type(part).__name__.upper()
    )


def _column(part: exp.Expr) -> str:
    """Return the column that an expression names."""
    part = part.unnest()
    if not isinstance(part, exp.Column):
        raise UnsupportedError(f"{name_of(part)} is not supported in the place of a column")
    return str(part.name)


def resolve(name: str, columns: Mapping[str, Found], what: str = "released") -> Found:
    """Return what a column's name stands for; case matters only where names differ in case
    alone."""
    if name in columns:
        return columns[name]
    alike = [each for each in columns if each.lower() == name.lower()]
    if len(alike) > 1:
        raise UnsupportedError(
            f"{name!r} may be any of the columns {', '.join(map(repr, alike))}. Spell it as one of"
            " them"
        )
    if not alike:
        raise UnsupportedError(
            f"no {what} column is called {name!r}. {did_you_mean(name, columns)}".rstrip(" .")
        )
    return columns[alike[0]]


def _written(part: exp.Expr) -> Written:
    """Return a literal."""
    part = part.unnest()
    negative = isinstance(part, exp.Neg)
    if isinstance(part, exp.Cast):
        return _cast(part)
    literal = part.this if negative else part
    if isinstance(literal, exp.Boolean) and literal is part:
        return Written(str(literal.this), boolean=True)
    if not isinstance(literal, exp.Literal) or (negative and literal.is_string):
        raise UnsupportedError(f"{name_of(literal)} is not supported in the place of a literal")
    return Written(("-" if negative else "") + str(literal.this), string=literal.is_string)


def _cast(part: exp.Cast) -> Written:
    """Return the literal of DATE '…' or TIMESTAMP '…'; refuse all other casts, whose results differ
    from engine to engine."""
    cast = (
        _CASTS.get(part.to.sql("duckdb"))
        if type(part) is exp.Cast and not part.to.expressions
        else None
    )
    literal = part.this
    if cast is None or not isinstance(literal, exp.Literal) or not literal.is_string:
        raise UnsupportedError(
            f"{type(part).__name__.upper()} is not supported but in DATE '…' and TIMESTAMP '…'"
        )
    text = str(literal.this)
    if not _DATE.match(text) or not (
        _DATE.fullmatch(text) or (cast == "timestamp" and _TIME.fullmatch(text[10:]))
    ):
        raise UnsupportedError(
            f"what follows {cast.upper()} is no {cast}. Write"
            f" YYYY-MM-DD{' HH:MM:SS' if cast == 'timestamp' else ''}"
        )
    return Written(text, string=True, cast="date" if cast == "date" else "timestamp")


def value_of(word: Written, name: str, kind: Kind, scale: int | None = None) -> object:
    """Return a literal as a value of a kind of column, of a decimal one with ``scale`` digits after
    the point where they are bounded; raise UnsupportedError when it is none, and for a string that
    engines would round on its way to the column's type."""
    wrong = UnsupportedError(f"a literal compared with {name!r} is no {kind}")
    if kind == "other":
        raise UnsupportedError(f"{name!r} is of a type that cannot be compared")
    if word.boolean or kind == "boolean":
        if word.boolean and kind == "boolean":
            return word.text == "True"
        raise wrong
    if word.cast is not None and kind not in ("date", "timestamp"):
        raise wrong
    try:
        if kind in ("integer", "decimal", "float"):
            return _number(word, kind, scale)
        if kind in ("date", "timestamp"):
            return _moment(word, kind)
    except (ValueError, InvalidOperation):
        raise wrong from None
    if not word.string:
        raise wrong
    return word.text


def _number(word: Written, kind: Kind, scale: int | None) -> Decimal:
    """Return a literal as a number; raise ValueError when it is not one, or too great or long."""
    if not _NUMBER.fullmatch(word.text) or (
        word.string and kind == "integer" and not _WHOLE.fullmatch(word.text)
    ):
        raise ValueError
    number = Decimal(word.text)
    places = -int(number.as_tuple().exponent)
    if abs(number.adjusted()) > _GREATEST_POWER or places > _MOST_PLACES:
        raise ValueError
    if word.string and kind == "decimal" and scale is not None and places > scale:
        raise ValueError
    return number


def _moment(word: Written, kind: Kind) -> date:
    """Return a literal as a date or timestamp, by ``kind``; raise ValueError when it is not a
    complete one."""
    told = _DATE.match(word.text)
    if (
        not word.string
        or told is None
        or (word.text[10:] and (kind == "date" or not _TIME.fullmatch(word.text[10:])))
    ):
        raise ValueError
    return date.fromisoformat(word.text) if kind == "date" else datetime.fromisoformat(word.text)
