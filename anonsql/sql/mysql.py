"""What sqlglot leaves in DuckDB's form, in that of MariaDB and MySQL."""

from __future__ import annotations

from sqlglot import exp

_MOMENTS = (
    exp.DataType.Type.TIMESTAMP,
    exp.DataType.Type.TIMESTAMPNTZ,
    exp.DataType.Type.DATETIME,
)


def mend(node: exp.Expression) -> exp.Expression:
    """Return a node in MariaDB's form."""
    if isinstance(node, exp.Filter):
        return _filtered(node)
    if isinstance(node, exp.Join) and not (node.side or node.kind or node.method):
        # tables are joined in the order written, facts before dimensions: without statistics the
        # server would begin with the product of all dimensions
        node.set("kind", "STRAIGHT_JOIN")
    if isinstance(node, exp.Create) and node.kind == "VIEW":
        _untie(node)
    if isinstance(node, exp.Order):
        node.set("expressions", [entry for key in node.expressions for entry in _ordered(key)])
    if isinstance(node, exp.Translate):
        return _replaced(node)
    if isinstance(node, exp.Trim) and node.expression is not None:
        # it removes a text there, and not characters
        characters = node.expression.name
        by = exp.Literal.string(f"^[{characters}]+|[{characters}]+$")
        rows = [node.this, by, exp.Literal.string("")]
        return exp.Anonymous(this="REGEXP_REPLACE", expressions=rows)
    if isinstance(node, exp.SplitPart):
        return _part(node)
    if isinstance(node, exp.Encode):  # text is UTF-8 in all sessions
        return exp.Cast(this=node.this, to=exp.DataType.build("BINARY", "mysql"))
    if isinstance(node, exp.Cast) and node.to.this in _MOMENTS and not node.to.expressions:
        # without digits of its own a moment loses its part of a second
        node.set("to", exp.DataType.build("DATETIME(6)", "mysql"))
    if isinstance(node, exp.RegexpLike):
        anonymous = exp.Anonymous(this="REGEXP_INSTR", expressions=[node.this, node.expression])
        return exp.GT(this=anonymous, expression=exp.Literal.number(0))
    if isinstance(node, exp.RegexpExtract):
        rows = [node.this, node.expression]
        return exp.Anonymous(this="REGEXP_SUBSTR", expressions=rows)
    return node


def _untie(view: exp.Create) -> None:
    """Let the casts to text of a view be joins of text: the server would keep a collation with
    them, another one than that of the tables."""
    for cast in list(view.find_all(exp.Cast)):
        if cast.to.is_type(*exp.DataType.TEXT_TYPES):
            text = [cast.this, exp.Literal.string("")]
            cast.replace(exp.Anonymous(this="CONCAT", expressions=text))


def _ordered(key: exp.Expression) -> list[exp.Expression]:
    """Return a key of an order behind one for NULLs, which are the least values otherwise."""
    if not isinstance(key, exp.Ordered):
        return [key]
    first, falling = bool(key.args.get("nulls_first")), bool(key.args.get("desc"))
    if first != falling:
        return [key]
    key.set("nulls_first", not falling)
    missing = exp.Is(this=key.this.copy(), expression=exp.Null())
    return [exp.Ordered(this=missing, desc=falling, nulls_first=not falling), key]


def _part(node: exp.SplitPart) -> exp.Expression:
    """Return a part of a split text, which is empty where there are fewer."""
    text, by, part = node.this, node.args["delimiter"], node.args["part_index"]

    def until(inner: exp.Expression, count: exp.Expression) -> exp.Expression:
        return exp.Anonymous(this="SUBSTRING_INDEX", expressions=[inner, by.copy(), count])

    if part.name == "1":
        return until(text, part)
    last = until(until(text.copy(), part), exp.Literal.number(-1))
    there = exp.Anonymous(this="INSTR", expressions=[text.copy(), by.copy()])
    known = exp.If(this=exp.GT(this=there, expression=exp.Literal.number(0)), true=last)
    missing = exp.Is(this=text.copy(), expression=exp.Null())
    empty = exp.If(this=exp.Not(this=missing), true=exp.Literal.string(""))
    return exp.Case(ifs=[known, empty])


def _filtered(node: exp.Filter) -> exp.Expression:
    """Return an aggregate over the rows of a condition: over CASE, for lack of FILTER."""
    aggregate, condition = node.this, node.expression.this
    inner = aggregate.this
    distinct = isinstance(inner, exp.Distinct)
    value = inner.expressions[0] if distinct else inner
    if isinstance(value, exp.Star):
        value = exp.Literal.number(1)
    case = exp.Case(ifs=[exp.If(this=condition, true=value)])
    aggregate.set("this", exp.Distinct(expressions=[case]) if distinct else case)
    return aggregate  # type: ignore[no-any-return]


def _replaced(node: exp.Translate) -> exp.Expression:
    """Return a translation of single characters as a chain of replacements. No replacement is
    replaced again where no character is on both sides."""
    text, old, new = node.this, node.args["from_"], node.args["to"]
    for one, other in zip(old.name, new.name, strict=True):
        arguments = [text, exp.Literal.string(one), exp.Literal.string(other)]
        text = exp.Anonymous(this="REPLACE", expressions=arguments)
    return text  # type: ignore[no-any-return]
