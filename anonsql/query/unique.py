"""Which columns tell the rows of a statement's tables and subqueries apart, and joins along these:
other joins multiply rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from sqlglot import exp

from anonsql.grammar.literals import UnsupportedError
from anonsql.query.allowed import has_aggregate

Key = frozenset[str] | None
"""Columns that tell rows apart: none where there is one row; None where nothing does."""
Equal = tuple[exp.Expr, exp.Expr]


def require_keys(tree: exp.Select, keys: Mapping[str, Collection[str]]) -> None:
    """Raise UnsupportedError for a join in a qualified statement that is not along a key; ``keys``
    are those of its tables, none where a table has none."""
    known: dict[str, Key] = {name: frozenset(key) or None for name, key in keys.items()}
    common = {one.alias: one for one in tree.find_all(exp.CTE)}
    for select in tree.find_all(exp.Select):
        _require(select, known, common)


def _require(select: exp.Select, known: Mapping[str, Key], common: Mapping[str, exp.Expr]) -> None:
    """Raise UnsupportedError where a SELECT joins what is not joined along a key."""
    conditions = [join.args.get("on") for join in select.args.get("joins") or ()]
    where = select.args.get("where")
    conditions += [] if where is None else [where.this]
    equal = [pair for one in conditions if one is not None for pair in _equal(one)]
    before: dict[str, Key] = {}
    for source in sources(select):
        name, key = source.alias_or_name, _key(source, known, common)
        if before and not (
            _covered(name, key, before, equal)
            or any(_covered(other, own, [name], equal) for other, own in before.items())
        ):
            raise UnsupportedError(
                f"{name} is not joined along a key. A join needs equal columns that tell the rows"
                " of one side apart: what a subquery groups by, or all dimensions of a published"
                " table"
            )
        before[name] = key


def sources(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield what stands after FROM and JOIN."""
    for clause in (select.args.get("from_"), *(select.args.get("joins") or ())):
        if clause is not None:
            yield clause.this


def _equal(condition: exp.Expr) -> Iterator[Equal]:
    """Yield what a condition has equal, both ways round."""
    for part in condition.flatten() if isinstance(condition, exp.And) else [condition]:
        inner = part.unnest()
        if isinstance(inner, exp.And):
            yield from _equal(inner)
        elif isinstance(inner, exp.EQ):
            yield inner.this, inner.expression
            yield inner.expression, inner.this


def _covered(name: str, key: Key, others: Collection[str], equal: Sequence[Equal]) -> bool:
    """Return whether the key of what is called ``name`` equals literals and columns of others."""
    return key is not None and key <= {
        one.name
        for one, other in equal
        if isinstance(one, exp.Column) and one.table == name
        if isinstance(other, exp.Literal)
        or (isinstance(other, exp.Column) and other.table in others)
    }


def _key(node: exp.Expr, known: Mapping[str, Key], common: Mapping[str, exp.Expr]) -> Key:
    """Return what tells the rows of a table or query apart."""
    if isinstance(node, exp.Table):
        name = node.name
        return _key(common[name], known, common) if name in common else known[name]
    if isinstance(node, exp.Subquery | exp.CTE):
        return _key(node.this, known, common)
    if not isinstance(node, exp.Select):
        return None
    names = {one.unalias(): one.alias_or_name for one in node.expressions}
    group, (first, *others) = node.args.get("group"), [*sources(node), None]
    if node.args.get("distinct") is not None:
        return None if node.args["distinct"].args.get("on") else frozenset(names.values())
    if group is not None:
        told = group.expressions
    elif any(has_aggregate(one) for one in node.expressions):
        told = []
    else:
        key = None if first is None or len(others) > 1 else _key(first, known, common)
        if key is None or first is None:
            return None
        told = [exp.column(one, first.alias_or_name, quoted=True) for one in key]
    return frozenset(names[one] for one in told) if all(one in names for one in told) else None
