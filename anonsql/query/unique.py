"""The columns that identify the rows of a statement's tables and subqueries, and joins along these:
other joins multiply rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from sqlglot import exp

from anonsql.grammar.literals import UnsupportedError
from anonsql.query.allowed import has_aggregate

Key = frozenset[str] | None
"""Columns that identify rows: none where there is one row; None if no columns do."""
Equal = tuple[exp.Expr, exp.Expr]


def require_keys(tree: exp.Select, keys: Mapping[str, Collection[str]]) -> None:
    """Raise UnsupportedError for a join in a qualified statement that is not along a key; ``keys``
    are those of its tables, none where a table has none."""
    known: dict[str, Key] = {name: frozenset(key) or None for name, key in keys.items()}
    common = {one.alias: one for one in tree.find_all(exp.CTE)}
    for select in tree.find_all(exp.Select):
        _require(select, known, common)


def _require(select: exp.Select, known: Mapping[str, Key], common: Mapping[str, exp.Expr]) -> None:
    """Raise UnsupportedError if a SELECT has a join that is not along a key."""
    where, clauses = select.args.get("where"), list(_clauses(select))
    sides = [_side(clause) for clause in clauses]
    own = [list(_equal(clause.args.get("on") or exp.true())) for clause in clauses]
    shared = [] if where is None else list(_equal(where.this))
    shared += (pair for pairs, side in zip(own, sides, strict=True) if not side for pair in pairs)
    if {"RIGHT", "FULL"} & {*sides}:
        shared = []  # what these join is not filtered before
    before = list[str]()
    root: tuple[str, Key] = ("", frozenset())  # whose key identifies the joined rows
    for clause, side, pairs in zip(clauses, sides, own, strict=True):
        name, key = clause.this.alias_or_name, _key(clause.this, known, common)
        equal = pairs if side else pairs + shared
        one_each, each_one = _covered(name, key, before, equal), _covered(*root, [name], equal)
        if not (one_each or each_one):
            raise UnsupportedError(
                f"{name} is not joined along a key. A join needs equal columns that identify the"
                " rows of one side: the key of a released table, the grouping of a subquery, or"
                " all dimensions of a published table"
            )
        if not (before and one_each and side in ("", "LEFT")):
            root = name, key if each_one and side in ("", "RIGHT") else None
        before.append(name)


def sources(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield the tables and subqueries after FROM and JOIN."""
    return (clause.this for clause in _clauses(select))


def _clauses(select: exp.Select) -> Iterator[exp.Expr]:
    return filter(None, (select.args.get("from_"), *(select.args.get("joins") or ())))


def _side(clause: exp.Expr) -> str:
    """Return whose rows a join keeps whatever its ON; SEMI and ANTI add none, as LEFT does."""
    side, kind = (str(clause.args.get(name) or "").upper() for name in ("side", "kind"))
    return "LEFT" if kind in ("SEMI", "ANTI") else side


def _equal(condition: exp.Expr) -> Iterator[Equal]:
    """Yield the equalities of a condition, both ways round."""
    for part in condition.flatten() if isinstance(condition, exp.And) else [condition]:
        inner = part.unnest()
        if isinstance(inner, exp.And):
            yield from _equal(inner)
        elif isinstance(inner, exp.EQ | exp.NullSafeEQ):
            one, other = inner.this.unnest(), inner.expression.unnest()
            yield from ((one, other), (other, one))


def _covered(name: str, key: Key, others: Collection[str], equal: Sequence[Equal]) -> bool:
    """Return whether the key of table or query ``name`` equals expressions over others alone."""
    return key is not None and key <= {
        one.name
        for one, other in equal
        if isinstance(one, exp.Column) and one.table == name
        if all(column.table in others for column in other.find_all(exp.Column))
    }


def _key(node: exp.Expr, known: Mapping[str, Key], common: Mapping[str, exp.Expr]) -> Key:
    """Return the columns that identify the rows of a table or query."""
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
