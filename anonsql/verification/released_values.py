"""The distinct values that a release has in its quasi-identifying columns, read for all columns in
one statement."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from anonsql.engines.base import Column, ReleaseTables
from anonsql.grammar.labels import ReleasedLabel

Values = Sequence[tuple[ReleasedLabel, int]]
"""The distinct released values of a column, and how many rows have each."""


@dataclass(frozen=True)
class ReadColumn:
    """A column to be read: its number, the column of its labels, and the names of its bounds
    columns: none, the least alone, the greatest alone, or both in that order."""

    position: int
    label: Column
    bounds: Sequence[str]


def bounds_of(name: str, columns: Collection[str], added: Collection[str]) -> list[str]:
    """Return the bounds columns of a column that a release has, of those that may be ``added``."""
    return [each for end in ("lo", "hi") if (each := f"{name}_{end}") in columns and each in added]


def read(
    release: ReleaseTables,
    columns: Mapping[str, Column],
    bounds: Mapping[str, Sequence[str]],
    masked: Sequence[str],
) -> dict[str, Values]:
    """Return the values of each column that is named in ``bounds``, with the texts of these bounds,
    in rows that do not have ``*`` in all ``masked`` columns."""
    found: dict[str, list[tuple[ReleasedLabel, int]]] = {name: [] for name in bounds}
    names = list(bounds)
    asked_for = [
        ReadColumn(position, columns[name], bounds[name]) for position, name in enumerate(names)
    ]
    for kind in dict.fromkeys(each.label.type for each in asked_for):
        alike = [each for each in asked_for if each.label.type == kind]
        most = max(len(each.bounds) for each in alike)
        asked = {"table": release.rows, "columns": alike, "bounds": most, "masked": masked}
        for position, rows, label, *texts in release.engine.query("verification/named", **asked):
            own = iter(texts)
            lo, hi = (
                next(own) if f"{names[position]}_{end}" in bounds[names[position]] else None
                for end in ("lo", "hi")
            )
            found[names[position]].append((ReleasedLabel(label, (lo, hi)), rows))
    return dict(found)
