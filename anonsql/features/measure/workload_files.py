"""A user's COUNT queries: a file of ``SELECT COUNT(*) FROM t WHERE … AND …;``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from sqlglot import exp

from anonsql.engines.base import Column
from anonsql.errors import PolicyError, Problem
from anonsql.grammar.conditions import statements
from anonsql.grammar.literals import UnsupportedError, value_of
from anonsql.measures.workload import Query, QueryCondition
from anonsql.query import where
from anonsql.query.parse import require_plain, table_of
from anonsql.query.where import Atom
from anonsql.system import text_files

_SUPPORTED = "Supported: AND of =, <>, <, <=, >, >=, BETWEEN and IN between a column and literals."


def read(path: Path, columns: Mapping[str, Column]) -> list[Query]:
    """Return the queries of a file; raise PolicyError naming every query that cannot be parsed."""
    text = text_files.read_text(
        path, "--workload", text_files.MAX_YAML, remedy="Name a file of SQL in UTF-8."
    )
    try:
        parsed = statements(text)
    except UnsupportedError as error:
        raise PolicyError.at(str(path), f"{error}.", _SUPPORTED) from None
    queries, problems = [], []
    for number, statement in enumerate(parsed, start=1):
        try:
            queries.append(_query(statement, columns))
        except UnsupportedError as error:
            problems.append(Problem(f"{path}, query {number}", f"{error}.", _SUPPORTED))
    if problems:
        raise PolicyError(problems)
    if not queries:
        raise PolicyError.at(
            str(path),
            "the file contains no query.",
            "Write one `SELECT COUNT(*) FROM t WHERE …;` on each line.",
        )
    return queries


def _query(statement: exp.Expr, columns: Mapping[str, Column]) -> Query:
    select = require_plain(statement)
    selected = [expression.unalias() for expression in select.expressions]
    counts = [one for one in selected if isinstance(one, exp.Count)]
    if len(selected) != 1 or not counts or not isinstance(counts[0].this, exp.Star):
        raise UnsupportedError("only COUNT(*) can be selected")
    table_of(select)
    asking = select.args.get("where")
    if asking is None:
        raise UnsupportedError("there is no WHERE")
    conditions: dict[str, tuple[QueryCondition, ...]] = {}
    for atom in _atoms(where.parse(asking.this)):
        column = where.resolve(atom.column, columns)
        if column.kind == "other":
            raise UnsupportedError(f"{column.name!r} is {column.type}, which cannot be compared")
        operator, scale = atom.operator, None if column.unbounded else column.scale
        if operator == "IS NULL" or operator == "LIKE":  # noqa: PLR1714 - for mypy
            raise UnsupportedError(f"{operator} is not supported")
        words = tuple(
            value_of(literal, column.name, column.kind, scale) for literal in atom.literals
        )
        before = conditions.get(column.name, ())
        conditions[column.name] = (*before, QueryCondition(operator, words))
    return Query(conditions)


def _atoms(condition: where.Condition) -> Iterator[Atom]:
    if isinstance(condition, Atom):
        yield condition
        return
    if condition.by != "AND":
        raise UnsupportedError(f"{condition.by} is not supported")
    for part in condition.parts:
        yield from _atoms(part)
