"""The conditions of queries on a column's values, as tables for the statements of ``workload``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from anonsql.engines.base import Column, Engine
from anonsql.measures.workload import Query, Ranges


def load(engine: Engine, each: Any, queries: Sequence[Query]) -> None:
    """Make ``predicates_<index>``: the values that the queries ask for in a column (``each``: an
    attribute or a coded column)."""
    places: list[tuple[int, int, int]] = []
    conditions: list[tuple[object, ...]] = []
    for number, query in enumerate(queries):
        conditions_of = query.conditions.get(each.name, ())
        if isinstance(conditions_of, Ranges):
            places += [(number, *stretch) for stretch in conditions_of.places]
        else:
            conditions += [
                (number, position, len(conditions_of), condition.operator, word)
                for position, condition in enumerate(conditions_of)
                for word in condition.words
            ]
    if places:
        engine.load(
            f"ranges_{each.index}",
            [("query", "INTEGER"), ("first", "BIGINT"), ("last", "BIGINT")],
            places,
        )
        engine.run("measures/chosen", a=each)
    elif conditions:
        kinds = [
            *((name, "INTEGER") for name in ("query", "condition", "conditions")),
            ("operator", "VARCHAR"),
        ]
        word_type, written = _written(each.column, [condition[-1] for condition in conditions])
        rows = [
            (*condition[:-1], word) for condition, word in zip(conditions, written, strict=True)
        ]
        engine.load(f"conditions_{each.index}", [*kinds, ("word", word_type)], rows)
        engine.run("measures/satisfying", a=each)


def _written(column: Column, words: Sequence[object]) -> tuple[str, list[object]]:
    """Return the type in which literals are compared with the column, and the literals as values of
    it."""
    if column.kind == "float":
        return "DOUBLE", [float(word) for word in words if isinstance(word, Decimal)]
    if column.kind in ("integer", "decimal"):
        numbers = [word for word in words if isinstance(word, Decimal)]
        digits = max(0, column.scale, *(-int(word.as_tuple().exponent) for word in numbers))
        return f"DECIMAL(38, {min(digits, 18)})", list(numbers)
    kinds: dict[str, tuple[str, Callable[[Any], object]]] = {
        "date": ("DATE", lambda word: word if isinstance(word, date) else None),
        "timestamp": ("TIMESTAMP", lambda word: word if isinstance(word, datetime) else None),
        "boolean": ("BOOLEAN", bool),
        "text": ("VARCHAR", str),
    }
    kind, made = kinds[column.kind]
    return kind, [made(word) for word in words]
