"""DuckDB as the data plane: source attached read-only, scratch in memory (spilling to a private folder), release a file.

The release file is written by :mod:`anonsql.engines.clean_writer`, verified as it lies there, and renamed into place.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonsql import templates
from anonsql.engines import clean_writer, duckdb_files
from anonsql.engines.base import Column, Relation
from anonsql.engines.duckdb_session import Session, columnwise, error_of
from anonsql.errors import BusyError, PolicyError, ResourceError, SqlError, did_you_mean
from anonsql.journal import Journal
from anonsql.policy import EngineSettings, Source

_PARQUET_TYPES = {"BOOLEAN", "FLOAT", "DOUBLE", "VARCHAR", "BLOB", "DATE", "UUID", "TIMESTAMP"}
_PARQUET_TYPES |= {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}
_WRITER_MEMORY = "2GB"  # it streams rows from one file to another
_CSV_TYPES = ("BIGINT", "DECIMAL", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP")  # in the order of duckdb/csv_misfits
_CSV_FACTS = len(_CSV_TYPES) + 3


@dataclass(frozen=True)
class StagedColumn:
    """A column on its way to the release; ``plain`` when Parquet keeps its type exactly."""

    name: str
    type: str
    plain: bool


class DuckDBEngine:
    """One run's data plane. ``workspace`` is its private folder; ``target`` the release file that ``publish`` replaces,
    ``mode`` the permissions it gets when it is new."""

    def __init__(self, workspace: Path, target: Path, settings: EngineSettings, journal: Journal, mode: int = 0o600) -> None:
        spill = workspace / "spill"
        spill.mkdir()
        self._settings = {"temp_directory": str(spill)}
        if settings.memory_limit:
            self._settings["memory_limit"] = settings.memory_limit
        if settings.threads:
            self._settings["threads"] = str(settings.threads)
        self._workspace, self._target, self._journal, self._mode = workspace, target, journal, mode
        self._session = Session.open(None, journal, "data", self._settings)
        self._staged: list[tuple[str, list[StagedColumn], Path]] = []
        self._watched: duckdb_files.Signature | None = None

    # source

    def open_source(self, source: Source, path: Path) -> Relation:
        """Attach the DuckDB file read-only, take in the CSV file, or look at the Parquet file."""
        duckdb_files.require_readable(path, "source.file" if source.file else "source.database")
        if source.file is None:
            assert source.table is not None  # noqa: S101 - the policy model saw to it
            return self._attach_table(path, "source", source.table, "source")
        if path.suffix.lower() in (".parquet", ".pq"):
            duckdb_files.require_distinct([name for (name,) in self.query("duckdb/parquet_names", path=str(path))])
            self._watched = duckdb_files.signature(path)
            self.run("duckdb/parquet_source", path=str(path))
        else:
            self._take_in_csv(path, source.delimiter)
        return ("source_rows",)

    def _attach(self, path: Path, name: str, where: str) -> None:
        """Attach a DuckDB file read-only; raises PolicyError at ``where`` when it is none."""
        try:
            self.run("duckdb/attach", path=str(path), name=name)
        except SqlError as error:
            remedy = "Name a DuckDB database file." if where != "source.database" else "For CSV and Parquet use `file:`."
            raise PolicyError.at(where, f"{path} cannot be opened: {error.reason}.", remedy) from None

    def _attach_table(self, path: Path, database: str, table: str, where: str) -> Relation:
        """Attach a DuckDB file read-only under the name ``database`` and find one of its tables or views."""
        self._attach(path, database, f"{where}.database")
        found = self.query("duckdb/tables", database=database)
        for schema, name in sorted(found, key=lambda each: each[0] != "main"):
            if table in (name if schema == "main" else None, f"{schema}.{name}"):
                return (database, schema, name)
        known = self.tables((database,))
        hint = did_you_mean(table, known) or f"It has {len(known)} tables."
        raise PolicyError.at(f"{where}.table", f"there is no table {table!r} in {path}.", hint)

    def _take_in_csv(self, path: Path, delimiter: str | None) -> None:
        """Read a CSV once into scratch, giving columns a type only where every value keeps its text."""
        delimiter, names = duckdb_files.csv_header(path, delimiter)
        duckdb_files.require_distinct(names)
        try:
            self.run("duckdb/csv_text", path=str(path), delimiter=delimiter, names=names)
        except SqlError as error:
            raise duckdb_files.csv_error(path, delimiter, error) from None
        misfits = self.query("duckdb/csv_misfits", names=names)[0]
        columns = [
            Column(name, _csv_type(misfits[start : start + _CSV_FACTS]))
            for name, start in zip(names, range(0, len(misfits), _CSV_FACTS), strict=True)
        ]
        self.run("duckdb/csv_typed", columns=columns)
        self.run("search/drop", table="source_text")

    def columns(self, relation: Relation) -> list[Column]:
        """The columns of a relation in order."""
        return [Column(row[0], row[1]) for row in self.query("duckdb/describe", relation=relation)]

    def tables(self, schema: Relation) -> list[str]:
        """The tables and views of an attached database; ``schema.name`` outside its main schema."""
        found = self.query("duckdb/tables", database=schema[0])
        return [name if inside == "main" else f"{inside}.{name}" for inside, name in found]

    def strangers(self, release: Relation, table: str) -> list[str]:
        """Whatever an attached database holds besides the three tables of a release, in words."""
        own = [table, f"{table}__about", f"{table}__columns"]
        return [row[0] for row in self.query("duckdb/objects", database=release[0], own=own)]

    def require_unchanged(self) -> None:
        """Raise BusyError when the Parquet file changed; DuckDB files are locked, CSV files were read once."""
        if self._watched is not None and duckdb_files.changed(self._watched):
            raise BusyError("The source file changed during the run. Nothing was published; run again.")

    # statements

    def run(self, template: str, **parameters: Any) -> int:
        """Execute one template; the number of rows it wrote."""
        return self._session.run(template, **parameters)

    def query(self, template: str, **parameters: Any) -> list[tuple[Any, ...]]:
        """The rows of one template."""
        return self._session.query(template, **parameters)

    def load(self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]]) -> None:
        """Make a scratch table of rows that Python has: hierarchies from the policy, requests of the search."""
        self._session.query("duckdb/load", columnwise(rows), table=table, columns=columns)

    # release

    def stage(self, table: str, template: str, columns: Sequence[Column], **parameters: Any) -> None:
        """Write the rows of ``template``, in the order of its column ``parameters['ordering']``, to a Parquet file."""
        path = self._workspace / f"staged-{len(self._staged)}.parquet"
        staged = [StagedColumn(c.name, c.type, c.type in _PARQUET_TYPES or c.type.startswith("DECIMAL")) for c in columns]
        parameters["columns"] = staged
        self.run("duckdb/copy", select=template, path=str(path), **parameters)
        self._staged.append((table, staged, path))

    def build(self) -> Relation:
        """Let the clean writer make the release file, and attach it for verification as ``release``."""
        built = self._built
        statements = [templates.render("duckdb/clean_attach", path=str(built))]
        for table, columns, path in self._staged:
            statements.append(templates.render("duckdb/clean_table", table=table, columns=columns, path=str(path)))
        statements.append(templates.render("duckdb/clean_end"))
        spill = self._workspace / "writer"
        spill.mkdir()
        settings = {"memory_limit": _WRITER_MEMORY, **self._settings, "temp_directory": str(spill)}
        order = json.dumps({"settings": settings, "statements": statements})
        with self._journal.statement("data", "duckdb/clean_writer"):
            done = subprocess.run(  # noqa: S603 - our own interpreter and script
                [sys.executable, "-P", clean_writer.__file__], input=order, capture_output=True, text=True, check=False
            )
        if done.returncode != 0:
            raise _writer_error(done)
        self.run("duckdb/attach", path=str(built), name="release")
        return ("release", "main")

    @property
    def _built(self) -> Path:
        return self._workspace / "release.duckdb"

    def open_release(self, table: str) -> Relation:
        """Attach the published release read-only; its schema. Raises PolicyError when there is none."""
        duckdb_files.require_readable(self._target, "release.database", "`anonsql run` makes it.")
        self._attach_table(self._target, "release", table, "release")
        if f"{table}__columns" not in self.tables(("release",)) or not self._is_release(("release", "main"), table):
            raise PolicyError.at("release.database", f"{self._target} is no release of anonsql.", "`anonsql run` makes one.")
        return ("release", "main")

    def guard_release(self, table: str) -> None:
        """Raise PolicyError when publishing would replace a file that holds anything but this table's release."""
        duckdb_files.require_replaceable(self._target)
        if not self._target.exists():
            return
        self._attach(self._target, "previous", "release.database")
        try:
            strangers, tables = self.strangers(("previous", "main"), table), set(self.tables(("previous",)))
            ours = self._is_release(("previous", "main"), table) if tables else True
        finally:
            self.run("duckdb/detach", name="previous")
        other = next((each for each in tables if {each, f"{each}__about", f"{each}__columns"} == tables), None)
        if other not in (None, table):
            found = f"is the release of another table, {other}"
        elif strangers or not ours:
            found = f"holds something else: {', '.join(strangers) or 'tables that anonsql did not make'}"
        else:
            return
        remedy = "A release has a file of its own, replaced by every run: name another file, or remove this one."
        raise PolicyError.at("release.database", f"{self._target} {found}.", remedy)

    def _is_release(self, schema: Relation, table: str) -> bool:
        """Whether the tables are those of a release: its facts say by which version they were made."""
        about = (*schema, f"{table}__about")
        if f"{table}__about" not in self.tables(schema) or [each.name for each in self.columns(about)] != ["property", "value"]:
            return False
        return any(row[0] == "anonsql" for row in self.query("verify/facts", table=about, columns=["property", "value"]))

    def publish(self) -> None:
        """Rename the verified file over the previous release."""
        self.require_unchanged()
        self.run("duckdb/detach", name="release")
        self.guard_release(self._staged[0][0])
        duckdb_files.replace_durably(self._built, self._target, self._mode)

    def close(self) -> None:
        """Close the connection; scratch tables lived in it."""
        self._session.close()


def _csv_type(facts: Sequence[int]) -> str:
    """The first type that every value survives; text when there is none or no value. A decimal is one when all values
    have as many digits after the point."""
    *misfits, values, least, most = facts
    fits = [kind for kind, count in zip(_CSV_TYPES, misfits, strict=True) if count == 0 and values]
    kind = next((each for each in fits if each != "DECIMAL" or least == most), "VARCHAR")
    return f"DECIMAL(24,{most})" if kind == "DECIMAL" else kind


def _writer_error(done: subprocess.CompletedProcess[str]) -> Exception:
    """The clean writer's failure as one of ours."""
    try:
        told = json.loads(done.stdout)
    except json.JSONDecodeError:
        reason = f"the writer ended with code {done.returncode}, for want of memory or disk perhaps"
        return ResourceError("duckdb/clean_writer", reason, "", done.stderr)
    import duckdb

    return error_of(getattr(duckdb, told["type"], duckdb.Error)(told["message"]), "duckdb/clean_writer", "")
