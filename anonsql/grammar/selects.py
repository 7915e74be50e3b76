"""Read-only queries: the SELECT that a policy gives as its source, parsed, held to reading the
tables of one database, and written out again with every table's full name."""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from anonsql.grammar.literals import UnsupportedError

_KINDS: dict[type[exp.Expr], str] = {
    exp.Into: "SELECT INTO writes a table",
    exp.Placeholder: "a parameter has no value here",
    exp.Parameter: "a parameter has no value here",
    exp.Describe: "DESCRIBE is not a SELECT",
    exp.Summarize: "SUMMARIZE is not a SELECT",
}
_OPERANDS = (exp.Table, exp.Subquery, exp.Lateral, exp.Unnest, exp.Values)
"""What may stand behind FROM and JOIN."""


def read(text: str, database: str) -> str:
    """Return a query of DuckDB's dialect whose tables are those of the attached ``database``, by
    their full names, so that nothing else is found under them. Raise UnsupportedError for anything
    but one SELECT of tables and views: other statements, table functions (which read files), tables
    of another database, and tables that are called like a common table expression of the query,
    where it is not certain which of the two is read."""
    query = _parsed(text)
    for node in query.walk():
        _require_reading(node)
    tables = list(query.find_all(exp.Table))
    common = {e.alias.casefold() for e in query.find_all(exp.CTE)}
    for table in tables:
        if not isinstance(table.this, exp.Identifier):
            raise UnsupportedError(
                f"{table.sql(dialect='duckdb')} is not a table of the database: functions that"
                " return tables can read files"
            )
    own = [column for column in tables if column.db or column.name.casefold() not in common]
    inside = {table.name.casefold() for table in own}
    if both := sorted(common & inside):
        raise UnsupportedError(
            f"{both[0]} is a table and also a common table expression (WITH): rename the latter"
        )
    if not own:
        raise UnsupportedError(
            "it reads no table"
            + (", or one with the name of a common table expression (WITH)" if common else "")
        )
    for table in own:
        _qualify(table, database)
    return query.sql(dialect="duckdb", identify=True, comments=False)


def _parsed(text: str) -> exp.Query:
    try:
        expressions = [node for node in sqlglot.parse(text, read="duckdb") if node is not None]
    except (SqlglotError, RecursionError) as error:
        at = error.errors[0] if isinstance(error, ParseError) and error.errors else {}
        where = f" at line {at['line']}, column {at['col']}" if at.get("line") else ""
        raise UnsupportedError(f"this is not an SQL query{where}") from None
    if len(expressions) != 1 or not isinstance(expressions[0], exp.Query):
        raise UnsupportedError("write one SELECT, and nothing else")
    return expressions[0]


def _require_reading(part: exp.Expr) -> None:
    if type(part) in _KINDS:
        raise UnsupportedError(_KINDS[type(part)])
    if isinstance(part, (exp.DDL, exp.DML, exp.Command)) and not isinstance(part, exp.Query):
        raise UnsupportedError("a query may only read")
    if isinstance(part, exp.Lateral) and not isinstance(part.this, (exp.Subquery, exp.Unnest)):
        raise UnsupportedError("LATERAL is allowed only with a subquery: functions can read files")
    expression = part.parent
    operand = isinstance(expression, (exp.From, exp.Join)) and part.arg_key == "this"
    if operand and not isinstance(part, _OPERANDS):
        raise UnsupportedError(f"{part.sql(dialect='duckdb')} is not a table of the database")


def _qualify(table: exp.Table, database: str) -> None:
    if table.catalog:
        raise UnsupportedError(
            f"{table.sql(dialect='duckdb')} is in another database: write only schema and table"
        )
    if not table.db:
        table.set("db", exp.to_identifier("main", quoted=True))
    table.set("catalog", exp.to_identifier(database, quoted=True))
