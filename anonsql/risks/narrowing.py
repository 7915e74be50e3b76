"""Kept columns that narrow generalized ones: a loss that became a year is known to the month where
the day on which it was reported, a few days later, is released as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from anonsql.engines.base import ORDERED, Column, Engine, Relation
from anonsql.errors import Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.policy import Policy
from anonsql.risks.left_out.counting import watched

MOST_ROWS = 50_000
"""The rows that are looked at; of more, a random sample."""
LEAST = 10
"""The rows with a kept value from which on it is looked at, as fewer may be alike by chance. Of an
ordered kept column so many rows next to each other count as one value, and all that are equal."""
TOLD = 80
"""The rows with a kept value, in per cent, that are in one group where the value tells it."""
WORTH_SAYING = 0.5
"""Of the rows, the share whose group is told, from which on a pair is warned of."""


@dataclass(frozen=True)
class Group:
    """The groups of an attribute at a level; without a level, tenths of the rows in the order of
    its values."""

    number: int
    attribute: Attribute
    level: int | None

    @property
    def words(self) -> str:
        """What is told of the attribute where its group is known."""
        name, level = self.attribute.name, self.level
        if level is None:
            return f"in which tenth of all rows {name} lies"
        if level == 0:
            return f"{name} itself"
        return f"{name} at level {level} ({self.attribute.levels[level]})"


@dataclass(frozen=True)
class Narrowed:
    """A kept ``column`` tells the ``group`` of a share of the rows; ``besides``, of the rows that
    are not in a group with more than half of all."""

    column: str
    group: Group
    share: float
    besides: bool


def groups_of(attributes: Sequence[Attribute]) -> list[Group]:
    """Return the groups that are looked at, for each attribute the finest first: of its first level
    and of the last below its top, as far as it may be released coarser."""
    levels = [(attribute, level) for attribute in attributes for level in _levels(attribute)]
    return [Group(number, *row) for number, row in enumerate(levels, start=1)]


def _levels(attribute: Attribute) -> list[int | None]:
    """Return the levels that are looked at of an attribute, None for tenths."""
    if not attribute.max_level:
        return []
    if attribute.height == 1:
        return [0, None] if attribute.sorts else [0]
    inner = sorted({1, attribute.height - 1})
    return [level for level in inner if level < attribute.max_level] or [0]


def narrowed(
    engine: Engine,
    source: Relation,
    columns: Sequence[Column],
    attributes: Sequence[Attribute],
    policy: Policy,
    *,
    rows: int,
) -> list[Narrowed]:
    """Return which kept columns of a source of so many rows tell the groups of which attributes, by
    the finest of those that they tell. The dimension tables of the attributes must have been made.
    """
    groups = groups_of(attributes)
    kept = watched(policy, columns, attributes) if groups else []
    if not kept or policy.identity or rows < LEAST:
        return []
    pairs = [
        (number, column, group) for number, (column, group) in enumerate(product(kept, groups), 1)
    ]
    engine.run(
        "risks/narrowing/rows",
        source=source,
        rows=rows,
        most=MOST_ROWS,
        kept=kept,
        ordered=[entry.index for entry in kept if entry.column.kind in ORDERED],
        bin=LEAST,
        attributes=attributes,
        groups=groups,
    )
    counted = engine.query(
        "risks/narrowing/shares",
        pairs=[(number, column.index, group.number) for number, column, group in pairs],
        least=LEAST,
        share=TOLD,
    )
    engine.drop("narrowing_rows")
    shares = {number: counts for number, *counts in counted}
    finest: dict[tuple[str, str], Narrowed] = {}
    for number, column, group in pairs:
        known, looked_at, total = shares.get(number, (0, 0, 0))
        if looked_at >= LEAST and known >= WORTH_SAYING * looked_at:
            result = Narrowed(column.name, group, known / looked_at, besides=looked_at < total)
            finest.setdefault((column.name, group.attribute.name), result)
    return list(finest.values())


def warnings(
    engine: Engine,
    source: Relation,
    columns: Sequence[Column],
    attributes: Sequence[Attribute],
    policy: Policy,
    *,
    rows: int,
) -> list[Problem]:
    """Return a warning for each kept column that narrows generalized ones, see :func:`narrowed`."""
    by_column: dict[str, list[Narrowed]] = {}
    for result in narrowed(engine, source, columns, attributes, policy, rows=rows):
        by_column.setdefault(result.column, []).append(result)
    return [_warning(name, results) for name, results in by_column.items()]


def _warning(name: str, results: Sequence[Narrowed]) -> Problem:
    """Return the warning about one kept column."""
    known = ", and ".join(
        f"{result.group.words}, for about {result.share:.0%} of the rows"
        + (" that are not in its largest group" if result.besides else "")
        for result in results
    )
    these = results[0].group.attribute.name if len(results) == 1 else "these"
    verb = "is" if len(results) == 1 else "are"
    text = f"it is released as it is and tells {known}, however coarse {these} {verb} released."
    remedy = f"Make {name} quasi-identifying or identifying, or make it as coarse in a view."
    return Problem(f"columns.{name}", text, remedy)
