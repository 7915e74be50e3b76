"""What sqlglot leaves in DuckDB's form, in SQLite's own.

Functions that SQLite lacks stay as they are: :mod:`anonsql.engines.sqlite.functions` adds
them to each connection.
"""

from __future__ import annotations

from sqlglot import exp

_KEPT_TEXT = (
    exp.DataType.Type.DATE,
    exp.DataType.Type.TIMESTAMP,
    exp.DataType.Type.TIMESTAMPNTZ,
    exp.DataType.Type.DATETIME,
)


def mend(node: exp.Expression) -> exp.Expression:
    """Return a node in SQLite's form."""
    if isinstance(node, exp.Values) and (names := node.alias_column_names):
        return _values(node, names)
    if isinstance(node, exp.Join) and not (node.side or node.kind or node.method):
        # SQLite joins in the order written what is joined by CROSS JOIN: facts before dimensions
        node.set("kind", "CROSS")
        return node
    if isinstance(node, exp.GroupConcat) and isinstance(node.this, exp.Order):
        key = node.this.expressions[0].this
        rows = [node.this.this, node.args["separator"], key]
        return exp.Anonymous(this="JOINED", expressions=rows)
    if isinstance(node, exp.Extract):
        unit = exp.Literal.string(node.name.upper())
        return exp.Anonymous(this="PART_OF", expressions=[unit, node.expression])
    if isinstance(node, (exp.Left, exp.Right)):  # names of joins there
        name = "FIRST_OF" if isinstance(node, exp.Left) else "LAST_OF"
        return exp.Anonymous(this=name, expressions=[node.this, node.expression])
    if isinstance(node, exp.Cast) and node.to.this in _KEPT_TEXT:
        return _moment(node)
    if isinstance(node, exp.Cast) and node.to.this == exp.DataType.Type.DECIMAL:
        return exp.cast(node.this, "DOUBLE", copy=False)
    return node


def _values(node: exp.Values, names: list[str]) -> exp.Expression:
    """Return a VALUES list whose columns have names: SQLite gives them its own."""
    alias = node.alias
    bare = exp.Values(expressions=node.expressions, alias=exp.TableAlias(this="_given"))
    columns = [
        exp.alias_(exp.column(f"column{position}"), name, quoted=True)
        for position, name in enumerate(names, start=1)
    ]
    return exp.select(*columns).from_(bare, copy=False).subquery(alias, copy=False)


def _moment(node: exp.Cast) -> exp.Expression:
    """Return a cast to a day or time, which are texts in SQLite, the day being its beginning."""
    if node.to.this == exp.DataType.Type.DATE:
        return exp.Anonymous(
            this="SUBSTR", expressions=[node.this, *map(exp.Literal.number, (1, 10))]
        )
    return exp.Anonymous(this="TO_MOMENT", expressions=[node.this])
