"""The expected values of the rows of a release: means of numbers and dates, the probability of each
text, by the weights of the draws. Rows of ``cell-generalization`` draw again if their values are in
a class of less loss; expected values do not take this into account."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from anonsql.completion.columns import CompletedColumn
from anonsql.completion.lookups import CHANCES, POSITIONS
from anonsql.completion.table import Drawn
from anonsql.engines.base import Engine

_EPOCH = datetime(1970, 1, 1)
_DAY = timedelta(days=1)


def of_rows(engine: Engine, drawn: Drawn) -> tuple[list[str], list[list[Any]]]:
    """Return the names of the columns of expected values, ``name=value`` for a probability, and the
    rows of the release in them, by one draw. Columns that are kept are as they are."""
    by = drawn.by
    asked = {"columns": drawn.columns, "placing": by["placing"], "joint": by["joint"]}
    rows = engine.query("completion/tokens", drawn=drawn.parameters["drawn"], **asked)
    shares: dict[Any, list[tuple[int, float]]] = {None: [(0, 1.0)]}
    for combination, component, chance in (
        engine.query("completion/components") if by["joint"] else ()
    ):
        shares.setdefault(combination, []).append((component, chance / CHANCES))
    titles: list[str] = []
    columns: list[Sequence[Any]] = []
    for number, column in enumerate(drawn.columns):
        tokens = [row[2 * number] for row in rows]
        if column.held.kept:
            titles.append(column.name)
            columns.append(tokens)
            continue
        own: list[Any] = [{} for _ in rows]
        if column.labeled:
            chances = _Chances(engine, drawn, column, shares)
            own = [chances.of(row[2 * number], *row[-2:]) for row in rows]
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


class _Chances:
    """How probable the values of a column are, or the middles of stretches, by what its rows are
    looked up by; ``shares`` are those of the components, by combination."""

    def __init__(
        self,
        engine: Engine,
        drawn: Drawn,
        column: CompletedColumn,
        shares: Mapping[Any, Sequence[tuple[int, float]]],
    ) -> None:
        self._column, self._shares = column, shares
        self._mixed = column.index in drawn.by["mixed"]
        self._weights: dict[tuple[int, int], dict[Any, float]] = {}
        self._placed: dict[tuple[int, int, int], dict[Any, float]] = {}
        self._known: dict[tuple[int, Any, Any], Chances] = {}
        slot, listed = drawn.by["slots"][column.index], drawn.by["listed"][column.index]
        asked = {"c": column, "slot": slot, "listed": listed}
        for position, token, *shown, weight in engine.query("completion/chances", **asked):
            key = position // POSITIONS, token
            self._count(self._weights.setdefault(key, {}), shown, float(weight))
        if column.index in drawn.by["placing"]:
            rows = engine.query("completion/placed_chances", **asked)
            for position, token, size, *shown, chance in rows:
                key_of_size = position // POSITIONS, token, size
                self._count(self._placed.setdefault(key_of_size, {}), shown, chance / CHANCES)

    def _count(self, chances: dict[Any, float], shown: Sequence[Any], weight: float) -> None:
        low, width, value = shown
        key = _middle(self._column, low, width) if value is None else value
        chances[key] = chances.get(key, 0.0) + weight

    def of(self, token: int, size: Any, combination: Any) -> Chances:
        """Return how probable each value of a row is."""
        key = token, size, combination if self._mixed else None
        if key not in self._known:
            mixed: dict[Any, float] = {}
            for component, share in self._shares[key[2]]:
                for value, chance in self._in(component, token, size).items():
                    mixed[value] = mixed.get(value, 0.0) + share * chance
            self._known[key] = mixed
        return self._known[key]

    def _in(self, component: int, token: int, size: Any) -> Chances:
        weights = self._weights.get((component, token), {})
        placed, total = self._placed.get((component, token, size), {}), sum(weights.values())
        others = 1.0 - sum(placed.values()) / size if placed else 1.0
        return {
            value: (placed[value] / size if value in placed else 0.0) + others * weight / total
            for value, weight in weights.items()
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
