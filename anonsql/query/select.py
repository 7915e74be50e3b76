"""The SELECT of a query: one table, and nothing but conditions and groups."""

from __future__ import annotations

from sqlglot import exp

from anonsql.grammar.conditions import sql_name
from anonsql.grammar.literals import UnsupportedError

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
        raise UnsupportedError(f"one table is needed after FROM, found {text}")
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
                f"{column.sql('duckdb')} is a column of another table than {'.'.join(known[0])}"
            )
    return ".".join(parts)
