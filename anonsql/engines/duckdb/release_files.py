"""The files where a release goes: whether they are a release already, of which table, and whether
they may be replaced."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from anonsql.engines.base import (
    BASE_PARTS,
    VIEW_PARTS,
    Part,
    Relation,
    extras_of,
    is_release,
    parts_of,
)
from anonsql.engines.duckdb import companion as csv_companion
from anonsql.engines.duckdb import database_bytes
from anonsql.engines.duckdb.companion import Companion
from anonsql.engines.duckdb.engine import DuckDBEngine
from anonsql.engines.duckdb.parquet import inspection
from anonsql.engines.duckdb.released_tables import released_in
from anonsql.errors import PolicyError, SqlError
from anonsql.policy.locations import Location, companion_of
from anonsql.policy.parts import part_name
from anonsql.system import database_files
from anonsql.system.database_files import Signature

FACT_COLUMNS: dict[Part, tuple[str, ...]] = {
    "about": ("property", "value"),
    "columns": ("column_name", "role", "level", "looks_like"),
}
"""The columns of ``__about`` and ``__columns``, which a Parquet file has in its metadata and a
CSV file in its companion."""


@dataclass(frozen=True)
class ReleaseFiles:
    """The files that releases of a ``table`` have at a ``place``: a DuckDB file, a Parquet file, a
    CSV file with its companion, or a folder of Parquet files, by the kind of the place. The engine
    ``reader`` opens them."""

    place: Location
    table: str
    reader: DuckDBEngine

    @property
    def where(self) -> str:
        """The field of the policy that names the place."""
        return self.place.where

    def names_of(self, parts: Sequence[Part]) -> tuple[list[str], list[str]]:
        """Return the names of those parts that are tables, and of those that are views."""
        views = [part_name(self.table, part) for part in parts if part in VIEW_PARTS]
        return [part_name(self.table, part) for part in parts if part not in VIEW_PARTS], views

    def file(self, folder: Path, part: Part) -> Path:
        """Return the file of a part in a folder of Parquet files."""
        return folder / f"{part_name(self.table, part)}.parquet"

    def facts(self, path: Path) -> dict[Part, list[list[object]]]:
        """Return the rows of the tables that a single file has no place for among its own rows, by
        part. Parts that it lacks are left out."""
        if self.place.kind == "csv":
            companion = Companion.beside(path)
            return {} if companion is None else companion.facts
        return self._parquet_facts(path)

    def _parquet_facts(self, path: Path) -> dict[Part, list[list[object]]]:
        """Return the rows of the tables that a Parquet release has in its metadata, by part."""
        with path.open("rb") as file:
            if file.read(4) != b"PAR1":
                return {}
        try:
            values = dict(self.reader.query("engines/duckdb/parquet_facts", path=str(path)))
            found = {
                part: json.loads(values[f"anonsql_{part}"])
                for part in FACT_COLUMNS
                if f"anonsql_{part}" in values
            }
        except (SqlError, json.JSONDecodeError):  # broken, or not a release
            return {}
        return {part: rows for part, rows in found.items() if _are_rows(rows, FACT_COLUMNS[part])}

    def within(
        self, path: Path, name: str, tables: Mapping[Part, Relation], workspace: Path
    ) -> tuple[str, ...]:
        """Return in words what the files of a release, whose ``tables`` were opened under a
        ``name``, hold besides its rows and facts. All of each file is read."""
        if self.place.kind == "duckdb":
            own = [table for part, table in tables.items() if part not in VIEW_PARTS]
            return database_bytes.strangers(self.reader, path, name, own)
        if self.place.kind == "csv":
            return csv_companion.strangers(self.reader, path, tables["rows"][0], workspace)
        if self.place.kind == "parquet":
            facts = {f"anonsql_{part}": rows for part, rows in self.facts(path).items()}
            return inspection.strangers(self.reader, path, workspace, facts)
        return tuple(
            words
            for part in tables
            for words in inspection.strangers(self.reader, self.file(path, part), workspace, {})
        )

    def other_files(self, folder: Path, parts: Sequence[Part]) -> list[str]:
        """Return, as messages name them, the files in a folder that are none of ``parts``."""
        own = {self.file(folder, part).name for part in parts}
        return [f"file {path.name}" for path in sorted(folder.iterdir()) if path.name not in own]

    def is_release(self, path: Path) -> bool:
        """Return whether the files are a release of this table. They are if their facts say by
        which version of anonsql they were made."""
        return self._parts_at(path) is not None

    def _parts_at(self, path: Path) -> tuple[Part, ...] | None:
        """Return the parts of the release of this table in a file or folder, by its facts; None
        when it is not such a release."""
        if self.place.kind == "duckdb":
            self.reader.attach(path, "candidate", self.where)
            try:
                about, columns = (part_name(self.table, part) for part in ("about", "columns"))
                tables = set(self.reader.tables(("candidate",)))
                if not {about, columns} <= tables:
                    return None
                own = {self.table, about, columns} & tables
                self.reader.require_plain(
                    [("candidate", "main", name) for name in sorted(own)], self.where
                )
                return self._parts_stated(("candidate", "main", about))
            finally:
                self.reader.detach("candidate")
        if self.place.is_single:
            facts = self.facts(path)
            complete = facts.keys() == FACT_COLUMNS.keys()
            states_version = complete and any(row[0] == "anonsql" for row in facts["about"])
            return BASE_PARTS if states_version else None
        if not all(self.file(path, part).is_file() for part in BASE_PARTS):
            return None
        self.reader.run(
            "engines/duckdb/parquet_view",
            path=str(self.file(path, "about")),
            name="candidate_about",
        )
        return self._parts_stated(("candidate_about",))

    def _parts_stated(self, about: Relation) -> tuple[Part, ...] | None:
        """Return the parts of a release by its table of facts; None when that is none of
        anonsql's."""
        return parts_of(extras_of(self.reader, about)) if is_release(self.reader, about) else None

    def guard(self, guarded: Signature | None = None) -> Signature | None:
        """Raise PolicyError when publishing would replace anything but a release of this table.
        Return the signature of the file that may be replaced, None where there is no file yet or a
        folder. ``guarded`` is the signature that an earlier call returned: a file that still has it
        is not read again."""
        path = self.place.path
        if self.place.kind == "folder":
            self._guard_folder(path)
            return None
        database_files.require_replaceable(path, self.where)
        companion = self.place.companion
        if companion is not None and companion.exists():
            self._guard_companion(companion)
        if not path.exists():
            return None
        now = database_files.signature(path)
        if now == guarded:
            return now
        found = self._other_content(path)
        if found:
            remedy = (
                "A release has a file of its own, replaced by every run: name another file, or"
                " remove this one."
            )
            raise PolicyError.at(self.where, f"{path} {found}.", remedy)
        return now

    def _guard_companion(self, companion: Path) -> None:
        """Raise PolicyError where a file that anonsql did not make has the name of the companion of
        a CSV release."""
        database_files.require_replaceable(companion, self.where)
        if Companion.read(companion) is None:
            raise PolicyError.at(
                self.where,
                f"{companion} holds something else: it is to tell what the CSV file cannot.",
                "Name another file, or move this one.",
            )

    def _guard_folder(self, path: Path) -> None:
        """Raise PolicyError unless a folder is new, empty, or has nothing but a release of this
        table."""
        if path.exists() and not path.is_dir():
            raise PolicyError.at(
                self.where, f"{path} is not a folder.", "Name one, or a file that ends in .parquet."
            )
        if path.exists() and any(path.iterdir()):
            previous = self._parts_at(path)
            others = self.other_files(path, previous or BASE_PARTS)
            if others or previous is None:
                found = ", ".join(others) or "files that anonsql did not make"
                remedy = "A release has a folder of its own, replaced by every run: name another."
                raise PolicyError.at(self.where, f"{path} holds something else: {found}.", remedy)

    def _other_content(self, path: Path) -> str:
        """Return in words what a file contains besides a release of this table; an empty text where
        that is nothing."""
        if self.place.kind == "csv":
            companion = Companion.beside(path)
            if companion is not None and not companion.allows_replacing(path):
                return f"is not what its companion {companion_of(path).name} tells"
        if self.place.is_single:
            return "" if self.is_release(path) else "holds something else"
        previous = self._parts_at(path)
        own = self.names_of(previous or BASE_PARTS)
        self.reader.attach(path, "previous", self.where)
        try:
            strangers = self.reader.strangers("previous", *own)
            tables = set(self.reader.tables(("previous",)))
        finally:
            self.reader.detach("previous")
        if (other := released_in(tables)) not in (None, self.table):
            return f"is the release of another table, {other}"
        if strangers or (tables and previous is None):
            return (
                "holds something else:"
                f" {', '.join(strangers) or 'tables that anonsql did not make'}"
            )
        return ""


def _are_rows(value: object, columns: Sequence[str]) -> bool:
    """Return whether a value, as read from JSON, has the rows of a table with these columns."""
    return isinstance(value, list) and all(
        isinstance(row, list) and len(row) == len(columns) for row in value
    )
