"""Read-only queries: the SELECT that a policy gives as its source, parsed, held to reading the
tables of one database, and written out again with every table's full name."""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import traverse_scope

from anonsql.grammar.literals import UnsupportedError

_KINDS: dict[type[exp.Expr], str] = {
    exp.Into: "SELECT INTO writes a table",
    exp.Placeholder: "a parameter has no value here",
    exp.Parameter: "a parameter has no value here",
}


def read(text: str, database: str) -> str:
    """Return a query of DuckDB's dialect whose tables are those of the attached ``database``, by
    their full names, so that nothing else is found under them. Raise UnsupportedError for anything
    but one SELECT of tables and views: other statements, table functions (which read files), tables
    of another database."""
    try:
        found = [each for each in sqlglot.parse(text, read="duckdb") if each is not None]
    except (SqlglotError, RecursionError) as error:
        reason = (str(error).splitlines() or ["it is nested too deeply"])[0].rstrip(".")
        raise UnsupportedError(f"this is no SQL query: {reason}") from None
    if len(found) != 1 or not isinstance(found[0], exp.Query):
        raise UnsupportedError("one SELECT is needed, and nothing else")
    query = found[0]
    for each in query.walk():
        if type(each) in _KINDS:
            raise UnsupportedError(_KINDS[type(each)])
        if isinstance(each, (exp.DDL, exp.DML, exp.Command)) and not isinstance(each, exp.Query):
            raise UnsupportedError("a query reads, and changes nothing")
    common = {
        id(table)
        for scope in traverse_scope(query)
        for name, (table, source) in scope.selected_sources.items()
        if not isinstance(source, exp.Table)
    }
    tables = [each for each in query.find_all(exp.Table) if id(each) not in common]
    if not tables:
        raise UnsupportedError("it reads no table")
    for table in tables:
        _qualify(table, database)
    return query.sql(dialect="duckdb", identify=True, comments=False)


def _qualify(table: exp.Table, database: str) -> None:
    """Give a table its full name."""
    if not isinstance(table.this, exp.Identifier):
        raise UnsupportedError(
            f"{table.sql(dialect='duckdb')} is no table of the database: functions that make tables"
            " can read files"
        )
    if table.catalog:
        raise UnsupportedError(
            f"{table.sql(dialect='duckdb')} lies in another database: name schema and table alone"
        )
    if not table.db:
        table.set("db", exp.to_identifier("main", quoted=True))
    table.set("catalog", exp.to_identifier(database, quoted=True))
