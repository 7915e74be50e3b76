"""Released values read by SQL: what each can stand for, held against hierarchies and bounds by
joins. Python sees how many there are, and verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from anonsql.engines.base import Column, ReleaseTables
from anonsql.labels.bench import Bench, LabelTree
from anonsql.labels.shapes import Shape
from anonsql.policy.hierarchy import MaskHierarchy

_LEAST_WIDTH = Decimal("0.000001")
"""What is narrower is measured with doubles, as their fractions are finer."""


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
    rows that do not have ``*`` in all ``masked`` columns. A release that lies elsewhere is counted
    there, and what that gives is brought here."""
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


@dataclass(frozen=True)
class LabelVerdict:
    """How the values of a column were read in one way: how many ``values`` there are, how many have
    no meaning (``strange``), and how many none that their bounds fit (``confused``). Of values of
    the source: how many are ``named``, how many ``surely`` occur, NULL among them or not
    (``null_surely``), and whether all meanings name theirs (``listed``). Whether some value stands
    for two or more (``several``), or for any (``whole``); and the width of the bounds that are
    numbers, None where there are none."""

    values: int
    strange: int
    confused: int
    named: int
    surely: int
    null_surely: bool
    listed: bool
    several: bool
    whole: bool
    width: Fraction | None


@dataclass
class _TreeUse:
    """What is asked of a hierarchy that lists its leaves."""

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
    return [_verdict(*row) for row in sorted(bench.engine.query("labels/read", shapes=pairs))]


def _uses(shapes: Sequence[Shape]) -> list[_TreeUse]:
    """Return what some ways ask of the hierarchies that list their leaves."""
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
    """Return a way as the statement takes it."""
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


def _verdict(_: int, *row: Any) -> LabelVerdict:
    low, high, low_number, high_number = row[-4:]
    width = None
    if low is not None and high is not None:
        exact = Decimal(high) - Decimal(low)
        width = Fraction(exact if exact >= _LEAST_WIDTH else high_number - low_number)
    values, strange, confused, named, surely, null_surely, listed, several, whole = row[:-4]
    return LabelVerdict(
        *(values, strange, confused, named, surely, null_surely, listed, several, whole), width
    )
