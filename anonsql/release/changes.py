"""The source with its kept columns changed as the policy says, before any other decision.

Thresholds are set by the policy, or come from ranks of the source's values. They must reveal no
person's value, so each is rounded: inwards, to two significant digits or to the column's rounding,
and at least k rows (or k people) are at it or beyond and are released with equal values. The
rounded threshold is at most one such step from the ranked value; if fewer than k are beyond a rank,
the rank that k are beyond replaces it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from anonsql.engines.base import Column, Engine, OfColumn, Relation
from anonsql.errors import PolicyError
from anonsql.hierarchies.bounds_types import rounded_type, unit
from anonsql.policy.changes import Change, Drawn, Given, Recoded
from anonsql.policy.table_plan import TablePlan
from anonsql.release import draws
from anonsql.system.scalars import plain

VIEW = "changed"
DRAWN = "drawn"
_DIGITS = 2
"""The significant digits of a threshold that the data give."""


@dataclass(frozen=True)
class Changed:
    """The ``source`` with changed columns (``view``), which was made of ``original``: the source
    itself, or a table of it with the drawn values in columns of their own. ``rows`` counts those
    with any value that is not theirs, ``values`` such values by column."""

    view: Relation
    source: Relation
    original: Relation
    recoded: Sequence[Recoded]
    drawn: Sequence[Drawn]
    rows: int
    values: Mapping[str, int]

    @property
    def facts(self) -> dict[str, str]:
        """The facts of ``__about`` on the changes."""
        facts: dict[str, str] = {}
        for column in self.recoded:
            facts |= column.facts
        for drawn in self.drawn:
            facts |= draws.facts(drawn)
        return facts


def change(
    engine: Engine, source: Relation, columns: Sequence[Column], policy: TablePlan
) -> Changed:
    """Make the view :data:`VIEW` of the changed source; PolicyError where a change cannot be."""
    known = [column for column in columns if column.name in policy.columns]
    recoded = all_recoded(engine, source, known, policy)
    drawn = [
        draws.planned(engine, source, known, (index, change.pram), policy.privacy)
        for index, _, change in _changing(known, policy)
        if change.pram is not None
    ]
    original = draws.draw(engine, source, known, drawn, DRAWN) if drawn else source
    shared: dict[str, Any] = {"source": original, "own": draws.by_name(known)}
    lists: dict[str, Sequence[Recoded | Drawn]] = {"recoded": recoded, "drawn": drawn}
    counts = engine.query("release/changes/untrue", **shared, **lists)[0]
    select, names = "release/changes/changed", [column.name for column in known]
    by_name = {kind: {column.name: column for column in some} for kind, some in lists.items()}
    view = {"view": (VIEW,), "select": select, "names": names}
    engine.run(engine.own["scratch_view"], **view, **shared, **by_name)
    types = {column.name: column.made for column in recoded}
    made = [replace(column, type=types.get(column.name, column.type)) for column in known]
    engine.describe_view((VIEW,), source, made)
    named = [column.name for some in lists.values() for column in some]
    values = dict(zip(named, map(int, counts[1:]), strict=True))
    return Changed((VIEW,), source, original, recoded, drawn, int(counts[0]), values)


def all_recoded(
    engine: Engine, source: Relation, columns: Sequence[Column], policy: TablePlan
) -> list[Recoded]:
    """Return how the numbers of a source's columns are recoded; raise PolicyError where a column
    has none, or no thresholds that k rows share."""
    k, people = policy.privacy.k, draws.by_name(columns).get(policy.privacy.entity or "")
    return [
        _recoded(_Place(engine, source, index, column, change, k, people))
        for index, column, change in _changing(columns, policy)
        if change.pram is None
    ]


def _changing(columns: Sequence[Column], policy: TablePlan) -> list[tuple[int, Column, Change]]:
    numbered = enumerate(columns, start=1)
    return [
        (index, column, change)
        for index, column in numbered
        if (change := policy.changes.get(column.name)) is not None
    ]


@dataclass(frozen=True)
class _Place:
    """A column of the source, with its number, its change, and how many rows (or ``people``, by the
    column that identifies them) must share a threshold."""

    engine: Engine
    source: Relation
    index: int
    column: Column
    change: Change
    k: int
    people: OfColumn | None

    def threshold(self, end: str) -> Decimal | None:
        """Return the least or greatest value that is released (``end``: bottom or top)."""
        limit = getattr(self.change, end)
        if limit is None or isinstance(limit, Given):
            return None if limit is None else limit.value
        where = f"columns.{self.column.name}.change.{end}"
        named = {"source": self.source, "name": self.column.name}
        _, present, _ = self.engine.query("release/changes/values", **named)[0]
        share = 1 - limit if end == "top" else limit
        ranked = {**named, "descending": end == "top"}
        found = [
            self.engine.query("release/changes/ranked", rank=rank, people=people, **ranked)
            for rank, people in ((max(int(share * present), 1), None), (self.k, self.people))
        ]
        if not all(found):
            who = "people" if self.people else "rows"
            text = f"fewer than {self.k:,} {who} have a value, too few for a threshold."
            raise PolicyError.at(where, text, f"Leave {end} out, or give it a `value`.")
        values = [Decimal(str(rows[0][0])) for rows in found]
        value = min(values) if end == "top" else max(values)
        if not value.is_finite():
            text = "the threshold would not be a finite number."
            raise PolicyError.at(where, text, "Choose a share further from the end.")
        return self._rounded(value, ROUND_FLOOR if end == "top" else ROUND_CEILING)

    def _rounded(self, value: Decimal, way: str) -> Decimal:
        """Return a value rounded inwards, to few digits."""
        step = self.change.round
        if step is None:
            step = Decimal(1).scaleb(value.adjusted() - _DIGITS + 1)
            least = unit(self.column)
            step = step if least is None else max(step, least)
        return (value / step).to_integral_value(rounding=way) * step


def _recoded(place: _Place) -> Recoded:
    column, change = place.column, place.change
    where, least = f"columns.{column.name}.change", unit(column)
    if column.kind not in ("integer", "decimal", "float"):
        text = f"top, bottom and round need numbers, and the column is {column.family}."
        raise PolicyError.at(where, text, "Cast it in a view, or leave them out.")
    for name in ("top", "bottom", "round"):
        limit = getattr(change, name)
        exact = limit.value if isinstance(limit, Given) else limit if name == "round" else None
        if exact is not None and least is not None and exact % least:
            text = f"{plain(exact)} has more digits than the column, whose unit is {plain(least)}."
            raise PolicyError.at(f"{where}.{name}", text, "Round it.")
    top, bottom = place.threshold("top"), place.threshold("bottom")
    if top is not None and bottom is not None and bottom >= top:
        text = f"the greatest value would be {plain(top)} and the least {plain(bottom)}."
        raise PolicyError.at(where, text, "Set `top` higher or `bottom` lower.")
    made = rounded_type(column)
    return Recoded(place.index, column.name, made, top, bottom, change.round, least)
