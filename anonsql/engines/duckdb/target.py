"""A release as files of this machine: the common part of all formats.

For rows of any engine, the files are written by :mod:`anonsql.engines.duckdb.clean_writer`,
verified in the run's private folder, and moved into place in one step; a CSV file in two, its
companion first.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anonsql.engines.base import Context, Engine, Export, Part, Relation, ReleaseTables
from anonsql.engines.duckdb import clean_writer
from anonsql.engines.duckdb.engine import DuckDBEngine, settings_of
from anonsql.engines.duckdb.session import error_of_type
from anonsql.engines.exported_columns import content, rows_of, with_safe_types
from anonsql.engines.target import Columns, FreshFileTarget, Given
from anonsql.errors import AnonsqlError, ResourceError, VerificationError
from anonsql.policy.locations import Location
from anonsql.sql import templates

if TYPE_CHECKING:
    from pathlib import Path

    from anonsql.engines.column_types import FileKind

_WRITER_MEMORY = "2GB"  # it streams rows from one file to another
_ONE_CHECKPOINT = "1TB"
"""The size of the log at which DuckDB makes a checkpoint by itself. One between two tables would
leave parts of a catalog that the next one writes elsewhere."""


class FileTarget(FreshFileTarget):
    """A release in a format of files that a DuckDB of this machine reads (``reader``), whichever
    engine has the rows."""

    _reader: DuckDBEngine
    kind: FileKind = "parquet"
    """Whose types the columns get."""

    def __init__(
        self,
        engine: Engine,
        location: Location,
        table: str,
        context: Context,
        extras: Sequence[Part] = (),
    ) -> None:
        super().__init__(engine, location, table, context, extras)
        self._workspace = context.workspace
        self._reader = (
            engine if isinstance(engine, DuckDBEngine) else DuckDBEngine(location, context)
        )
        self._exports: dict[Part, Export] = {}
        self._in_order: set[Part] = set()
        self._numbers = itertools.count(1)
        self._facts: dict[Part, list[tuple[Any, ...]]] = {}
        self._views: list[str] = []

    # what formats differ in

    def _statements(self) -> list[str]:
        """Return the statements by which the clean writer makes the files."""
        raise NotImplementedError

    def _complete(self) -> None:
        """Write the files that belong next to the new file."""

    # writing

    def stage(self, part: Part, template: str, columns: Columns, **parameters: Any) -> None:
        """Let the engine write the rows of a template to the private folder."""
        self._facts[part] = [
            row[:-1] for row in parameters.get("facts", ())
        ]  # the last entry is the row's position
        self._export(self._engine, part, template, columns, parameters)

    def stage_derived(self, part: Part, template: str, columns: Columns, **parameters: Any) -> None:
        """Let the reader, which has the staged tables, write the rows of a template."""
        self._export(self._reader, part, template, columns, parameters)

    def _export(
        self, engine: Engine, part: Part, template: str, columns: Columns, parameters: Given
    ) -> None:
        file = self._workspace / f"staged-{next(self._numbers)}"
        given = {"ordering": None, **parameters}
        if given["ordering"] is not None:
            self._in_order.add(part)
        export = engine.export(template, columns, file, self.kind, **given)
        self._exports[part] = with_safe_types(self._reader, export)

    def _stored(self, part: Part) -> dict[str, Any]:
        """Return the parameters of templates that write the rows of a part as they are stored."""
        export = self._exports[part]
        return {**rows_of(export), "sorted": () if part in self._in_order else export.columns}

    def as_released(
        self, part: Part, table: str, columns: Columns
    ) -> tuple[Engine, Relation, Columns]:
        """Return a scratch table as the clean writer would read it: exported, with the types that
        its values allow."""
        names = [column.name for column in columns]
        given = {"source": (table,), "titles": names, "numbers": {}}
        self._export(self._engine, part, "release/numbering/replaced", columns, given)
        return self._reader, self._staged_view(part), self._exports[part].columns

    def stage_view(self, part: Part, template: str, **parameters: Any) -> None:
        """Do nothing: few formats hold views."""

    def staged_rows(self, part: Part = "rows") -> tuple[Engine, Relation]:
        """Return the exported rows, which the clean writer will read."""
        export = self._exports[part]
        if export.relation is not None:
            return self._engine, export.relation
        return self._reader, self._staged_view(part)

    def staged(self) -> ReleaseTables:
        """Return the exported tables, which the clean writer will read."""
        tables = {part: self._staged_view(part) for part in self._exports}
        return ReleaseTables.of(self._reader, tables)

    def _staged_view(self, part: Part) -> Relation:
        """Return a view over an exported table, with the types that it gets in the release."""
        name = f"{self._alias}_staged_{part}"
        self._reader.run("engines/duckdb/staged_view", name=name, **rows_of(self._exports[part]))
        return (name,)

    def _view_of(self, path: Path, name: str) -> Relation:
        self._reader.run("engines/duckdb/parquet_view", path=str(path), name=name)
        return (name,)

    def _footer_entries(self, path: Path, own: Sequence[str] = ()) -> tuple[str, ...]:
        """Return in words the entries of a Parquet file's footer that are not each of ``own``,
        once."""
        keys = [key for (key,) in self._reader.query("engines/duckdb/parquet_keys", path=str(path))]
        other = [key for key in keys if key not in own or keys.count(key) > 1]
        return tuple(f"footer entry {key} in {path.name}" for key in dict.fromkeys(other))

    def build(self) -> tuple[ReleaseTables, Mapping[Part, Relation]]:
        """Let the clean writer make the files and open them for verification. Rows that came from
        another engine must have arrived as they left."""
        self._write(self._statements())
        self._complete()
        self._attach(self._built, self._alias)
        located = self._open(self._built, self._alias)
        sent: dict[Part, Relation] = {}
        for part, table in {"rows": located.rows, **located.extras}.items():
            if (staged := self._exports.get(part)) is None:
                continue
            sent[part] = table if staged.relation is None else staged.relation
            if staged.relation is not None:
                self._require_arrived(located.engine, table, staged, staged.relation)
        return located, sent

    def _clean_parquet(self, file: Path, part: Part, facts: Sequence[tuple[str, str]] = ()) -> str:
        """Return the statement that writes a part as a Parquet file with ``facts`` in its
        metadata."""
        return templates.render(
            "engines/duckdb/clean_parquet",
            file=str(file),
            facts=facts,
            **self._stored(part),
        )

    def _write(self, statements: Sequence[str]) -> None:
        """Run statements in a process that has never seen the source. It shares the run's memory
        with the engine that waits for it."""
        limits, half = self._context.settings, _half(self._context.settings.memory_limit)
        settings = {
            **settings_of(limits, self._workspace / "writer"),
            "memory_limit": half or _WRITER_MEMORY,
            "checkpoint_threshold": _ONE_CHECKPOINT,
        }
        order = json.dumps({"run": os.getpid(), "settings": settings, "statements": statements})
        with (
            self._reader.within_memory(half),
            self._context.journal.statement("data", "duckdb/clean_writer"),
        ):
            done = subprocess.run(  # noqa: S603 - our own interpreter and script
                [sys.executable, "-P", clean_writer.__file__],
                input=order,
                capture_output=True,
                text=True,
                check=False,
                umask=0o077,
            )
        if done.returncode != 0:
            raise _writer_error(done)

    def _require_arrived(
        self, reader: Engine, table: Relation, staged: Export, relation: Relation
    ) -> None:
        """Raise VerificationError unless the rows in the files are those that the engine sent, by
        their content."""
        sender = self._engine
        sides = ((self._engine, relation), (reader, table))
        sent, arrived = (content(*side, staged.sent, sender) for side in sides)
        if sent == arrived:
            return
        wrong = [
            column.name
            for column in staged.sent
            if content(*sides[0], [column], sender) != content(*sides[1], [column], sender)
        ]
        where = f" in the columns {', '.join(map(repr, wrong))}" if wrong else ""
        raise VerificationError(
            [
                (
                    f"{sent[0]:,} rows were sent from {sender.dialect}, but {arrived[0]:,} arrived,"
                    f" or other rows{where}"
                )
            ]
        )

    def close(self) -> None:
        """Close the reader, unless it is the engine."""
        if self._reader is not self._engine:
            self._reader.close()


def _half(memory: str | None) -> str | None:
    """Return half of an amount of memory, like 4GB or 1.5 GiB."""
    if memory is None:
        return None
    number = memory.rstrip("KMGTiB ")
    return f"{float(number) / 2}{memory.removeprefix(number)}"


def _writer_error(done: subprocess.CompletedProcess[str]) -> AnonsqlError:
    try:
        failure = json.loads(done.stdout)
    except json.JSONDecodeError:
        reason = (
            f"the writer ended with code {done.returncode}, perhaps because memory or disk was full"
        )
        return ResourceError("duckdb/clean_writer", reason, "", done.stderr)
    return error_of_type(failure["type"], failure["message"], "duckdb/clean_writer")
