"""A release as a SQLite file: built as a fresh file in the run's private folder, verified there,
and moved into the place of the previous one in one step.

Dropped rows stay readable in the free pages of a file, so a file is never written twice.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

from anonsql.engines import contents
from anonsql.engines.base import (
    BASE_PARTS,
    VIEW_PARTS,
    Column,
    Context,
    Engine,
    Part,
    Relation,
    ReleaseTables,
    extras_of,
    is_release,
    parts_of,
)
from anonsql.engines.sqlite import inspection
from anonsql.engines.sqlite.engine import SQLiteEngine
from anonsql.errors import BusyError, PolicyError, VerificationError
from anonsql.policy.locations import Location
from anonsql.policy.parts import part_name
from anonsql.system import database_files
from anonsql.system.database_files import Signature

_WHERE = "release.database"
_LOGS = ("-wal", "-journal")


class SQLiteTarget:
    """The file at ``place``, on the same file system as the run's private folder. ``extras`` are
    the parts of the release of ``table`` besides the three that every release has."""

    def __init__(
        self,
        engine: SQLiteEngine,
        place: Location,
        table: str,
        context: Context,
        extras: Sequence[Part] = (),
    ) -> None:
        self._engine, self._place, self._table, self._context = engine, place, table, context
        self._parts = parts_of(extras)
        self._name = f"release_{secrets.token_hex(4)}"
        self._built = context.workspace / "release.sqlite"
        self._guarded: Signature | None = None

    # writing

    def stage(
        self, part: Part, template: str, columns: Sequence[Column], **parameters: Any
    ) -> None:
        """Write the rows of a template as a table of the new file."""
        self._make()
        self._engine.stage(self._relation(part), template, columns, **parameters)

    def stage_view(self, part: Part, template: str, **parameters: Any) -> None:
        """Make a view in the new file; it names tables alone, whatever the file is called."""
        self._make()
        tables = {name: (part_name(self._table, name),) for name in self._parts}
        self._engine.query(
            "release/staged_view",
            view=self._relation(part),
            select=template,
            tables=tables,
            **parameters,
        )

    def _make(self) -> None:
        """Make the new file when it is first needed."""
        if not self._engine.attached(self._name):
            self._built.touch(mode=0o600)
            self._engine.attach(self._built, self._name, _WHERE, writable=True)

    def _relation(self, part: Part, name: str = "") -> Relation:
        return (name or self._name, part_name(self._table, part))

    def staged_rows(self, part: Part = "rows") -> tuple[Engine, Relation]:
        """Return the staged table."""
        return self._engine, self._relation(part)

    def build(self) -> tuple[ReleaseTables, Mapping[Part, Relation]]:
        """Return the staged tables as they are."""
        tables = {part: self._relation(part) for part in self._parts}
        return ReleaseTables.of(self._engine, tables), tables

    # reading

    @contextmanager
    def published(self) -> Iterator[ReleaseTables]:
        """Open the published release for reading, beside the staged one; raise PolicyError when
        there is none."""
        path, name = self._place.path, f"{self._name}_published"
        database_files.require_readable(path, _WHERE, "`anonsql run` makes it.")
        if logs := inspection.beside(path):
            raise VerificationError([contents.refusal(logs)])
        self._engine.attach(path, name, _WHERE)
        try:
            names = self._engine.tables(name)
            about = self._relation("about", name)
            if not {part_name(self._table, part) for part in BASE_PARTS} <= set(names):
                raise _no_release(path)
            if not is_release(self._engine, about):
                raise _no_release(path)
            tables = {
                part: self._relation(part, name)
                for part in self._parts
                if part in BASE_PARTS or part_name(self._table, part) in names
            }
            self._engine.require_plain(
                [table for part, table in tables.items() if part not in VIEW_PARTS], _WHERE
            )
            strangers = self._engine.strangers(name, *self._names_of(self._parts))
            within = cache(partial(inspection.strangers, path, self._context))
            yield ReleaseTables.of(self._engine, tables, tuple(strangers), within)
        finally:
            self._engine.detach(name)

    def _names_of(self, parts: Sequence[Part]) -> tuple[list[str], list[str]]:
        """Return the names of those parts that are tables, and of those that are views."""
        views = [part_name(self._table, part) for part in parts if part in VIEW_PARTS]
        return [part_name(self._table, part) for part in parts if part not in VIEW_PARTS], views

    # replacing

    def guard(self) -> None:
        """Raise PolicyError when publishing would replace anything but a release of this table."""
        path = self._place.path
        database_files.require_replaceable(path, _WHERE)
        for log in _LOGS:
            if Path(f"{path}{log}").exists():
                raise BusyError(
                    f"{path} is open for writing somewhere, or holds changes not yet merged"
                    f" ({path.name}{log}). Close it first."
                )
        if not path.exists():
            return
        now = database_files.signature(path)
        if now == self._guarded:
            return
        if found := self._other_content(path):
            remedy = (
                "A release has a file of its own, replaced by every run: name another file, or"
                " remove this one."
            )
            raise PolicyError.at(_WHERE, f"{path} {found}.", remedy)
        self._guarded = now

    def _other_content(self, path: Path) -> str:
        """Return in words what a file contains besides a release of this table; an empty text where
        that is nothing."""
        name = f"{self._name}_previous"
        self._engine.attach(path, name, _WHERE)
        try:
            tables, about = self._engine.tables(name), (name, part_name(self._table, "about"))
            if not tables:
                return ""
            if about[-1] not in tables or not is_release(self._engine, about):
                return "holds something else: tables that anonsql did not make"
            parts = parts_of(extras_of(self._engine, about))
            strangers = self._engine.strangers(name, *self._names_of(parts))
            return f"holds something else: {', '.join(strangers)}" if strangers else ""
        finally:
            self._engine.detach(name)

    def publish(self) -> None:
        """Move the verified file into the place of the previous one. Only now that the transaction
        has ended its bytes are there to be looked at."""
        self._engine.detach(self._name)
        if found := inspection.strangers(self._built, self._context):
            raise VerificationError([contents.refusal(found)])
        self.guard()
        database_files.replace_durably(self._built, self._place.path, self._context.mode)

    def private(self, _release: str) -> None:
        """Return None: beside a release in files lies the catalog."""

    def close(self) -> None:
        """Do nothing: the engine closes the files."""


def _no_release(path: Path) -> PolicyError:
    return PolicyError.at(_WHERE, f"{path} is no release of anonsql.", "`anonsql run` makes one.")
