"""What labels of texts stand for, worked out by SQL, in a DuckDB: leaves of a hierarchy, or the
texts themselves.

Their atoms are single values: the leaves, then the texts that labels name besides. Python sees how
many there are, and for the weights of a column two arrays of numbers: how many atoms lie between
the ends of its labels, and how many rows have each label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from anonsql.completion.columns import CompletedColumn
from anonsql.completion.lookups import WHOLE, Listed, Shape, slot_of
from anonsql.completion.weights import Labels, evenly, likeliest
from anonsql.engines.base import Engine, Relation
from anonsql.system.arrays import np

Star = Literal["itself", "leaves", "all"]
_UNIT = 2**62
_OTHER_LABELS = ("interval", "range", "numbers", "set", "names", "texts")
"""The forms of labels that are intervals or sets."""


@dataclass(frozen=True)
class PointColumn:
    """A column whose labels stand for texts: its ``index`` and ``name``, which of ``label<n>`` has
    its labels, the ``levels`` of its hierarchy that these are of and the ``height`` of that, none
    and 0 without; and whether ``*`` is a label as others are, or any leaf or any value."""

    index: int
    name: str
    label: int
    levels: Sequence[int]
    height: int
    star: Star


def point_columns(
    labeled: Sequence[CompletedColumn], labels: Sequence[tuple[Sequence[int], str]]
) -> list[PointColumn]:
    """Return those columns whose labels stand for texts; ``labels`` are the columns by the type of
    their labels, by index."""
    made = []
    for column in labeled:
        number = next(n for n, (some, _) in enumerate(labels, start=1) if column.index in some)
        if _of_points(column):
            tree = column.held.tree
            height = tree.height if tree is not None and tree.height is not None else 0
            levels = _levels(column, height) if tree is not None else []
            made.append(
                PointColumn(column.index, column.name, number, levels, height, _star(column))
            )
    return made


def _of_points(column: CompletedColumn) -> bool:
    """Return whether the labels of a column are texts, names of leaves, or ``*``."""
    held = column.held
    return (
        column.domain.kind == "text"
        and held.column is not None
        and held.column.kind == "text"
        and held.lo is None
        and held.mask is None
        and held.form not in _OTHER_LABELS
        and (held.tree is None or held.tree.height is not None)
    )


def _levels(column: CompletedColumn, height: int) -> list[int]:
    """Return the levels of its hierarchy that labels of a column are of."""
    level = column.held.level
    if column.held.exact:
        return [0]
    return list(range(height + 1)) if level is None or level > height else [level]


def _star(column: CompletedColumn) -> Star:
    """Return what ``*`` is in a column."""
    held = column.held
    if held.exact and not held.masked:
        return "itself"
    return "leaves" if held.tree is not None and held.starred else "all"


def drop(reader: Engine, points: Sequence[PointColumn]) -> None:
    """Remove what the lookups were made of."""
    for column in points:
        if column.levels:
            reader.drop(f"completed_leaves_{column.index}")
    for table in ("found", "spans", "token_ranges", "runs", "weights", "units", "positions"):
        reader.drop(f"completed_{table}")


def work_out(
    reader: Engine, points: Sequence[PointColumn], labels: Relation | None, *, even: bool
) -> dict[int, Shape]:
    """Make ``completed_spans``, ``completed_positions`` and ``completed_units`` of the labels in
    ``completed_labels``; return the shapes of the columns' lookups. ``labels`` is the table of the
    release that has their leaves; ``even`` says whether all values weigh the same."""
    leaves = dict.fromkeys((column.index for column in points), 0)
    for column in points:
        if column.levels and labels is not None:
            table = f"completed_leaves_{column.index}"
            levels = sorted({0, *column.levels})
            shared = {"index": column.index, "name": column.name, "table": labels}
            reader.run("completion/points/leaves", levels=levels, **shared)
            leaves[column.index] = reader.query("completion/points/size", table=table)[0][0]
    reader.run("completion/points/found", points=points)
    reader.run("completion/points/spans", sizes=list(leaves.items()))
    reader.run("completion/points/ranges")
    reader.run("completion/points/runs")
    known = {row[0]: row[1:] for row in reader.query("completion/points/sizes")}
    shapes = {
        index: Shape(slot_of(atoms + 1), tokens, ranged=bool(ranged), single=bool(single))
        for index, (atoms, tokens, ranged, single) in known.items()
    }
    for column in points:  # of a table without rows
        shapes.setdefault(column.index, Shape(slot_of(1), 0, ranged=True, single=True))
    _weigh(reader, even=even)
    units = [(index, WHOLE - 2 * (sizes[0] + 1)) for index, sizes in known.items()]
    reader.run("completion/points/units", sizes=units or [(-1, 0)])
    reader.run("completion/points/token_positions")
    return shapes


def _weigh(reader: Engine, *, even: bool) -> None:
    """Make ``completed_weights`` of the runs of all columns."""
    of_run, width = reader.numbers("completion/points/widths")
    of_label, token, rows, first, end = reader.numbers("completion/points/labels")
    runs, weights = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for position in np.unique(of_run):
        own, some = of_run == position, of_label == position
        _, kept, label = np.unique(token[some], return_index=True, return_inverse=True)
        labels = Labels(label, first[some], end[some], rows[some][kept])
        weight = evenly(width[own]) if even else likeliest(width[own], labels)
        runs.append(np.arange(len(weight), dtype=np.int64))
        weights.append(np.floor(weight * _UNIT).astype(np.int64))
    columns = {"position": of_run, "run": np.concatenate(runs), "weight": np.concatenate(weights)}
    reader.load_numbers("completed_weights", columns)


def lookups(
    reader: Engine,
    points: Sequence[PointColumn],
    shapes: Mapping[int, Shape],
    listed: Listed,
    others: Mapping[str, str],
) -> None:
    """Make ``completed_tokens``, ``completed_ranges`` and ``completed_atoms``, with
    what other columns have of each (``others``: tables by part)."""
    taken = [
        {
            "index": column.index,
            "levels": column.levels,
            "slot": shapes[column.index].slot,
            "value": listed.numbers[column.index],
        }
        for column in points
    ]
    for part in ("tokens", "ranges", "atoms"):
        into = f"completed_{part}"
        shared = {"part": part, "others": others.get(part), "points": taken, "values": listed.types}
        reader.run("completion/points/lookups", into=into, **shared)
