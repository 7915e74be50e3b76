"""The ledger of a table whose releases are files, or Spark's, in the catalog: a file of its owner's
alone.

The rows travel between the engine and the catalog as files of the run's private folder.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonsql.engines.base import Engine, Export
from anonsql.engines.duckdb.session import DuckDBSession
from anonsql.engines.exported_columns import rows_of
from anonsql.over_time.ledger import NEXT, ROWS, Book, Entry, columns

_FOLDER = "jobs/catalog"


class CatalogLedger:
    """The ledger in an open catalog; ``workspace`` is the run's private folder."""

    def __init__(self, session: DuckDBSession, workspace: Path) -> None:
        self._session, self._workspace = session, workspace

    def read(self) -> Book | None:
        """See :class:`anonsql.over_time.ledger.Ledger`."""
        rows = self._session.query(f"{_FOLDER}/ledger")
        if not rows:
            return None
        secret, key, coded, anew = rows[0]
        entries = [_entry(row) for row in self._session.query(f"{_FOLDER}/ledger_entries")]
        return Book(key, tuple(value for value in coded if value), tuple(entries), anew, secret)

    def bring_rows(self, engine: Engine, coded: int) -> None:
        """See :class:`anonsql.over_time.ledger.Ledger`."""
        exported_columns = columns(coded)
        if not self._has_rows():
            engine.run("over_time/no_rows", table=ROWS, columns=exported_columns)
            return
        if engine.takes == "rows":
            rows = self._session.query("star/workbench/rows", table=ROWS, columns=exported_columns)
            engine.load(ROWS, [(column.name, column.type) for column in exported_columns], rows)
            return
        path = self._workspace / f"{ROWS}-{secrets.token_hex(4)}.{engine.takes}"
        carried = {"columns": exported_columns, "path": str(path), "format": engine.takes}
        self._session.run("engines/duckdb/carry", table=ROWS, **carried)
        engine.receive(ROWS, Export([path], engine.takes, exported_columns, None))

    def announce(self, engine: Engine, book: Book, entry: Entry) -> None:
        """See :class:`anonsql.over_time.ledger.Ledger`."""
        exported_columns = columns(len(book.coded))
        sent = engine.carry(NEXT, exported_columns, self._workspace / NEXT)
        carried = replace(sent, columns=exported_columns)
        with self._transaction():
            if not book.entries:  # one that was begun anew follows the policy of its first release
                self._session.run(f"{_FOLDER}/ledger_empty", table="ledgers")
                self._begin(book)
            self._session.run(f"{_FOLDER}/ledger_unannounce")
            self._session.run(f"{_FOLDER}/ledger_rows", table=NEXT, **rows_of(carried))
            by_name = {
                name: json.dumps(dict(getattr(entry, name))) for name in ("levels", "columns")
            }
            self._session.run(f"{_FOLDER}/ledger_entry", entry=entry, **by_name)
        _remove(carried.paths)

    def settle(self, *, published: bool) -> None:
        """See :class:`anonsql.over_time.ledger.Ledger`."""
        with self._transaction():
            if published:
                self._session.run(f"{_FOLDER}/ledger_drop", table=ROWS)
                self._session.run(f"{_FOLDER}/ledger_rename")
                self._session.run(f"{_FOLDER}/ledger_settle")
            else:
                self._session.run(f"{_FOLDER}/ledger_drop", table=NEXT)
                self._session.run(f"{_FOLDER}/ledger_unannounce")
                book = self.read()
                if book is not None and not book.entries and not book.anew:
                    self._session.run(f"{_FOLDER}/ledger_empty", table="ledgers")

    def begin_anew(self, book: Book) -> None:
        """See :class:`anonsql.over_time.ledger.Ledger`."""
        with self._transaction():
            for table in (ROWS, NEXT):
                self._session.run(f"{_FOLDER}/ledger_drop", table=table)
            for table in ("ledgers", "ledger_releases"):
                self._session.run(f"{_FOLDER}/ledger_empty", table=table)
            self._begin(replace(book, anew=True))

    def _begin(self, book: Book) -> None:
        line = (book.secret, book.key, "\0".join(book.coded), book.anew)
        self._session.append(f"{_FOLDER}/ledger_begin", [line])

    def _has_rows(self) -> bool:
        rows = self._session.query(f"{_FOLDER}/tables")
        return ("main", ROWS) in {tuple(row) for row in rows}

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._session.run(f"{_FOLDER}/transaction", begins=True)
        try:
            yield
        except BaseException:
            self._session.run(f"{_FOLDER}/undo")
            raise
        self._session.run(f"{_FOLDER}/transaction", begins=False)


def _entry(row: Sequence[Any]) -> Entry:
    number, release_id, run, k, promises, levels, shown, *rows, settled, made = row
    sizes = dict(
        zip(("released", "held_back", "gone", "exposed", "smallest"), map(int, rows), strict=True)
    )
    return Entry(
        number,
        release_id,
        run,
        k,
        promises,
        json.loads(levels),
        json.loads(shown),
        **sizes,
        settled=settled,
        made=made,
    )


def _remove(paths: Sequence[Path]) -> None:
    for path in paths:
        if path.is_file():
            path.unlink()
