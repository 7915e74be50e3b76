"""The columns of published tables: their names and order, and that they are of the types that a run
makes them of, in which no value has room for more than it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonsql.engines.base import Column, Engine, ReleaseTables
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.statistics.cubes import TableMeasure

MOST_DIGITS = 9
"""The digits after the point that a sum can have."""
_WHOLE = "BIGINT"


def offences(name: str, table: ReleaseTables, policy: StatisticsPolicy) -> list[str]:
    """Return an offence where a table has other columns than the policy says, or columns of other
    types."""
    by, measures = policy.tables[name].by, policy.statistics.of
    expected = [part for dimension in by for part in (dimension, f"{dimension}_level")]
    expected += [part for measure in measures for part in (measure, f"{measure}_status")]
    columns = table.engine.columns(table.rows)
    names = [column.name for column in columns]
    if names != expected:
        return [f"{name} has the columns {', '.join(names)}, not {', '.join(expected)}"]
    levels = {f"{dimension}_level" for dimension in by}
    return [
        f"{column.name!r} of {name} is {column.family}, not {' or '.join(types)}"
        for column in columns
        for types in [
            _types(table.engine, _possible(policy, column.name))
            if column.name in measures
            else ["INTEGER" if column.name in levels else "VARCHAR"]
        ]
        if _spelled(column) not in types
    ]


def scales(table: ReleaseTables, policy: StatisticsPolicy) -> dict[str, list[int]]:
    """Return how many digits after the point the values of a measure may have, by its column in a
    table of the right types: of measures whose type has room for more."""
    return {
        column.name: [
            scale
            for scale in _possible(policy, column.name)
            if _spelled(column) in _types(table.engine, [scale])
        ]
        for column in table.engine.columns(table.rows)
        if column.name in policy.statistics.of and has_room(table.engine, column)
    }


def has_room(engine: Engine, column: Column) -> bool:
    """Return whether a column of the right type can have values of more digits than its measure
    has: SQLite stores any value, whatever the type."""
    return not engine.strict_types or column.unbounded


def unlike(tables: Mapping[str, ReleaseTables], policy: StatisticsPolicy) -> list[str]:
    """Return the measures that are not of the same type in all tables."""
    found = dict[str, set[str]]()
    for table in tables.values():
        for column in table.engine.columns(table.rows):
            if column.name in policy.statistics.of:
                found.setdefault(column.name, set()).add(_spelled(column))
    return [
        f"{measure!r} has different types in different tables"
        for measure, types in found.items()
        if len(types) > 1
    ]


def against_source(
    tables: Mapping[str, ReleaseTables], measures: Sequence[TableMeasure]
) -> list[str]:
    """Return the measures that are of another type than that of so many digits as the source's
    column has."""
    scales = {measure.name: measure.scale for measure in measures}
    return [
        f"{column.name!r} of {name} is {column.family}, not {types[0]}"
        for name, table in tables.items()
        for column in table.engine.columns(table.rows)
        if column.name in scales
        for types in [_types(table.engine, [scales[column.name]])]
        if _spelled(column) not in types
    ]


def _possible(policy: StatisticsPolicy, measure: str) -> Sequence[int]:
    """Return how many digits after the point a measure can have, by the policy alone."""
    if measure in policy.ratios:
        return [policy.ratios[measure].decimals]
    of = policy.sums.get(measure)
    if of is None:
        return [0]
    return range(MOST_DIGITS + 1) if of.decimals is None else [of.decimals]


def _types(engine: Engine, scales: Sequence[int]) -> list[str]:
    made = [engine.decimal_type.format(scale) if scale else _WHOLE for scale in scales]
    return list(dict.fromkeys(made))


def _spelled(column: Column) -> str:
    """Return the type of a column without blanks, which engines write or do not."""
    return column.type.replace(" ", "")
