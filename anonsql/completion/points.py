"""The values of text labels, worked out by SQL, in a DuckDB: leaves of a hierarchy, or the texts
themselves.

Their atoms are single values: the leaves, then other texts that labels name. Python sees how many
there are, and for the weights of a column two arrays of numbers: how many atoms are between the
ends of its labels, and how many rows have each label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from anonsql.completion.columns import CompletedColumn
from anonsql.completion.joint import Marginal
from anonsql.completion.lookups import WHOLE, Listed, Shape, position_of, slot_of
from anonsql.completion.raking import Raking, Shown
from anonsql.completion.weights import Labels, Weights, evenly, likeliest
from anonsql.engines.base import Engine, Relation
from anonsql.system.arrays import np

Star = Literal["itself", "leaves", "all"]
_UNIT = 2**62
_OTHER_LABELS = ("interval", "range", "numbers", "set", "names", "texts")
"""The forms of labels that are intervals or sets."""


@dataclass(frozen=True)
class PointColumn:
    """A column whose labels cover texts: its ``index`` and ``name``, which of ``label<n>`` has its
    labels, their ``levels`` in its hierarchy and its ``height`` (none and 0 without one); and
    whether ``*`` is an ordinary label, any leaf, or any value."""

    index: int
    name: str
    label: int
    levels: Sequence[int]
    height: int
    star: Star


def point_columns(
    labeled: Sequence[CompletedColumn], labels: Sequence[tuple[Sequence[int], str]]
) -> list[PointColumn]:
    """Return the columns whose labels cover texts; ``labels`` are the columns by the type of their
    labels, by index."""
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
    """Remove the scratch tables of the lookups."""
    made = ("found", "spans", "token_ranges", "runs", "weights", "units", "positions")
    leaves = (f"leaves_{column.index}" for column in points if column.levels)
    reader.drop(*(f"completed_{table}" for table in (*made, *leaves)))


def work_out(
    reader: Engine,
    points: Sequence[PointColumn],
    labels: Relation | None,
    shown: Mapping[int, Shown],
) -> dict[int, Shape]:
    """Make ``completed_spans`` and ``completed_runs`` of the labels in ``completed_labels``; return
    the shapes of the columns' lookups. ``labels`` is the table of the release that has their
    leaves; values that are ``shown`` of a column, by index, are runs of their own."""
    leaves, listed = dict.fromkeys((column.index for column in points), 0), list[int]()
    for column in points:
        if column.levels and labels is not None:
            levels = sorted({0, *column.levels})
            shared = {"index": column.index, "name": column.name, "table": labels}
            reader.run("completion/points/leaves", levels=levels, **shared)
            listed.append(column.index)
    if listed:
        leaves |= dict(reader.query("completion/points/size", indices=listed))
    values = [
        (column.index, -number, text)
        for column in points
        if column.index in shown
        for number, text in enumerate(shown[column.index].values, start=1)
        if column.star == "itself" or text != "*"
    ]
    if values:
        types = [("position", "BIGINT"), ("value", "BIGINT"), ("label", "VARCHAR")]
        reader.load("completed_shown", types, values)
    reader.run("completion/points/found", points=points, shown=bool(values))
    if values:
        reader.drop("completed_shown")
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
    return shapes


def marginals(reader: Engine, raking: Raking, *, even: bool) -> dict[int, Marginal]:
    """Return what is known of each column alone, by index: its atoms are the runs of atoms between
    which no label or shown value begins or ends. ``even`` says whether all values weigh the same.
    Add the columns to the raked ones."""
    of_run, width = reader.numbers("completion/points/widths")
    of_label, token, rows, first, end = reader.numbers("completion/points/labels")
    found = {}
    for index in np.unique(of_run).tolist():
        own, some = width[of_run == index], of_label == index
        _, kept, label = np.unique(token[some], return_index=True, return_inverse=True)
        labels = Labels(label, first[some], end[some], rows[some][kept])
        weights = evenly(own) if even else likeliest(own, labels)
        found[index] = Marginal(own.astype(np.float64), labels, weights)
    if raking.shown:
        _rake(reader, found, raking)
    return found


def _rake(reader: Engine, marginals: Mapping[int, Marginal], raking: Raking) -> None:
    placed: dict[int, dict[int, int]] = {index: {} for index in marginals}
    for index, run, number in reader.query("completion/points/shown"):
        placed[index][number] = run
    for index, marginal in marginals.items():
        null = placed[index].pop(-1, None)
        raking.add(index, marginal, placed[index], null)


def weigh(reader: Engine, weights: Mapping[int, Weights]) -> None:
    """Make ``completed_units`` and ``completed_positions`` by the weights of columns' runs, of each
    component (components × runs)."""
    rows = [
        (position_of(index, component), index, np.floor(own * _UNIT).astype(np.int64))
        for index, of_column in weights.items()
        for component, own in enumerate(of_column)
    ]
    numbers = [np.empty(0, dtype=np.int64)]
    columns = {
        "position": [np.full_like(own, position) for position, _, own in rows],
        "of_column": [np.full_like(own, index) for _, index, own in rows],
        "run": [np.arange(len(own), dtype=np.int64) for *_, own in rows],
        "weight": [own for *_, own in rows],
    }
    reader.load_numbers(
        "completed_weights",
        {name: np.concatenate(numbers + parts) for name, parts in columns.items()},
    )
    atoms = {row[0]: row[1] for row in reader.query("completion/points/sizes")}
    units = [(index, WHOLE - 2 * (atoms[index] + 1)) for index in weights]
    reader.run("completion/points/units", sizes=units or [(-1, 0)])
    reader.run("completion/points/token_positions")


def lookups(
    reader: Engine,
    part: str,
    points: Sequence[PointColumn],
    shapes: Mapping[int, Shape],
    listed: Listed,
) -> None:
    """Make ``completed_tokens``, ``completed_ranges`` or ``completed_atoms`` (``part``), with what
    other columns have of it in ``completed_other_<part>``."""
    taken = [
        {
            "index": column.index,
            "levels": column.levels,
            "slot": shapes[column.index].slot,
            "value": listed.numbers[column.index],
        }
        for column in points
    ]
    shared = {"points": taken, "values": listed.types}
    reader.run("completion/points/lookups", into=f"completed_{part}", part=part, **shared)
