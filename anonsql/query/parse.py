"""The queries that can be answered from a release: ``SELECT a, COUNT(*), SUM(b), … FROM t WHERE …
GROUP BY a ORDER BY 2 DESC LIMIT 10``, of one table. An aggregate is of all rows or of a column's
values, or of the rows that a FILTER picks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sqlglot import exp

from anonsql.errors import PolicyError
from anonsql.grammar.conditions import sql_name, statements
from anonsql.grammar.literals import UnsupportedError
from anonsql.query import having as having_conditions
from anonsql.query import where
from anonsql.query.having import Having
from anonsql.query.where import Atom, Condition, JoinedCondition

Function = Literal["COUNT", "SUM", "AVG", "MIN", "MAX"]
_FUNCTIONS: dict[type[exp.Expr], Function] = {
    **{exp.Count: "COUNT", exp.Sum: "SUM", exp.Avg: "AVG"},
    **{exp.Min: "MIN", exp.Max: "MAX"},
}


@dataclass(frozen=True)
class Selected:
    """One aggregate, over the rows (``column`` None) or over a column's values, and its name in the
    answer; its rows satisfy a condition of its own, ``where`` there is one."""

    function: Function
    column: str | None
    title: str
    where: Condition | None = None

    @property
    def counts(self) -> bool:
        """Whether the aggregate is a number of rows or values."""
        return self.function == "COUNT"

    def same(self, other: Selected) -> bool:
        """Return whether another aggregate is this one under a title of its own."""
        kinds = [
            (one.function, (one.column or "").lower(), one.column is None, one.where)
            for one in (self, other)
        ]
        return kinds[0] == kinds[1]


def read(part: exp.Expr) -> Selected:
    """Return an expression as an aggregate; raise UnsupportedError naming any other expression."""
    aggregate = part.unalias().unnest()
    if isinstance(aggregate, exp.Filter):
        inner, own = read(aggregate.this), where.parse(aggregate.expression.this)
        both = own if inner.where is None else JoinedCondition("AND", (inner.where, own))
        return replace(inner, title=part.alias or aggregate.sql("duckdb"), where=both)
    function = _FUNCTIONS.get(type(aggregate))
    if function is None:
        raise UnsupportedError(
            f"bounds need COUNT, SUM, AVG, MIN or MAX, found {sql_name(aggregate)}"
        )
    counted, several = aggregate.this, aggregate.expressions
    if isinstance(counted, exp.Distinct):
        raise UnsupportedError(f"DISTINCT is not supported in {function}")
    if function == "COUNT" and not several and _every_row(counted):
        return Selected(function, None, part.alias or aggregate.sql("duckdb"))
    if not isinstance(counted, exp.Column) or isinstance(counted.this, exp.Star) or several:
        text = _argument(counted)
        raise UnsupportedError(f"{function} needs a single column, found {text}")
    return Selected(function, counted.name, part.alias or f"{function}({counted.name})")


def _every_row(counted: exp.Expr | None) -> bool:
    """Return whether the argument of COUNT is ``*``, or a literal that is not NULL."""
    if isinstance(counted, exp.Star):
        return not any(counted.args.values())
    return isinstance(counted, exp.Literal | exp.Boolean)


def _argument(counted: exp.Expr | None) -> str:
    """Return the name of an aggregate's argument in messages."""
    if counted is None:
        return "nothing"
    return "several columns" if isinstance(counted, exp.Column) else sql_name(counted)


_CLAUSES = {
    "joins": "JOIN",
    "group": "GROUP BY",
    "order": "ORDER BY",
    "limit": "LIMIT",
    "offset": "OFFSET",
    "with_": "WITH",
    "laterals": "LATERAL",
    "windows": "WINDOW",
}
_GROUPED = {"group", "having", "order", "limit", "offset"}
_PLAIN = {"expressions", "from", "from_", "where", "kind", "hint", "operation_modifiers"}


def require_plain(statement: exp.Expr, *, groups: bool = False) -> exp.Select:
    """Return the statement, which must be a SELECT from one table with nothing but conditions, and
    ``groups``, their order and number where those may be."""
    if not isinstance(statement, exp.Select):
        raise UnsupportedError(f"a SELECT is needed, found {sql_name(statement)}")
    for key, value in statement.args.items():
        if value and key not in _PLAIN and not (groups and key in _GROUPED):
            raise UnsupportedError(f"{_CLAUSES.get(key, key.upper().strip('_'))} is not supported")
    return statement


def table_of(statement: exp.Select) -> str:
    """Return the table that a SELECT is from, with its schema where it has one; raise
    UnsupportedError when there is none, its columns are renamed, or a column is said to be of
    another table."""
    source = statement.args.get("from_") or statement.args.get("from")
    table = source.this if source is not None else None
    if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
        text = "nothing" if table is None else sql_name(table)
        raise UnsupportedError(f"FROM needs exactly one table, found {text}")
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
    known = [[table.alias]] if table.alias else [parts[position:] for position in range(len(parts))]
    for column in statement.find_all(exp.Column):
        qualifier = [part.name.lower() for part in column.parts[:-1]]
        if qualifier and qualifier not in [[part.lower() for part in row] for row in known]:
            raise UnsupportedError(
                f"{column.sql('duckdb')} belongs to a table other than {'.'.join(known[0])}"
            )
    return ".".join(parts)


SUPPORTED = (
    "Bounds are available for COUNT(*), and for COUNT, SUM, AVG, MIN and MAX of a column, with"
    " FILTER. The query reads FROM one table. WHERE joins conditions on single columns by AND, OR,"
    " NOT (=, <>, <, <=, >, >=, BETWEEN, IN, LIKE 'x%', IS NULL, IS TRUE, with literals). It may"
    " have GROUP BY columns, HAVING with aggregates compared with numbers, ORDER BY selected"
    " columns, LIMIT and OFFSET."
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
    """A query: its text, the table, its aggregates, the condition, if there is one, its groupings,
    the groups to show and their order, and the condition of HAVING. The answer has the first
    ``shown`` aggregates, all of them where it is None; HAVING needs the others."""

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
    """Return a query read from SQL, in DuckDB's dialect; raise PolicyError naming the part that
    cannot be answered from a release."""
    try:
        return _parse(sql)
    except UnsupportedError as error:
        raise refused(str(error)) from None


def _parse(sql: str) -> Parsed:
    """Parse as :func:`parse` does; raise UnsupportedError where that raises PolicyError."""
    expressions = statements(sql)
    if len(expressions) != 1:
        raise UnsupportedError(f"write exactly one statement, found {len(expressions)}")
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
    """Return the condition of HAVING, and add its aggregates to those that are ``selected``. A name
    that the SELECT gives is replaced by the expression of that name."""
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
        f"ORDER BY {part.sql('duckdb')} is not among the selected or grouped columns"
    )


def _of_place(select: exp.Select, literal: exp.Literal, clause: str) -> exp.Expr:
    """Return the expression at a place of the SELECT, counted from 1."""
    position = int(literal.this) if str(literal.this).isdigit() else 0
    if not 1 <= position <= len(select.expressions):
        raise UnsupportedError(f"{clause} {literal.this} is not the number of a selected column")
    expression: exp.Expr = select.expressions[position - 1].unalias()
    return expression


def _groupings(select: exp.Select) -> tuple[Grouping, ...]:
    """Return the groupings of the rows, with their names in the SELECT."""
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
    """Return whether a part of the SELECT is one of the groupings."""
    return any(_same(part.unalias(), group.column) for group in groups)
