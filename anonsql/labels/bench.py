"""The engine that reads labels: the DuckDB that has the release, or one in this process's memory if
the release is elsewhere. Hierarchies are read once each, by the engine."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonsql.engines import label_reader
from anonsql.engines.base import Engine
from anonsql.errors import ResourceError, SqlError
from anonsql.hierarchies import files as hierarchy_files
from anonsql.policy.hierarchy import FileHierarchy, OrderHierarchy, TaxonomyHierarchy
from anonsql.system.arrays import IntArray

TreeSpec = FileHierarchy | OrderHierarchy | TaxonomyHierarchy
TREES = (FileHierarchy, OrderHierarchy, TaxonomyHierarchy)


@dataclass(frozen=True)
class LabelTree:
    """A hierarchy that lists its leaves, as the table ``labels_tree_<number>``: the top level's
    number (``height``) and label, how many ``leaves`` there are, and whether NULL is one of
    them."""

    number: int
    spec: TreeSpec
    height: int
    leaves: int
    lists_null: bool
    top: str


class Bench:
    """The scratch tables by which the labels of one release are read."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._trees: list[LabelTree] = []
        self._tables: dict[str, None] = {}

    def run(self, template: str, *tables: str, **parameters: Any) -> None:
        """Execute a template that makes or replaces scratch ``tables``."""
        self.engine.run(template, **parameters)
        self._tables |= dict.fromkeys(tables)

    def load(
        self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]]
    ) -> None:
        """Make or replace a scratch table of rows from Python or from another engine."""
        self.engine.load(table, columns, rows)
        self._tables[table] = None

    def load_numbers(self, table: str, columns: Mapping[str, IntArray]) -> None:
        """Make or replace a scratch table of arrays of numbers from another engine."""
        self.engine.load_numbers(table, columns)
        self._tables[table] = None

    def tree(self, spec: TreeSpec, where: str, path: Callable[[str], Path]) -> LabelTree:
        """Return a hierarchy, read where it was not yet; ``where`` is its place in the policy,
        ``path`` resolves paths that the policy gives. Raise PolicyError where it cannot be
        read."""
        known = next((tree for tree in self._trees if tree.spec == spec), None)
        if known is None:
            known = self._read(spec, where, path)
            self._trees.append(known)
        return known

    def _read(self, spec: TreeSpec, where: str, path: Callable[[str], Path]) -> LabelTree:
        number = len(self._trees) + 1
        table = f"labels_tree_{number}"
        from_file = isinstance(spec, FileHierarchy)
        height = None
        if isinstance(spec, FileHierarchy):
            height = self._read_file(path(spec.path), table, number)
        if height is None:
            rows = hierarchy_files.read(spec, where, path)
            height = len(rows[0]) - 1
            names = [f"c{level}" for level in range(height + 1)]
            columns = [("line", "BIGINT"), *((name, "VARCHAR") for name in names)]
            self.load("labels_rows", columns, [(line, *row) for line, row in enumerate(rows)])
            self._make(table, number, height, path=None, delimiter=None, file=from_file)
        trees = [(number, height)]
        _, leaves, nulls, top = self.engine.query("labels/trees", trees=trees)[0]
        return LabelTree(number, spec, height, leaves, nulls > 0, top)

    def _read_file(self, file: Path, table: str, number: int) -> int | None:
        """Read a hierarchy's file by the engine; return its height, None where that fails: reading
        it line by line then reports the problem."""
        shape = _shape_of(file)
        if shape is None:
            return None
        delimiter, height = shape
        try:
            self._make(table, number, height, path=str(file), delimiter=delimiter, file=True)
        except ResourceError:
            raise
        except SqlError:
            return None
        return height

    def _make(self, table: str, number: int, height: int, **parameters: object) -> None:
        levels = list(range(height + 1))
        self.run("labels/tree", table, number=number, levels=levels, **parameters)

    def close(self) -> None:
        """Remove the scratch tables."""
        self.engine.drop(*self._tables)
        self._tables.clear()
        self._trees.clear()


@contextmanager
def bench_for(engine: Engine) -> Iterator[Bench]:
    """Give a bench that reads the labels of a release in ``engine``."""
    with label_reader(engine) as reader:
        bench = Bench(reader)
        try:
            yield bench
        finally:
            bench.close()


def _shape_of(file: Path) -> tuple[str, int] | None:
    """Return the delimiter of a hierarchy's file and its number of levels above the values, by its
    first record; None where it cannot be read as one."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as text:
            line = text.readline()
            delimiter = ";" if any(";" in part for part in line.split('"')[::2]) else ","
            text.seek(0)
            reader = csv.reader(text, delimiter=delimiter, strict=True)
            first = next((record for record in reader if record), [])
    except (OSError, ValueError, csv.Error):
        return None
    return (delimiter, len(first) - 1) if len(first) > 1 else None
