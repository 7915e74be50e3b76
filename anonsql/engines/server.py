"""What the engines apart from DuckDB share: numbers come and go as rows, and a table is exported
from a scratch table of its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Literal

from anonsql.engines.base import Column, Context, Engine, Export, Relation
from anonsql.engines.column_types import FileKind
from anonsql.engines.exported_columns import as_text
from anonsql.policy.locations import Location
from anonsql.sql import templates
from anonsql.system.arrays import IntArray, columnar
from anonsql.system.database_files import Signature
from anonsql.system.journal import Statement


class SeparateEngine(Engine):
    """The part of an engine apart from DuckDB that rests on its other parts."""

    _place: Location
    _context: Context
    leaving: str
    """The template of the rows of a table on their way to a file."""

    @property
    def context(self) -> Context:
        """What the run handed to it."""
        return self._context

    @contextmanager
    def _statement(self, template: str, sql: str = "") -> Iterator[Statement]:
        """Journal a statement that the ``with`` block runs, and raise its errors as anonsql's."""
        with (
            self._context.journal.statement("data", template) as entry,
            self._translated(template, sql),
        ):
            yield entry

    @abstractmethod
    def _translated(self, template: str, sql: str) -> AbstractContextManager[None]:
        """Return a context manager that raises the driver's exceptions as anonsql's."""

    def stage(
        self, table: Relation, template: str, columns: Sequence[Column], **parameters: Any
    ) -> None:
        """Make a table of the rows of a template, in the order of its column
        ``parameters['ordering']``; where that is None, sorted by the columns ``parameters['sorted']``,
        or in any order where there are none."""
        names = [column.name for column in columns]
        self.run("release/staged", table=table, select=template, names=names, **parameters)

    def leave(self, table: str, columns: Sequence[Column], file: Path, kind: FileKind) -> Export:
        """Write columns of a scratch table to a file on its way to a release of a ``kind``,
        streaming: to a CSV file. ``file`` has no suffix yet."""
        path, travelling = file.with_suffix(".csv"), as_text(columns)
        sql = templates.render(self.leaving, self.dialect, table=table, columns=travelling)
        with self._statement(self.leaving, sql) as entry:
            entry.rows = self._write(path, sql, columns, entry)
        return Export([path], "csv", travelling, (table,), columns)

    @abstractmethod
    def _write(self, path: Path, sql: str, columns: Sequence[Column], entry: Statement) -> int:
        """Write the rows of a statement, which are ``columns``, to a CSV file, streaming; tell its
        ``entry`` how far that is; return their number."""

    def numbers(self, template: str, **parameters: Any) -> list[IntArray]:
        """Return the columns of one template of whole numbers."""
        return columnar(self.query(template, **parameters))

    def load_numbers(self, table: str, columns: Mapping[str, IntArray]) -> None:
        """Make or replace a scratch table of arrays."""
        rows = list(zip(*(column.tolist() for column in columns.values()), strict=True))
        self.load(table, [(name, "BIGINT") for name in columns], rows)

    def export(
        self,
        template: str,
        columns: Sequence[Column],
        file: Path,
        kind: FileKind = "duckdb",
        **parameters: Any,
    ) -> Export:
        """Write the rows of a template to a scratch table, and that to a file, streaming."""
        table = file.name.replace("-", "_")
        self.stage((table,), template, columns, sorted=(), **parameters)
        return self.leave(table, columns, file, kind)

    def carry(
        self,
        table: str,
        columns: Sequence[Column],
        file: Path,
        kind: Literal["parquet", "csv"] | None = None,
    ) -> Export:
        """Write columns of a scratch table to a file, streaming, on their way to another engine."""
        return self.leave(table, columns, file, "duckdb")

    def files(self) -> Sequence[Signature] | None:
        """Return None: what a server holds is not known by files. See the base class."""
        return None


class ServerEngine(SeparateEngine):
    """An engine whose tables have names that many share: of a server or a catalog."""

    longest_name: int = 0
    """The length of the longest name that the server allows; 0 where it says none."""
    name_limit: str = ""
    """That length with its unit, in words."""

    @property
    def host(self) -> str:
        """The server as messages name it."""
        return str(self._place)

    def length_of(self, name: str) -> int:
        """Return the length of a name as the server counts it."""
        return len(name)

    def too_long(self, names: Iterable[str]) -> str:
        """Return the longest of some names where it is longer than the server allows, else an
        empty text."""
        longest = max(names, key=self.length_of, default="")
        return longest if 0 < self.longest_name < self.length_of(longest) else ""

    @abstractmethod
    def find(self, table: str, where: str) -> Relation:
        """Return a table or view by its name; raise PolicyError at ``where`` when there is none, or
        the name means several."""
