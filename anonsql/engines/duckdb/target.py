"""A release as files of this machine: a DuckDB file, a Parquet file, a CSV file with its companion,
or a folder of Parquet files.

Whatever engine the rows come from, the files are written by
:mod:`anonsql.engines.duckdb.clean_writer`, verified as they lie in the run's private folder, and
moved into place in one step; a CSV file in two, its companion first.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from anonsql.engines.arrival import content
from anonsql.engines.base import (
    BASE_PARTS,
    Column,
    Context,
    Engine,
    Export,
    Part,
    Relation,
    ReleaseTables,
    parts_of,
)
from anonsql.engines.column_types import FileKind
from anonsql.engines.duckdb import clean_writer, companion
from anonsql.engines.duckdb.companion import Companion
from anonsql.engines.duckdb.engine import DuckDBEngine, settings_of
from anonsql.engines.duckdb.parquet import inspection
from anonsql.engines.duckdb.release_files import FACT_COLUMNS, ReleaseFiles
from anonsql.engines.duckdb.session import error_of_type
from anonsql.engines.travelling import rows_of, with_safe_types
from anonsql.errors import AnonsqlError, PolicyError, ResourceError, VerificationError
from anonsql.policy.locations import Kind, Location, companion_of
from anonsql.policy.parts import part_name
from anonsql.sql import templates
from anonsql.system import database_files
from anonsql.system.database_files import Signature

_WRITER_MEMORY = "2GB"  # it streams rows from one file to another
_TYPES = {"level": "INTEGER"}
_FILE_KINDS: dict[Kind, FileKind] = {"duckdb": "duckdb", "csv": "csv"}


class FileTarget:
    """The files at ``place``, on the same file system as the run's private folder. ``engine`` has
    the rows; ``extras`` are the parts of the release besides the three that every release has."""

    def __init__(
        self,
        engine: Engine,
        place: Location,
        table: str,
        context: Context,
        extras: Sequence[Part] = (),
    ) -> None:
        self._engine, self._place, self._table, self._context = engine, place, table, context
        self._parts = parts_of(extras)
        self._workspace = context.workspace
        self._reader = engine if isinstance(engine, DuckDBEngine) else DuckDBEngine(place, context)
        self._files = ReleaseFiles(place, table, self._reader)
        self._guarded: Signature | None = None
        self._companion: Companion | None = None
        self._exports: dict[Part, Export] = {}
        self._views: dict[Part, tuple[str, Mapping[str, Any]]] = {}
        self._facts: dict[Part, list[tuple[Any, ...]]] = {}
        self._alias = (  # two targets may share a reader: a run's, and that of an applied scheme
            f"release_{secrets.token_hex(4)}"
        )

    # writing

    def stage(
        self, part: Part, template: str, columns: Sequence[Column], **parameters: Any
    ) -> None:
        """Let the engine write the rows of a template to the private folder."""
        self._facts[part] = [
            row[:-1] for row in parameters.get("facts", ())
        ]  # the last entry is the row's position
        file = self._workspace / f"staged-{len(self._exports) + 1}"
        kind = _FILE_KINDS.get(self._place.kind, "parquet")
        export = self._engine.export(template, columns, file, kind, **parameters)
        self._exports[part] = with_safe_types(self._reader, export)

    def stage_view(self, part: Part, template: str, **parameters: Any) -> None:
        """Keep the statement of the view for the clean writer, where the release is a DuckDB
        file."""
        if self._place.kind == "duckdb":
            self._views[part] = (template, parameters)

    def staged_rows(self, part: Part = "rows") -> tuple[Engine, Relation]:
        """Return the exported rows, which the clean writer will read."""
        export = self._exports[part]
        name = f"{self._alias}_staged" + (f"_{part}" if part != "rows" else "")
        if export.relation is not None:
            return self._engine, export.relation
        self._reader.run("engines/duckdb/parquet_view", path=str(export.paths[0]), name=name)
        return self._reader, (name,)

    def build(self) -> tuple[ReleaseTables, Mapping[Part, Relation]]:
        """Let the clean writer make the files and open them for verification. Rows that came from
        another engine must have arrived as they left."""
        statements = {
            "duckdb": self._database_statements,
            "parquet": self._parquet_statements,
            "csv": self._csv_statements,
        }.get(self._place.kind, self._folder_statements)
        self._write(statements())
        if self._place.kind == "csv":
            types = [(column.name, column.type) for column in self._exports["rows"].columns]
            self._companion = Companion.of(self._built, types, self._facts)
            self._companion.write(companion_of(self._built))
        located = self._open(self._built, self._alias)
        arrived = {
            "rows": located.rows,
            **{part: table for part, table in located.extras.items() if part in self._exports},
        }
        found: dict[Part, Relation] = {}
        for part, table in arrived.items():
            staged = self._exports[part]
            found[part] = table if staged.relation is None else staged.relation
            if staged.relation is not None:
                self._require_arrived(located.engine, table, staged, staged.relation)
        return located, found

    @property
    def _built(self) -> Path:
        suffix = {"duckdb": ".duckdb", "parquet": ".parquet", "csv": ".csv"}
        return self._workspace / f"release{suffix.get(self._place.kind, '')}"

    def _database_statements(self) -> list[str]:
        statements = [templates.render("engines/duckdb/clean_attach", path=str(self._built))]
        for part, export in self._exports.items():
            statements.append(
                templates.render(
                    "engines/duckdb/clean_table",
                    table=part_name(self._table, part),
                    **rows_of(export),
                )
            )
        if self._views:
            statements.append(templates.render("engines/duckdb/clean_use"))
        tables = {part: (part_name(self._table, part),) for part in self._exports}
        for part, (select, parameters) in self._views.items():
            view = (part_name(self._table, part),)
            statements.append(
                templates.render(
                    "release/staged_view", view=view, select=select, tables=tables, **parameters
                )
            )
        return [*statements, templates.render("engines/duckdb/clean_end")]

    def _parquet_statements(self) -> list[str]:
        facts = [
            (f"anonsql_{part}", inspection.text_of(self._facts[part])) for part in FACT_COLUMNS
        ]
        rows = rows_of(self._exports["rows"])
        return [
            templates.render(
                "engines/duckdb/clean_parquet", file=str(self._built), facts=facts, **rows
            )
        ]

    def _csv_statements(self) -> list[str]:
        rows = rows_of(self._exports["rows"])
        return [
            templates.render("engines/duckdb/utc"),
            templates.render("engines/duckdb/clean_csv", file=str(self._built), **rows),
        ]

    def _folder_statements(self) -> list[str]:
        self._built.mkdir()
        return [
            templates.render(
                "engines/duckdb/clean_parquet",
                file=str(self._built / f"{part_name(self._table, part)}.parquet"),
                facts=[],
                **rows_of(export),
            )
            for part, export in self._exports.items()
        ]

    def _write(self, statements: Sequence[str]) -> None:
        """Run statements in a process that has never seen the source."""
        settings = {
            "memory_limit": _WRITER_MEMORY,
            **settings_of(self._context.settings, self._workspace / "writer"),
        }
        order = json.dumps({"run": os.getpid(), "settings": settings, "statements": statements})
        with self._context.journal.statement("data", "duckdb/clean_writer"):
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
        sender = self._engine.dialect
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
            [f"of {sent[0]:,} rows that left {sender}, {arrived[0]:,} arrived, or others{where}"]
        )

    # reading

    @contextmanager
    def published(self) -> Iterator[ReleaseTables]:
        """Open the published release for reading, beside the staged one; raise PolicyError when
        there is none."""
        path, name = self._place.path, f"{self._alias}_published"
        if self._place.kind != "folder" or not path.is_dir():
            database_files.require_readable(path, self._files.where, "`anonsql run` makes it.")
        try:
            if self._place.kind == "duckdb":
                self._reader.attach_table(path, name, self._table, "release")
                self._detach(name)
            if not self._files.is_release(path):
                raise PolicyError.at(
                    self._files.where,
                    f"{path} is no release of anonsql.",
                    "`anonsql run` makes one.",
                )
            yield self._open(path, name)
        finally:
            self._detach(name)

    def _detach(self, name: str) -> None:
        """Detach the file that was opened under a name, if there is one."""
        if self._place.kind == "duckdb":
            self._reader.detach(name)

    def _open(self, path: Path, name: str) -> ReleaseTables:
        """Return the release in a file or folder, read by this machine's DuckDB under a ``name``,
        with the extra tables that exist."""
        reader = self._reader
        tables: dict[Part, Relation] = {}

        def within() -> tuple[str, ...]:
            return self._files.within(path, name, tables, self._workspace)

        if self._place.kind == "duckdb":
            reader.attach(path, name, self._files.where)
            names = reader.tables((name,))
            own = {part: part_name(self._table, part) for part in self._parts}
            tables = {
                part: (name, "main", entry)
                for part, entry in own.items()
                if part in BASE_PARTS or entry in names
            }
            strangers = reader.strangers(name, *self._files.names_of(self._parts))
            if (log := Path(f"{path}.wal")).exists():
                strangers.append(f"file {log.name}")
            return ReleaseTables.of(reader, tables, tuple(strangers), cache(within))
        if self._place.is_single:
            if self._place.kind == "csv":
                found = companion.load(reader, path, f"{name}_rows", self._files.where).facts
            else:
                reader.run("engines/duckdb/parquet_view", path=str(path), name=f"{name}_rows")
                found = self._files.facts(path)
            for part, facts in found.items():
                columns_of = [
                    (column, _TYPES.get(column, "VARCHAR")) for column in FACT_COLUMNS[part]
                ]
                reader.load(f"{name}_{part}", columns_of, facts)
            tables = {part: (f"{name}_{part}",) for part in BASE_PARTS}
            return ReleaseTables.of(reader, tables, within=cache(within))
        for part in self._parts:
            if part in BASE_PARTS or self._files.file(path, part).is_file():
                tables[part] = (f"{name}_{part}",)
                reader.run(
                    "engines/duckdb/parquet_view",
                    path=str(self._files.file(path, part)),
                    name=f"{name}_{part}",
                )
        others = tuple(self._files.other_files(path, self._parts))
        return ReleaseTables.of(reader, tables, others, cache(within))

    # replacing

    def guard(self) -> None:
        """Raise PolicyError when publishing would replace anything but a release of this table."""
        self._guarded = self._files.guard(self._guarded)

    def publish(self) -> None:
        """Move the verified files into the place of the previous ones."""
        self._engine.require_unchanged()
        self._detach(self._alias)
        self.guard()
        place, mode = self._place, self._context.mode
        if place.kind == "folder":
            database_files.replace_folder(self._built, place.path, mode)
            return
        if place.companion is not None and self._companion is not None:
            built = companion_of(self._built)
            self._companion.replacing(place.path).write(built)
            # first, so that no file ever lacks its companion
            database_files.replace_durably(built, place.companion, mode)
        database_files.replace_durably(self._built, place.path, mode)

    def private(self, _release: str) -> None:
        """Return None: beside a release in files lies the catalog."""

    def close(self) -> None:
        """Close the reader, unless it is the engine."""
        if self._reader is not self._engine:
            self._reader.close()


def _writer_error(done: subprocess.CompletedProcess[str]) -> AnonsqlError:
    """Return the clean writer's failure as an error of anonsql."""
    try:
        failure = json.loads(done.stdout)
    except json.JSONDecodeError:
        reason = f"the writer ended with code {done.returncode}, for want of memory or disk perhaps"
        return ResourceError("duckdb/clean_writer", reason, "", done.stderr)
    return error_of_type(failure["type"], failure["message"], "duckdb/clean_writer")
