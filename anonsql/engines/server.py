"""The common part of all engines except DuckDB: statements are journalled here, numbers come and go
as rows, and a table is exported from a scratch table of its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from anonsql.engines.base import (
    BASE_PARTS,
    Column,
    Engine,
    Export,
    Part,
    Relation,
    ReleaseTables,
    extras_if_release,
)
from anonsql.engines.column_types import FileKind
from anonsql.engines.errors import unwritten
from anonsql.engines.exported_columns import as_text
from anonsql.errors import AnonsqlError, PolicyError, did_you_mean
from anonsql.policy.release_parts import part_name
from anonsql.policy.source import Source
from anonsql.sql import templates
from anonsql.system.arrays import IntArray, columnar
from anonsql.system.journal import Statement


def no_release(where: str, name: object) -> PolicyError:
    """Return the error that ``name`` is no release."""
    return PolicyError.at(
        where, f"{name} is not a release of anonsql.", "`anonsql run` (or `tabulate`) makes one."
    )


class SeparateEngine(Engine):
    """The part of an engine outside DuckDB that rests on its other parts."""

    leaving: str
    """The template of the rows of a table on their way to a file."""
    failures: tuple[type[Exception], ...]
    """The exceptions of its driver."""

    def run(self, template: str, /, **parameters: Any) -> None:
        """Execute one template."""
        self.query(template, **parameters)

    def query(self, template: str, /, **parameters: Any) -> list[tuple[Any, ...]]:
        """Return the rows of one template."""
        return self._send(template, templates.render(template, self.dialect, **parameters))

    @abstractmethod
    def _send(self, template: str, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a statement in the database's own dialect."""

    @contextmanager
    def _statement(self, template: str, sql: str = "") -> Iterator[Statement]:
        """Journal a statement that the ``with`` block runs, and raise its errors as anonsql's."""
        with (
            self._context.journal.statement("data", template) as entry,
            self._translated(template, sql),
        ):
            yield entry

    @contextmanager
    def _translated(self, template: str, sql: str = "") -> Iterator[None]:
        try:
            yield
        except self.failures as error:
            raise self._error(error, template, sql) from None
        except OSError as error:
            raise unwritten(error, template, sql) from None

    @abstractmethod
    def _error(self, error: Exception, template: str, sql: str) -> AnonsqlError:
        """Return anonsql's error (:mod:`anonsql.errors`) for one of the driver's ``failures``."""

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
        """Stream the rows of a statement, with these ``columns``, to a CSV file; report progress to
        its ``entry``; return their number."""

    def numbers(self, template: str, /, **parameters: Any) -> list[IntArray]:
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


class ServerEngine(SeparateEngine):
    """An engine whose tables have names that many share: of a server or a catalog."""

    longest_name = 0
    """The length of the longest name that the server allows; 0 where it says none."""
    name_limit = ""
    """That length with its unit, in words."""
    _scratch = ""

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

    def _tables(self) -> Collection[Relation]:
        """Return the tables and views that may be read; none where names are compared without
        case, and so need not be known."""
        return ()

    def releases(self) -> list[str]:
        """Return the tables, with their schemas, that have facts of a release next to them."""
        known = set(self._tables())
        named = [path for path in known if (*path[:-1], part_name(path[-1], "about")) in known]
        return sorted(map(".".join, named))

    def released(self, table: str, where: str) -> ReleaseTables | None:
        """Return the tables of a release; see the base class. A name may be in any case and without
        its schema where one release alone has it: no other table is meant by such a name."""
        known = self.releases()
        alike = [
            name for name in known if table.lower() in (name.lower(), name.split(".")[-1].lower())
        ]
        named = alike[0] if table not in known and len(alike) == 1 else table
        try:
            rows = self._readable(named)
        except PolicyError as error:
            if named not in known:
                return None
            problems = [replace(problem, where=where) for problem in error.problems]
            raise PolicyError(problems) from None
        tables: dict[Part, Relation] = {"rows": rows}
        text = f"{table} on {self.host}"
        for part in BASE_PARTS[1:]:
            try:
                tables[part] = self._readable(".".join((*rows[:-1], part_name(rows[-1], part))))
            except PolicyError:
                raise no_release(where, text) from None
        self.require_plain(list(tables.values()), where)
        if (extras := extras_if_release(self, tables["about"])) is None:
            raise no_release(where, text)
        tables |= {part: (*rows[:-1], part_name(rows[-1], part)) for part in extras}
        self.require_plain([tables[part] for part in extras], where)
        return ReleaseTables.of(self, tables)

    def _readable(self, table: str) -> Relation:
        """Return a released table by its name; raise PolicyError when there is none, or reading it
        would run code."""
        return self.open_source(Source(database=self._place.url, table=table))

    def require_scratch(self) -> str:
        """Make the schema of scratch tables when it is first needed, and return its name."""
        self._scratch = self._scratch or self._make_scratch()
        return self._scratch

    @abstractmethod
    def _make_scratch(self) -> str:
        """Make the schema of scratch tables, and return its name."""

    def _no_table(self, table: str, where: str, known: Sequence[str], other: str) -> PolicyError:
        """Return the error that there is no table of a name, with the nearest of the ``known``
        ones, or ``other`` words."""
        hint = did_you_mean(table, known) or other
        return PolicyError.at(where, f"there is no table {table!r} on {self.host}.", hint)


AnyServer = TypeVar("AnyServer", bound=ServerEngine)
