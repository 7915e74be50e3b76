"""Translation of statements from DuckDB's dialect, in which they are written, to that of another
engine, by sqlglot.

sqlglot's output differs from version to version. So only those versions are allowed that translate
every construct of the templates as a test expects (tests/golden_sql.json). :func:`_mend` corrects
what sqlglot translates wrongly. A test keeps those constructs out of the templates that mean
something else on another engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import sqlglot
from sqlglot import exp

from anonsql.sql import mysql, sqlite, warehouses
from anonsql.sql.dialects import Dialect


def translate(
    statement: str,
    dialect: Dialect,
    renamed: Mapping[str, str] | None = None,
    unlogged: bool = False,
) -> str:
    """Return a statement of DuckDB's dialect in another ``dialect``, with every identifier quoted.

    Tables without a schema get the names that ``renamed`` has for them. With ``unlogged`` a table
    that the statement creates is UNLOGGED, which is PostgreSQL's alone.
    """
    if not renamed:
        return _translated(statement, dialect, unlogged)
    parsed = sqlglot.parse_one(statement, read="duckdb")
    for table in parsed.find_all(exp.Table):
        if not table.db and table.name in renamed:
            table.this.set("this", renamed[table.name])
    return _written(parsed, dialect, unlogged)


def one_query(
    tables: Mapping[str, str], query: str, dialect: Dialect, outside: str, stands_for: str
) -> str:
    """Return a query of DuckDB's dialect in another, for people to read, in which the tables that
    statements create (or other queries return) are common table expressions, in their order. The
    table ``outside`` is written as the text ``stands_for``, as it is."""
    whole: Any = sqlglot.parse_one(query, read="duckdb")
    for name, statement in tables.items():
        made = sqlglot.parse_one(statement, read="duckdb")
        body = made.expression if isinstance(made, exp.Create) else made
        _name_apart(body, name)
        whole = whole.with_(exp.to_identifier(name), as_=body, copy=False)
    for table in whole.find_all(exp.Table):
        if table.name == outside:
            table.set("this", exp.Var(this=stands_for))
    return _written(whole, dialect, False, pretty=True)


def _name_apart(query: exp.Expr, prefix: str) -> None:
    """Prefix the common table expressions of a query: some dialects put all of them on top."""
    own = {
        expression.alias: f"{prefix}_{expression.alias}" for expression in query.find_all(exp.CTE)
    }
    for expression in query.find_all(exp.CTE):
        expression.args["alias"].set("this", exp.to_identifier(own[expression.alias], quoted=True))
    for table in query.find_all(exp.Table):
        if not table.db and table.name in own:
            table.set("this", exp.to_identifier(own[table.name], quoted=True))


def pretty(statement: str, dialect: Dialect) -> str:
    """Return a statement of DuckDB's dialect in another, one clause a line, for people to read."""
    return _written(sqlglot.parse_one(statement, read="duckdb"), dialect, False, pretty=True)


@lru_cache(maxsize=1024)
def _translated(statement: str, dialect: Dialect, unlogged: bool) -> str:
    """Return a statement translated: cached, as half recur and this takes most of the time."""
    return _written(sqlglot.parse_one(statement, read="duckdb"), dialect, unlogged)


def _written(parsed: exp.Expr, dialect: Dialect, unlogged: bool, *, pretty: bool = False) -> str:
    """Return a parsed statement's text in a dialect. The tree is changed, not to be reused."""
    if unlogged and isinstance(parsed, exp.Create) and parsed.kind == "TABLE":
        parsed.set("properties", exp.Properties(expressions=[exp.UnloggedProperty()]))
    mended: exp.Expr = parsed.transform(_mend, dialect, copy=False)
    if mend := _FROM_THE_LEAVES.get(dialect):
        mended = _from_the_leaves(mended, mend)
    return mended.sql(dialect=dialect, identify=True, comments=False, copy=False, pretty=pretty)


_FROM_THE_LEAVES = {
    "sqlite": sqlite.mend,
    "mysql": mysql.mend,
    "bigquery": warehouses.mend_bigquery,
    "trino": warehouses.mend_trino,
}


def _from_the_leaves(root: exp.Expr, mend: Callable[[Any], exp.Expression]) -> exp.Expr:
    for node in reversed(list(root.walk())):
        if (new := mend(node)) is not node:
            if node is root:
                root = new
            else:
                node.replace(new)
    return root


def type_name(name: str, dialect: Dialect) -> str:
    """Return how another dialect spells a type of DuckDB's. A DECIMAL without digits stands for
    PostgreSQL's numeric of any number of digits, which DuckDB lacks."""
    if name == "DECIMAL" and dialect == "postgres":
        return "NUMERIC"
    return exp.DataType.build(name, dialect="duckdb").sql(dialect=dialect)


def _mend(node: exp.Expression, dialect: Dialect) -> exp.Expression:
    """Return a node in the dialect's own form where sqlglot leaves DuckDB's."""
    if isinstance(node, exp.Collate) and dialect not in ("postgres", "duckdb"):
        # the other engines compare text byte by byte without being told; what a node is replaced by
        # is not looked into
        return node.this.transform(_mend, dialect, copy=False)  # type: ignore[no-any-return]
    if isinstance(node, exp.Try) and isinstance(node.this, exp.Decode) and dialect != "duckdb":
        return _decoded(node.this.this.transform(_mend, dialect, copy=False), dialect)
    if dialect == "postgres" and isinstance(node, exp.MD5):
        # the hash is of UTF-8 bytes, whatever the server's encoding
        utf8 = [node.this, exp.Literal.string("UTF8")]
        return exp.MD5(this=exp.Anonymous(this="CONVERT_TO", expressions=utf8))
    if dialect == "postgres" and isinstance(node, (exp.Unhex, exp.Encode)):
        # bytes of hexadecimal digits, and of a text
        unhex = isinstance(node, exp.Unhex)
        rows = [node.this.transform(_mend, dialect, copy=False)]
        rows.append(exp.Literal.string("hex" if unhex else "UTF8"))
        return exp.Anonymous(this="DECODE" if unhex else "CONVERT_TO", expressions=rows)
    if dialect == "postgres" and isinstance(node, exp.RegexpExtract):
        # of expressions without groups that capture, the part that matches; NULL where none does
        rows = [node.this.transform(_mend, dialect, copy=False), node.expression]
        return exp.Anonymous(this="SUBSTRING", expressions=rows)
    if dialect == "postgres" and isinstance(node, exp.Anonymous) and node.name == "BIT_COUNT":
        # it counts bits of strings of bits alone
        bits = exp.Cast(this=node.expressions[0], to=exp.DataType.build("BIT(64)", "postgres"))
        return exp.Anonymous(this="BIT_COUNT", expressions=[bits])
    if (
        dialect == "spark"
        and isinstance(node, (exp.GroupConcat, exp.ArrayAgg))
        and isinstance(node.this, exp.Order)
    ):
        return _collected(node)
    if (
        dialect == "spark"
        and isinstance(node, exp.Window)
        and isinstance(node.this, exp.RowNumber)
        and not any(node.args.get(name) for name in ("order", "partition_by", "alias"))
    ):
        # Spark's ROW_NUMBER needs an order
        return exp.Anonymous(this="MONOTONICALLY_INCREASING_ID")
    return node


_UTF_8 = (
    "^(0[1-9a-f]|[1-7][0-9a-f]|(c[2-9a-f]|d[0-9a-f]|e0[ab][0-9a-f]|e[1-9a-cef][89ab][0-9a-f]"
    "|ed[89][0-9a-f]|f0[9ab][0-9a-f][89ab][0-9a-f]|f[1-3]([89ab][0-9a-f]){2}"
    "|f48[0-9a-f][89ab][0-9a-f])[89ab][0-9a-f])*$"
)
"""Bytes of text in UTF-8 without the zero that PostgreSQL's text lacks, as hexadecimal digits."""


def _decoded(value: exp.Expression, dialect: Dialect) -> exp.Expression:
    if dialect == "sqlite":
        return exp.Anonymous(this="DECODED", expressions=[value])
    if dialect != "postgres":
        return exp.cast(value, "VARCHAR", copy=False)

    def called(name: str, by: str) -> exp.Expression:
        return exp.Anonymous(this=name, expressions=[value.copy(), exp.Literal.string(by)])

    is_text = exp.RegexpLike(this=called("ENCODE", "hex"), expression=exp.Literal.string(_UTF_8))
    decoded = exp.If(this=is_text, true=called("CONVERT_FROM", "UTF8"))
    return exp.Case(ifs=[decoded], default=called("ENCODE", "escape"))


def _collected(node: exp.GroupConcat | exp.ArrayAgg) -> exp.Expression:
    """Return an ordered aggregate in Spark's form: collect pairs of key and value, sort them, and
    take the values. (Spark's collect_list alone has no order and drops NULLs.)"""
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
