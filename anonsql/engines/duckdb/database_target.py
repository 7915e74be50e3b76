"""A release as a DuckDB file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anonsql.engines.base import (
    BASE_PARTS,
    VIEW_PARTS,
    Part,
    Relation,
    ReleaseTables,
    names_of,
)
from anonsql.engines.duckdb.released_tables import released_in
from anonsql.engines.duckdb.target import FileTarget
from anonsql.errors import VerificationError
from anonsql.policy.release_parts import part_name
from anonsql.sql import templates


class DatabaseTarget(FileTarget):
    """A file with a table for each part, to which the reader is attached."""

    suffix = ".duckdb"
    kind = "duckdb"

    def stage_view(self, part: Part, template: str, **parameters: Any) -> None:
        """Keep the statement of a view for the clean writer."""
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

    def _require_there(self, path: Path, name: str) -> None:
        super()._require_there(path, name)
        self._reader.attach_table(path, name, self._table, "release")
        self._reader.detach(name)

    def _parts_at(self, path: Path) -> tuple[Part, ...] | None:
        self._reader.attach(path, "candidate", self._where)
        try:
            tables = set(self._reader.tables(("candidate",)))
            base = names_of(self._table, BASE_PARTS)[0]
            if not set(base[1:]) <= tables:
                return None
            own = [("candidate", "main", name) for name in sorted(tables.intersection(base))]
            self._reader.require_plain(own, self._where)
            return self._parts_stated(("candidate", "main", self._name("about")))
        finally:
            self._reader.detach("candidate")

    def _open(self, path: Path, name: str) -> ReleaseTables:
        reader = self._reader
        reader.attach(path, name, self._where)
        tables: dict[Part, Relation] = self._existing(
            {part: (name, "main", self._name(part)) for part in self._parts},
            reader.tables((name,)),
        )
        strangers = reader.strangers(name, *names_of(self._table, self._parts))
        if (log := Path(f"{path}.wal")).exists():
            strangers.append(f"file {log.name}")
        return ReleaseTables.of(reader, tables, tuple(strangers))

    def _detach(self, name: str) -> None:
        self._reader.detach(name)

    def _released_first(self, database: str, tables: set[str]) -> str | None:
        """Return the first of several tables that are one release, and all that a file holds; None
        where they are none."""
        for name in tables:
            base = names_of(name, BASE_PARTS)[0]
            if not tables.issuperset(base):
                continue
            try:
                own = [(database, "main", table) for table in base]
                self._reader.require_plain(own, self._where)
            except VerificationError:
                return None
            parts = self._parts_stated((database, "main", part_name(name, "about")))
            if parts is not None and tables == {*names_of(name, parts)[0]}:
                return name
        return None

    def _other_content(self, path: Path) -> str:
        previous = self._parts_at(path)
        self._reader.attach(path, "previous", self._where)
        try:
            own = names_of(self._table, previous or BASE_PARTS)
            strangers = self._reader.strangers("previous", *own)
            tables = set(self._reader.tables(("previous",)))
            other = released_in(tables) or self._released_first("previous", tables)
        finally:
            self._reader.detach("previous")
        if other not in (None, self._table):
            return f"is the release of another table, {other}"
        if strangers or (tables and previous is None):
            return (
                "holds something else:"
                f" {', '.join(strangers) or 'tables that anonsql did not make'}"
            )
        return ""
