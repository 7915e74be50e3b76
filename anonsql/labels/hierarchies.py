"""The labels of a policy's hierarchies, worked out again without the dimension tables and without
the source.

A hierarchy of a file, an order or a taxonomy lists its labels. Intervals, calendar units and masks
determine how a label must be written and what its bounds are, but only the source shows which
values are below it. Levels count from 0, the value itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from anonsql.grammar.forms import AS_IT_IS, Looks
from anonsql.hierarchies import breaks as by_breaks
from anonsql.labels.bench import TREES, Bench, LabelTree
from anonsql.policy.hierarchy import (
    OTHER,
    TOP,
    BreaksHierarchy,
    DateHierarchy,
    IntervalHierarchy,
    MaskHierarchy,
    intervals,
)
from anonsql.policy.hierarchy import Hierarchy as HierarchySpec
from anonsql.policy.resolved import KEYED, keyed_levels, keys_of
from anonsql.policy.table_plan import TablePlan

Counts = tuple[int, int | None]
"""The least and the greatest that a number can be; None: no upper limit is known."""
Kind = Literal["tree", "interval", "breaks", "keyed", "mask", "date", "suppression"]
_DAY = 86_400_000_000
"""Microseconds."""
Unit = tuple[int, str | None, str | None, str | None, int | None]
"""A level whose labels are read by a rule: its number; the calendar unit; or the width and the
origin of intervals as whole numbers of units of 10**-scale, and the scale. Where the labels of a
level are known: one of them, and the texts of where the next interval and its own begin."""


@dataclass(frozen=True)
class Hierarchy:
    """The hierarchy of a column as labels are read by it. ``bounds_type`` is the type of its
    columns of bounds, in capitals, empty where it has none."""

    kind: Kind
    spec: HierarchySpec | None
    height: int
    bounds_type: str = ""
    tree: LabelTree | None = None

    @property
    def leaves(self) -> Counts:
        """How many leaves there are: unknown where the values are the source's. NULL may be one
        more where the hierarchy does not list it."""
        if self.tree is None:
            return 1, None
        return self.tree.leaves, self.tree.leaves + (not self.tree.lists_null)

    @property
    def top(self) -> str:
        """The label of the top level."""
        return TOP if self.tree is None else self.tree.top

    @property
    def step(self) -> int:
        """The time from the upper bound of a calendar unit to the next unit, in microseconds."""
        return _DAY if self.bounds_type == "DATE" else 1

    @property
    def cut(self) -> int:
        """How upper bounds of intervals are released: 1 where both are cut to the range of BIGINT,
        2 where they are HUGEINT, and in both cases the greatest whole number inside; else 0."""
        whole = self.kind in ("interval", "breaks")
        return {"BIGINT": 1, "HUGEINT": 2}.get(self.bounds_type, 0) * whole

    @property
    def or_one_less(self) -> bool:
        """Whether an upper bound may be one less than its label says, as it is where the column has
        whole numbers."""
        if not isinstance(self.spec, IntervalHierarchy | BreaksHierarchy):
            return False
        return not self.cut and not self.spec.scale

    @property
    def units(self) -> list[Unit]:
        """The levels whose labels are read by a rule."""
        if isinstance(self.spec, DateHierarchy):
            return [(n, unit, None, None, None) for n, unit in enumerate(self.spec.levels, start=1)]
        if isinstance(self.spec, BreaksHierarchy):
            return [
                (n, label, high, low, None)
                for n, level in enumerate(self.spec.levels, start=1)
                for label, (low, high) in intervals(level)
            ]
        if isinstance(self.spec, KEYED):
            labels = zip(*keys_of(self.spec).values(), strict=True)
            return [
                (n, label, None, None, None)
                for n, level in enumerate(labels, start=1)
                for label in dict.fromkeys((*level, OTHER))
            ]
        if not isinstance(self.spec, IntervalHierarchy):
            return []
        scale = self.spec.scale
        whole = [
            str(int(decimal.scaleb(scale))) for decimal in (self.spec.origin, *self.spec.widths)
        ]
        return [(n, None, width, whole[0], scale) for n, width in enumerate(whole[1:], start=1)]

    def looks(self, level: int) -> Looks:
        """Return the description of a level's values for ``__columns``."""
        if level == 0:
            return AS_IT_IS
        if level >= self.height:
            return Looks("star" if self.top == TOP else "level", self.top)
        if isinstance(self.spec, IntervalHierarchy):
            return Looks("interval", f"[a,b), {self.spec.widths[level - 1]} wide")
        if isinstance(self.spec, BreaksHierarchy):
            return Looks("interval", by_breaks.looks(self.spec.levels[level - 1]))
        if isinstance(self.spec, MaskHierarchy):
            start, length = self.spec.start, self.spec.length
            side = "last" if start == "right" else "first"
            return Looks(f"mask-{start}", f"{side} {level} of {length} characters hidden")
        if isinstance(self.spec, KEYED):
            return Looks("level", keyed_levels(self.spec)[level - 1])
        if isinstance(self.spec, DateHierarchy):
            return Looks("level", self.spec.levels[level - 1])
        return Looks("level", f"group of level {level} of {self.height}")


def hierarchy_of(
    bench: Bench, policy: TablePlan, name: str, *, ordered: bool, bounds_type: str | None = None
) -> Hierarchy:
    """Return the hierarchy of a column. ``ordered`` says whether its values are numbers or dates;
    ``bounds_type`` is the type of its columns of bounds, None where it has none."""
    spec: HierarchySpec | None = policy.hierarchy(name, ordered=ordered)
    kind = (bounds_type or "").upper()
    if isinstance(spec, TREES):
        tree = bench.tree(spec, f"columns.{name}.hierarchy", policy.path)
        return Hierarchy("tree", spec, tree.height, kind, tree)
    if isinstance(spec, IntervalHierarchy):
        return Hierarchy("interval", spec, len(spec.widths) + 1, kind)
    if isinstance(spec, MaskHierarchy):
        return Hierarchy("mask", spec, spec.length, kind)
    if isinstance(spec, DateHierarchy):
        return Hierarchy("date", spec, len(spec.levels) + 1, kind)
    if isinstance(spec, BreaksHierarchy):
        return Hierarchy("breaks", spec, len(spec.levels) + 1, kind)
    if isinstance(spec, KEYED):
        return Hierarchy("keyed", spec, len(keyed_levels(spec)) + 1, kind)
    return Hierarchy("suppression", spec, 1, kind)
