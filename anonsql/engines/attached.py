"""Databases that are files of this machine, DuckDB's and SQLite's: an engine attaches them by name,
and a release is one of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path

from anonsql.engines import contents
from anonsql.engines.base import (
    BASE_PARTS,
    VIEW_PARTS,
    Engine,
    Part,
    Relation,
    ReleaseTables,
    names_of,
)
from anonsql.engines.contents import Item
from anonsql.engines.target import FreshFileTarget
from anonsql.errors import PolicyError, VerificationError, did_you_mean
from anonsql.policy.release_parts import part_name


class AttachingEngine(Engine):
    """An engine that reads database files under names of its own."""

    @abstractmethod
    def attach(self, path: Path, name: str, where: str) -> None:
        """Attach a file read-only; raise PolicyError at ``where`` when it is not one."""

    @abstractmethod
    def detach(self, name: str) -> None:
        """Detach a file, if it is attached."""

    @abstractmethod
    def tables(self, database: str) -> list[str]:
        """Return the tables and views of an attached file."""

    @abstractmethod
    def _items(self, database: str) -> Sequence[Item]:
        """Return everything that an attached file holds."""

    def tables_in(self, path: Path, where: str) -> list[str]:
        """Return the tables and views of a file; raise PolicyError at ``where`` when it is none."""
        try:
            self.attach(path, "looked_at", where)
            return self.tables("looked_at")
        finally:
            self.detach("looked_at")

    def unexpected_objects(
        self, database: str, own: Sequence[str], views: Sequence[str] = ()
    ) -> list[str]:
        """Describe the contents of an attached file other than its ``own`` tables and ``views``.
        Comments on tables are none of a release's, those on views only where it has views."""
        return list(
            contents.unexpected_objects(self._items(database), contents.allowed(own, views))
        )

    def _no_table(self, table: str, where: str, path: Path, known: Sequence[str]) -> PolicyError:
        hint = did_you_mean(table, known) or f"It has {len(known)} tables."
        return PolicyError.at(where, f"there is no table {table!r} in {path}.", hint)


class AttachedTarget(FreshFileTarget):
    """A release with a table for each part in a database file, which ``_reader`` attaches."""

    _reader: AttachingEngine
    log_ends: tuple[str, ...]
    """How the names of the database's logs end, behind that of its file."""

    @abstractmethod
    def _relation(self, database: str, name: str) -> Relation:
        """Return a table of an attached file."""

    def _attach(self, path: Path, name: str) -> None:
        self._reader.attach(path, name, self._where)

    def _detach(self, name: str) -> None:
        self._reader.detach(name)

    def _parts_at(self, _path: Path, name: str) -> tuple[Part, ...] | None:
        return self._parts_in(name, self._table)

    def _parts_in(self, database: str, table: str) -> tuple[Part, ...] | None:
        tables, base = self._reader.tables(database), names_of(table, BASE_PARTS)[0]
        if not set(base[1:]).issubset(tables):
            return None
        own = [self._relation(database, name) for name in base if name in tables]
        self._reader.require_plain(own, self._where)
        return self._parts_stated(self._relation(database, part_name(table, "about")))

    def _open(self, path: Path, name: str) -> ReleaseTables:
        reader, there = self._reader, self._reader.tables(name)
        if self._table not in there:
            raise reader._no_table(self._table, "release.table", path, there)
        named = {part: self._relation(name, self._name(part)) for part in self._parts}
        tables = self._existing(named, there)
        plain = [table for part, table in tables.items() if part not in VIEW_PARTS]
        reader.require_plain(plain, self._where)
        unexpected = reader.unexpected_objects(name, *names_of(self._table, self._parts))
        within = cache(partial(self._within, path))
        return ReleaseTables.of(reader, tables, (*unexpected, *self._logs(path)), within)

    def _logs(self, path: Path) -> tuple[str, ...]:
        logs = (Path(f"{path}{end}") for end in self.log_ends)
        return tuple(f"file {log.name}" for log in logs if log.exists())

    def _within(self, path: Path) -> Sequence[str]:
        return ()

    def _other_content(self, path: Path) -> str:
        reader, name = self._reader, f"{self._alias}_previous"
        self._attach(path, name)
        try:
            previous = self._parts_at(path, name)
            own = names_of(self._table, previous or BASE_PARTS)
            unexpected, tables = reader.unexpected_objects(name, *own), set(reader.tables(name))
            other = self._other_release(name)
        finally:
            self._detach(name)
        if other not in (None, self._table):
            return f"is the release of another table, {other}"
        if unexpected or (tables and previous is None):
            words = ", ".join(unexpected) or "tables that anonsql did not make"
            return f"contains something else: {words}"
        return ""

    def _other_release(self, database: str) -> str | None:
        """Return the first table of the release that is all that a file holds; None where it holds
        no release, or something else with it."""
        tables = set(self._reader.tables(database))
        for name in sorted(name for name in tables if part_name(name, "about") in tables):
            try:
                parts = self._parts_in(database, name)
            except VerificationError:
                continue
            if parts is not None and tables == {part_name(name, part) for part in parts}:
                return name
        return None
