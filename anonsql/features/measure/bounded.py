"""The errors of queries that are answered as ``anonsql query`` answers them: of sums, and of
releases with values in buckets. The queries are those of Li, He, Sun (Local Generalization and
Bucketization, 2019, section 4.2), or a user's. Literals are values of single columns, drawn by
their positions. Only the answers are read from the source, and these are not reported."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from itertools import groupby
from typing import Any

from anonsql.engines.base import Column, Engine, ReleaseTables
from anonsql.errors import PolicyError, did_you_mean
from anonsql.features.measure.document import BoundsError, QueryError, Spread
from anonsql.features.query.answer_lines import line
from anonsql.features.query.document import AnswerLine
from anonsql.grammar.literals import SqlLiteral
from anonsql.measures.workload import Drawn, Query, QueryCondition, quantile
from anonsql.policy.table_plan import TablePlan
from anonsql.query import opening
from anonsql.query.answers import answers
from anonsql.query.parse import Parsed, Selected
from anonsql.query.where import Atom, JoinedCondition
from anonsql.system.numbers import rounded
from anonsql.verification.facts import missing_rows


def with_values(
    engine: Engine, attributes: Sequence[Any], drawn: Sequence[Mapping[str, Drawn]]
) -> list[Query]:
    """Return queries with the drawn values from ``domain_<index>``, without infinity and NaN."""
    places: dict[str, set[int]] = {}
    for query in drawn:
        for name, entry in query.items():
            places.setdefault(name, set()).update(entry.places)
    words = words_at(engine, attributes, places)
    queries = []
    for query in drawn:
        conditions = {}
        for name, entry in query.items():
            named = [words[name][position] for position in entry.places]
            if known := tuple(word for word in named if word is not None):
                conditions[name] = (QueryCondition(entry.operator, known),)
        if conditions:
            queries.append(Query(conditions))
    return queries


def words_at(
    engine: Engine, attributes: Sequence[Any], places: Mapping[str, set[int]]
) -> dict[str, dict[int, object]]:
    """Return the values at some positions of each column's order, from ``domain_<index>``; None for
    infinity and NaN."""
    words: dict[str, dict[int, object]] = {}
    for attribute in attributes:
        if attribute.name in places:
            engine.load(
                f"drawn_{attribute.index}",
                [("place", "BIGINT")],
                [(position,) for position in sorted(places[attribute.name])],
            )
            words[attribute.name] = {
                position: _word(value)
                for position, value in engine.query("features/measure/words", a=attribute)
            }
    return words


def _word(value: Any) -> object:
    """Return a value as a literal; numbers keep their exact value."""
    if isinstance(value, float):
        return Decimal(repr(value)) if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return value if value.is_finite() else None
    return Decimal(value) if isinstance(value, int) and not isinstance(value, bool) else value


def to_sum(columns: Sequence[Column], policy: TablePlan, name: str | None) -> Column | None:
    """Return the column that queries sum, if any; raise PolicyError when it cannot be summed."""
    if name is None:
        return None
    known = {
        column.name: column
        for column in columns
        if policy.columns[column.name].role != "identifying"
    }
    if name not in known:
        raise PolicyError.at(
            "--sum",
            f"the release has no column {name!r}.",
            did_you_mean(name, known) or "Name a released column.",
        )
    if known[name].kind not in ("integer", "decimal", "float"):
        raise PolicyError.at(
            "--sum",
            f"{name!r} is {known[name].family}, which cannot be summed.",
            "Name a column of numbers.",
        )
    return known[name]


def compare(
    engine: Engine,
    release: ReleaseTables,
    policy: TablePlan,
    columns: Mapping[str, Any],
    queries: Sequence[Query],
    *,
    summed: Column | None,
    bound: float,
) -> tuple[QueryError, BoundsError]:
    """Return the errors of queries from ``source_facts`` and ``predicates_<index>``; drop
    ``domain_<index>``, whose indices the release's columns reuse."""
    name = summed.name if summed is not None else None
    truths = actual(engine, columns, queries, columns[name] if name is not None else None)
    engine.drop(*(f"domain_{column.index}" for column in columns.values()))
    return errors(answered(release, policy, queries, name), truths, bound)


def actual(
    engine: Engine, columns: Mapping[str, Any], queries: Sequence[Query], summed: Any = None
) -> list[float]:
    """Return the source's answers from ``source_facts`` and ``predicates_<index>``, 0 for NULL.
    Queries over the same columns must be side by side."""
    result = [0.0] * len(queries)
    for names, numbered in groupby(enumerate(queries), key=lambda query: query[1].columns):
        numbers = [number for number, _ in numbered]
        parameters = {
            "columns": [columns[name] for name in names],
            "first": numbers[0],
            "last": numbers[-1],
        }
        if summed is None:
            rows = engine.query(
                "features/measure/answers", facts="source_facts", spread=[], **parameters
            )
        else:
            rows = engine.query("features/measure/sums", summed=summed, **parameters)
        for number, answer in rows:
            result[number] = float(answer)
    return result


def answered(
    release: ReleaseTables, policy: TablePlan, queries: Sequence[Query], summed: str | None
) -> list[AnswerLine]:
    """Return the release's answers to each query."""
    selected = (
        Selected("COUNT", None, "COUNT(*)")
        if summed is None
        else Selected("SUM", summed, f"SUM({summed})")
    )
    opened = opening.to_ask(release, policy)
    parsed = [Parsed("", policy.release.name, (selected,), _condition(query)) for query in queries]
    missing = missing_rows(opened.about) if summed is None else 0
    return [_of_source(line(opened, own[0]), missing) for own in answers(opened, parsed)]


def _of_source(answer: AnswerLine, missing: int) -> AnswerLine:
    """Return an answer about the source's rows: any of the missing rows may count too."""
    if not missing or not isinstance(answer.upper, int):
        return answer
    return answer.model_copy(update={"upper": answer.upper + missing})


def _condition(query: Query) -> JoinedCondition:
    atoms = (
        Atom(name, condition.operator, tuple(map(_literal, condition.words)))
        for name, own in query.conditions.items()
        if isinstance(own, tuple)
        for condition in own
    )
    return JoinedCondition("AND", tuple(atoms))


def _literal(word: object) -> SqlLiteral:
    if isinstance(word, bool):
        return SqlLiteral(str(word), boolean=True)
    if isinstance(word, Decimal):
        return SqlLiteral(str(word))
    return SqlLiteral(word.isoformat() if isinstance(word, date) else str(word), string=True)


def errors(
    lines: Sequence[AnswerLine], truths: Sequence[float], bound: float
) -> tuple[QueryError, BoundsError]:
    """Return the errors of estimates and the widths of bounds, relative to the answers that are not
    0."""
    not_empty = [(entry, truth) for entry, truth in zip(lines, truths, strict=True) if truth != 0]
    estimates = [
        (number(item.estimate), truth)
        for item, truth in not_empty
        if item.estimate is not None or item.possible == 0
    ]
    relative = _spread(
        [abs((estimate or 0.0) - truth) / max(abs(truth), bound) for estimate, truth in estimates]
    )
    guaranteed = [(number(text.lower), number(text.upper), truth) for text, truth in not_empty]
    expected = [(one.expected_lower, one.expected_upper, truth) for one, truth in not_empty]
    bounds_error = BoundsError(
        expected=_widths(expected),
        guaranteed=_widths(guaranteed),
        held=sum(_holds(*row) for row in guaranteed),
        unanswered=len(not_empty) - len(estimates),
    )
    empty = len(lines) - len(not_empty)
    figures = dict.fromkeys(("mean", "median", "ninetieth"))
    return QueryError(**(relative.model_dump() if relative else figures), empty=empty), bounds_error


def number(value: int | float | str | None) -> float | None:
    """Return a number in an answer; None for dates, which are text."""
    return None if value is None or isinstance(value, str) else value


def _holds(lower: float | None, upper: float | None, truth: float) -> bool:
    """Return whether an answer is between its bounds; sums are rounded."""
    close = 1e-9 * abs(truth)
    return (lower is None or lower <= truth + close) and (upper is None or truth - close <= upper)


def _widths(
    answers: Sequence[tuple[float | None, float | None, float]],
) -> Spread | None:
    return _spread(
        [
            (upper - lower) / abs(truth)
            for lower, upper, truth in answers
            if lower is not None and upper is not None
        ]
    )


def _spread(numbers: Sequence[float]) -> Spread | None:
    if not numbers:
        return None
    return Spread(
        mean=rounded(sum(numbers) / len(numbers)),
        median=rounded(quantile(numbers, 0.5)),
        ninetieth=rounded(quantile(numbers, 0.9)),
    )
