"""Releases in the formats of files that DuckDB reads: a DuckDB file, a folder of Parquet files, one
Parquet or CSV file. A single file contains rows alone: the facts of the release, ``__about`` and
``__columns``, are in the metadata of a Parquet file and in the companion of a CSV file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anonsql.engines import rename
from anonsql.engines.attached import AttachedTarget
from anonsql.engines.base import BASE_PARTS, STATED, VIEW_PARTS, Part, Relation, ReleaseTables
from anonsql.engines.duckdb import companion
from anonsql.engines.duckdb.companion import Companion
from anonsql.engines.duckdb.engine import DuckDBEngine
from anonsql.engines.duckdb.target import FileTarget
from anonsql.errors import PolicyError, SqlError
from anonsql.policy.locations import companion_of
from anonsql.sql import templates
from anonsql.system import database_files

_FACTS: dict[Part, dict[str, str]] = {
    "about": {"property": "VARCHAR", "value": "VARCHAR"},
    "columns": {
        "column_name": "VARCHAR",
        "role": "VARCHAR",
        "level": "INTEGER",
        "form": "VARCHAR",
        "looks_like": "VARCHAR",
    },
}
"""The columns of ``__about`` and ``__columns``, and their types."""
Facts = Mapping[Part, Sequence[Sequence[object]]]


class DatabaseTarget(FileTarget, AttachedTarget):
    """A file with a table for each part, to which the reader is attached."""

    _reader: DuckDBEngine

    suffix = ".duckdb"
    log_ends = (".wal",)
    kind = "duckdb"

    def stage_view(self, part: Part, template: str, **parameters: Any) -> None:
        tables = {name: (self._name(name),) for name in self._parts if name not in VIEW_PARTS}
        settings = {**parameters, "view": self._name(part), "select": template, "tables": tables}
        self._views.append(templates.render("release/staged_view", **settings))

    def _statements(self) -> list[str]:
        statements = [templates.render("engines/duckdb/clean_attach", path=str(self._built))]
        statements += [
            templates.render(
                "engines/duckdb/clean_table", table=self._name(part), **self._stored(part)
            )
            for part in self._exports
        ]
        if self._views:
            statements.append(templates.render("engines/duckdb/clean_use"))
        return [*statements, *self._views, templates.render("engines/duckdb/clean_end")]

    def _relation(self, database: str, name: str) -> Relation:
        return (database, "main", name)


class FolderTarget(FileTarget):
    """A folder with a Parquet file for each part."""

    def _file(self, folder: Path, part: Part) -> Path:
        return folder / f"{self._name(part)}.parquet"

    def _statements(self) -> list[str]:
        self._built.mkdir()
        return [self._clean_parquet(self._file(self._built, part), part) for part in self._exports]

    def _other_files(self, folder: Path, parts: tuple[Part, ...]) -> tuple[str, ...]:
        own = {self._file(folder, part).name for part in parts}
        names = sorted(path.name for path in folder.iterdir())
        return tuple(f"file {name}" for name in names if name not in own)

    def _require_there(self, path: Path) -> None:
        if not path.is_dir():
            super()._require_there(path)

    def _parts_at(self, path: Path, _name: str) -> tuple[Part, ...] | None:
        if not all(self._file(path, part).is_file() for part in BASE_PARTS):
            return None
        return self._parts_stated(self._view_of(self._file(path, "about"), "candidate_about"))

    def _open(self, path: Path, name: str) -> ReleaseTables:
        tables: dict[Part, Relation] = {
            part: self._view_of(self._file(path, part), f"{name}_{part}")
            for part in self._parts
            if part in BASE_PARTS or self._file(path, part).is_file()
        }
        unexpected_objects = self._other_files(path, self._parts)
        for part in tables:
            unexpected_objects += self._footer_entries(self._file(path, part))
        return ReleaseTables.of(self._reader, tables, unexpected_objects)

    def _files(self, path: Path) -> Mapping[str, Path]:
        return {file.name: file for file in sorted(path.glob("*"))}

    def guard(self) -> None:
        """Raise PolicyError unless the folder is new, empty, or has nothing but a release of this
        table."""
        path = self._place.path
        if path.exists() and not path.is_dir():
            raise PolicyError.at(
                self._where,
                f"{path} is not a folder.",
                "Name a folder, or a file that ends in .parquet.",
            )
        if path.exists() and any(path.iterdir()):
            previous = self._parts_at(path, "")
            others = self._other_files(path, previous or BASE_PARTS)
            if others or previous is None:
                text = ", ".join(others) or "files that anonsql did not make"
                remedy = (
                    "A release has a folder of its own, which every run replaces: name another one."
                )
                raise PolicyError.at(
                    self._where, f"{path} contains something else: {text}.", remedy
                )

    def _move(self) -> None:
        rename.replace_folder(self._built, self._place.path, self._context.mode)


class SingleFileTarget(FileTarget):
    """A file of rows, with its facts elsewhere."""

    def _facts_at(self, path: Path) -> Facts:
        raise NotImplementedError

    def _load(self, path: Path, table: str) -> Facts:
        raise NotImplementedError

    def _parts_at(self, path: Path, _name: str) -> tuple[Part, ...] | None:
        facts = self._facts_at(path)
        complete = facts.keys() == _FACTS.keys()
        states_version = complete and any(row[0] == "anonsql" for row in facts["about"])
        return BASE_PARTS if states_version else None

    def _open(self, path: Path, name: str) -> ReleaseTables:
        for part, facts in self._load(path, f"{name}_rows").items():
            self._reader.load(f"{name}_{part}", list(_FACTS[part].items()), facts)
        tables = {part: (f"{name}_{part}",) for part in BASE_PARTS}
        return ReleaseTables.of(self._reader, tables, self._unexpected_objects(path))

    def _unexpected_objects(self, path: Path) -> tuple[str, ...]:
        raise NotImplementedError

    def _other_content(self, path: Path) -> str:
        return "contains something else" if self._parts_at(path, "") is None else ""


class ParquetTarget(SingleFileTarget):
    """A Parquet file."""

    suffix = ".parquet"

    def _statements(self) -> list[str]:
        facts = [
            (f"anonsql_{part}", json.dumps(self._facts[part], ensure_ascii=False))
            for part in _FACTS
        ]
        return [self._clean_parquet(self._built, "rows", facts)]

    def _facts_at(self, path: Path) -> Facts:
        with path.open("rb") as file:
            if file.read(4) != b"PAR1":
                return {}
        try:
            values = dict(self._reader.query("engines/duckdb/parquet_facts", path=str(path)))
            by_name = {
                part: json.loads(values[f"anonsql_{part}"])
                for part in _FACTS
                if f"anonsql_{part}" in values
            }
        except (SqlError, json.JSONDecodeError):  # broken, or not a release
            return {}
        if _are_rows(by_name.get("columns"), len(STATED) - 1):  # of an earlier version
            by_name["columns"] = [companion.with_form(row) for row in by_name["columns"]]
        return {part: rows for part, rows in by_name.items() if _are_rows(rows, len(_FACTS[part]))}

    def _load(self, path: Path, table: str) -> Facts:
        self._view_of(path, table)
        return self._facts_at(path)

    def _unexpected_objects(self, path: Path) -> tuple[str, ...]:
        return self._footer_entries(path, own=[f"anonsql_{part}" for part in _FACTS])


class CSVTarget(SingleFileTarget):
    """A CSV file with its companion."""

    suffix = ".csv"
    kind = "csv"
    _companion: Companion

    def _statements(self) -> list[str]:
        rows = self._stored("rows")
        return [
            templates.render("engines/duckdb/utc"),
            templates.render("engines/duckdb/clean_csv", file=str(self._built), **rows),
        ]

    def _complete(self) -> None:
        types = [(column.name, column.type) for column in self._exports["rows"].columns]
        self._companion = Companion.of(self._built, types, self._facts)
        self._companion.write(companion_of(self._built))

    def _facts_at(self, path: Path) -> Facts:
        beside = Companion.beside(path)
        return {} if beside is None else beside.facts

    def _load(self, path: Path, table: str) -> Facts:
        return companion.load(self._reader, path, table, self._where).facts

    def _unexpected_objects(self, path: Path) -> tuple[str, ...]:
        beside = Companion.beside(path)
        written = beside is not None and beside.is_written_alone(path)
        return () if written else (f"other texts in {companion_of(path).name}",)

    def _files(self, path: Path) -> Mapping[str, Path]:
        place = self._place.path
        return {place.name: path, companion_of(place).name: companion_of(path)}

    def _require_replaceable(self) -> None:
        super()._require_replaceable()
        beside = companion_of(self._place.path)
        if not beside.exists():
            return
        database_files.require_replaceable(beside, self._where)
        if Companion.read(beside) is None:
            raise PolicyError.at(
                self._where,
                f"{beside} contains something else, but a release in CSV needs this file for what"
                " CSV cannot store.",
                "Name another file, or move this one.",
            )

    def _other_content(self, path: Path) -> str:
        beside = Companion.beside(path)
        if beside is not None and not beside.allows_replacing(path):
            return f"differs from its companion {companion_of(path).name}"
        return super()._other_content(path)

    def _prepare(self) -> None:
        self._companion.replacing(self._place.path).write(companion_of(self._built))

    def _move(self) -> None:
        """Move both files, the companion first, so that no file ever lacks it."""
        path = self._place.path
        rename.replace_file(companion_of(self._built), companion_of(path), self._context.mode)
        super()._move()


def _are_rows(value: object, width: int) -> bool:
    return isinstance(value, list) and all(
        isinstance(row, list) and len(row) == width for row in value
    )
