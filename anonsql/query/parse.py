"""The queries that can be answered from a release: ``SELECT a, COUNT(*), SUM(b), … FROM t WHERE …
GROUP BY a ORDER BY 2 DESC LIMIT 10``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from anonsql.errors import PolicyError
from anonsql.grammar.conditions import statements
from anonsql.grammar.literals import UnsupportedError
from anonsql.query import formulas, where
from anonsql.query.aggregates import Selected
from anonsql.query.formulas import Having, Leaf, Output, Reader
from anonsql.query.select import require_plain, table_of
from anonsql.query.where import Atom, Condition

SUPPORTED = (
    "Bounds can be had of COUNT(*), COUNT, COUNT(DISTINCT), SUM, AVG, MIN, MAX and MEDIAN of a"
    " column, with FILTER, and of what +, -, * and / make of them, FROM one table (or several of"
    " one release, JOIN ON their keys) WHERE conditions on single columns (=, <>, <, <=, >, >=,"
    " BETWEEN, IN, LIKE 'x%', ILIKE 'x%', IS NULL, IS TRUE, with literals; also of LOWER(text) and"
    " YEAR(date)) are joined by AND, OR, NOT, GROUP BY columns or YEAR(date), HAVING aggregates"
    " compared with numbers, ORDER BY what is selected, LIMIT and OFFSET."
)


@dataclass(frozen=True)
class Grouping:
    """What rows are grouped by: a column, or the ``year`` of one, and its name in the answer."""

    column: str
    year: bool
    title: str


@dataclass(frozen=True)
class Order:
    """What groups are ordered by: the number of a grouping, or (``aggregate``) of what is shown of
    a group."""

    group: int
    aggregate: int | None
    descending: bool
    nulls_first: bool


@dataclass(frozen=True)
class Parsed:
    """A query: its text, the table, the aggregates that it is answered by, the condition, if there
    is one, what its rows are grouped by, which groups are shown in which order, what is shown of a
    group (``outputs``; where these are left out, the aggregates), and what HAVING asks of it."""

    sql: str
    table: str
    selected: tuple[Selected, ...]
    where: Condition | None
    groups: tuple[Grouping, ...] = ()
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0
    outputs: tuple[Output, ...] = ()
    having: Having | None = None

    @property
    def shown(self) -> tuple[Output, ...]:
        """What is shown of a group, or of all rows."""
        every = enumerate(self.selected)
        return self.outputs or tuple(Output(one.title, Leaf(number)) for number, one in every)

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
    groups, reader = _groupings(select), Reader()
    outputs = tuple(
        reader.output(expression)
        for expression in select.expressions
        if not _is_grouping(expression, groups)
    )
    if select.args.get("distinct"):
        if outputs:
            raise UnsupportedError("DISTINCT is of columns alone")
        outputs = (reader.output(exp.Count(this=exp.Star())),)
    if not outputs:
        raise UnsupportedError("an aggregate is needed, found none")
    having = _having(select, reader)
    order = _order(select, groups, outputs, reader)
    return Parsed(
        sql,
        table,
        tuple(reader.selected),
        where.parse(condition.this) if condition else None,
        groups,
        order,
        _number(select, "limit"),
        _number(select, "offset") or 0,
        outputs,
        having,
    )


def _having(select: exp.Select, reader: Reader) -> Having | None:
    """Return what HAVING asks of groups. A name that the SELECT gives stands for what it names."""
    clause = select.args.get("having")
    if clause is None:
        return None
    named = {
        one.alias.lower(): one.this for one in select.expressions if isinstance(one, exp.Alias)
    }

    def meant(node: exp.Expr) -> exp.Expr:
        own = isinstance(node, exp.Column) and not node.table and node.name.lower() in named
        return exp.paren(named[node.name.lower()]) if own else node

    return reader.having(clause.this.transform(meant))


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
    select: exp.Select, groups: tuple[Grouping, ...], outputs: tuple[Output, ...], reader: Reader
) -> tuple[Order, ...]:
    order = select.args.get("order")
    return tuple(
        _ordered(part, select, groups, outputs, reader)
        for part in (order.expressions if order else ())
    )


def _ordered(
    ordered: exp.Expr,
    select: exp.Select,
    groups: tuple[Grouping, ...],
    outputs: tuple[Output, ...],
    reader: Reader,
) -> Order:
    """Return one part of ORDER BY: a place of the SELECT, a name that it gives, a column that rows
    are grouped by, or what is computed of aggregates and selected."""
    sides = bool(ordered.args.get("desc")), bool(ordered.args.get("nulls_first"))
    part = ordered.this.unnest()
    if isinstance(part, exp.Literal) and not part.is_string:
        part = _of_place(select, part, "ORDER BY")
    name = part.name.lower() if isinstance(part, exp.Column) else None
    apart = Reader(list(reader.selected))  # what is not selected is not answered either
    try:
        formula = apart.formula(part)
    except UnsupportedError:
        formula = None
    for number, output in enumerate(outputs):
        if name == output.title.lower() or (
            formula is not None and formulas.same(formula, output.formula, apart.selected)
        ):
            return Order(0, number, *sides)
    for number, grouping in enumerate(groups):
        if name == grouping.title.lower() or _same(part, grouping.column, grouping.year):
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
    grouping, distinct = select.args.get("group"), select.args.get("distinct")
    if distinct is not None:
        columns = all(isinstance(one.unalias(), exp.Column) for one in select.expressions)
        if grouping is not None or distinct.args.get("on") or not columns:
            raise UnsupportedError("DISTINCT is of columns alone")
        grouping = exp.Group(expressions=[one.unalias() for one in select.expressions])
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
        part = by_alias[0] if by_alias else part
        column, year = where.named(part)
        title = next((alias for alias, one in titles if _same(one, column, year)), None)
        made.append(Grouping(column, year, title or (f"YEAR({column})" if year else column)))
    return tuple(made)


def _same(part: exp.Expr, column: str, year: bool) -> bool:
    """Return whether an expression is a column, or the year of one."""
    try:
        text, of_year = where.named(part)
    except UnsupportedError:
        return False
    return (text.lower(), of_year) == (column.lower(), year)


def _is_grouping(part: exp.Expr, groups: tuple[Grouping, ...]) -> bool:
    """Return whether a part of the SELECT is what the rows are grouped by."""
    return any(_same(part.unalias(), group.column, group.year) for group in groups)
