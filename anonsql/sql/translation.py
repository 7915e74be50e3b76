"""Translation of statements, which are written in DuckDB's dialect, to other engines' by sqlglot.

sqlglot's output differs from version to version, so only versions are allowed that translate every
construct of the templates as a test expects (tests/golden_sql.json). What sqlglot translates
wrongly, :func:`_mend` mends; constructs that mean something else on another engine a test keeps out
of the templates.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import sqlglot
from sqlglot import exp

from anonsql.sql.dialects import Dialect


def translate(
    statement: str,
    dialect: Dialect,
    renamed: Mapping[str, str] | None = None,
    unlogged: bool = False,
) -> str:
    """Return a statement of DuckDB's dialect in another, every identifier quoted; tables without a
    schema get the names that ``renamed`` has for them, ``unlogged`` makes the tables that
    PostgreSQL creates unlogged."""
    if not renamed:
        return _translated(statement, dialect, unlogged)
    parsed = sqlglot.parse_one(statement, read="duckdb")
    for table in parsed.find_all(exp.Table):
        if not table.db and table.name in renamed:
            table.this.set("this", renamed[table.name])
    return _written(parsed, dialect, unlogged)


@lru_cache(maxsize=1024)
def _translated(statement: str, dialect: Dialect, unlogged: bool) -> str:
    """Translate a statement, cached: half of them recur, and translating takes longest."""
    return _written(sqlglot.parse_one(statement, read="duckdb"), dialect, unlogged)


def _written(parsed: exp.Expr, dialect: Dialect, unlogged: bool) -> str:
    """Write a statement of DuckDB's dialect in another; its syntax tree cannot be used
    afterwards."""
    if unlogged and isinstance(parsed, exp.Create):
        parsed.set("properties", exp.Properties(expressions=[exp.UnloggedProperty()]))
    mended = parsed.transform(_mend, dialect, copy=False)
    return mended.sql(dialect=dialect, identify=True, comments=False, copy=False)


def type_name(name: str, dialect: Dialect) -> str:
    """Return a type of DuckDB's spelling in another dialect's; a bare DECIMAL is PostgreSQL's
    numeric of any number of digits, which DuckDB lacks."""
    if name == "DECIMAL" and dialect == "postgres":
        return "NUMERIC"
    return exp.DataType.build(name, dialect="duckdb").sql(dialect=dialect)


def _mend(node: exp.Expression, dialect: Dialect) -> exp.Expression:
    """Return an expression in the dialect's own form where sqlglot leaves DuckDB's."""
    if isinstance(node, exp.Collate) and dialect not in ("postgres", "duckdb"):
        # elsewhere text is compared byte by byte as it is
        return node.this  # type: ignore[no-any-return]
    if dialect == "postgres" and isinstance(
        node, exp.MD5
    ):  # of the same bytes whatever the server's encoding
        return exp.MD5(
            this=exp.Anonymous(
                this="CONVERT_TO", expressions=[node.this, exp.Literal.string("UTF8")]
            )
        )
    if (
        dialect == "spark"
        and isinstance(node, (exp.GroupConcat, exp.ArrayAgg))
        and isinstance(node.this, exp.Order)
    ):
        return _collected(node)
    if dialect == "spark" and isinstance(node, exp.Window) and isinstance(node.this, exp.RowNumber):
        if not any(node.args.get(each) for each in ("order", "partition_by", "alias")):
            return exp.Anonymous(
                this="MONOTONICALLY_INCREASING_ID"
            )  # Spark numbers no rows without an order
        return node
    return node


def _collected(node: exp.GroupConcat | exp.ArrayAgg) -> exp.Expression:
    """Return an ordered aggregate for Spark, whose collect_list has no order and drops NULLs: pairs
    of key and value, sorted."""
    value, key = node.this.this, node.this.expressions[0].this
    pair = exp.Anonymous(
        this="NAMED_STRUCT",
        expressions=[exp.Literal.string("k"), key, exp.Literal.string("v"), value],
    )
    ordered = exp.Anonymous(
        this="ARRAY_SORT", expressions=[exp.Anonymous(this="COLLECT_LIST", expressions=[pair])]
    )
    taken = exp.Lambda(
        this=exp.Dot(this=exp.to_identifier("e"), expression=exp.to_identifier("v")),
        expressions=[exp.to_identifier("e")],
    )
    values = exp.Anonymous(this="TRANSFORM", expressions=[ordered, taken])
    if isinstance(node, exp.ArrayAgg):
        return values
    return exp.Anonymous(this="ARRAY_JOIN", expressions=[values, node.args["separator"]])
