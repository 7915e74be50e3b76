"""Which few columns make rows stand alone: without them, how many still would."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from anonsql.engines.base import Engine, Relation
from anonsql.kept.counting import Alone, Compared, alone, kept_columns
from anonsql.policy import Policy

_STEPS = 3
_MOST = 10  # without the columns that are told, less than one in so many rows is still alone
_LOOKED_AT = 50_000  # rows by which a column is chosen; what is told of it is counted on all


@dataclass(frozen=True)
class Without:
    """How many rows stand alone without a column and those told before it."""

    column: str
    unique: int
    below_k: int


def most_telling(
    engine: Engine,
    table: Relation,
    columns: Sequence[Compared],
    found: Alone,
    k: int,
    *,
    people: Compared | None = None,
) -> list[Without]:
    """Take the column away without which the fewest rows are alone, and again, until few are or three are gone. ``found``
    is what all columns make of the table. Each step is one statement over all columns, by hashes, and one that counts."""
    left, here, told = list(columns), found, list[Without]()
    while left and here.unique and len(told) < _STEPS and here.unique * _MOST > found.unique:
        left.remove(gone := _most_telling(engine, table, left, found.rows, people))
        here = alone(engine, table, left, k, people)
        told.append(Without(gone.name, here.unique, here.below_k))
    return told


def of_kept(engine: Engine, table: Relation, policy: Policy, found: Alone) -> list[Without]:
    """Return which kept columns of a release make rows stand alone."""
    kept = kept_columns(policy, engine.columns(table)) if found.unique else []
    return most_telling(engine, table, kept, found, policy.privacy.k)


def _most_telling(
    engine: Engine,
    table: Relation,
    columns: Sequence[Compared],
    rows: int,
    people: Compared | None,
) -> Compared:
    """Return the column without which the fewest rows are alone; where several are as good as that, because others tell the
    same, the one with the most values."""
    if len(columns) == 1:
        return columns[0]
    parts, dialect = max(1, rows // _LOOKED_AT), engine.dialect
    shared = {"table": table, "columns": columns, "count": len(columns), "people": people}
    counts = [
        count
        for _, count in engine.query(
            f"{dialect}/without", hashes=f"{dialect}/hashes", parts=parts, **shared
        )
    ]
    if len(counts) < len(columns):  # so few rows that none of a column's groups was looked at
        return columns[0]
    least = min(counts)
    chance = 4 * math.isqrt(least) if parts > 1 else 0
    equal = [each for each, count in zip(columns, counts, strict=True) if count <= least + chance]
    if len(equal) == 1:
        return equal[0]
    values = engine.query("profile/distinct", relation=table, columns=equal)[0]
    return max(zip(values, equal, strict=True), key=lambda pair: pair[0])[1]
