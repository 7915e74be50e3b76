"""``sensitive_when``: an SQL condition over one row, parsed once, and written out again in every
statement that evaluates it.

Only what is listed here may occur in it: comparisons, ranges, lists and patterns of the row's
columns, literals, sums and a few functions that mean the same on every engine, joined by AND, OR
and NOT. No subquery, no aggregate, no function with an effect.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from anonsql.errors import did_you_mean

_BOOLEAN = (
    exp.And,
    exp.Or,
    exp.Not,
    exp.EQ,
    exp.NEQ,
    exp.LT,
    exp.LTE,
    exp.GT,
    exp.GTE,
    exp.Between,
    exp.In,
    exp.Is,
    exp.Like,
    exp.Boolean,
)
_VALUES = (
    exp.Literal,
    exp.Null,
    exp.Neg,
    exp.Add,
    exp.Sub,
    exp.Mul,
    exp.Lower,
    exp.Upper,
    exp.Length,
    exp.Abs,
    exp.Coalesce,
)
_PLAIN = (exp.Column, exp.Identifier, exp.Paren, exp.Cast, exp.DataType)
_ORDERING = (exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between)
_TYPES = ("DATE", "TIMESTAMP")
SUPPORTED = (
    "Supported: AND, OR, NOT, =, <>, <, <=, >, >=, BETWEEN, IN, LIKE, IS NULL, +, -, *, LOWER,"
    " UPPER, LENGTH, ABS, COALESCE, columns, literals, DATE '…'."
)


@dataclass(frozen=True)
class Condition:
    """A condition over the columns of one row. ``columns`` are the columns that it names, in the
    table's own spelling."""

    columns: tuple[str, ...]
    _parsed: exp.Expr = field(repr=False, compare=False)
    texts: frozenset[str] = frozenset()

    def over(self, texts: Collection[str]) -> Condition:
        """Return the same condition with the text columns given: these are compared byte by byte,
        whatever the database's collation."""
        return replace(self, texts=frozenset(texts))

    def sql(self, side: str) -> str:
        """Return the condition in DuckDB's dialect, its columns those of the relation ``side``,
        everything quoted."""
        written = self._parsed.copy()
        for column in list(written.find_all(exp.Column)):
            column.set("table", exp.to_identifier(side, quoted=True))
            if column.name in self.texts and isinstance(column.parent, _ORDERING):
                column.replace(
                    exp.Collate(this=column.copy(), expression=exp.to_identifier("C", quoted=True))
                )
        return f"({written.sql(dialect='duckdb', identify=True, comments=False)})"


def parse(text: str, columns: Collection[str]) -> Condition:
    """Return the condition in ``text`` over a table with these ``columns``; raise ValueError naming
    the part that is not supported."""
    try:
        return _parse(text, columns)
    except RecursionError:
        raise ValueError("the condition is nested too deeply") from None


def _parse(text: str, columns: Collection[str]) -> Condition:
    """Parse as :func:`parse` does, without its check for conditions that are nested too deeply."""
    try:
        statements = sqlglot.parse(text, read="duckdb")
    except SqlglotError as error:
        raise ValueError(f"this is no SQL condition: {str(error).splitlines()[0]}") from None
    parsed = statements[0] if len(statements) == 1 else None
    if parsed is None:
        raise ValueError("one condition is needed")
    for node in parsed.walk():
        _require_supported(node)
    while isinstance(parsed, exp.Paren):
        parsed = parsed.this
    if not isinstance(parsed, (*_BOOLEAN, exp.Column)):
        raise ValueError(f"it is no condition but {_name(parsed)}; write one that is true or false")
    named = [_own_name(column, columns) for column in parsed.find_all(exp.Column)]
    if not named:
        raise ValueError(
            "it names no column, so it says the same of every row; give the column the role"
            " sensitive or quasi-identifying"
        )
    return Condition(tuple(sorted(set(named))), parsed)


def _require_supported(node: exp.Expr) -> None:
    """Raise ValueError where a part of a condition is not listed above."""
    if isinstance(node, exp.In) and not node.expressions:
        raise ValueError("a subquery is not supported")
    if isinstance(node, exp.Cast) and (
        not isinstance(node.this, exp.Literal) or node.to.sql("duckdb") not in _TYPES
    ):
        raise ValueError("CAST is not supported but in DATE '…' and TIMESTAMP '…'")
    if isinstance(node, exp.Like) and (
        not isinstance(node.expression, exp.Literal) or "\\" in node.expression.name
    ):
        raise ValueError("LIKE is supported with a pattern in quotes, without a backslash")
    if isinstance(node, exp.Column) and (node.table or not isinstance(node.this, exp.Identifier)):
        raise ValueError(
            f"{node.sql('duckdb')} is no plain column: name columns without their table"
        )
    if not isinstance(node, (*_BOOLEAN, *_VALUES, *_PLAIN)):
        raise ValueError(f"{_name(node)} is not supported")


def _own_name(column: exp.Column, columns: Collection[str]) -> str:
    """Return the table's own spelling of a column's name, after changing the expression to it."""
    name = column.name
    matching = [each for each in columns if each == name] or [
        each for each in columns if each.lower() == name.lower()
    ]
    if len(matching) != 1:
        hint = did_you_mean(name, columns)
        text = f"`columns` has no {name!r} (text goes in single quotes). {hint}"
        raise ValueError(text.rstrip(" ."))
    column.set("this", exp.to_identifier(matching[0], quoted=True))
    return matching[0]


def _name(node: exp.Expr) -> str:
    """Return a part of a condition as SQL has it."""
    return type(node).__name__.upper()
