"""Patterns of what is sensitive to whom (Li, He, Sun 2019, Definition 7): rows with the same quasi-identifying attributes.

The table ``marked`` has the source's rows with what is withheld of them. A row's *pattern* is a number whose bit b says that the b-th
semi-sensitive attribute is sensitive to it. Groups are made of rows of one pattern, so a pattern of fewer than k rows can
form none. It is *widened*: one more attribute of all its rows is treated as if it were sensitive, or several, until it is a pattern that
enough rows have. But such a cell is no secret: whoever knows the person knows it, so in a bucket it would tell the person's row, and
the other values of the bucket would be fewer than they seem. So where a group has a row whose cell was widened, the attribute is
*hidden* in the whole group: released as ``*``, in no bucket. What stays below k is suppressed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anonsql.arrays import IntArray
from anonsql.coded import Coded
from anonsql.conditions import Condition
from anonsql.engines.base import Column, Engine, Relation
from anonsql.errors import PolicyError, Problem, SqlError
from anonsql.policy import Policy
from anonsql.star import Star

MOST = 52
"""Semi-sensitive columns that a pattern can tell of: bits of a number that is exact on every engine."""


@dataclass(frozen=True)
class Marks:
    """How rows are marked: their ``attributes``, quasi-identifying and semi-sensitive; ``conditions`` says by index to whom the
    latter are sensitive; ``kept`` are the columns that are released as they are, ``bucketized`` those whose sensitive values go
    into buckets, with indices that count on from the attributes'."""

    attributes: Sequence[Any]
    conditions: Mapping[int, Condition]
    kept: Sequence[Column]
    bucketized: Sequence[Coded]

    @property
    def semi(self) -> list[Any]:
        """The semi-sensitive attributes, in the order of a pattern's bits."""
        return [each for each in self.attributes if each.index in self.conditions]

    @property
    def parameters(self) -> dict[str, Any]:
        """What the templates of ``patterns`` take."""
        own = {each.name: each.index for each in self.semi}
        withheld = {each.index: own.get(each.name, 0) for each in self.bucketized}
        told = {
            "attributes": self.attributes,
            "semi": self.semi,
            "kept": self.kept,
            "bucketized": self.bucketized,
        }
        return {**told, "conditions": self.conditions, "withheld": withheld}


@dataclass(frozen=True)
class Widened:
    """What became of the patterns: ``rows`` are suppressed; by name of each semi-sensitive column the released cells that are ``widened``,
    withheld for the pattern's sake alone, and the cells of the source of which it was ``unknown`` whether they are sensitive."""

    rows: int = 0
    widened: Mapping[str, int] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)


def problems(policy: Policy, columns: Sequence[Column]) -> list[Problem]:
    """Flags that are not boolean, and semi-sensitive columns that are too many to tell patterns apart."""
    flags = {each.flag for each in policy.columns.values() if each.flag is not None}
    found = [
        Problem(
            f"columns.{each.name}",
            f"it is {each.family}, and a flag must be boolean.",
            "Use `sensitive_when` with a condition on it.",
        )
        for each in columns
        if each.name in flags and each.kind != "boolean"
    ]
    if len(policy.conditions) > MOST:
        text = f"{len(policy.conditions)} columns are semi-sensitive, more than the {MOST} that there may be."
        found.append(Problem("columns", text, "Make some of them sensitive or quasi-identifying."))
    return found


def mark(engine: Engine, source: Relation, marks: Marks) -> None:
    """Make ``marked`` and ``combinations`` from one scan of the source."""
    try:
        engine.run("patterns/marked", source=source, **marks.parameters)
    except SqlError:
        _require_sensible(engine, source, marks)
        raise
    engine.run("patterns/combinations", **marks.parameters)


def _require_sensible(engine: Engine, source: Relation, marks: Marks) -> None:
    """Raise PolicyError for the first condition that the engine cannot ask of the source."""
    for each in marks.semi:
        try:
            engine.query("patterns/tried", source=source, asked=marks.conditions[each.index])
        except SqlError as error:
            found = f"the source cannot be asked this: {str(error).splitlines()[0]}"
            raise PolicyError.at(
                f"columns.{each.name}.sensitive_when",
                found,
                "Compare columns with values of their own type.",
            ) from None


def totals(engine: Engine, marks: Marks) -> tuple[int, int, list[int]]:
    """The rows, the distinct combinations, and for each attribute the rows in which it is NULL without being withheld."""
    rows, combinations, *nulls = engine.query("patterns/totals", **marks.parameters)[0]
    return rows, combinations, nulls


def settle(engine: Engine, marks: Marks, k: int) -> Widened:
    """Widen the patterns and make ``patterns`` (pattern, part: the number of the final one, f<index>: 1 where an attribute is
    withheld in it), without those that are suppressed."""
    patterns, rows = engine.numbers("patterns/counts")
    final = widen(dict(zip(patterns.tolist(), rows.tolist(), strict=True)), k)
    became = np.array([final.get(each, -1) for each in patterns.tolist()], dtype=np.int64)
    stay = became >= 0
    parts = np.unique(became[stay], return_inverse=True)[1] + 1
    columns: dict[str, IntArray] = {"pattern": patterns[stay], "part": parts.astype(np.int64)}
    widened = {}
    for bit, each in enumerate(marks.semi):
        before, after = (patterns[stay] >> bit) & 1, (became[stay] >> bit) & 1
        columns[f"f{each.index}"] = after
        widened[each.name] = int(rows[stay][after > before].sum())
    engine.load_numbers("patterns", columns)
    unknown = engine.query("patterns/unknown", **marks.parameters)[0] if marks.semi else ()
    named = dict(zip([each.name for each in marks.semi], unknown, strict=True))
    return Widened(int(rows[~stay].sum()), widened, named)


def lost_rows(engine: Engine, k: int) -> int:
    """How many rows have patterns that cannot be widened to ``k`` rows."""
    counts = {
        int(pattern): int(rows)
        for pattern, rows in zip(*engine.numbers("patterns/counts"), strict=True)
    }
    kept = widen(counts, k)
    return sum(rows for pattern, rows in counts.items() if pattern not in kept)


def count_own_values(engine: Engine, marks: Marks, column: Coded) -> None:
    """Make withheld_<index> of the values of a bucketized column that are sensitive to their rows."""
    of = marks.parameters["withheld"][column.index]
    engine.run("patterns/own_values", index=column.index, of=of)


def build(engine: Engine, marks: Marks, rows: int) -> Star:
    """Code the combinations into ``cells``. Of the star schema only what groups are made by: no level is searched."""
    engine.run("patterns/cells", **marks.parameters)
    engine.drop("combinations")
    return Star(tuple(marks.attributes), rows, {}, {}, {}, 0)


def widen(counts: Mapping[int, int], k: int) -> dict[int, int]:
    """What each pattern becomes, from its number of rows; patterns that do not come to ``k`` are left out.

    Greedy: the smallest pattern that withholds least goes first, to where it comes to k rows with the fewest cells widened; where
    that cannot be in one step it joins another small pattern in what both withhold, at the least number of cells. A pattern
    that has k rows is never widened.
    """
    now: dict[int, int] = dict(counts)
    parent: dict[int, int] = {}
    stuck: set[int] = set()
    while small := [each for each, rows in now.items() if rows < k and each not in stuck]:
        first = min(small, key=lambda each: (each.bit_count(), now[each], each))
        found = _move(first, now, k)
        if found is None:
            stuck.add(first)
            continue
        target = _last(found[0], parent)
        for each in set(found[1]) - {target}:
            now[target] = now.get(target, 0) + now.pop(each)
            parent[each] = target
        stuck.clear()
    final = {pattern: _last(pattern, parent) for pattern in counts}
    return {pattern: last for pattern, last in final.items() if now[last] >= k}


def _last(pattern: int, parent: Mapping[int, int]) -> int:
    """What a pattern is in the end."""
    while pattern in parent:
        pattern = parent[pattern]
    return pattern


def _move(pattern: int, now: Mapping[int, int], k: int) -> tuple[int, list[int]] | None:
    """Where a small pattern goes, and with whom: (target, the patterns that become it), or None where there is no way."""
    others, rows = np.fromiter(now.keys(), np.int64), np.fromiter(now.values(), np.int64)
    target = others | pattern
    can = (others != pattern) & ((rows < k) | (target == others))
    if not can.any():
        return None
    others, rows, target = others[can], rows[can], target[can]
    there = np.array([now.get(each, 0) for each in target.tolist()], dtype=np.int64)
    reached = now[pattern] + there + np.where(target == others, 0, rows)
    added = (
        np.bitwise_count(target ^ pattern).astype(np.int64),
        np.bitwise_count(target ^ others).astype(np.int64),
    )
    cells = added[0] * now[pattern] + added[1] * rows
    best = np.lexsort((target, -reached, cells, reached < k))[0]
    goal = int(target[best])
    return goal, [each for each in (pattern, int(others[best])) if each != goal]
