"""The queries that can be answered from a release: ``SELECT a, COUNT(*), SUM(b), … FROM t WHERE …
GROUP BY a ORDER BY 2 DESC LIMIT 10``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from anonsql.errors import PolicyError
from anonsql.grammar.conditions import statements
from anonsql.grammar.literals import UnsupportedError
from anonsql.query import having as having_conditions
from anonsql.query import where
from anonsql.query.aggregates import Selected, read
from anonsql.query.having import Having
from anonsql.query.select import require_plain, table_of
from anonsql.query.where import Atom, Condition

SUPPORTED = (
    "Bounds can be had of COUNT(*), COUNT, SUM, AVG, MIN and MAX of a column, with FILTER, FROM one"
    " table WHERE conditions on single columns (=, <>, <, <=, >, >=, BETWEEN, IN, LIKE 'x%', IS"
    " NULL, IS TRUE, with literals) are joined by AND, OR, NOT, GROUP BY columns, HAVING aggregates"
    " compared with numbers, ORDER BY what is selected, LIMIT and OFFSET."
)


@dataclass(frozen=True)
class Grouping:
    """A column by which rows are grouped, and its name in the answer."""

    column: str
    title: str


@dataclass(frozen=True)
class Order:
    """What groups are ordered by: the number of a grouping, or (``aggregate``) of an aggregate."""

    group: int
    aggregate: int | None
    descending: bool
    nulls_first: bool


@dataclass(frozen=True)
class Parsed:
    """A query: its text, the table, its aggregates, the condition, if there is one, what its rows
    are grouped by, which groups are shown in which order, and what HAVING asks of them. The answer
    has the first ``shown`` aggregates, all of them where it is None; HAVING needs the others."""

    sql: str
    table: str
    selected: tuple[Selected, ...]
    where: Condition | None
    groups: tuple[Grouping, ...] = ()
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0
    having: Having | None = None
    shown: int | None = None

    @property
    def atoms(self) -> Iterator[Atom]:
        """The single conditions of WHERE and of the aggregates' own."""
        for condition in (self.where, *(one.where for one in self.selected)):
            yield from where.atoms(condition)


def refused(text: str) -> PolicyError:
    """Return the error of a query that cannot be rewritten."""
    return PolicyError.at("query", text if text.endswith(("?", ".")) else f"{text}.", SUPPORTED)


def parse(sql: str) -> Parsed:
    """Return a query read from SQL, in DuckDB's dialect; raise PolicyError naming what cannot be
    answered from a release."""
    try:
        return _parse(sql)
    except UnsupportedError as error:
        raise refused(str(error)) from None


def _parse(sql: str) -> Parsed:
    """Parse as :func:`parse` does; raise UnsupportedError where that raises PolicyError."""
    expressions = statements(sql)
    if len(expressions) != 1:
        raise UnsupportedError(f"one statement is needed, found {len(expressions)}")
    select = require_plain(expressions[0], groups=True)
    table, condition = table_of(select), select.args.get("where")
    groups = _groupings(select)
    selected = [read(one) for one in select.expressions if not _is_grouping(one, groups)]
    if not selected:
        raise UnsupportedError("an aggregate is needed, found none")
    shown, having = len(selected), _having(select, selected)
    return Parsed(
        sql,
        table,
        tuple(selected),
        where.parse(condition.this) if condition else None,
        groups,
        _order(select, groups, selected[:shown]),
        _number(select, "limit"),
        _number(select, "offset") or 0,
        having,
        shown,
    )


def _having(select: exp.Select, selected: list[Selected]) -> Having | None:
    """Return what HAVING asks of groups, and add its aggregates to those that are ``selected``. A
    name that the SELECT gives is replaced by the expression of that name."""
    clause = select.args.get("having")
    if clause is None:
        return None
    named = {
        one.alias.lower(): one.this for one in select.expressions if isinstance(one, exp.Alias)
    }

    def number_of(part: exp.Expr) -> int:
        inner = part.unnest()
        own = isinstance(inner, exp.Column) and not inner.table
        selected.append(read(named.get(inner.name.lower(), inner) if own else inner))
        return len(selected) - 1

    return having_conditions.read(clause.this, number_of)


def _number(select: exp.Select, clause: str) -> int | None:
    """Return the number of LIMIT or OFFSET."""
    part = select.args.get(clause)
    if part is None:
        return None
    number = part.args.get("expression")
    options = part.args.get("limit_options")
    plain = options is None or not any(options.args.values())
    if not plain or not isinstance(number, exp.Literal) or not str(number.this).isdigit():
        raise UnsupportedError(f"{clause.upper()} needs a whole number")
    return int(number.this)


def _order(
    select: exp.Select, groups: Sequence[Grouping], selected: Sequence[Selected]
) -> tuple[Order, ...]:
    order = select.args.get("order")
    parts = order.expressions if order else ()
    return tuple(_ordered(part, select, groups, selected) for part in parts)


def _ordered(
    ordered: exp.Expr,
    select: exp.Select,
    groups: Sequence[Grouping],
    selected: Sequence[Selected],
) -> Order:
    """Return one part of ORDER BY: a place of the SELECT, a name that it gives, a column that rows
    are grouped by, or an aggregate that is selected."""
    sides = bool(ordered.args.get("desc")), bool(ordered.args.get("nulls_first"))
    part = ordered.this.unnest()
    if isinstance(part, exp.Literal) and not part.is_string:
        part = _of_place(select, part, "ORDER BY")
    name = part.name.lower() if isinstance(part, exp.Column) else None
    own = None if name is not None else read(part)
    for number, one in enumerate(selected):
        if name == one.title.lower() or (own is not None and one.same(own)):
            return Order(0, number, *sides)
    for number, grouping in enumerate(groups):
        if name == grouping.title.lower() or _same(part, grouping.column):
            return Order(number, None, *sides)
    raise UnsupportedError(
        f"ORDER BY {part.sql('duckdb')} is nothing that the query selects or groups by"
    )


def _of_place(select: exp.Select, literal: exp.Literal, clause: str) -> exp.Expr:
    """Return the expression at a place of the SELECT, counted from 1."""
    position = int(literal.this) if str(literal.this).isdigit() else 0
    if not 1 <= position <= len(select.expressions):
        raise UnsupportedError(f"{clause} {literal.this} names no place of the SELECT")
    expression: exp.Expr = select.expressions[position - 1].unalias()
    return expression


def _groupings(select: exp.Select) -> tuple[Grouping, ...]:
    """Return what the rows are grouped by, named as the SELECT names it."""
    grouping = select.args.get("group")
    if grouping is None:
        return ()
    if extra := [key for key, value in grouping.args.items() if value and key != "expressions"]:
        raise UnsupportedError(f"GROUP BY {extra[0].upper().replace('_', ' ')} is not supported")
    made: list[Grouping] = []
    for expression in grouping.expressions:
        part = expression.unnest()
        if isinstance(part, exp.Literal) and not part.is_string:
            part = _of_place(select, part, "GROUP BY")
        titles = [
            (one.alias, one.unalias()) for one in select.expressions if isinstance(one, exp.Alias)
        ]
        by_alias = [
            one for alias, one in titles if isinstance(part, exp.Column) and alias == part.name
        ]
        column = where.named(by_alias[0] if by_alias else part)
        if any(column.lower() == one.column.lower() for one in made):
            raise UnsupportedError(f"GROUP BY has {column} twice")
        title = next((alias for alias, one in titles if _same(one, column)), column)
        made.append(Grouping(column, title))
    return tuple(made)


def _same(part: exp.Expr, column: str) -> bool:
    """Return whether an expression is a column."""
    return isinstance(part, exp.Column) and part.name.lower() == column.lower()


def _is_grouping(part: exp.Expr, groups: Sequence[Grouping]) -> bool:
    """Return whether a part of the SELECT is what the rows are grouped by."""
    return any(_same(part.unalias(), group.column) for group in groups)
