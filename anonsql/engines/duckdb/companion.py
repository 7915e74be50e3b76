"""The companion of a CSV release: a small JSON file next to it with what CSV cannot store: the
facts of the release, the types of its columns, and the digest of the CSV file."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from anonsql.engines import column_types
from anonsql.engines.base import STATED, Part
from anonsql.engines.duckdb.engine import DuckDBEngine
from anonsql.errors import BusyError, InvariantError, PolicyError, VerificationError
from anonsql.policy.locations import companion_of
from anonsql.system import database_files, text_files


def with_form(row: Sequence[object]) -> list[object]:
    """Return a row of ``__columns`` with a form, which is None in those of earlier versions."""
    return [*row] if len(row) == len(STATED) else [*row[:3], None, *row[3:]]


_Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class ColumnOfCsv(BaseModel):
    """A column of the CSV file and the type, in DuckDB's spelling, that its fields are read as."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    name: str
    type: str


class Companion(BaseModel):
    """The facts of a CSV release: its size and SHA-256, the SHA-256 of the file that it
    ``replaces``, its columns in their order, and the rows of ``__about`` and ``__columns``."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    bytes: int
    sha256: _Sha256
    replaces: _Sha256 | None
    types: list[ColumnOfCsv]
    about: list[tuple[str, str | None]]
    columns: list[
        tuple[str, str, int | None, str | None, str | None]
        | tuple[str, str, int | None, str | None]  # of earlier versions
    ]

    @classmethod
    def of(
        cls,
        csv: Path,
        types: Sequence[tuple[str, str]],
        facts: Mapping[Part, Sequence[Sequence[Any]]],
    ) -> Companion:
        """Return the companion of a CSV file with columns of (name, type)."""
        for name, kind in types:
            if not column_types.is_csv_type(kind):
                raise InvariantError(f"column {name!r} was written as CSV although it is {kind}")
        return cls(
            bytes=csv.stat().st_size,
            sha256=database_files.sha256(csv),
            replaces=None,
            types=[ColumnOfCsv(name=name, type=kind) for name, kind in types],
            about=[(name, value) for name, value in facts["about"]],
            columns=[
                (name, role, level, form, text)
                for name, role, level, form, text in facts["columns"]
            ],
        )

    @classmethod
    def beside(cls, csv: Path) -> Companion | None:
        """Return the companion next to a CSV file; None if there is none."""
        return cls.read(companion_of(csv))

    @classmethod
    def read(cls, path: Path) -> Companion | None:
        """Return the companion in a file; None where it is not a file that anonsql made."""
        try:
            content = text_files.read_bytes(path, "release.file", text_files.MAX_YAML)
            companion = cls.model_validate_json(content)
        except (PolicyError, ValidationError):
            return None
        known = all(column_types.is_csv_type(kind.type) for kind in companion.types)
        return (
            companion if known and any(name == "anonsql" for name, _ in companion.about) else None
        )

    @property
    def facts(self) -> dict[Part, list[list[object]]]:
        """The rows of ``__about`` and ``__columns``, by part."""
        return {
            "about": [list(row) for row in self.about],
            "columns": [with_form(row) for row in self.columns],
        }

    def replacing(self, csv: Path) -> Companion:
        """Return the companion of a file that replaces an earlier one, if there is one."""
        return self.model_copy(
            update={"replaces": database_files.sha256(csv) if csv.exists() else None}
        )

    def write(self, path: Path) -> None:
        """Write it to a file that its owner alone can read."""
        descriptor = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(self._text)

    @property
    def _text(self) -> str:
        return self.model_dump_json(indent=1) + "\n"

    def is_written_alone(self, csv: Path) -> bool:
        """Return whether the file next to a CSV file is this companion as a run writes it."""
        return companion_of(csv).read_bytes() == self._text.encode()

    def tells(self, csv: Path) -> bool:
        """Return whether the companion belongs to a CSV file."""
        return csv.stat().st_size == self.bytes and database_files.sha256(csv) == self.sha256

    def allows_replacing(self, csv: Path) -> bool:
        """Return whether anonsql made a CSV file: the companion's own or, if a run ended between
        the two files, the file that was to be replaced."""
        return database_files.sha256(csv) in (self.sha256, self.replaces)


def load(reader: DuckDBEngine, csv: Path, table: str, where: str) -> Companion:
    """Load a CSV release into a table of the reader, with the names and types of its companion, and
    return the companion. Raise VerificationError if the file is not the companion's, or its header
    has other names: the rows alone do not identify the columns."""
    before, companion = database_files.signature(csv), Companion.beside(csv)
    if companion is None:
        raise PolicyError.at(
            where,
            f"{csv} has no companion {companion_of(csv).name}.",
            "`anonsql run` (or `tabulate`) makes both.",
        )
    if not companion.tells(csv):
        raise VerificationError(
            [
                f"{csv} differs from its companion {companion_of(csv).name}: it was changed, or a"
                " run ended between writing the two files, which the next run repairs"
            ]
        )
    _require_same_names(csv, [kind.name for kind in companion.types])
    reader.drop(table)
    reader.run("engines/duckdb/csv_release", path=str(csv), table=table, columns=companion.types)
    if database_files.changed(before):
        raise BusyError(f"{csv} was replaced while it was read. Try again.")
    return companion


def _require_same_names(file: Path, names: Sequence[str]) -> None:
    """Raise VerificationError unless the first record of a CSV file has exactly these names in this
    order, each once as DuckDB compares names. The message does not show the record: it may be a
    row."""
    once = len({name.encode().lower() for name in names}) == len(names)
    if not once or _header(file) != list(names):
        words = f"the columns that its companion {companion_of(file).name} lists"
        text = f"{file} does not name {words} in its first record, each once and in that order"
        raise VerificationError([text])


def _header(file: Path) -> list[str] | None:
    try:
        with file.open(encoding="utf-8", newline="") as text:
            return next(csv.reader(text, strict=True), None)
    except (csv.Error, UnicodeDecodeError):
        return None
