"""Making the tables that the values of a release's labels are looked up in, on its engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from anonsql.completion import lookups, points
from anonsql.completion.columns import CompletedColumn
from anonsql.completion.lookups import Listed, Lookup, Shape
from anonsql.completion.meanings import lookup_of
from anonsql.completion.modelling import model
from anonsql.completion.points import PointColumn
from anonsql.completion.raking import Raking
from anonsql.engines import label_reader
from anonsql.engines.base import Column, Engine, Relation, ReleaseTables
from anonsql.engines.exported_columns import bring
from anonsql.policy.method import MethodSettings

_NAMING = ("range", "set")
"""The forms of labels that name values which occur in the class: its least and greatest, or all.
Where rows have buckets, nothing is placed: rows of a class that have their own label are few."""
_WHOLE_NUMBERS = 2**63
"""What is less fits a BIGINT."""


def look_up(
    located: ReleaseTables, shared: Mapping[str, Any], method: type[MethodSettings]
) -> dict[str, Any]:
    """Make ``completed_labels`` of the labels of all columns, and ``completed_tokens``,
    ``completed_ranges`` and ``completed_atoms``, which their values are looked up in, by what is
    known of the ``method``; ``shared`` is what the templates take. Return how values are looked up,
    as ``completion/drawn`` takes it."""
    engine = located.engine
    labeled: Sequence[CompletedColumn] = shared["labeled"]
    if not labeled:
        nothing: dict[str, Any] = {
            name: [] for name in ("single", "ranged", "radix", "placing", "mixed", "patterns")
        }
        return {"slots": {}, "listed": {}, "joint": False, "impossible": {}, **nothing}
    engine.drop("completed_labels")
    engine.run("completion/labels", into="completed_labels", **shared)
    of_points = points.point_columns(labeled, shared["labels"])
    indices = {column.index for column in of_points}
    others = [column for column in labeled if column.index not in indices]
    raking = Raking.of(located, labeled)
    by_index = _by_label(engine, others, shared, raking, even=method.completed_evenly)
    lists = [
        (column.index, column.column)
        for column in labeled
        if column.index in indices or by_index[column.index].atoms.values is not None
    ]
    numbers = {n: k for k, (some, _) in enumerate(of_one_type(lists), start=1) for n in some}
    types = {n: column.column.type for column in labeled if (n := numbers.get(column.index))}
    listed = Listed(numbers, sorted(types.items()))
    shapes = {index: lookup.shape for index, lookup in by_index.items()}
    marginals = {index: lookup.marginal for index, lookup in by_index.items()}
    with label_reader(engine) if of_points else nullcontext(engine) as reader:
        if of_points:
            leaves = located.extras.get("labels")
            if reader is not engine:
                _bring(engine, reader, of_points, shared)
                leaves = _leaves(engine, reader, of_points, leaves)
            shapes |= points.work_out(reader, of_points, leaves, raking.shown)
            marginals |= points.marginals(reader, raking, even=method.completed_evenly)
        marginals = raking.alone(marginals)
        parts = _Parts(engine, reader, of_points, shapes, listed)
        parts.make("tokens", lookups.load_tokens, by_index)
        placed = {
            i: own for i, own in by_index.items() if len(own.occur.atom) and not own.shape.single
        }
        kinds = {**_kinds(labeled, shapes, listed), "placing": list(placed)}
        joint = model(engine, {**shared, **kinds}, marginals, least_loss=method.least_loss)
        weights = {
            index: joint.weights[index]
            if joint is not None and not shapes[index].single
            else marginal.weights[None, :]
            for index, marginal in marginals.items()
        }
        weights = raking.together(engine, labeled, marginals, weights)
        if of_points:
            points.weigh(
                reader, {c.index: weights[c.index] for c in of_points if c.index in weights}
            )
        parts.make("ranges", lookups.load_ranges, by_index, weights)
        parts.make("atoms", lookups.load_atoms, by_index, weights, listed)
        if of_points:
            points.drop(reader, of_points)
    if placed:
        lookups.load_placed(engine, placed, weights)
    kinds["mixed"] = [index for index, own in weights.items() if len(own) > 1]
    kinds |= {"joint": joint is not None, "patterns": joint.patterns if joint is not None else []}
    kinds["impossible"] = raking.impossible
    return kinds


def _kinds(
    labeled: Sequence[CompletedColumn], shapes: Mapping[int, Shape], listed: Listed
) -> dict[str, Any]:
    """Return how values of columns are looked up, as ``completion/drawn`` takes it."""
    radix, product = [], 1
    for column in labeled:
        radix.append((column, product))
        product *= shapes[column.index].tokens + 1
    single = [index for index, shape in shapes.items() if shape.single]
    return {
        "slots": {index: shape.slot for index, shape in shapes.items()},
        "listed": {column.index: listed.numbers.get(column.index) for column in labeled},
        "single": single,
        "ranged": [i for i, shape in shapes.items() if shape.ranged and i not in single],
        "radix": radix if product < _WHOLE_NUMBERS else [],
    }


@dataclass(frozen=True)
class _Parts:
    """Making the parts of the lookups: what is loaded for some columns, and what SQL makes of texts
    in the ``reader``."""

    engine: Engine
    reader: Engine
    of_points: Sequence[PointColumn]
    shapes: Mapping[int, Shape]
    listed: Listed

    def make(self, part: str, load: Callable[..., None], *loaded: Any) -> None:
        """Make ``completed_<part>``."""
        into, others = f"completed_{part}", f"completed_other_{part}"
        if not self.of_points:
            load(self.engine, into, *loaded)
            return
        load(self.reader, others, *loaded)
        points.lookups(self.reader, part, self.of_points, self.shapes, self.listed)
        self.reader.drop(others)
        if self.reader is not self.engine:
            bring(self.reader, into, self.engine, self.engine.context.workspace)


def _by_label(
    engine: Engine,
    columns: Sequence[CompletedColumn],
    shared: Mapping[str, Any],
    raking: Raking,
    *,
    even: bool,
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
    made = {}
    for column in columns:
        index, shown = column.index, raking.values(column.index)
        own = lookup_of(column, read[index], sizes[index], even=even, shown=shown)
        raking.add(index, own.marginal, own.shown, len(own.atoms) - 1, own.occur)
        made[index] = own
    return made


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
