"""A release as files of this machine: a DuckDB file, a Parquet file, or a folder of Parquet files.

Whatever engine the rows come from, the files are written by :mod:`anonsql.engines.clean_writer`, verified as they lie
in the run's private folder, and moved into place in one step.
"""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anonsql import templates
from anonsql.engines import clean_writer, duckdb_files
from anonsql.engines.base import (
    BASE_PARTS,
    VIEW_PARTS,
    Column,
    Context,
    Engine,
    Export,
    Located,
    Part,
    Relation,
    extras_of,
    is_release,
    part_name,
    parts_of,
)
from anonsql.engines.duckdb import DuckDBEngine, settings_of
from anonsql.engines.duckdb_session import error_of_type
from anonsql.engines.released_tables import released_in
from anonsql.errors import AnonsqlError, PolicyError, ResourceError, SqlError, VerificationError
from anonsql.places import Location

_WRITER_MEMORY = "2GB"  # it streams rows from one file to another
_FACTS: dict[Part, tuple[str, ...]] = {"about": ("property", "value"), "columns": ("column_name", "role", "level", "looks_like")}
_TYPES = {"level": "INTEGER"}


class FileTarget:
    """The files at ``place``, on the same file system as the run's private folder. ``engine`` has the rows; ``extras`` are the
    parts of the release besides the three that every one has."""

    def __init__(self, engine: Engine, place: Location, table: str, context: Context, extras: Sequence[Part] = ()) -> None:
        self._engine, self._place, self._table, self._context = engine, place, table, context
        self._parts = parts_of(extras)
        self._workspace = context.workspace
        self._reader = engine if isinstance(engine, DuckDBEngine) else DuckDBEngine(place, context)
        self._exports: dict[Part, Export] = {}
        self._views: dict[Part, tuple[str, Mapping[str, Any]]] = {}
        self._facts: dict[Part, list[tuple[Any, ...]]] = {}
        self._alias = f"release_{secrets.token_hex(4)}"  # two targets may share a reader: a scheme's and a run's
        self._where = "release.database" if place.kind == "duckdb" else "release.file"

    # writing

    def stage(self, part: Part, template: str, columns: Sequence[Column], **parameters: Any) -> None:
        """Let the engine write the rows of a template to the private folder."""
        self._facts[part] = [row[:-1] for row in parameters.get("facts", ())]  # the last cell is the row's place
        self._exports[part] = self._engine.export(template, columns, self._workspace / f"staged-{part}", **parameters)

    def stage_view(self, part: Part, template: str, **parameters: Any) -> None:
        """Keep the view for the clean writer, where the release is a DuckDB file."""
        if self._place.kind == "duckdb":
            self._views[part] = (template, parameters)

    def build(self) -> tuple[Located, Mapping[Part, Relation]]:
        """Let the clean writer make the files and open them for verification. Rows that came from another engine must
        have arrived as they left."""
        statements = self._parquet_statements() if self._place.kind != "duckdb" else self._database_statements()
        self._write(statements)
        located = self._open(self._built)
        arrived = {"rows": located.rows, **{part: table for part, table in located.extras.items() if part in self._exports}}
        found: dict[Part, Relation] = {}
        for part, table in arrived.items():
            staged = self._exports[part]
            found[part] = table if staged.relation is None else staged.relation
            if staged.relation is not None:
                self._require_arrived(located.engine, table, staged, staged.relation)
        return located, found

    @property
    def _built(self) -> Path:
        return self._workspace / {"duckdb": "release.duckdb", "parquet": "release.parquet"}.get(self._place.kind, "release")

    def _database_statements(self) -> list[str]:
        statements = [templates.render("duckdb/clean_attach", path=str(self._built))]
        for part, export in self._exports.items():
            statements.append(templates.render("duckdb/clean_table", table=part_name(self._table, part), **_rows_of(export)))
        if self._views:
            statements.append(templates.render("duckdb/clean_use"))
        tables = {part: (part_name(self._table, part),) for part in self._exports}
        for part, (select, parameters) in self._views.items():
            view = (part_name(self._table, part),)
            statements.append(templates.render("release/staged_view", view=view, select=select, tables=tables, **parameters))
        return [*statements, templates.render("duckdb/clean_end")]

    def _parquet_statements(self) -> list[str]:
        if self._place.kind == "parquet":
            facts = [(f"anonsql_{part}", json.dumps(self._facts[part], ensure_ascii=False)) for part in _FACTS]
            rows = _rows_of(self._exports["rows"])
            return [templates.render("duckdb/clean_parquet", file=str(self._built), facts=facts, **rows)]
        self._built.mkdir()
        return [
            templates.render(
                "duckdb/clean_parquet", file=str(self._built / f"{part_name(self._table, part)}.parquet"), facts=[], **_rows_of(export)
            )
            for part, export in self._exports.items()
        ]

    def _write(self, statements: Sequence[str]) -> None:
        """Run statements in a process that has never seen the source."""
        settings = {"memory_limit": _WRITER_MEMORY, **settings_of(self._context.settings, self._workspace / "writer")}
        order = json.dumps({"settings": settings, "statements": statements})
        with self._context.journal.statement("data", "duckdb/clean_writer"):
            done = subprocess.run(  # noqa: S603 - our own interpreter and script
                [sys.executable, "-P", clean_writer.__file__], input=order, capture_output=True, text=True, check=False
            )
        if done.returncode != 0:
            raise _writer_error(done)

    def _require_arrived(self, reader: Engine, table: Relation, staged: Export, relation: Relation) -> None:
        """Raise VerificationError unless the rows in the files are those that the engine sent, by their content."""
        sent = content(self._engine, relation, staged.sent)
        arrived = content(reader, table, staged.sent)
        if sent != arrived:
            raise VerificationError([f"of {sent[0]:,} rows that left {self._engine.dialect}, {arrived[0]:,} arrived, or others"])

    # reading

    @contextmanager
    def published(self) -> Iterator[Located]:
        """The release that lies at the place, opened for reading; raises PolicyError when there is none."""
        path = self._place.path
        if self._place.kind != "folder" or not path.is_dir():
            duckdb_files.require_readable(path, self._where, "`anonsql run` makes it.")
        try:
            if self._place.kind == "duckdb":
                self._reader.attach_table(path, self._alias, self._table, "release")
                self._detach()
            if not self._is_release(path):
                raise PolicyError.at(self._where, f"{path} is no release of anonsql.", "`anonsql run` makes one.")
            yield self._open(path)
        finally:
            self._detach()

    def _detach(self) -> None:
        """Let go of the file that was opened, if there is one."""
        if self._place.kind == "duckdb":
            self._reader.detach(self._alias)

    def _open(self, path: Path) -> Located:
        """The tables of a release file or folder, as this machine's DuckDB reads them; extra ones where they are there."""
        reader, name = self._reader, self._alias
        tables: dict[Part, Relation] = {}
        if self._place.kind == "duckdb":
            reader.attach(path, name, self._where)
            there = reader.tables((name,))
            own = {part: part_name(self._table, part) for part in self._parts}
            tables = {part: (name, "main", each) for part, each in own.items() if part in BASE_PARTS or each in there}
            return Located.of(reader, tables, tuple(reader.strangers(name, *self._names_of(self._parts))))
        if self._place.kind == "parquet":
            reader.run("duckdb/parquet_view", path=str(path), name=f"{name}_rows")
            for part, facts in self._parquet_facts(path).items():
                columns_of = [(column, _TYPES.get(column, "VARCHAR")) for column in _FACTS[part]]
                reader.load(f"{name}_{part}", columns_of, facts)
            return Located(reader, (f"{name}_rows",), (f"{name}_about",), (f"{name}_columns",))
        for part in self._parts:
            if part in BASE_PARTS or self._file(path, part).is_file():
                tables[part] = (f"{name}_{part}",)
                reader.run("duckdb/parquet_view", path=str(self._file(path, part)), name=f"{name}_{part}")
        return Located.of(reader, tables, tuple(self._other_files(path, self._parts)))

    def _names_of(self, parts: Sequence[Part]) -> tuple[list[str], list[str]]:
        """The names of the tables and of the views that some parts are."""
        views = [part_name(self._table, part) for part in parts if part in VIEW_PARTS]
        return [part_name(self._table, part) for part in parts if part not in VIEW_PARTS], views

    def _file(self, folder: Path, part: Part) -> Path:
        """The file of a part in a folder of Parquet files."""
        return folder / f"{part_name(self._table, part)}.parquet"

    def _parquet_facts(self, path: Path) -> dict[Part, list[list[object]]]:
        """What a Parquet release says of itself in its metadata, by part; parts it lacks are left out."""
        try:
            told = dict(self._reader.query("duckdb/parquet_facts", path=str(path)))
            return {part: json.loads(told[f"anonsql_{part}"]) for part in _FACTS if f"anonsql_{part}" in told}
        except (SqlError, json.JSONDecodeError):  # broken, or another's
            return {}

    def _other_files(self, folder: Path, parts: Sequence[Part]) -> list[str]:
        own = {self._file(folder, part).name for part in parts}
        return [f"file {each.name}" for each in sorted(folder.iterdir()) if each.name not in own]

    def _is_release(self, path: Path) -> bool:
        """Whether the files are a release of this table: its facts say by which version they were made."""
        return self._parts_at(path) is not None

    def _parts_at(self, path: Path) -> tuple[Part, ...] | None:
        """The parts of the release of this table in a file or folder, as its facts tell them; None when it is no such release."""
        if self._place.kind == "duckdb":
            self._reader.attach(path, "candidate", self._where)
            try:
                about = ("candidate", "main", part_name(self._table, "about"))
                tables = self._reader.tables(("candidate",))
                if not {about[-1], part_name(self._table, "columns")} <= set(tables):
                    return None
                return self._parts_told(about)
            finally:
                self._reader.detach("candidate")
        if self._place.kind == "parquet":
            with path.open("rb") as file:
                if file.read(4) != b"PAR1":
                    return None
            facts = self._parquet_facts(path)
            told = facts.keys() == _FACTS.keys() and any(row[0] == "anonsql" for row in facts["about"])
            return BASE_PARTS if told else None
        if not all(self._file(path, part).is_file() for part in BASE_PARTS):
            return None
        self._reader.run("duckdb/parquet_view", path=str(self._file(path, "about")), name="candidate_about")
        return self._parts_told(("candidate_about",))

    def _parts_told(self, about: Relation) -> tuple[Part, ...] | None:
        return parts_of(extras_of(self._reader, about)) if is_release(self._reader, about) else None

    # replacing

    def guard(self) -> None:
        """Raise PolicyError when publishing would replace anything but a release of this table."""
        path = self._place.path
        if self._place.kind == "folder":
            self._guard_folder(path)
            return
        duckdb_files.require_replaceable(path, self._where)
        if not path.exists():
            return
        found = self._other_content(path)
        if found:
            remedy = "A release has a file of its own, replaced by every run: name another file, or remove this one."
            raise PolicyError.at(self._where, f"{path} {found}.", remedy)

    def _guard_folder(self, path: Path) -> None:
        if path.exists() and not path.is_dir():
            raise PolicyError.at(self._where, f"{path} is not a folder.", "Name one, or a file that ends in .parquet.")
        if path.exists() and any(path.iterdir()):
            previous = self._parts_at(path)
            others = self._other_files(path, previous or BASE_PARTS)
            if others or previous is None:
                found = ", ".join(others) or "files that anonsql did not make"
                remedy = "A release has a folder of its own, replaced by every run: name another."
                raise PolicyError.at(self._where, f"{path} holds something else: {found}.", remedy)

    def _other_content(self, path: Path) -> str:
        """What a file holds that is no release of this table, or nothing."""
        if self._place.kind == "parquet":
            return "" if self._is_release(path) else "holds something else"
        previous = self._parts_at(path)
        own = self._names_of(previous or BASE_PARTS)
        self._reader.attach(path, "previous", self._where)
        try:
            strangers, tables = self._reader.strangers("previous", *own), set(self._reader.tables(("previous",)))
        finally:
            self._reader.detach("previous")
        if (other := released_in(tables)) not in (None, self._table):
            return f"is the release of another table, {other}"
        if strangers or (tables and previous is None):
            return f"holds something else: {', '.join(strangers) or 'tables that anonsql did not make'}"
        return ""

    def publish(self) -> None:
        """Move the verified files into the place of the previous ones."""
        self._engine.require_unchanged()
        if self._place.kind == "duckdb":
            self._detach()
        self.guard()
        if self._place.kind == "folder":
            duckdb_files.replace_folder(self._built, self._place.path, self._context.mode)
        else:
            duckdb_files.replace_durably(self._built, self._place.path, self._context.mode)

    def close(self) -> None:
        """Close the reader, unless it is the engine."""
        if self._reader is not self._engine:
            self._reader.close()


def content(engine: Engine, relation: Relation, columns: Sequence[Column]) -> tuple[int, ...]:
    """What a table holds, the same on every engine whatever its rows' order: the number of rows, of values in each
    column, and three sums of digits of the rows' MD5 over the columns whose text is the same everywhere."""
    written = [each for each in columns if each.type == "VARCHAR" or each.kind in ("integer", "decimal", "boolean", "date")]
    return tuple(int(value) for value in engine.query("verify/content", table=relation, columns=columns, written=written)[0])


def _rows_of(export: Export) -> dict[str, Any]:
    return {"paths": [str(path) for path in export.paths], "format": export.format, "columns": export.columns}


def _writer_error(done: subprocess.CompletedProcess[str]) -> AnonsqlError:
    """The clean writer's failure as one of ours."""
    try:
        told = json.loads(done.stdout)
    except json.JSONDecodeError:
        reason = f"the writer ended with code {done.returncode}, for want of memory or disk perhaps"
        return ResourceError("duckdb/clean_writer", reason, "", done.stderr)
    return error_of_type(told["type"], told["message"], "duckdb/clean_writer")
