"""Hierarchies that are given leaf by leaf, as tables: each file is read once a job, by DuckDB.

Where the source is DuckDB's that is its own engine; for a server it is an embedded DuckDB, from
which the table of leaves is carried in bulk to where a dimension table is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anonsql.engines import open_workbench
from anonsql.engines.base import Column, Context, Engine
from anonsql.engines.exported_columns import bring
from anonsql.hierarchies import files, leaf_files
from anonsql.policy.hierarchy import MAX_LEVELS, FileHierarchy, OrderHierarchy, TaxonomyHierarchy

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
    """Properties of a hierarchy's table of leaves: how many ``levels`` there are, including the
    leaves' own, how many leaves except NULL (``count``), how many ``top_labels`` the top level has,
    and one of them (``top``), and the rows of labels above NULL, at most two (``nulls``).
    ``are_values`` is whether every engine casts all leaves to the same values of the column's type.
    ``rows`` are labels and place of each leaf where there is no table, but they are
    :func:`spelled_out`."""

    levels: int
    count: int = 0
    top: str = ""
    top_labels: int = 0
    nulls: Sequence[tuple[str, ...]] = ()
    are_values: bool = False
    rows: Sequence[Sequence[str | int]] = field(default=(), repr=False)


class LeafTables:
    """The tables ``leaves_<index>`` of a job (v0 …: the labels of a leaf, and its place; where they
    were made of a file, its line). ``digests`` are the SHA-256 of the files."""

    def __init__(self, engine: Engine, context: Context) -> None:
        self._engine, self._context = engine, context
        self.digests: dict[Path, str] = {}
        self._own: Engine | None = None
        self._rows_are: dict[int, str] = {}

    @property
    def reader(self) -> Engine:
        """The DuckDB in which the tables are made."""
        if self._engine.embedded:
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
            read = leaf_files.read(self.reader, table, file, f"{where}.path", folder)
            levels, self.digests[file] = read.levels, read.digest
            self._rows_are[index] = "lines" if read.numbered else "rows"
        else:
            rows = files.read(spec, where, path)
            levels = len(rows[0])
            columns = [(f"v{level}", "VARCHAR") for level in range(levels)]
            placed = [(*row, position) for position, row in enumerate(rows)]
            self.reader.load(table, [*columns, ("place", "INTEGER")], placed)
        if levels > MAX_LEVELS + 1:
            return Leaves(levels)
        return self._described(index, levels, column, in_file=in_file)

    def _described(self, index: int, levels: int, column: Column, *, in_file: bool) -> Leaves:
        """Return what is known of leaves; repeated lines of a file, and NULL's, are left out."""
        reader, table = self.reader, f"leaves_{index}"
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
        are_values = column.kind in _WRITTEN_ALIKE and not strange
        return Leaves(levels, lines, top, top_labels, nulls, are_values)

    def lines(self, index: int, level: int | None, above: int) -> str:
        """Return words for the lines of a hierarchy's file, five at most, in which labels of a
        ``level`` have another parent (their label of the level ``above``) than in most; for no
        level, lines with another such label than most. Empty where it has no file."""
        if index not in self._rows_are:
            return ""
        table, shape = f"leaves_{index}", {"level": level, "above": above}
        pairs = self.reader.query("engines/duckdb/leaves_lines", table=table, **shape)
        lines = [f"{other} (as against {first})" for first, other in pairs]
        return f"{self._rows_are[index]} {', '.join(lines)}" if lines else ""

    def rows(self, index: int, levels: int) -> list[tuple[str | int, ...]]:
        """Return a hierarchy's leaves in order, with labels and place, to be spelled out."""
        table = f"leaves_{index}"
        return self.reader.query("engines/duckdb/leaves_rows", table=table, levels=levels)

    def bring(self, table: str, columns: Sequence[str], engine: Engine) -> None:
        """Bring columns of a reader's table to the engine that needs them, if it is another."""
        if engine is not self.reader:
            bring(self.reader, table, engine, self._context.workspace, columns)

    def close(self) -> None:
        """Close the embedded DuckDB, if there is one."""
        if self._own is not None:
            self._own.close()
            self._own = None


def spelled_out(
    _index: int, _column: Column, spec: Listed, where: str, path: Callable[[str], Path]
) -> Leaves:
    """Return the leaves of a hierarchy as rows, for a statement without a table of them."""
    labels = files.read(spec, where, path)
    nulls = [row for row in labels if row[0] == "" and isinstance(spec, FileHierarchy)]
    rows = [row for row in labels if row not in nulls]
    tops = {row[-1] for row in labels}
    above = [tuple(row[1:]) for row in nulls]
    placed: list[tuple[str | int, ...]] = [(*row, position) for position, row in enumerate(rows)]
    return Leaves(len(labels[0]), len(rows), min(tops), len(tops), above, rows=placed)
