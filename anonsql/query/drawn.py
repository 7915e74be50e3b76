"""Answers from completed draws: a statement's results on each draw, pooled.

A statement returns groups (with aggregates, GROUP BY or DISTINCT) or rows. Groups of different
draws are the same if their keys are equal. Keys are the outputs not computed over rows, and other
expressions of GROUP BY. Computed outputs are pooled by Rubin's rules: the estimate is the mean over
the draws, its standard error the root of (1 + 1/m) times the variance between the draws.
"""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from statistics import fmean, variance
from typing import Any

from sqlglot import exp

from anonsql.grammar.literals import UnsupportedError
from anonsql.query.allowed import has_aggregate, is_computed
from anonsql.query.unique import sources

Shown = str | int | float | bool | None
Key = tuple[Any, ...]


@dataclass(frozen=True)
class Ordering:
    """A term of the answer's ORDER BY: an output, by its number."""

    output: int
    descending: bool
    nulls_first: bool


@dataclass(frozen=True)
class Plan:
    """How a statement is executed on the draws: the syntax tree, without order and limit where it
    gives groups, the ``titles`` of the outputs that are shown, which of all outputs are ``keys``,
    and the shown part of the groups."""

    tree: exp.Select
    titles: Sequence[str]
    keys: Sequence[int]
    grouped: bool
    order: Sequence[Ordering] = ()
    limit: int | None = None
    offset: int = 0

    @property
    def values(self) -> list[int]:
        """The outputs that are computed and shown."""
        return [number for number in range(len(self.titles)) if number not in self.keys]


@dataclass(frozen=True)
class Pooled:
    """One output of a group over all draws: ``draws`` of them have a number, or another value than
    NULL; ``error`` is None if it is unknown."""

    estimate: Shown
    draws: int
    error: float | None = None


@dataclass(frozen=True)
class Group:
    """A group of the answer: all its outputs, and in how many draws it occurs."""

    outputs: Mapping[int, Pooled]
    draws: int


def plan(tree: exp.Select, titles: Sequence[str], expressions: Mapping[str, exp.Expr]) -> Plan:
    """Return how a qualified statement is asked; ``expressions`` are its common table expressions.
    Raise UnsupportedError for a LIMIT that is no number."""
    tree = tree.copy()
    limit, offset = number_of(tree, "limit"), number_of(tree, "offset") or 0
    if not (has_own_groups(tree) or _is_grouped(tree, expressions)):
        return Plan(tree, titles, (), False, (), limit, offset)
    own, names = has_own_groups(tree), [one.alias_or_name for one in tree.expressions]
    outputs = [one.unalias() for one in tree.expressions]
    keys = [
        number
        for number, output in enumerate(outputs)
        if not (is_computed(output) if own else _derives(output, tree, expressions))
    ]
    distinct = tree.args.get("distinct") is not None
    if not distinct:
        for key in _grouping_keys(tree):
            if key not in outputs:
                outputs.append(key)
                keys.append(len(outputs) - 1)
    order = []
    for part in tree.args["order"].expressions if tree.args.get("order") else ():
        number = _output_of(part.this, outputs, names)
        if number is None:
            if distinct or any(not column.table for column in part.find_all(exp.Column)):
                raise UnsupportedError(
                    f"ORDER BY {part.this.sql('duckdb')} is not among the selected columns"
                )
            outputs.append(part.this)
            number = len(outputs) - 1
        sides = bool(part.args.get("desc")), bool(part.args.get("nulls_first"))
        order.append(Ordering(number, *sides))
    named = [
        exp.alias_(output.copy(), f"output_{number}", quoted=True)
        for number, output in enumerate(outputs)
    ]
    for clause in ("order", "limit", "offset"):
        tree.set(clause, None)
    tree.set("expressions", named)
    return Plan(tree, titles, keys, True, order, limit, offset)


def _output_of(part: exp.Expr, outputs: Sequence[exp.Expr], names: Sequence[str]) -> int | None:
    """Return which output ORDER BY names; None where it is none of them."""
    if isinstance(part, exp.Column) and not part.table and part.name in names:
        return names.index(part.name)
    return outputs.index(part) if part in outputs else None


def number_of(select: exp.Select, clause: str) -> int | None:
    """Return the number of LIMIT or OFFSET (``clause``), None without; raise UnsupportedError where
    it is no number."""
    part = select.args.get(clause)
    if part is None:
        return None
    number = part.args.get("expression")
    if part.args.get("limit_options") or not isinstance(number, exp.Literal) or not number.is_int:
        raise UnsupportedError(f"{clause.upper()} needs a whole number")
    return int(number.this)


def has_own_groups(select: exp.Select) -> bool:
    """Return whether a SELECT makes groups of its rows."""
    parts = [*select.expressions, select.args.get("having"), select.args.get("order")]
    return any(select.args.get(key) for key in ("group", "distinct", "having")) or any(
        has_aggregate(part) for part in parts if part is not None
    )


def _is_grouped(query: exp.Expr, expressions: Mapping[str, exp.Expr]) -> bool:
    """Return whether a query returns groups, and not rows of a table."""
    if isinstance(query, exp.Subquery | exp.CTE):
        return _is_grouped(query.this, expressions)
    if isinstance(query, exp.Table):
        return query.name in expressions and _is_grouped(expressions[query.name], expressions)
    if isinstance(query, exp.SetOperation):
        return _is_grouped(query.this, expressions) and _is_grouped(query.expression, expressions)
    return isinstance(query, exp.Select) and (
        has_own_groups(query) or all(_is_grouped(one, expressions) for one in sources(query))
    )


def _derives(part: exp.Expr, select: exp.Select, expressions: Mapping[str, exp.Expr]) -> bool:
    """Return whether an expression is computed over rows, in its SELECT or in one that it reads."""
    if is_computed(part):
        return True
    by_name = {source.alias_or_name: source for source in sources(select)}
    return any(
        _computes(by_name[column.table], column.name, expressions)
        for column in part.find_all(exp.Column)
        if column.table in by_name
    )


def _computes(query: exp.Expr, name: str, expressions: Mapping[str, exp.Expr]) -> bool:
    """Return whether an output column of a query is computed over rows."""
    if isinstance(query, exp.Table):
        if query.name not in expressions:
            return False
        query = expressions[query.name]
    names = query.args["alias"].args.get("columns") if query.args.get("alias") else None
    while isinstance(query, exp.Subquery | exp.CTE):
        query = query.this
    if isinstance(query, exp.SetOperation):
        return any(_computes(side, name, expressions) for side in (query.this, query.expression))
    if not isinstance(query, exp.Select):
        return True
    for position, output in enumerate(query.expressions):
        called = names[position].name if names else output.alias_or_name
        if called == name:
            return _derives(output.unalias(), query, expressions)
    return True


def _grouping_keys(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield the grouping expressions of a SELECT; with ROLLUP, CUBE or GROUPING SETS also whether a
    row is a total over each of them."""
    group = select.args.get("group")
    for part in group.expressions if group is not None else ():
        for key in _flat(part):
            yield key
            if isinstance(part, _ROLLED):
                yield exp.Grouping(expressions=[key.copy()])


_ROLLED = (exp.Rollup, exp.Cube, exp.GroupingSets)


def _flat(part: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the expressions inside ROLLUP, CUBE, GROUPING SETS or parentheses."""
    if isinstance(part, (*_ROLLED, exp.Tuple, exp.Paren)):
        inner = [part.this] if isinstance(part, exp.Paren) else part.expressions
        for one in inner:
            yield from _flat(one)
    else:
        yield part


def pooled(plan_: Plan, draws: Sequence[Sequence[Sequence[Any]]]) -> list[Group]:
    """Return the groups of all draws, from the rows of each draw, in the order that the statement
    asks for; without one, by their keys. Raise UnsupportedError if rows of a draw have the same
    key."""
    by_key: dict[Key, list[Sequence[Any]]] = {}
    for rows in draws:
        keys = [tuple(row[number] for number in plan_.keys) for row in rows]
        if len(set(keys)) < len(keys):
            raise UnsupportedError(
                "the rows of the answer cannot be distinguished: SELECT the columns they are"
                " grouped by"
            )
        for key, row in zip(keys, rows, strict=True):
            by_key.setdefault(key, []).append(row)
    ordered = sorted(by_key.items(), key=lambda item: [_sortable(value) for value in item[0]])
    groups = []
    for key, rows in ordered:
        own = dict(zip(plan_.keys, key, strict=True))
        outputs = {
            number: Pooled(_shown(own[number]), len(rows))
            if number in own
            else _pool([row[number] for row in rows])
            for number in range(len(rows[0]))
        }
        groups.append(Group(outputs, len(rows)))
    for order in reversed(plan_.order):
        known = [one for one in groups if one.outputs[order.output].estimate is not None]
        nulls = [one for one in groups if one.outputs[order.output].estimate is None]
        known.sort(key=partial(_place, order.output), reverse=order.descending)
        groups = nulls + known if order.nulls_first else known + nulls
    return groups


def _place(output: int, group: Group) -> tuple[int, Any]:
    """Return the sort key of a group."""
    return _sortable(group.outputs[output].estimate)


def cut(plan_: Plan, groups: Sequence[Group]) -> Sequence[Group]:
    """Return the groups that LIMIT and OFFSET select."""
    end = None if plan_.limit is None else plan_.offset + plan_.limit
    return groups[plan_.offset : end]


def _sortable(value: Any) -> tuple[int, Any]:
    """Return a value as it can be compared with any other."""
    if value is None:
        return 2, 0
    return (0, value) if isinstance(value, int | float | Decimal) else (1, str(value))


def _pool(values: Sequence[Any]) -> Pooled:
    """Pool the values of the draws: the mean of the numbers, and its standard error. For other
    values, return the value of most draws."""
    known = [value for value in values if value is not None]
    numbers = [
        float(value)
        for value in known
        if isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    ]
    if len(numbers) < len(known):
        counts = Counter(_shown(value) for value in known)
        most = min(counts, key=lambda value: (-counts[value], _sortable(value)))
        return Pooled(most, len(known))
    finite = [number for number in numbers if math.isfinite(number)]
    if not finite:
        return Pooled(None, 0)
    count = len(finite)
    error = math.sqrt((1 + 1 / count) * variance(finite)) if count > 1 else None
    return Pooled(_plain(fmean(finite)), count, error)


def _plain(number: float) -> int | float:
    """Return a whole number as one."""
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _shown(value: Any) -> Shown:
    """Return a value as documents show it."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Decimal):
        return _plain(float(value))
    if isinstance(value, dt.datetime):
        there = value if value.tzinfo is None else value.astimezone(dt.UTC).replace(tzinfo=None)
        return there.isoformat(sep=" ")
    return str(value)


def rows(titles: Sequence[str], some: Sequence[Sequence[Any]]) -> list[dict[str, Shown]]:
    """Return rows of one draw as documents show them."""
    return [dict(zip(titles, map(_shown, row), strict=True)) for row in some]
