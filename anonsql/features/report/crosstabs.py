"""Published tables as pages and exports read them, and their crosstabs: two dimensions at a time, the
others at their totals."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from anonsql.engines.base import Column, ReleaseTables
from anonsql.errors import VerificationError
from anonsql.features.report.document import Crosstab, CrosstabCell, CrosstabLabel

MOST_ROWS = 60
MOST_COLUMNS = 12
MOST_PAIRS = 6
"""Pairs of dimensions of a table that are shown."""
MOST_CELLS = 20_000
"""Cells of all crosstabs of a page, as far as whole pairs go: some 2 MB."""
_NUMBERED = re.compile(r"[\[(<>=≤≥ ]*(-?[0-9]+(?:\.[0-9]+)?)")

_STATUSES = ("published", "hidden", "changed")
DIMENSION, MEASURE = "dimension", "measure"
_ROLES = {DIMENSION: DIMENSION, MEASURE: MEASURE, "ratio": MEASURE}
"""The kind of a column on a page, by its role."""

Tables = Mapping[str, ReleaseTables]
"""Published tables, by name."""
Label = tuple[int, str | None]
"""A label of a dimension with its level; 0 is a value."""
Key = tuple[Label, ...]
"""A cell of a table: a label of each dimension."""
Primary = Mapping[str, Collection[Key]]
"""For the owner: the primary cells of a table by measure."""


@dataclass(frozen=True)
class Margins:
    """The cells of a published table with at most two dimensions below their totals, each with the
    value and status of each measure. ``tops`` are the levels of totals."""

    dimensions: Sequence[str]
    tops: Sequence[int]
    measures: Sequence[str]
    cells: Mapping[Key, Mapping[str, tuple[int | str | None, Any]]]


@dataclass(frozen=True)
class _Axis:
    name: str
    labels: Sequence[Label]
    top: int
    left_out: Sequence[str]

    @property
    def shown(self) -> list[CrosstabLabel]:
        return [
            CrosstabLabel(label=label, level=level, depth=self.top - level)
            for level, label in self.labels
        ]


def of_table(
    margins: Margins, primary: Primary | None, most: int = MOST_CELLS
) -> tuple[list[Crosstab], list[str]]:
    """Return the crosstabs of a table with at most ``most`` cells, and sentences about those left
    out. ``primary`` is None on a page for recipients."""
    count = len(margins.dimensions)
    if not margins.cells:
        return [], ["The table has no cells."]
    if count == 1:
        single = _of_one(margins, primary)
        if len(single.row_labels) * len(single.column_labels) <= most:
            return [single], []
        return [], ["Its crosstab is left out, because the page would become too large."]
    made, left, pairs = list[Crosstab](), 0, 0
    for pair in itertools.combinations(range(count), 2):
        of_pair = _of_pair(margins, primary, *pair) if pairs < MOST_PAIRS else []
        size = sum(len(one.row_labels) * len(one.column_labels) for one in of_pair)
        if not of_pair or size > most:
            left += 1
            continue
        pairs, most = pairs + 1, most - size
        made += of_pair
    if not left:
        return made, []
    words = "1 pair" if left == 1 else f"{left:,} pairs"
    return made, [f"Crosstabs by {words} of dimensions are left out: the table has their cells."]


def _of_one(margins: Margins, primary: Primary | None) -> Crosstab:
    axis = _axis(margins, 0, MOST_ROWS)
    return Crosstab(
        rows=axis.name,
        columns=None,
        measure=None,
        row_labels=axis.shown,
        column_labels=[CrosstabLabel(label=name, level=0, depth=0) for name in margins.measures],
        cells=[
            [_cell(margins, primary, (label,), name) for name in margins.measures]
            for label in axis.labels
        ],
        left_out=list(axis.left_out),
    )


def _of_pair(margins: Margins, primary: Primary | None, one: int, other: int) -> list[Crosstab]:
    """Return the crosstabs of two dimensions, one a measure. The dimension with more levels, or
    else more labels, has the rows."""
    levels = {at: _by_level(margins, at) for at in (one, other)}
    size = {at: (len(own), sum(map(len, own.values()))) for at, own in levels.items()}
    down, across = (one, other) if size[one] >= size[other] else (other, one)
    rows = _axis(margins, down, MOST_ROWS)
    columns = _columns(margins, across)
    keys = [
        [_key(margins, {down: row, across: column}) for column in columns.labels]
        for row in rows.labels
    ]
    return [
        Crosstab(
            rows=rows.name,
            columns=columns.name,
            measure=measure,
            row_labels=rows.shown,
            column_labels=columns.shown,
            cells=[[_cell(margins, primary, key, measure) for key in line] for line in keys],
            left_out=[*rows.left_out, *columns.left_out],
        )
        for measure in margins.measures
    ]


def _key(margins: Margins, labels: Mapping[int, Label]) -> Key:
    """Return the cell with some labels and the totals of the other dimensions."""
    return tuple(labels.get(at, (top, "*")) for at, top in enumerate(margins.tops))


def _cell(margins: Margins, primary: Primary | None, key: Key, measure: str) -> CrosstabCell:
    cell = margins.cells.get(key)
    if cell is None:
        return CrosstabCell(value=None, status="absent")
    value, status = cell[measure]
    known = status == "hidden" and primary is not None and measure in primary
    is_primary = key in primary[measure] if known and primary is not None else None
    return CrosstabCell(value=value, status=status, primary=is_primary)


def _by_level(margins: Margins, at: int) -> dict[int, list[Label]]:
    labels: dict[int, list[Label]] = {}
    for label in {key[at] for key in margins.cells}:
        labels.setdefault(label[0], []).append(label)
    return {level: ordered(labels[level]) for level in sorted(labels, reverse=True)}


def ordered(labels: Collection[Label]) -> list[Label]:
    """Return labels of one level in the order that people expect: by the number that all begin with
    (ranges), else as text; NULL last.

    >>> ordered([(0, ">=65"), (0, "[5,40)"), (0, None), (0, "[40,65)")])
    [(0, '[5,40)'), (0, '[40,65)'), (0, '>=65'), (0, None)]
    """
    numbers = {label: _NUMBERED.match(label[1]) for label in labels if label[1] is not None}
    if all(numbers.values()):
        first = {label: float(match[1]) for label, match in numbers.items() if match}
        return sorted(
            labels, key=lambda item: (item[1] is None, first.get(item, 0.0), item[1] or "")
        )
    return sorted(
        labels, key=lambda item: (item[1] is None, (item[1] or "").casefold(), item[1] or "")
    )


def _axis(margins: Margins, at: int, most: int) -> _Axis:
    """Return the labels of rows, from the total down as long as ``most`` allow. Where only the
    total fits, the first labels of the next level follow."""
    name, levels = margins.dimensions[at], _by_level(margins, at)
    labels, sentences = list[Label](), list[str]()
    for level, of_level in levels.items():
        if len(labels) + len(of_level) <= most:
            labels += of_level
            continue
        words = f"{len(of_level):,} labels of {name} (level {level})"
        if len(labels) <= 1:
            room = most - len(labels)
            labels += of_level[:room]
            sentences.append(f"Of {words} only the first {room:,} are shown.")
        else:
            sentences.append(f"The {words} are left out.")
        deeper = sum(len(others) for lower, others in levels.items() if lower < level)
        if deeper:
            sentences.append(f"So are {deeper:,} at the levels below.")
        break
    return _Axis(name, labels, margins.tops[at], sentences)


def _columns(margins: Margins, at: int) -> _Axis:
    """Return the labels of columns: the total and the finest level that fits."""
    name, levels = margins.dimensions[at], _by_level(margins, at)
    below = {level: labels for level, labels in levels.items() if level < margins.tops[at]}
    fitting = [level for level, labels in below.items() if len(labels) < MOST_COLUMNS]
    if not fitting:
        return _axis(margins, at, MOST_COLUMNS)
    level = min(fitting)
    others = [str(other) for other in sorted(below) if other != level]
    sentences = []
    if others:
        word, verb = ("Level", "is") if len(others) == 1 else ("Levels", "are")
        sentences.append(
            f"Columns are level {level} of {name}."
            f" {word} {' and '.join(others)} {verb} in the table."
        )
    top = margins.tops[at]
    return _Axis(name, [(top, "*"), *below[level]], top, sentences)


def shape(table: ReleaseTables) -> dict[str, list[Column]]:
    """Return the dimensions and the measures of a published table, in its order."""
    roles = {one.name: _ROLES.get(one.role or "") for one in table.stated_columns}
    columns = table.engine.columns(table.rows)
    return {
        role: [column for column in columns if roles.get(column.name) == role]
        for role in (DIMENSION, MEASURE)
    }


def margins_of(table: ReleaseTables, columns: Mapping[str, Sequence[Column]]) -> Margins:
    """Return the cells of a published table of this :func:`shape` that crosstabs show."""
    dimensions = [column.name for column in columns[DIMENSION]]
    measures = [column.name for column in columns[MEASURE]]
    levels = [f"{name}_level" for name in dimensions]
    (tops,) = table.engine.query("features/report/tops", table=table.rows, levels=levels)
    if None in tops:
        return Margins(dimensions, [0] * len(dimensions), measures, {})
    names = [part for name in dimensions for part in (name, f"{name}_level")]
    names += [part for name in measures for part in (name, f"{name}_status")]
    rows = table.engine.query(
        "features/report/margins",
        table=table.rows,
        columns=names,
        tops=list(zip(levels, tops, strict=True)),
        most=2,
    )
    of_measures = 2 * len(dimensions)
    cells = {
        tuple((row[at + 1], row[at]) for at in range(0, of_measures, 2)): {
            name: (row[of_measures + 2 * at], row[of_measures + 2 * at + 1])
            for at, name in enumerate(measures)
        }
        for row in right(table.rows[-1], rows, columns)
    }
    return Margins(dimensions, tops, measures, cells)


def right(
    name: str, rows: Sequence[Sequence[Any]], columns: Mapping[str, Sequence[Column]]
) -> list[list[Any]]:
    """Return rows of a published table of this :func:`shape`, with values as documents have them.
    Raise VerificationError for cells without a level or a known status."""
    first = 2 * len(columns[DIMENSION])
    scales = [column.scale for column in columns[MEASURE]]
    wrong = sum(
        any(row[at] is None for at in range(1, first, 2))
        or any(row[at] not in _STATUSES for at in range(first + 1, len(row), 2))
        for row in rows
    )
    if wrong:
        text = f"{name} has {wrong:,} cells without a level, or neither shown nor hidden"
        raise VerificationError([text])
    made_right = []
    for row in rows:
        entries = list(row)
        for at, scale in enumerate(scales):
            entries[first + 2 * at] = exact(row[first + 2 * at], scale)
        made_right.append(entries)
    return made_right


def exact(value: int | Decimal | float | None, scale: int) -> int | str | None:
    """Return a value of a measure with so many digits after the point, however an engine gives it;
    with its own where the engine has no such type (SQLite).

    >>> exact(1.5, 2), exact(Decimal(3), 0), exact(2.5, 0), exact(None, 2)
    ('1.50', 3, '2.5', None)
    """
    if value is None:
        return None
    number = Decimal(str(value))
    if scale or number != number.to_integral_value():
        return f"{number:.{scale}f}" if scale else f"{number:f}"
    return int(number)
