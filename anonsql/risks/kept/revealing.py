"""Which few columns make rows unique: how many rows still would be without them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from anonsql.engines.base import Engine, Relation
from anonsql.policy.table_plan import TablePlan
from anonsql.risks.kept.counting import Compared, Uniqueness, kept_columns, uniqueness

_STEPS = 3
_MOST = 10  # enough columns are removed when fewer than one in as many rows is unique
_HELPS = 0.9  # of the rows are still unique without a column that contributes little
_LOOKED_AT = 20_000  # rows sampled to choose a column; its effect is counted on all rows


@dataclass(frozen=True)
class UniquenessWithout:
    """How many rows are unique without a column and those before it in the list."""

    column: str
    unique: int
    below_k: int


def most_revealing(
    engine: Engine,
    table: Relation,
    columns: Sequence[Compared],
    result: Uniqueness,
    k: int,
    *,
    people: Compared | None = None,
) -> list[UniquenessWithout]:
    """Return the columns that contribute most to rows being alone. Each step removes the column
    without which the fewest rows are alone, until few are, three columns are removed, or two did
    not help. Each step takes one statement over all columns, by hashes, and one that counts."""
    left, now, steps, helpless = list(columns), result, list[UniquenessWithout](), 0
    values: dict[str, int] = {}
    while left and now.unique and len(steps) < _STEPS and helpless < 2:
        equal = _equally_revealing(engine, table, left, result.rows, people)
        if len(equal) > 1 and not values:
            counts = engine.query("risks/kept/distinct", relation=table, columns=left)[0]
            values = dict(zip([column.name for column in left], counts, strict=True))
        gone = max(equal, key=lambda comparison: values.get(comparison.name, 0))
        left.remove(gone)
        before, now = now, uniqueness(engine, table, left, k, people)
        steps.append(UniquenessWithout(gone.name, now.unique, now.below_k))
        helpless = helpless + 1 if now.unique > _HELPS * before.unique else 0
        if now.unique * _MOST <= result.unique:
            break
    return steps


def of_kept(
    engine: Engine, table: Relation, policy: TablePlan, result: Uniqueness
) -> list[UniquenessWithout]:
    """Return which kept columns of a release make rows unique."""
    kept = kept_columns(policy, engine.columns(table)) if result.unique else []
    return most_revealing(engine, table, kept, result, policy.privacy.k)


def _equally_revealing(
    engine: Engine,
    table: Relation,
    columns: Sequence[Compared],
    rows: int,
    people: Compared | None,
) -> list[Compared]:
    """Return the column without which the fewest rows are alone; several where they have the same
    information, or sampled rows do not decide."""
    if len(columns) == 1:
        return list(columns)
    parts, own = max(1, rows // _LOOKED_AT), engine.own
    shared = {"table": table, "columns": columns, "count": len(columns), "people": people}
    counts = dict(engine.query(own["without"], hashes=own["hashes"], parts=parts, **shared))
    without = [counts.get(number, 0) for number in range(1, len(columns) + 1)]
    least = min(without)
    chance = 4 * math.isqrt(least + 1) if parts > 1 else 0
    return [
        column for column, count in zip(columns, without, strict=True) if count <= least + chance
    ]
