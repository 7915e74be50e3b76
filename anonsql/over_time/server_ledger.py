"""The ledger of a table whose releases are on a server: next to them, in tables that only their
owner can open.

The server puts them there in the step that publishes the release. So it is never in doubt whether a
release was published, and nothing is ever pending.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from typing import Any

from anonsql.engines.base import Engine
from anonsql.engines.private_tables import PrivateTables
from anonsql.errors import PolicyError
from anonsql.over_time.ledger import NEXT, ROWS, Book, Entry, columns

_BOOK, _RELEASES, _ROWS = "ledger", "ledger_releases", "ledger_rows"
_TABLES = (_BOOK, _RELEASES, _ROWS)
_FOLDER = "over_time/server_ledger"
_TEXTS = ("secret", "key_column", "coded_columns")
_NUMBERS = ("k", "released", "held_back", "gone", "exposed", "smallest")


class ServerLedger:
    """The ledger in ``private`` tables, which the ``engine`` reads and writes."""

    def __init__(self, private: PrivateTables[Any], engine: Engine) -> None:
        self._private, self._engine = private, engine

    def read(self) -> Book | None:
        """See :class:`anonsql.over_time.ledger.Ledger`."""
        by_name = self._private.open(_TABLES)
        if not by_name:
            return None
        if lost := [table for table in _TABLES if table not in by_name]:
            place = self._private.place
            text = f"the table {lost[0]} of the release's ledger is missing in {place}."
            remedy = (
                "Restore the table, or begin a new ledger: `anonsql ledger POLICY --begin-anew`."
            )
            raise PolicyError.at("privacy.over_time", text, remedy)
        secret, key, coded, anew = self._engine.query(f"{_FOLDER}/book", table=by_name[_BOOK])[0]
        rows = self._engine.query(f"{_FOLDER}/releases", table=by_name[_RELEASES])
        return Book(key, tuple(json.loads(coded)), tuple(map(_entry, rows)), bool(anew), secret)

    def bring_rows(self, engine: Engine, coded: int) -> None:
        """See :class:`anonsql.over_time.ledger.Ledger`."""
        exported_columns, by_name = columns(coded), self._private.open(_TABLES)
        if not by_name:
            engine.run("over_time/no_rows", table=ROWS, columns=exported_columns)
            return
        engine.run(f"{_FOLDER}/rows", table=ROWS, source=by_name[_ROWS], columns=exported_columns)

    def announce(self, engine: Engine, book: Book, entry: Entry) -> None:
        """See :class:`anonsql.over_time.ledger.Ledger`."""
        if not book.entries:  # one that was begun anew follows the policy of its first release
            self._put_book(book)
        self._put_releases([*book.entries, entry])
        self._private.put(_ROWS, NEXT)

    def settle(self, *, published: bool) -> None:
        """See :class:`anonsql.over_time.ledger.Ledger`. The release was published with it."""

    def begin_anew(self, book: Book) -> None:
        """See :class:`anonsql.over_time.ledger.Ledger`."""
        self._private.open(_TABLES)
        self._put_book(book, anew=True)
        self._put_releases([])
        exported_columns = columns(len(book.coded))
        self._engine.run("over_time/no_rows", table=NEXT, columns=exported_columns)
        self._private.put(_ROWS, NEXT)
        self._private.commit()

    def _put_book(self, book: Book, *, anew: bool = False) -> None:
        line = (book.secret, book.key, json.dumps(list(book.coded)), anew or book.anew)
        kinds = [*((name, "VARCHAR") for name in _TEXTS), ("anew", "BOOLEAN")]
        self._put(_BOOK, kinds, [line])

    def _put_releases(self, entries: Sequence[Entry]) -> None:
        now = dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M:%S")
        lines = [
            (
                *(entry.number, entry.run, entry.release_id, entry.made or now),
                *(entry.promises, json.dumps(dict(entry.levels)), json.dumps(dict(entry.columns))),
                *(getattr(entry, name) for name in _NUMBERS),
            )
            for entry in entries
        ]
        kinds = [("number", "BIGINT"), ("run", "BIGINT"), ("release_id", "VARCHAR")]
        kinds += [("made", "VARCHAR"), ("promises", "VARCHAR"), ("levels", "VARCHAR")]
        kinds += [("columns", "VARCHAR")]
        self._put(_RELEASES, [*kinds, *((name, "BIGINT") for name in _NUMBERS)], lines)

    def _put(
        self, name: str, kinds: Sequence[tuple[str, str]], lines: Sequence[Sequence[Any]]
    ) -> None:
        scratch = f"coming_{name}"
        self._engine.load(scratch, kinds, lines)
        self._private.put(name, scratch)


def _entry(row: Sequence[Any]) -> Entry:
    number, run, release_id, made, promises, levels, shown, *numbers = row
    by_name: dict[str, Any] = {"made": made, "promises": promises, "settled": True}
    by_name |= {"levels": json.loads(levels), "columns": json.loads(shown)}
    sizes: dict[str, Any] = dict(zip(_NUMBERS, map(int, numbers), strict=True))
    return Entry(int(number), release_id, int(run), **sizes, **by_name)
