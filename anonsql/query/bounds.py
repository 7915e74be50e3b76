"""The bounds of aggregates, by statements in three-valued logic over the values that labels cover.

Every set of values in a condition on a column becomes two flags of each released value: it is
surely in the set, or possibly. A row satisfies a condition surely or possibly as its values do
(``query/found``), so a COUNT is between the number of rows that surely satisfy it and the number of
rows that possibly do. For the bounds of sums and means, the uncertain rows that lower (raise) them
most are included. If the values of a column are released by bucket (the ``pivot``), a bucket has as
many rows as values. Of its n values, m satisfy the condition on that column. The rest of the
condition surely holds for C rows and possibly for U. Then between max(0, C - (n - m)) and min(U, m)
rows satisfy it all, each with a different one of the m values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from anonsql.engines.base import Engine
from anonsql.grammar.literals import UnsupportedError
from anonsql.query.columns import QueriedColumn, load_sets
from anonsql.query.numbers import Extreme
from anonsql.query.value_sets import ValueSet, joined
from anonsql.query.where import Conjunction

MOST_SETS = 256
SIDES = (("least", -1), ("greatest", 1))


@dataclass(frozen=True)
class Question:
    """A condition on rows, by groups, and the column whose values are ``aggregated`` over them, if
    any. The condition is on ``columns``, by name. ``groups`` are the columns by which rows are
    grouped, each with the sets of values of its groups. ``together`` are conditions on the same
    columns that are asked at once, without groups: their positions are the groups' numbers."""

    condition: Conjunction
    columns: Mapping[str, QueriedColumn]
    groups: Mapping[str, Sequence[ValueSet]] = field(default_factory=dict)
    aggregated: str | None = None
    together: Sequence[Conjunction] = ()

    @property
    def sets(self) -> dict[str, list[ValueSet]]:
        """The sets that columns must have: one, or one for each group."""
        own = self.condition.columns
        if self.together:
            return {name: [one.columns[name] for one in self.together] for name in own}
        made = {name: [values] for name, values in own.items() if name not in self.groups}
        for name, keys in self.groups.items():
            asked = [own[name]] if name in own else []
            made[name] = [joined([key, *asked], every=True) for key in keys]
        return made

    @property
    def pivots(self) -> list[tuple[str | None, bool]]:
        """The columns by whose buckets rows are counted, and whether the condition on each is joined
        to the others by AND: the aggregated column where its values are released by bucket, else
        every other such column, None where there is none."""
        inner = {leaf.column for leaf in self.condition.leaves}
        if self.aggregated is not None and self._bucketed(self.aggregated):
            return [(self.aggregated, self.aggregated not in inner)]
        found = [name for name in self.sets if self._bucketed(name) and name not in inner]
        return [(name, True) for name in found] or [(None, False)]

    @property
    def independent(self) -> bool:
        """Whether no column has several conditions: otherwise these depend on each other."""
        places = [*self.sets, *(leaf.column for leaf in self.condition.leaves)]
        return len(set(places)) == len(places)

    def _bucketed(self, name: str) -> bool:
        return self.columns[name].held.bucketed is not None


@dataclass
class Results:
    """The results of the statements for a question, of one group: the least and the greatest number
    of rows, the expected number and sum, that of the rows in no bucket, and the bounds of sums,
    means and values by side."""

    least: int
    most: int
    chance: float | None
    mass: float | None
    apart: float | None
    extremes: dict[str, Extreme] = field(default_factory=dict)
    expected: dict[str, Fraction | None] = field(default_factory=dict)


@dataclass(frozen=True)
class _Flagged:
    """Sets of a column's values whose flags are in ``flags_<number>``, as ``query/found`` takes
    them: ``radix`` is the weight of a set in the number of a group, 0 without groups; ``like`` is
    the number of sets that have the same positions, 0 where none have."""

    c: QueriedColumn
    number: int
    sets: Sequence[ValueSet]
    radix: int = 0
    like: int = 0


def ask(engine: Engine, question: Question) -> list[dict[int, Results]]:
    """Return the results of a question by group, for each of its pivots; a group that no row may be
    in has none. The number of a group is its sets' positions, counted from 0, in the order of the
    columns, as digits of that number."""
    asked, radix = list[_Flagged](), 1
    for name, sets in question.sets.items():
        first = bool(question.together) and not asked
        grouped = radix if name in question.groups or first else 0
        flagged = _flagged(engine, question.columns[name], len(asked) + 1, sets, grouped)
        asked.append(replace(flagged, like=1 if question.together and asked else 0))
        radix *= len(sets) if grouped else 1
    inner = _inner(engine, question, len(asked))
    columns = {one.c.index: one.c for one in [*asked, *inner.values()]}
    aggregated = 0 if question.aggregated is None else question.columns[question.aggregated].index
    shared = {
        "columns": list(columns.values()),
        "asked": asked,
        "inner": list(inner.values()),
        "others": question.condition.others,
        "places": {
            leaf: (inner[leaf.column].c.index, inner[leaf.column].sets.index(leaf.values) + 1)
            for leaf in question.condition.leaves
        },
        "independent": question.independent,
        "aggregated": aggregated,
    }
    return [
        _counted(engine, question, shared, pivot, separate) for pivot, separate in question.pivots
    ]


def _flagged(
    engine: Engine, column: QueriedColumn, number: int, sets: Sequence[ValueSet], radix: int = 0
) -> _Flagged:
    """Make ``flags_<number>`` of some sets of a column."""
    load_sets(engine, column, str(number), sets)
    if column.has_values:
        engine.drop(f"hits_{number}")
        engine.run("query/hits", c=column, number=number)
    engine.drop(f"flags_{number}")
    engine.run("query/flags", c=column, number=number)
    return _Flagged(column, number, sets, radix)


def _inner(engine: Engine, question: Question, before: int) -> dict[str, _Flagged]:
    """Make the flags of the conditions under OR, and return these by column."""
    sets: dict[str, list[ValueSet]] = {}
    for leaf in question.condition.leaves:
        own = sets.setdefault(leaf.column, [])
        own += [] if leaf.values in own else [leaf.values]
    if sum(map(len, sets.values())) > MOST_SETS:
        raise UnsupportedError(f"the WHERE has more than {MOST_SETS} conditions under OR")
    return {
        name: _flagged(engine, question.columns[name], number, own)
        for number, (name, own) in enumerate(sets.items(), start=before + 1)
    }


def _counted(
    engine: Engine,
    question: Question,
    shared: Mapping[str, object],
    pivot: str | None,
    separate: bool,
) -> dict[int, Results]:
    """Return the results of a question by group, with the rows counted by the buckets of a
    pivot."""
    engine.drop("found", "asked", "units")
    column = None if pivot is None else question.columns[pivot]
    parts = {**shared, "pivot": 0 if column is None else column.index, "separate": separate}
    engine.run("query/found", **parts)
    if column is not None:
        number = 1 + list(question.sets).index(column.name)
        engine.run("query/asked", index=column.index, number=number)
    engine.run("query/units", **parts)
    results = {
        int(number): Results(*counts)
        for number, *counts in engine.query("query/counts", aggregated=shared["aggregated"])
    }
    if question.aggregated is not None:
        own = pivot == question.aggregated
        _bound(engine, question.columns[question.aggregated], results, own=own)
    return results


def _bound(
    engine: Engine, column: QueriedColumn, results: Mapping[int, Results], *, own: bool
) -> None:
    """Compute the bounds of sums, means and values of the aggregated column; ``own``: its values are
    those of the pivot's buckets."""
    for side, sign in SIDES:
        parts = {"side": side, "own": own}
        _portion(engine, fewest="least", most="most", buckets_only=False, **parts)
        for number, *row in engine.query("query/extremes", side=side):
            results[number].extremes[side] = Extreme.of(row, column.scale, sign)
        if own:
            _portion(engine, fewest="floor", most="ceiling", buckets_only=True, **parts)
            for number, *row in engine.query("query/extremes", side=side):
                expected = Extreme.of(row, column.scale, sign).total
                known = results[number].chance is not None
                results[number].expected[side] = expected if known else None


def _portion(engine: Engine, **parameters: object) -> None:
    engine.drop("portions")
    engine.run("query/portions", **parameters)
