"""A DuckDB connection that runs templates, keeps the journal, and translates errors into
anonsql's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonsql.engines.errors import no_room, unnamed
from anonsql.errors import AnonsqlError, BusyError, ResourceError, SqlError
from anonsql.sql import templates
from anonsql.system.arrays import IntArray, np
from anonsql.system.journal import Journal, Plane, Statement

if TYPE_CHECKING:
    import duckdb
else:  # the package adds only interactive features; the module loads in a third of the time
    try:
        import _duckdb as duckdb
    except ImportError:
        import duckdb

_CREATED = re.compile(
    r'CREATE (?:OR REPLACE )?TABLE (?:memory\.main\.)?(?:"((?:[^"]|"")+)"|(\w+))[\s(]'
)
_SAFE = (
    duckdb.BinderException,
    duckdb.CatalogException,
    duckdb.ParserException,
    duckdb.PermissionException,
)
_DEFAULTS = {
    # DuckDB 2.0.0 takes parts of a statement for the same that are not, and answers wrongly:
    # https://github.com/duckdb/duckdb/issues/25819
    "disabled_optimizers": "common_subplan",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "storage_compatibility_version": "v1.0.0",  # files that DuckDB 1.x can read
}
_GIVEN = "given_numbers"
_FULL = re.compile(
    r"no space left|disk full|file too large|could not write|failed to"
    r" write|max_temp_directory_size",
    re.I,
)
_PATH = re.compile(r'"(/[^"\\]+)\\?"')
"""A path in a message of DuckDB, also where that is quoted in JSON."""

_MEMORY = {
    "data": ("engine.memory_limit", ""),
    "workbench": ("engine.workbench_memory", " or set engine.workbench to in-place,"),
}
"""The setting that limits the memory of each plane's DuckDB, and further remedies."""


@dataclass(frozen=True)
class Room:
    """The resources of a DuckDB: the ``memory`` (None: four fifths of the machine's), set by a
    ``setting`` or else by its ``plane``, and the folder for further data (``spill``)."""

    plane: Plane = "data"
    memory: str | None = None
    spill: Path | None = None
    setting: str = ""

    @property
    def named(self) -> tuple[str, str]:
        """The setting, and further remedies."""
        return (self.setting, "") if self.setting else _MEMORY.get(self.plane, _MEMORY["data"])

    def of_memory(self) -> str:
        """Return words for memory that ran out, and the remedy."""
        setting, besides = self.named
        limit = f"{self.memory}: raise it"
        if not self.memory:
            limit = "not set, so the limit is four fifths of the machine's memory: set it higher"
        return f"out of memory. {setting} is {limit},{besides} or free memory"

    def of_disk(self, text: str) -> str:
        """Return words for a disk that is full, by the message of DuckDB, and the remedy."""
        named = _PATH.search(text)
        words = no_room(Path(named[1]) if named else self.spill)
        if "max_temp_directory_size" in text and self.memory:
            words += f", or raise {self.named[0]}, which is {self.memory}, to write less to disk"
        return words


class DuckDBSession:
    """One connection of one plane, to the file at ``path`` or to a database in memory."""

    def __init__(
        self,
        path: Path | None,
        journal: Journal,
        plane: Plane,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        given = settings or {}
        spill = given.get("temp_directory")
        self._journal, self._plane = journal, plane
        self._made: set[str] = set()
        self._room = Room(
            plane,
            given.get("memory_limit"),
            Path(spill) if spill else None,
            journal.memory_setting,
        )
        with translated("connect", ""):
            self._connection = duckdb.connect(
                str(path) if path else ":memory:", config={**_DEFAULTS, **given}
            )
        self.run("engines/duckdb/quiet")
        self.run("engines/duckdb/utc")

    def run(self, template: str, /, **parameters: Any) -> None:
        """Execute one template."""
        self.query(template, **parameters)

    def query(
        self, template: str, bindings: Sequence[Sequence[object]] = (), /, **parameters: Any
    ) -> list[tuple[Any, ...]]:
        """Return the rows of one template; ``bindings`` are lists bound to its question marks."""
        with self._executed(template, bindings, parameters) as (result, entry):
            rows = result.fetchall()
            counted = len(rows) == 1 and len(rows[0]) == 1 and isinstance(rows[0][0], int)
            entry.rows = rows[0][0] if counted else len(rows)
        return rows

    @contextmanager
    def _executed(
        self, template: str, bindings: Sequence[object], parameters: Mapping[str, Any]
    ) -> Iterator[tuple[duckdb.DuckDBPyConnection, Statement]]:
        sql = templates.render(template, "duckdb", **parameters)
        if created := _CREATED.match(sql):
            quoted, plain = created.groups()
            self._made.add(plain or quoted.replace('""', '"'))
        with (
            self._journal.statement(self._plane, template) as entry,
            translated(template, sql, self._room),
        ):
            yield self._connection.execute(sql, list(bindings)), entry

    def append(self, template: str, rows: Sequence[Sequence[object]], **parameters: Any) -> None:
        """Execute a template whose question marks take the columns of ``rows``."""
        if rows:
            self.query(template, columnwise(rows), **parameters)

    def numbers(self, template: str, /, **parameters: Any) -> list[IntArray]:
        """Return the columns of one template that returns whole numbers only, as arrays."""
        with self._executed(template, (), parameters) as (result, entry):
            arrays = [
                column.astype(np.int64, copy=False) for column in result.fetchnumpy().values()
            ]
            entry.rows = len(arrays[0])
        return arrays

    def load_numbers(self, table: str, columns: Mapping[str, IntArray]) -> None:
        """Make or replace a table of arrays."""
        parameters = {name: np.ascontiguousarray(column) for name, column in columns.items()}
        self._connection.register(_GIVEN, parameters)
        try:
            self.query(
                "engines/duckdb/load_numbers", table=table, columns=list(columns), given=_GIVEN
            )
        finally:
            self._connection.unregister(_GIVEN)

    def interrupt(self) -> None:
        """End the statement that runs; called by another thread."""
        self._connection.interrupt()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def columnwise(rows: Sequence[Sequence[object]]) -> list[list[object]]:
    """Return rows as lists of columns: bound lists reach DuckDB fifty times faster than the text of
    VALUES."""
    return [list(column) for column in zip(*rows, strict=True)]


@contextmanager
def translated(name: str, sql: str, room: Room = Room()) -> Iterator[None]:
    """Raise DuckDB's exceptions as anonsql's. A message that may quote data goes into ``detail``,
    which is not printed."""
    try:
        yield
    except duckdb.Error as error:
        raise error_of(error, name, sql, room) from None


def error_of(error: Exception, name: str, sql: str, room: Room = Room()) -> AnonsqlError:
    """Return anonsql's error (:mod:`anonsql.errors`) for an exception of a DuckDB that has some
    ``room``."""
    text = str(error)
    lock = re.search(
        r'Could not set lock on file "(?P<file>[^"]*)".*?(?:\(PID (?P<pid>\d+)\)|$)', text, re.S
    )
    if lock:
        holder = f" by process {lock['pid']}" if lock["pid"] else ""
        return BusyError(
            f"{lock['file']} is locked{holder}. Wait until it has finished, then run again."
        )
    if isinstance(error, duckdb.ConnectionException) and "different configuration" in text:
        return BusyError(
            "A file is open elsewhere in this process. Wait until that has finished, then run"
            " again."
        )
    if isinstance(error, duckdb.OutOfMemoryException) and not _FULL.search(text):
        return ResourceError(name, room.of_memory(), sql, text)
    if isinstance(
        error, (duckdb.IOException, duckdb.OutOfMemoryException, duckdb.FatalException)
    ) and _FULL.search(text):
        return ResourceError(name, room.of_disk(text), sql, text)
    if isinstance(error, duckdb.IOException) and "No files found that match" in text:
        missing = (
            f"a view reads a file that does not exist: {text.splitlines()[0].split(': ', 1)[-1]}."
            " Views read relative paths from the folder where anonsql runs: run it there, use an"
            " absolute path in the view, or make a table of the view"
        )
        return SqlError(name, missing, sql, text)
    if isinstance(error, duckdb.IOException):
        return SqlError(name, text.removeprefix("IO Error: ").splitlines()[0], sql, text)
    reason = text.splitlines()[0] if isinstance(error, _SAFE) else unnamed(error)
    return SqlError(name, reason, sql, text)


def error_of_type(kind: str, message: str, name: str) -> AnonsqlError:
    """Return anonsql's error for an exception raised in another process, by the name of its
    class."""
    return error_of(getattr(duckdb, kind, duckdb.Error)(message), name, "")
