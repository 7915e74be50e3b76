"""A release as a SQLite file: a fresh file is filled and verified in the run's private folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

from anonsql.engines import contents
from anonsql.engines.base import (
    BASE_PARTS,
    VIEW_PARTS,
    Part,
    Relation,
    ReleaseTables,
    extras_of,
    is_release,
    names_of,
    parts_of,
)
from anonsql.engines.sqlite import inspection
from anonsql.engines.sqlite.engine import SQLiteEngine
from anonsql.engines.target import Columns, FreshFileTarget, Given, no_release
from anonsql.errors import BusyError, VerificationError
from anonsql.system import database_files

_LOGS = ("-wal", "-journal")


class SQLiteTarget(FreshFileTarget):
    """The file, to which the engine is attached."""

    _engine: SQLiteEngine
    suffix = ".sqlite"

    def _relation(self, part: Part, name: str) -> Relation:
        return (name, self._name(part))

    def _staged(self, part: Part) -> Relation:
        return self._relation(part, self._alias)

    def _seen_by_views(self, part: Part) -> Relation:
        """Return the name of a table alone: views mean those of their file, whatever that is
        called."""
        return (self._name(part),)

    def _open_stage(self) -> None:
        if not self._engine.attached(self._alias):
            self._built.touch(mode=0o600)
            self._engine.attach(self._built, self._alias, self._where, writable=True)

    def _fill(self, table: Relation, template: str, columns: Columns, parameters: Given) -> None:
        self._engine.stage(table, template, columns, sorted=columns, **parameters)

    @contextmanager
    def published(self) -> Iterator[ReleaseTables]:
        """Open the published release for reading, beside the staged one; raise PolicyError when
        there is none."""
        path, name, engine = self._place.path, f"{self._alias}_published", self._engine
        database_files.require_readable(
            path, self._where, "`anonsql run` (or `tabulate`) makes it."
        )
        if logs := inspection.beside(path):
            raise VerificationError([contents.refusal(logs)])
        engine.attach(path, name, self._where)
        try:
            names = engine.tables(name)
            base = names_of(self._table, BASE_PARTS)[0]
            if not set(base) <= set(names) or not is_release(engine, self._relation("about", name)):
                raise no_release(self._where, path)
            tables = self._existing(
                {part: self._relation(part, name) for part in self._parts}, names
            )
            engine.require_plain(
                [table for part, table in tables.items() if part not in VIEW_PARTS], self._where
            )
            strangers = engine.strangers(name, *names_of(self._table, self._parts))
            within = cache(partial(inspection.strangers, path, self._context))
            yield ReleaseTables.of(engine, tables, tuple(strangers), within)
        finally:
            engine.detach(name)

    def _require_replaceable(self) -> None:
        super()._require_replaceable()
        path = self._place.path
        for log in _LOGS:
            if Path(f"{path}{log}").exists():
                raise BusyError(
                    f"{path} is open for writing somewhere, or holds changes not yet merged"
                    f" ({path.name}{log}). Close it first."
                )

    def _other_content(self, path: Path) -> str:
        name, engine = f"{self._alias}_previous", self._engine
        engine.attach(path, name, self._where)
        try:
            tables, about = engine.tables(name), self._relation("about", name)
            if not tables:
                return ""
            if about[-1] not in tables or not is_release(engine, about):
                return "holds something else: tables that anonsql did not make"
            parts = parts_of(extras_of(engine, about))
            strangers = engine.strangers(name, *names_of(self._table, parts))
            return f"holds something else: {', '.join(strangers)}" if strangers else ""
        finally:
            engine.detach(name)

    def _close_built(self) -> None:
        """Detach the new file. Only now that the transaction has ended its bytes are there to be
        looked at."""
        self._engine.detach(self._alias)
        if offences := inspection.strangers(self._built, self._context):
            raise VerificationError([contents.refusal(offences)])
