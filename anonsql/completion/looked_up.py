"""Making the tables that the values of a release's labels are looked up in, on its engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonsql.completion import lookups, points
from anonsql.completion.columns import CompletedColumn
from anonsql.completion.lookups import Listed, Lookup, Shape
from anonsql.completion.meanings import lookup_of
from anonsql.completion.points import PointColumn
from anonsql.engines import label_reader
from anonsql.engines.base import Column, Engine, Relation, ReleaseTables
from anonsql.engines.exported_columns import bring

PARTS = ("tokens", "ranges", "atoms")
_NAMING = ("range", "set")
"""The forms of labels that name values which occur in the class: its least and greatest, or all.
Where rows have buckets, nothing is placed: rows of a class that have their own label are few."""


@dataclass(frozen=True)
class LookedUp:
    """How values are looked up: the ``shapes`` of the lookups, by the index of their column, where
    ``completed_atoms`` has those that are ``listed``, and the columns, by index, whose rows
    ``completed_placed`` gives values that are known to occur in their class."""

    shapes: Mapping[int, Shape]
    listed: Listed
    placing: Sequence[int] = ()


def look_up(located: ReleaseTables, shared: Mapping[str, Any], *, even: bool) -> LookedUp:
    """Make ``completed_labels`` of the labels of all columns, and ``completed_tokens``,
    ``completed_ranges`` and ``completed_atoms``, which their values are looked up in; ``shared`` is
    what the templates take."""
    engine = located.engine
    labeled: Sequence[CompletedColumn] = shared["labeled"]
    if not labeled:
        return LookedUp({}, Listed({}, []))
    engine.drop("completed_labels")
    engine.run("completion/labels", into="completed_labels", **shared)
    of_points = points.point_columns(labeled, shared["labels"])
    indices = {column.index for column in of_points}
    others = [column for column in labeled if column.index not in indices]
    by_index = _by_label(engine, others, shared, even=even)
    lists = [
        (column.index, column.column)
        for column in labeled
        if column.index in indices or by_index[column.index].atoms.values is not None
    ]
    numbers = {n: k for k, (some, _) in enumerate(of_one_type(lists), start=1) for n in some}
    types = {n: column.column.type for column in labeled if (n := numbers.get(column.index))}
    listed = Listed(numbers, sorted(types.items()))
    shapes = {index: lookup.shape for index, lookup in by_index.items()}
    placing = lookups.place(engine, by_index)
    if not of_points:
        into = {part: f"completed_{part}" for part in PARTS}
        lookups.load(engine, others, by_index, listed, into)
        return LookedUp(shapes, listed, placing)
    with label_reader(engine) as reader:
        more = {part: f"completed_other_{part}" for part in PARTS} if others else {}
        if others:
            lookups.load(reader, others, by_index, listed, more)
        leaves = located.extras.get("labels")
        if reader is not engine:
            _bring(engine, reader, of_points, shared)
            leaves = _leaves(engine, reader, of_points, leaves)
        shapes |= points.work_out(reader, of_points, leaves, even=even)
        points.lookups(reader, of_points, shapes, listed, more)
        points.drop(reader, of_points)
        for table in more.values():
            reader.drop(table)
        if reader is not engine:
            for part in PARTS:
                bring(reader, f"completed_{part}", engine, engine.context.workspace)
    return LookedUp(shapes, listed, placing)


def _by_label(
    engine: Engine, columns: Sequence[CompletedColumn], shared: Mapping[str, Any], *, even: bool
) -> dict[int, Lookup]:
    """Return what values of columns are looked up in whose labels are read one by one."""
    if not columns:
        return {}
    read: dict[int, list[tuple[Any, ...]]] = {column.index: [] for column in columns}
    for index, value, count, *row in engine.query(
        "completion/labels_read", table="completed_labels", positions=list(read), **_kept(shared)
    ):
        read[index].append((value, *label_of(row, index, shared), count))
    sizes: dict[int, list[tuple[int, int, int]]] = {column.index: [] for column in columns}
    naming = [column for column in columns if column.held.form in _NAMING and not even]
    if naming and not shared["buckets"]:
        for index, value, size, classes in engine.query(
            "completion/sizes", naming=naming, **shared
        ):
            sizes[index].append((value, size, classes))
    return {
        column.index: lookup_of(column, read[column.index], sizes[column.index], even=even)
        for column in columns
    }


def _bring(
    engine: Engine, reader: Engine, columns: Sequence[PointColumn], shared: Mapping[str, Any]
) -> None:
    """Bring the labels of columns to the reader."""
    label_of_column = {column.index: column.label for column in columns}
    rows = engine.query(
        "completion/labels_read",
        table="completed_labels",
        positions=list(label_of_column),
        **_kept(shared),
    )
    names = sorted(set(label_of_column.values()))
    types = [(name, "BIGINT") for name in ("position", "value", "n")]
    types += [(f"label{number}", "VARCHAR") for number in names]
    loaded = [
        (*row[:3], *(row[2 + n] if n == label_of_column[row[0]] else None for n in names))
        for row in rows
    ]
    reader.load("completed_labels", types, loaded)


def _leaves(
    engine: Engine, reader: Engine, columns: Sequence[PointColumn], table: Relation | None
) -> Relation | None:
    """Bring the labels of columns' hierarchies to the reader, where there are any."""
    names = [column.name for column in columns if column.levels]
    if table is None or not names:
        return None
    rows = engine.query("completion/leaves", table=table, names=names)
    whole, text = "BIGINT", "VARCHAR"
    columns_of = [("column_name", text), ("level", whole), ("label", text), ("place", whole)]
    reader.load("completed_leaves", columns_of, rows)
    return ("completed_leaves",)


def _kept(shared: Mapping[str, Any]) -> dict[str, Any]:
    return {name: shared[name] for name in ("labels", "ends")}


def typed_labels(labeled: Sequence[CompletedColumn]) -> dict[str, Any]:
    """Return which columns have ``labels``, and ``ends`` of them, of one type, as the template
    ``completion/labels`` takes it."""
    labels = [(column.index, column.held.column) for column in labeled]
    ends = [(column.index, column.held.lo) for column in labeled]
    highest = {column.held.lo: column.held.hi for column in labeled}
    return {
        "labels": [(some, one.name) for some, one in of_one_type(labels)],
        "ends": [
            (some, one.name, hi.name)
            for some, one in of_one_type(ends)
            if (hi := highest[one]) is not None
        ],
    }


def of_one_type(
    columns: Sequence[tuple[int, Column | None]],
) -> list[tuple[Sequence[int], Column]]:
    """Return the columns by their type: their indices, and one of them."""
    alike: dict[str, tuple[list[int], Column]] = {}
    for index, column in columns:
        if column is not None:
            alike.setdefault(column.type, ([], column))[0].append(index)
    return list(alike.values())


def label_of(row: Sequence[Any], index: int, shared: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """Return the label and its bounds from those of all types, ``row``, as ``completion/labels``
    has them for a column."""
    labels, ends = shared["labels"], shared["ends"]
    label = next(n for n, (some, _) in enumerate(labels) if index in some)
    end = next((n for n, (some, *_) in enumerate(ends) if index in some), None)
    if end is None:
        return row[label], None, None
    low = len(labels) + 2 * end
    return row[label], row[low], row[low + 1]
