"""Released values read by SQL: the possible values of each, checked against hierarchies and bounds
by joins. Python sees how many there are, and verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from anonsql.engines.base import Column, ReleaseTables
from anonsql.labels.bench import Bench, LabelTree
from anonsql.labels.shapes import Shape
from anonsql.policy.hierarchy import MaskHierarchy


@dataclass(frozen=True)
class NamedColumn:
    """A column to be read: its number, the column of its labels, and the names of its bounds
    columns, the least and the greatest, or none."""

    position: int
    label: Column
    bounds: Sequence[str]


def read_values(
    bench: Bench, release: ReleaseTables, columns: Sequence[NamedColumn], masked: Sequence[str]
) -> None:
    """Make the table ``labels_values`` of the distinct values of some columns with their bounds, in
    rows that do not have ``*`` in all ``masked`` columns. A release on another engine is counted
    there, and the counts are brought here."""
    named = []
    for number, kind in enumerate(dict.fromkeys(column.label.type for column in columns)):
        alike = [column for column in columns if column.label.type == kind]
        bounds = max(len(column.bounds) for column in alike)
        counted = {
            "table": release.rows,
            "columns": alike,
            "bounds": bounds,
            "masked": masked,
        }
        loaded = None
        if bench.engine is not release.engine:
            loaded = f"labels_loaded_{number}"
            types = [("position", "INTEGER"), ("n", "BIGINT"), ("label", kind)]
            types += [(f"b{end}", "VARCHAR") for end in range(bounds)]
            bench.load(loaded, types, release.engine.query("verification/named", **counted))
        named.append({**counted, "arrays": kind != "VARCHAR", "loaded": loaded})
    bench.run("labels/named", "labels_values", named=named)


class LabelVerdict(NamedTuple):
    """How the values of a column were read in one way: how many ``values`` there are, how many have
    no meaning (``strange``), and how many none that their bounds fit (``confused``)."""

    values: int
    strange: int
    confused: int


@dataclass
class _TreeUse:
    number: int
    height: int
    levels: list[int]
    points: bool
    names: bool


def read_meanings(bench: Bench, shapes: Sequence[tuple[int, Shape]]) -> list[LabelVerdict]:
    """Read the values in all the ways in which their columns can be released, given as (column's
    number, way), and make the table ``labels_meanings``; return a verdict on each."""
    trees = _uses([shape for _, shape in shapes])
    bench.run("labels/nodes", "labels_nodes", trees=trees)
    if named := [tree for tree in trees if tree.names]:
        bench.run("labels/ordered", "labels_places", trees=named)
    forms = {shape.form for _, shape in shapes}
    units = [
        (number, *unit)
        for number, (_, shape) in enumerate(shapes)
        for unit in shape.hierarchy.units
    ]
    bench.run(
        "labels/meanings",
        "labels_meanings",
        shapes=[_row(number, column, shape) for number, (column, shape) in enumerate(shapes)],
        units=units or [(-1, 0, None, None, None, None)],
        sets="set" in forms,
        ranges=bool(forms & {"range", "numbers"}),
        names="names" in forms,
        ordered=bool(named),
    )
    pairs = [(number, column) for number, (column, _) in enumerate(shapes)]
    found = sorted(bench.engine.query("labels/read", shapes=pairs))
    return [LabelVerdict(*counts) for _, *counts in found]


def _uses(shapes: Sequence[Shape]) -> list[_TreeUse]:
    uses: dict[int, _TreeUse] = {}
    for shape in shapes:
        tree: LabelTree | None = shape.hierarchy.tree
        if tree is None:
            continue
        use = uses.setdefault(tree.number, _TreeUse(tree.number, tree.height, [], False, False))
        use.levels = sorted({*use.levels, *shape.tree_levels})
        use.points |= shape.measured
        use.names |= shape.form == "names"
    return list(uses.values())


def _row(number: int, column: int, shape: Shape) -> tuple[object, ...]:
    own = shape.hierarchy
    mask = own.spec if isinstance(own.spec, MaskHierarchy) else None
    return (
        *(number, column, shape.form, own.kind, own.tree and own.tree.number, own.height),
        *(*shape.levels, shape.least, shape.top, shape.over, shape.withheld, shape.bounded),
        *own.leaves,
        own.tree is not None and own.tree.lists_null,
        mask and mask.length,
        mask is not None and mask.start == "right",
        *(own.step, own.cut, own.or_one_less),
    )
