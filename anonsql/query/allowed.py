"""The syntax that is allowed in a statement on the completed draws of a release.

The list names what is allowed: any other syntax is refused by its name, whatever it would do. None
of it reads anything except the tables after FROM, and none depends on chance, on time, or on the
user.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set

from sqlglot import exp

from anonsql.grammar.conditions import sql_name
from anonsql.grammar.literals import UnsupportedError

_CLAUSES: tuple[type[exp.Expr], ...] = (
    *(exp.Select, exp.Subquery, exp.Union, exp.Except, exp.Intersect, exp.With, exp.CTE),
    *(exp.From, exp.Join, exp.Where, exp.Group, exp.Rollup, exp.Cube, exp.GroupingSets),
    *(exp.Having, exp.Qualify, exp.Order, exp.Ordered, exp.Limit, exp.Offset, exp.Distinct),
    *(exp.Table, exp.TableAlias, exp.Alias, exp.Identifier, exp.Column, exp.Star, exp.Paren),
    *(exp.Tuple, exp.Window, exp.WindowSpec, exp.Filter, exp.WithinGroup, exp.IgnoreNulls),
    exp.RespectNulls,
)
_OPERATORS: tuple[type[exp.Expr], ...] = (
    *(exp.Literal, exp.Boolean, exp.Null, exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.LT),
    *(exp.LTE, exp.GT, exp.GTE, exp.Between, exp.In, exp.Is, exp.Like, exp.ILike, exp.Exists),
    *(exp.NullSafeEQ, exp.NullSafeNEQ, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod),
    *(exp.Neg, exp.DPipe, exp.Case, exp.If, exp.Cast, exp.TryCast, exp.DataType),
    *(exp.DataTypeParam, exp.Interval, exp.Var),
)
_AGGREGATES: tuple[type[exp.Expr], ...] = (
    *(exp.Count, exp.CountIf, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Median, exp.Mode),
    *(exp.Quantile, exp.PercentileCont, exp.PercentileDisc, exp.Stddev, exp.StddevSamp),
    *(exp.StddevPop, exp.Variance, exp.VariancePop, exp.Corr, exp.CovarPop, exp.CovarSamp),
    *(exp.RegrSlope, exp.RegrIntercept, exp.RegrR2, exp.RegrCount, exp.Kurtosis, exp.Skewness),
    *(exp.LogicalOr, exp.LogicalAnd, exp.ArgMax, exp.ArgMin, exp.Grouping),
)
_WINDOWS: tuple[type[exp.Expr], ...] = (
    *(exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile),
    *(exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue),
)
_FUNCTIONS: tuple[type[exp.Expr], ...] = (
    *(exp.Abs, exp.Sign, exp.Round, exp.Floor, exp.Ceil, exp.Trunc, exp.Sqrt, exp.Exp, exp.Ln),
    *(exp.Log, exp.Pow, exp.Greatest, exp.Least, exp.Coalesce, exp.Nullif, exp.Lower, exp.Upper),
    *(exp.Length, exp.Trim, exp.Substring, exp.Left, exp.Right, exp.Replace, exp.Concat),
    *(exp.StartsWith, exp.Contains, exp.Year, exp.Quarter, exp.Month, exp.Day, exp.DayOfMonth),
    *(exp.DayOfWeek, exp.DayOfYear, exp.Extract, exp.DateTrunc, exp.TimestampTrunc),
    *(exp.DateDiff, exp.TimeToStr),
)
AGGREGATE_NAMES = frozenset({"MAD"})
"""Aggregates that sqlglot knows by their names alone."""
_NAMES = AGGREGATE_NAMES | {"DATE_PART"}
_KINDS = frozenset((*_CLAUSES, *_OPERATORS, *_AGGREGATES, *_WINDOWS, *_FUNCTIONS))

_TYPES = frozenset(
    {
        *(exp.DataType.Type.INT, exp.DataType.Type.BIGINT, exp.DataType.Type.SMALLINT),
        *(exp.DataType.Type.DOUBLE, exp.DataType.Type.FLOAT, exp.DataType.Type.DECIMAL),
        *(exp.DataType.Type.VARCHAR, exp.DataType.Type.TEXT, exp.DataType.Type.BOOLEAN),
        *(exp.DataType.Type.DATE, exp.DataType.Type.TIMESTAMP),
    }
)
_PARTS: Mapping[type[exp.Expr], Set[str]] = {
    exp.Select: {
        *("with_", "expressions", "from_", "joins", "where", "group", "having", "qualify"),
        *("order", "limit", "offset", "distinct", "windows"),
    },
    exp.Table: {"this", "db", "alias"},
    exp.Subquery: {"this", "alias", "with_"},
    exp.Join: {"this", "on", "using", "side", "kind"},
    exp.With: {"expressions"},
    exp.CTE: {"this", "alias"},
    exp.Group: {"expressions", "rollup", "cube", "grouping_sets", "all"},
    exp.Star: {"except_"},
    exp.Distinct: {"expressions"},
    exp.Limit: {"expression", "limit_options"},
    exp.DataType: {"this", "expressions"},
}
"""The parts that syntax may have which could have others that do more."""
_PLACES = (exp.Extract, exp.DateTrunc, exp.TimestampTrunc, exp.DateDiff, exp.Interval)
"""Where a word stands that is neither quoted nor a name: a unit of time."""


def require(statement: exp.Expr) -> None:
    """Raise UnsupportedError naming the first syntax of a statement that is not allowed."""
    for node in statement.walk():
        _require(node)


def _require(node: exp.Expr) -> None:
    """Raise UnsupportedError where a node is not allowed, or has parts that are not."""
    kind = type(node)
    if isinstance(node, exp.Anonymous):
        if not isinstance(node.this, str) or node.this.upper() not in _NAMES:
            raise UnsupportedError(f"the function {node.name.upper()} is not supported")
        return
    if kind not in _KINDS:
        raise UnsupportedError(f"{sql_name(node)} is not supported")
    known = _PARTS.get(kind)
    extra = [] if known is None else [key for key, part in node.args.items() if part]
    for key in extra:
        if known is not None and key not in known:
            raise UnsupportedError(f"{key.upper().strip('_')} is not supported")
    if isinstance(node, exp.Table) and not isinstance(node.this, exp.Identifier):
        raise UnsupportedError(f"{node.sql('duckdb')} is not a released table")
    if isinstance(node, exp.Join) and str(node.args.get("kind") or "").upper() not in _JOINED:
        raise UnsupportedError(f"{node.args['kind']} JOIN is not supported")
    unit = isinstance(node.parent, _PLACES) and re.fullmatch(r"[A-Za-z]+", node.name)
    if isinstance(node, exp.Var) and not unit:
        raise UnsupportedError(f"{node.name} is not supported")
    if isinstance(node, exp.DataType) and node.this not in _TYPES:
        raise UnsupportedError(f"the type {node.sql('duckdb')} is not supported")
    number = isinstance(node, exp.Literal) and not node.is_string
    if number and not re.fullmatch(r"\d*\.?\d*(?:[eE][+-]?\d+)?", str(node.this)):
        raise UnsupportedError(f"{node.this} is not a number")


_JOINED = ("", "INNER", "CROSS", "OUTER", "SEMI", "ANTI")


def has_aggregate(part: exp.Expr) -> bool:
    """Return whether an expression has an aggregate that is no window function, in it and not in a
    subquery."""
    for node in part.walk(prune=lambda node: isinstance(node, exp.Query)):
        if isinstance(node, _AGGREGATES) or (
            isinstance(node, exp.Anonymous) and node.name.upper() in AGGREGATE_NAMES
        ):
            outer = node.parent
            while isinstance(outer, exp.Filter | exp.WithinGroup | exp.IgnoreNulls):
                outer = outer.parent
            if not isinstance(outer, exp.Window) or node.arg_key != "this":
                return True
    return False


def is_computed(part: exp.Expr) -> bool:
    """Return whether an expression is computed over rows: an aggregate, a window function or a
    subquery."""
    return has_aggregate(part) or part.find(exp.Window, exp.Query) is not None
