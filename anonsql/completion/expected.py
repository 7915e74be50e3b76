"""What is expected of the rows of a release: of numbers and dates their means, of texts the
probability of each, by the weights that draws are drawn with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from anonsql.completion.columns import CompletedColumn
from anonsql.completion.lookups import CHANCES
from anonsql.completion.table import Drawn
from anonsql.engines.base import Engine

_EPOCH = datetime(1970, 1, 1)
_DAY = timedelta(days=1)


def of_rows(engine: Engine, drawn: Drawn) -> tuple[list[str], list[list[Any]]]:
    """Return the names of the columns of what is expected, ``name=value`` for a probability, and
    the rows of the release in them, by one draw. Columns that are kept are as they are."""
    asked = {"columns": drawn.columns, "placing": drawn.placing}
    rows = engine.query("completion/tokens", drawn=drawn.parameters["drawn"], **asked)
    titles: list[str] = []
    columns: list[Sequence[Any]] = []
    for number, column in enumerate(drawn.columns):
        tokens = [row[2 * number] for row in rows]
        if column.held.kept:
            titles.append(column.name)
            columns.append(tokens)
            continue
        weighed = _by_token(engine, drawn, column) if column.labeled else {}
        placed = _placed(engine, drawn, column, weighed) if column.index in drawn.placing else {}
        own: list[Any] = [
            placed.get((token, row[-1])) or weighed.get(token, {})
            for token, row in zip(tokens, rows, strict=True)
        ]
        if column.bucketed is not None:
            buckets = _by_bucket(engine, column)
            own = [
                chances if row[2 * number + 1] is None else buckets[row[2 * number + 1]]
                for row, chances in zip(rows, own, strict=True)
            ]
        if column.kind in ("text", "boolean"):
            values = sorted({value for chances in own for value in chances if value is not None})
            titles += [f"{column.name}={value}" for value in values]
            columns += [[chances.get(value, 0.0) for chances in own] for value in values]
        else:
            titles.append(column.name)
            columns.append(_means(own))
    return titles, [list(row) for row in zip(*columns, strict=True)]


Chances = Mapping[Any, float]
"""How probable every value is."""


def _by_token(engine: Engine, drawn: Drawn, column: CompletedColumn) -> Mapping[int, Chances]:
    """Return the probabilities of the values, or of the middles of stretches, by token."""
    listed, slot = drawn.listed.get(column.index), drawn.slots[column.index]
    weighed: dict[int, dict[Any, float]] = {}
    for token, low, width, value, weight in engine.query(
        "completion/chances", c=column, slot=slot, listed=listed
    ):
        shown = value if listed else _middle(column, low, width)
        own = weighed.setdefault(token, {})
        own[shown] = own.get(shown, 0.0) + float(weight)
    return {
        token: {value: weight / sum(own.values()) for value, weight in own.items()}
        for token, own in weighed.items()
    }


def _placed(
    engine: Engine, drawn: Drawn, column: CompletedColumn, weighed: Mapping[int, Chances]
) -> Mapping[tuple[int, int], Chances]:
    """Return the probabilities of values by token and size of the class, where some are known to
    occur in it."""
    listed, slot = drawn.listed.get(column.index), drawn.slots[column.index]
    given: dict[tuple[int, int], dict[Any, float]] = {}
    for token, size, low, width, value, chance in engine.query(
        "completion/placed_chances", c=column, slot=slot, listed=listed
    ):
        shown = value if listed else _middle(column, low, width)
        own = given.setdefault((token, size), {})
        own[shown] = own.get(shown, 0.0) + chance / CHANCES
    return {
        (token, size): {
            value: (own.get(value, 0.0) + (size - sum(own.values())) * share) / size
            for value, share in weighed[token].items()
        }
        for (token, size), own in given.items()
    }


def _middle(column: CompletedColumn, low: Any, width: float) -> float | None:
    """Return the middle of the stretch that an atom is, or its value."""
    if low is None:
        return None
    discrete = column.domain.discrete and width > 0
    middle = float(low) + (width - 1 if discrete else width) / 2
    return middle / 10**column.domain.scale if column.kind == "decimal" else middle


def _by_bucket(engine: Engine, column: CompletedColumn) -> Mapping[Any, Chances]:
    """Return how frequent the values of each bucket are in it."""
    table = f"completed_bucket_{column.index}"
    buckets: dict[Any, dict[Any, int]] = {}
    for group, value, count in engine.query("completion/dealt", table=table):
        buckets.setdefault(group, {})[value] = int(count)
    return {
        group: {value: count / sum(counts.values()) for value, count in counts.items()}
        for group, counts in buckets.items()
    }


def _means(chances: Sequence[Chances]) -> list[Any]:
    """Return the mean of each row's values, NULL aside; None where it can only be NULL."""
    known: dict[int, Any] = {}
    return [known.setdefault(id(own), _mean(own)) for own in chances]


def _mean(chances: Chances) -> Any:
    some = {value: share for value, share in chances.items() if value is not None}
    total = sum(some.values())
    if not total:
        return None
    values = list(some)
    if isinstance(values[0], date):
        days = sum((_moment(value) - _EPOCH) / _DAY * share for value, share in some.items())
        return _EPOCH + timedelta(days=days / total)
    numbers = (float(Decimal(value)) * share for value, share in some.items())
    return sum(numbers) / total


def _moment(value: date) -> datetime:
    return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
