"""What sqlglot translates wrongly for warehouses that nobody executed our statements on, by what
their manuals say."""

from __future__ import annotations

from sqlglot import exp

_LARGEST = 2**63 - 1
"""Whole numbers are written as they are up to this one."""


def mend_bigquery(node: exp.Expression) -> exp.Expression:
    """Return a node in BigQuery's own form. Its weeks begin on Sunday unless they are ISO's, and
    TIMESTAMP_TRUNC takes no DATE, where DATE_TRUNC takes dates and times."""
    if isinstance(node, exp.Literal):
        return _large(node, "BIGDECIMAL")
    if isinstance(node, (exp.TimestampTrunc, exp.DateTrunc)):
        unit = node.text("unit").upper()
        part = exp.Var(this="ISOWEEK" if unit == "WEEK" else unit)
        return exp.Anonymous(this="DATE_TRUNC", expressions=[node.this, part])
    if isinstance(node, exp.Extract) and node.name.upper() == "WEEK":
        return exp.Extract(this=exp.Var(this="ISOWEEK"), expression=node.expression)
    return node


def mend_trino(node: exp.Expression) -> exp.Expression:
    """Return a node in Trino's own form: it hashes bytes, repeats what becomes an array, and cuts a
    timestamp at thousandths of a second unless its type names more digits."""
    if isinstance(node, exp.Literal):
        return _large(node, "DECIMAL(38, 0)")
    moment = exp.DataType.Type.TIMESTAMPNTZ
    if isinstance(node, exp.Cast) and node.to.this == moment and not node.to.expressions:
        node.set("to", exp.DataType.build("TIMESTAMP(6)", "trino"))
    if isinstance(node, exp.MD5):
        bytes_of = exp.Anonymous(this="TO_UTF8", expressions=[node.this])
        return exp.MD5(this=bytes_of)
    if isinstance(node, exp.Repeat):
        padded = [exp.Literal.string(""), node.args["times"], node.this]
        return exp.Anonymous(this="RPAD", expressions=padded)
    return node


def _large(node: exp.Literal, kind: str) -> exp.Expression:
    if node.is_string or not node.this.isdigit() or int(node.this) <= _LARGEST:
        return node
    return exp.Cast(this=exp.Literal.string(node.this), to=exp.DataType.build(kind))
