"""A release as a SQLite file: a fresh file is filled and verified in the run's private folder."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from anonsql.engines import contents
from anonsql.engines.attached import AttachedTarget
from anonsql.engines.base import Part, Relation
from anonsql.engines.contents import Item
from anonsql.engines.sqlite.engine import DECLARED, SQLiteEngine
from anonsql.engines.target import Columns, Given
from anonsql.errors import BusyError, VerificationError


class SQLiteTarget(AttachedTarget):
    """The file, to which the engine is attached."""

    _engine: SQLiteEngine
    suffix = ".sqlite"
    log_ends = ("-wal", "-shm", "-journal")

    def _relation(self, database: str, name: str) -> Relation:
        return (database, name)

    def _staged(self, part: Part) -> Relation:
        return self._relation(self._alias, self._name(part))

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

    def _require_there(self, path: Path) -> None:
        super()._require_there(path)
        if logs := self._logs(path):
            raise VerificationError([contents.refusal(logs)])

    def _require_replaceable(self) -> None:
        super()._require_replaceable()
        path = self._place.path
        for log in ("-wal", "-journal"):
            if Path(f"{path}{log}").exists():
                raise BusyError(
                    f"{path} is open for writing in another process, or contains changes not yet"
                    f" merged ({path.name}{log}). Close it first."
                )

    def _close_built(self) -> None:
        super()._close_built()
        if offences := self._within(self._built):
            raise VerificationError([contents.refusal(offences)])

    def _within(self, path: Path) -> Sequence[str]:
        """Describe the definitions of a file other than those of its tables and views as a run
        makes them. These are made once more in a fresh file, and both must have the same
        definitions: so the tables have no default, check, comment or option."""
        if texts := self._logs(path):
            return texts
        again = self._context.workspace / f"again-{secrets.token_hex(4)}.sqlite"
        try:
            with closing(SQLiteEngine(self._place, self._context)) as engine:
                engine.attach(path, "held", self._where)
                engine.attach(again, "again", self._where, writable=True)
                return _defined_otherwise(engine)
        finally:
            again.unlink(missing_ok=True)


def _defined_otherwise(engine: SQLiteEngine) -> tuple[str, ...]:
    """Define the tables and views of the file in the fresh one; describe the definitions that
    differ. Rows are numbered from 1."""
    objects = engine.query("engines/sqlite/definitions", database="held")
    for kind, name, _ in objects:
        if kind == "table":
            columns = engine.query("engines/sqlite/declared", table=("held", name))
            if any(declared not in DECLARED for _, declared in columns):
                return (f"a column of table {name} with a type that no run declares",)
            least, most, count = engine.query("engines/sqlite/row_numbers", table=("held", name))[0]
            if count and (least, most) != (1, count):
                return (f"row numbers other than 1, 2, 3 … of table {name}",)
            engine.create(("again", name), columns)
        else:
            engine.copy_view("held", "again", name)
    made = engine.query("engines/sqlite/definitions", database="again")
    held = [Item(f"definition of {kind}", name, detail=str(sql)) for kind, name, sql in objects]
    own = {Item(f"definition of {kind}", name, detail=str(sql)) for kind, name, sql in made}
    return contents.unexpected_objects(held, own)
