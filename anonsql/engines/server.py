"""What the engines apart from DuckDB share: numbers come and go as rows, and a table is exported
from a scratch table of its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from anonsql.engines.base import Column, Context, Engine, Export, Relation
from anonsql.engines.column_types import FileKind
from anonsql.policy.locations import Location
from anonsql.system.arrays import IntArray, columnar
from anonsql.system.database_files import Signature


class SeparateEngine(Engine):
    """The part of an engine apart from DuckDB that rests on its other parts."""

    _context: Context

    @property
    def context(self) -> Context:
        """What the run handed to it."""
        return self._context

    @abstractmethod
    def stage(
        self, table: Relation, template: str, columns: Sequence[Column], **parameters: Any
    ) -> None:
        """Make a table of the rows of a template, in the order of its column
        ``parameters['ordering']``."""

    @abstractmethod
    def leave(self, table: str, columns: Sequence[Column], file: Path, kind: FileKind) -> Export:
        """Write columns of a scratch table to a file on its way to a release of a ``kind``,
        streaming. ``file`` has no suffix yet."""

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
        self.stage((table,), template, columns, **parameters)
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

    _place: Location
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
