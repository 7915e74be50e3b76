"""The columns of a completed table: those of the source that the release has, with plain values."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from anonsql.engines.base import Column, OfColumn, ReleaseTables
from anonsql.labels.domains import Domain
from anonsql.labels.original_columns import Bucketed, OriginalColumn, original_columns
from anonsql.policy.columns import LOSS_WEIGHT

DRAW = Column("draw", "INTEGER")
_PLAIN = ("integer", "decimal", "float", "date", "timestamp", "boolean")
_RANGED = ("interval", "range", "numbers")


@dataclass(frozen=True)
class CompletedColumn(OfColumn):
    """A column of a completed table: its number from 1, how the release has it (``held``), and the
    ``column`` with the type that it gets. It is ``labeled`` if the released rows have labels,
    ``bucketed`` if values of some rows or all are in a table of their own; else it is kept.
    ``weight`` is its weight in a loss."""

    index: int
    held: OriginalColumn
    column: Column
    weight: float = 1.0

    @property
    def labeled(self) -> bool:
        """Whether the released rows have labels of it."""
        return self.held.labels

    @property
    def bucketed(self) -> Bucketed | None:
        """The table of its buckets, where there is one."""
        return self.held.bucketed

    @property
    def parts(self) -> list[str]:
        """The released columns of a label: its text, and its bounds."""
        ends = [column.name for column in (self.held.lo, self.held.hi) if column is not None]
        return [self.name, *ends]

    @cached_property
    def domain(self) -> Domain:
        """The domain that values are drawn from."""
        return Domain.of(self.column)

    @cached_property
    def kind(self) -> str:
        """The kind of its values."""
        return self.column.kind if self.column.kind in _PLAIN else "text"


def completed_type(column: Column) -> Column:
    """Return a column with the type that it has in a completed table, by its type in the source:
    the same, except for types that no draw can be computed in."""
    if column.unbounded:
        return Column(column.name, "DOUBLE")
    if column.kind in ("integer", "decimal", "float", "boolean", "date"):
        return Column(column.name, column.released_type)
    if column.kind == "timestamp":
        return Column(column.name, "TIMESTAMP")
    return Column(column.name, "VARCHAR")


def completed_columns(
    located: ReleaseTables, about: Mapping[str, str], types: Mapping[str, Column]
) -> list[CompletedColumn]:
    """Return the columns of the completed table of a release, in the order of ``__columns``.
    ``types`` are the columns of the source, or of an existing completed table; without them a
    generalized column has the type of its bounds, or the type that its labels suggest."""
    made: list[CompletedColumn] = []
    by_name = original_columns(located, about, None)
    released = {column.name: column for column in located.engine.columns(located.rows)}
    for name, _, _, form, _ in located.stated_columns:
        held = by_name.get(name)
        if form == "surrogate" and name in released:  # tables are joined by it
            held = OriginalColumn(name, released[name], kept=True)
        if held is None or (held.column is None and held.bucketed is None):
            continue
        if held.kept and held.column is not None:
            column = held.column
        elif held.name in types:
            column = completed_type(types[held.name])
        elif held.bucketed is not None:
            column = Column(held.name, held.bucketed.value.type)
        elif held.lo is not None:
            column = completed_type(Column(held.name, held.lo.type))
        else:
            column = _suggested(located, held)
        made.append(CompletedColumn(len(made) + 1, held, column, _weight(about, name)))
    return made


def _weight(about: Mapping[str, str], name: str) -> float:
    """Return a column's weight in a loss: 1 where the release states none, or no positive
    number."""
    try:
        weight = float(about.get(f"{LOSS_WEIGHT}{name}", "1"))
    except ValueError:
        return 1.0
    return weight if 0 < weight < math.inf else 1.0


def _suggested(located: ReleaseTables, held: OriginalColumn) -> Column:
    """Return a column with the type that its labels suggest: numbers where they are intervals of
    numbers, else text."""
    if held.form not in _RANGED:
        return Column(held.name, "VARCHAR")
    rows = located.engine.query("completion/texts", table=located.rows, name=held.name)
    ends = re.findall(r"[^\[\](),]+", "".join(str(label) for (label,) in rows if label != "*"))
    if all(re.fullmatch(r"\s*-?\d{1,15}\s*", end) for end in ends):
        return Column(held.name, "BIGINT")
    numbers = all(re.fullmatch(r"\s*-?\d+(\.\d+)?\s*", end) for end in ends)
    return Column(held.name, "DOUBLE" if numbers else "VARCHAR")


def names_of(columns: Sequence[CompletedColumn]) -> list[Column]:
    """Return the columns of the table: the number of the draw, and those of the source."""
    return [Column(draw_name(columns), DRAW.type), *(column.column for column in columns)]


def draw_name(columns: Sequence[CompletedColumn]) -> str:
    """Return the name of the column with the number of the draw: ``draw``, with underscores behind
    it where the table has a column of that name."""
    taken = {column.name.lower() for column in columns}
    name = DRAW.name
    while name in taken:
        name += "_"
    return name
