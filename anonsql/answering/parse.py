"""The queries that can be answered from a release: ``SELECT COUNT(*), SUM(a), … FROM t WHERE …``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from anonsql.answering import where
from anonsql.answering.where import Condition, UnsupportedError
from anonsql.errors import PolicyError

Function = Literal["COUNT", "SUM", "AVG"]
SUPPORTED = (
    "Supported: SELECT of COUNT(*), COUNT, SUM and AVG of a column FROM one table WHERE conditions (=, <>, <, <=, >, >=, BETWEEN, IN, "
    "IS NULL between a column and literals) are joined by AND, OR, NOT."
)


@dataclass(frozen=True)
class Selected:
    """One aggregate: of the rows (``column`` None) or of a column's values, and its name in the answer."""

    function: Function
    column: str | None
    title: str


@dataclass(frozen=True)
class Parsed:
    """A query: its text, the table, the aggregates, and the condition, if there is one."""

    sql: str
    table: str
    selected: tuple[Selected, ...]
    where: Condition | None


def refused(found: str) -> PolicyError:
    """The error of a query that cannot be rewritten."""
    return PolicyError.at("query", found if found.endswith(("?", ".")) else f"{found}.", SUPPORTED)


def parse(sql: str) -> Parsed:
    """A query read from SQL, in DuckDB's dialect; raises PolicyError naming what cannot be answered from a release."""
    try:
        statements = [
            each
            for each in sqlglot.parse(sql, read="duckdb")
            if each is not None and not isinstance(each, exp.Semicolon)
        ]
    except SqlglotError as error:
        raise refused(f"this is no SQL: {str(error).splitlines()[0].rstrip('.')}") from None
    except RecursionError:
        raise refused("the conditions are nested too deeply") from None
    try:
        if len(statements) != 1:
            raise UnsupportedError(f"one statement is needed, found {len(statements)}")
        select = where.require_plain(statements[0])
        selected = tuple(_selected(each) for each in select.expressions)
        told = select.args.get("where")
        return Parsed(
            sql,
            where.table_of(select),
            selected,
            where.condition(told.this) if told is not None else None,
        )
    except UnsupportedError as error:
        raise refused(str(error)) from None
    except RecursionError:
        raise refused("the conditions are nested too deeply") from None


def _selected(part: exp.Expr) -> Selected:
    """An aggregate of the SELECT."""
    aggregate = part.unalias()
    functions: dict[type[exp.Expr], Function] = {exp.Count: "COUNT", exp.Sum: "SUM", exp.Avg: "AVG"}
    function = functions.get(type(aggregate))
    if function is None:
        raise UnsupportedError(
            f"{where.name_of(aggregate)} is not supported in the place of an aggregate"
        )
    counted = aggregate.this
    if isinstance(counted, exp.Distinct):
        raise UnsupportedError("DISTINCT is not supported")
    if (
        function == "COUNT"
        and isinstance(counted, exp.Star)
        and not any(counted.args.values())
        and not aggregate.expressions
    ):
        return Selected(function, None, part.alias or "COUNT(*)")
    if (
        not isinstance(counted, exp.Column)
        or isinstance(counted.this, exp.Star)
        or aggregate.expressions
    ):
        found = name_of_argument(counted)
        raise UnsupportedError(f"{function} of a single column can be answered, not of {found}")
    return Selected(function, counted.name, part.alias or f"{function}({counted.name})")


def name_of_argument(counted: exp.Expr | None) -> str:
    """What an aggregate is of, in words."""
    return (
        "nothing"
        if counted is None
        else "several columns"
        if isinstance(counted, exp.Column)
        else where.name_of(counted)
    )
