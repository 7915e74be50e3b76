"""What sqlglot leaves in DuckDB's form, in that of MariaDB and MySQL."""

from __future__ import annotations

from sqlglot import exp


def mend(node: exp.Expression) -> exp.Expression:
    """Return a node in MariaDB's form."""
    if isinstance(node, exp.Filter):
        return _filtered(node)
    if isinstance(node, exp.Select) and node.args.get("joins"):
        # tables are joined in the order written, facts before dimensions: without statistics the
        # server would begin with the product of all dimensions
        node.set("operation_modifiers", [exp.var("STRAIGHT_JOIN")])
    if isinstance(node, exp.Anonymous) and node.name.upper() == "TRANSLATE":
        return _replaced(node)
    return node


def _filtered(node: exp.Filter) -> exp.Expression:
    """Return an aggregate over the rows that a condition selects: over CASE, as there is no
    FILTER."""
    aggregate, condition = node.this, node.expression.this
    inner = aggregate.this
    distinct = isinstance(inner, exp.Distinct)
    value = inner.expressions[0] if distinct else inner
    if isinstance(value, exp.Star):
        value = exp.Literal.number(1)
    case = exp.Case(ifs=[exp.If(this=condition, true=value)])
    aggregate.set("this", exp.Distinct(expressions=[case]) if distinct else case)
    return aggregate  # type: ignore[no-any-return]


def _replaced(node: exp.Anonymous) -> exp.Expression:
    """Return a translation of single characters as a chain of replacements. No replacement is
    replaced again where no character is on both sides."""
    text, old, new = node.expressions
    for one, other in zip(old.name, new.name, strict=True):
        arguments = [text, exp.Literal.string(one), exp.Literal.string(other)]
        text = exp.Anonymous(this="REPLACE", expressions=arguments)
    return text  # type: ignore[no-any-return]
