"""A release as one file that holds rows alone, a Parquet or a CSV file. The facts of the release,
``__about`` and ``__columns``, lie in the metadata of the one and in the companion of the other."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from anonsql.engines import rename
from anonsql.engines.base import BASE_PARTS, STATED, Part, ReleaseTables
from anonsql.engines.duckdb import companion
from anonsql.engines.duckdb.companion import Companion
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


class SingleFileTarget(FileTarget):
    """A file of rows, whose facts lie elsewhere."""

    def _facts_at(self, path: Path) -> Facts:
        """Return the facts of a release by part; those that it lacks are left out."""
        raise NotImplementedError

    def _load(self, path: Path, table: str) -> Facts:
        """Make the rows of a file a table or view of the reader; return their facts."""
        raise NotImplementedError

    def _parts_at(self, path: Path) -> tuple[Part, ...] | None:
        facts = self._facts_at(path)
        complete = facts.keys() == _FACTS.keys()
        states_version = complete and any(row[0] == "anonsql" for row in facts["about"])
        return BASE_PARTS if states_version else None

    def _open(self, path: Path, name: str) -> ReleaseTables:
        for part, facts in self._load(path, f"{name}_rows").items():
            self._reader.load(f"{name}_{part}", list(_FACTS[part].items()), facts)
        tables = {part: (f"{name}_{part}",) for part in BASE_PARTS}
        return ReleaseTables.of(self._reader, tables, self._strangers(path))

    def _strangers(self, path: Path) -> tuple[str, ...]:
        """Return in words what is told beside the rows and is no fact of a release."""
        raise NotImplementedError

    def _other_content(self, path: Path) -> str:
        return "holds something else" if self._parts_at(path) is None else ""


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

    def _strangers(self, path: Path) -> tuple[str, ...]:
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
        """Write the companion."""
        types = [(column.name, column.type) for column in self._exports["rows"].columns]
        self._companion = Companion.of(self._built, types, self._facts)
        self._companion.write(companion_of(self._built))

    def _facts_at(self, path: Path) -> Facts:
        beside = Companion.beside(path)
        return {} if beside is None else beside.facts

    def _load(self, path: Path, table: str) -> Facts:
        return companion.load(self._reader, path, table, self._where).facts

    def _strangers(self, path: Path) -> tuple[str, ...]:
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
                f"{beside} holds something else: it is to tell what the CSV file cannot.",
                "Name another file, or move this one.",
            )

    def _other_content(self, path: Path) -> str:
        beside = Companion.beside(path)
        if beside is not None and not beside.allows_replacing(path):
            return f"is not what its companion {companion_of(path).name} tells"
        return super()._other_content(path)

    def _prepare(self) -> None:
        """Write the companion anew, with the file that is to be replaced."""
        self._companion.replacing(self._place.path).write(companion_of(self._built))

    def _move(self) -> None:
        """Move both files, the companion first, so that no file ever lacks it."""
        path = self._place.path
        rename.replace_file(companion_of(self._built), companion_of(path), self._context.mode)
        super()._move()


def _are_rows(value: object, width: int) -> bool:
    """Return whether a value, as read from JSON, has the rows of a table of so many columns."""
    return isinstance(value, list) and all(
        isinstance(row, list) and len(row) == width for row in value
    )
