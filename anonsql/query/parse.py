"""The queries that can be answered from a release: ``SELECT a, COUNT(*), SUM(b), … FROM t WHERE …
GROUP BY a ORDER BY 2 DESC LIMIT 10``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from anonsql.errors import PolicyError
from anonsql.grammar.conditions import sql_name, statements
from anonsql.grammar.literals import UnsupportedError
from anonsql.query import where
from anonsql.query.select import require_plain, table_of
from anonsql.query.where import Condition

Function = Literal["COUNT", "DISTINCT", "SUM", "AVG", "MIN", "MAX", "MEDIAN"]
SUPPORTED = (
    "Supported: SELECT of COUNT(*), COUNT, COUNT(DISTINCT), SUM, AVG, MIN, MAX and MEDIAN of a"
    " column FROM one table (or several of one release, JOIN ON their keys) WHERE conditions on"
    " single columns (=, <>, <, <=, >, >=, BETWEEN, IN, LIKE 'x%', IS NULL, IS TRUE, with literals;"
    " also of LOWER(text) and YEAR(date)) are joined by AND, OR, NOT, GROUP BY columns or"
    " YEAR(date), ORDER BY what is selected, LIMIT and OFFSET."
)
_FUNCTIONS: dict[type[exp.Expr], Function] = {
    **{exp.Count: "COUNT", exp.Sum: "SUM", exp.Avg: "AVG"},
    **{exp.Min: "MIN", exp.Max: "MAX", exp.Median: "MEDIAN"},
}


@dataclass(frozen=True)
class Selected:
    """One aggregate, over the rows (``column`` None) or over a column's values, and its name in the
    answer. DISTINCT is the number of different values."""

    function: Function
    column: str | None
    title: str

    @property
    def counts(self) -> bool:
        """Whether the aggregate is a number of rows or values."""
        return self.function in ("COUNT", "DISTINCT")


@dataclass(frozen=True)
class Grouping:
    """What rows are grouped by: a column, or the ``year`` of one, and its name in the answer."""

    column: str
    year: bool
    title: str


@dataclass(frozen=True)
class Order:
    """What groups are ordered by: the number of a grouping, or of an ``aggregate``."""

    group: int
    aggregate: int | None
    descending: bool
    nulls_first: bool


@dataclass(frozen=True)
class Parsed:
    """A query: its text, the table, the aggregates, the condition, if there is one, what its rows
    are grouped by, and which groups are shown in which order."""

    sql: str
    table: str
    selected: tuple[Selected, ...]
    where: Condition | None
    groups: tuple[Grouping, ...] = ()
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0


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
    selected = tuple(
        _selected(expression)
        for expression in select.expressions
        if not _is_grouping(expression, groups)
    )
    if not selected:
        raise UnsupportedError("an aggregate is needed, found none")
    return Parsed(
        sql,
        table,
        selected,
        where.parse(condition.this) if condition else None,
        groups,
        _order(select, groups, selected),
        _number(select, "limit"),
        _number(select, "offset") or 0,
    )


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
    select: exp.Select, groups: tuple[Grouping, ...], selected: tuple[Selected, ...]
) -> tuple[Order, ...]:
    """Return what the groups are ordered by."""
    order = select.args.get("order")
    return tuple(
        _ordered(part, select, groups, selected) for part in (order.expressions if order else ())
    )


def _ordered(
    ordered: exp.Expr,
    select: exp.Select,
    groups: tuple[Grouping, ...],
    selected: tuple[Selected, ...],
) -> Order:
    """Return one part of ORDER BY: a place of the SELECT, a name that it gives, a column that rows
    are grouped by, or an aggregate that is selected."""
    sides = bool(ordered.args.get("desc")), bool(ordered.args.get("nulls_first"))
    part = ordered.this.unnest()
    if isinstance(part, exp.Literal) and not part.is_string:
        part = _of_place(select, part, "ORDER BY")
    name = part.name.lower() if isinstance(part, exp.Column) else None
    for number, aggregate in enumerate(selected):
        if name == aggregate.title.lower() or _is_aggregate(part, aggregate):
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


def _is_aggregate(part: exp.Expr, selected: Selected) -> bool:
    """Return whether an expression is an aggregate that is selected."""
    if type(part) not in _FUNCTIONS:
        return False
    same = _selected(part)
    column, other = same.column, selected.column
    return same.function == selected.function and (
        column == other
        or (column is not None and other is not None and column.lower() == other.lower())
    )


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


def _selected(part: exp.Expr) -> Selected:
    """Return an aggregate of the SELECT."""
    aggregate = part.unalias()
    function = _FUNCTIONS.get(type(aggregate))
    if function is None:
        raise UnsupportedError(
            f"{sql_name(aggregate)} is not supported in the place of an aggregate"
        )
    counted, several, title = aggregate.this, aggregate.expressions, function
    if isinstance(counted, exp.Distinct):
        if function != "COUNT" or counted.args.get("on"):
            raise UnsupportedError(f"DISTINCT is not supported but in COUNT, found in {function}")
        function, title = "DISTINCT", "COUNT"
        several = counted.expressions[1:]
        counted = counted.expressions[0]
    if function == "COUNT" and not several and _every_row(counted):
        return Selected(function, None, part.alias or aggregate.sql("duckdb"))
    if not isinstance(counted, exp.Column) or isinstance(counted.this, exp.Star) or several:
        text = name_of_argument(counted)
        raise UnsupportedError(f"{title} of a single column can be answered, not of {text}")
    argument = f"{'DISTINCT ' if function == 'DISTINCT' else ''}{counted.name}"
    return Selected(function, counted.name, part.alias or f"{title}({argument})")


def _every_row(counted: exp.Expr | None) -> bool:
    """Return whether what is counted is ``*``, or a literal that is not NULL."""
    if isinstance(counted, exp.Star):
        return not any(counted.args.values())
    return isinstance(counted, exp.Literal | exp.Boolean)


def name_of_argument(counted: exp.Expr | None) -> str:
    """Return what an aggregate is of, in words."""
    return (
        "nothing"
        if counted is None
        else "several columns"
        if isinstance(counted, exp.Column)
        else sql_name(counted)
    )
