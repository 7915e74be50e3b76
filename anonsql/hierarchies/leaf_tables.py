"""Hierarchies that are given leaf by leaf, as tables: each file is read once a job, by DuckDB.

Where the source is DuckDB's that is its own engine; for a server it is an embedded DuckDB, from
which the table of leaves is carried in bulk to where a dimension table is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from anonsql.engines import open_workbench
from anonsql.engines.base import Column, Context, Engine
from anonsql.engines.travelling import bring
from anonsql.hierarchies import files, leaf_files
from anonsql.policy.hierarchy import (
    MAX_LEVELS,
    TOP,
    FileHierarchy,
    OrderHierarchy,
    TaxonomyHierarchy,
)

Listed = FileHierarchy | OrderHierarchy | TaxonomyHierarchy
_WRITTEN_ALIKE = {
    "integer": "-?[0-9]{1,18}",
    "decimal": r"-?[0-9]{1,18}(\.[0-9]{1,18})?",
    "float": r"-?[0-9]{1,18}(\.[0-9]{1,18})?",
    "date": "[0-9]{4}-[0-9]{2}-[0-9]{2}",
    "timestamp": "[0-9]{4}-[0-9]{2}-[0-9]{2}( ([01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2})?",
}
"""The texts that every engine casts to the same value, by the kind of the column."""


@dataclass(frozen=True)
class Leaves:
    """What is known of a hierarchy's table of leaves: how many ``levels`` there are, the leaves'
    own counted in, how many leaves besides NULL (``count``), up to five labels of the top level
    (``tops``), and the rows of labels above NULL, at most two (``nulls``). ``are_values`` is
    whether every engine casts all leaves to the column's type alike."""

    levels: int
    count: int = 0
    tops: Sequence[str] = ()
    top_labels: int = 0
    nulls: Sequence[tuple[str, ...]] = ()
    are_values: bool = False


class LeafTables:
    """The tables ``leaves_<index>`` of a job (v0 …: the labels of a leaf, and its place)."""

    def __init__(self, engine: Engine, context: Context) -> None:
        self._engine, self._context = engine, context
        self._own: Engine | None = None

    @property
    def reader(self) -> Engine:
        """The DuckDB in which the tables are made."""
        if self._engine.dialect == "duckdb":
            return self._engine
        if self._own is None:
            self._own = open_workbench(self._context, "leaves")
        return self._own

    def read(
        self, index: int, column: Column, spec: Listed, where: str, path: Callable[[str], Path]
    ) -> Leaves:
        """Make the table of a hierarchy; ``where`` is its location in the policy, ``path`` resolves
        paths that the policy gives. Raise PolicyError where it cannot be read."""
        table, in_file = f"leaves_{index}", isinstance(spec, FileHierarchy)
        if isinstance(spec, FileHierarchy):
            file, folder = path(spec.path), self._context.workspace
            levels = leaf_files.read(self.reader, table, file, f"{where}.path", folder)
        else:
            rows = files.read(spec, where, path)
            levels = len(rows[0])
            columns = [(f"v{level}", "VARCHAR") for level in range(levels)]
            placed = [(*row, place) for place, row in enumerate(rows)]
            self.reader.load(table, [*columns, ("place", "INTEGER")], placed)
        if levels > MAX_LEVELS + 1:
            return Leaves(levels)
        return self._described(table, levels, column, in_file=in_file)

    def _described(self, table: str, levels: int, column: Column, *, in_file: bool) -> Leaves:
        """Return what is known of a table of leaves. Of a file, lines that stand twice are left
        out, and those of NULL."""
        reader = self.reader
        lines, distinct, null_lines, top_labels, top, strange = reader.query(
            "engines/duckdb/leaves_facts",
            table=table,
            levels=levels,
            in_file=in_file,
            pattern=_WRITTEN_ALIKE.get(column.kind),
            moments=column.kind in ("date", "timestamp"),
        )[0]
        nulls: Sequence[tuple[str, ...]] = ()
        if null_lines:
            nulls = reader.query("engines/duckdb/leaves_null", table=table, levels=levels)
        if null_lines or (in_file and distinct < lines):
            reader.run("engines/duckdb/leaves_once", table=table, levels=levels)
            lines = reader.query("sql/rows", table=table)[0][0]
        tops = [top]
        if top_labels > 1:
            labels = reader.query("engines/duckdb/leaves_tops", table=table, level=levels - 1)
            tops = [row[0] for row in labels]
        are_values = column.kind in _WRITTEN_ALIKE and not strange
        return Leaves(levels, lines, tops, top_labels, nulls, are_values)

    def rows(self, index: int, levels: int) -> list[tuple[str | int, ...]]:
        """Return the leaves of a hierarchy in order: labels and place, for a statement that spells
        them out."""
        table = f"leaves_{index}"
        return self.reader.query("engines/duckdb/leaves_rows", table=table, levels=levels)

    def bring(self, table: str, columns: Sequence[str], engine: Engine) -> None:
        """Bring columns of a table of the reader to the engine that needs them, unless that is the
        reader."""
        if engine is not self.reader:
            bring(self.reader, table, engine, self._context.workspace, columns)

    def close(self) -> None:
        """Close the embedded DuckDB, if there is one."""
        if self._own is not None:
            self._own.close()
            self._own = None


def levels_alone(
    _index: int, _column: Column, spec: Listed, where: str, path: Callable[[str], Path]
) -> Leaves:
    """Return how many levels a hierarchy has, without its leaves: one stands for all."""
    if isinstance(spec, FileHierarchy):
        levels = leaf_files.levels(path(spec.path), f"{where}.path")
    else:
        levels = len(files.read(spec, where, path)[0])
    return Leaves(levels, 1, (TOP,), 1)
