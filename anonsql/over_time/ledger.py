"""The ledger of a table that is released again and again: which rows were ever released, by a keyed
hash of their names, and which of them had equal labels in every release.

A ledger is private: a reader of it and of the source's keys knows whose row was in which release.
Its secret, the key of HMAC-SHA-256, is never part of a statement: :func:`load_secret` brings it to
an engine as data.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from anonsql.engines.base import Engine
from anonsql.engines.exported_columns import ExportedColumn

SECRET = "ledger_secret"  # noqa: S105 - the name of a table
"""The scratch table of the secret, padded for the two hashes of an HMAC (RFC 2104)."""
ROWS = "ledger_rows"
"""The scratch table of the rows that were ever released: key, trace, released, y1 … of the coded
columns."""
NEXT = "ledger_next"
"""The scratch table of the rows as the ledger will have them after the coming release."""
_BLOCK = 64


@dataclass(frozen=True)
class Entry:
    """A ledger's entry on a release: its number, counted from 1, and random id, the run that made
    it, whether it is known to be published (``settled``), what it promised, its levels by column,
    role and kind of every column of the source, and numbers of rows: ``released``; ``held_back``
    although the source had them; ``gone`` from the source although they were released before;
    ``exposed``, as too few rows were released like them; and the rows of the ``smallest`` trace."""

    number: int
    release_id: str
    run: int
    k: int
    promises: str
    levels: Mapping[str, int]
    columns: Mapping[str, Sequence[str]]
    released: int
    held_back: int
    gone: int
    exposed: int
    smallest: int
    settled: bool = False
    made: str = ""


@dataclass(frozen=True)
class Book:
    """A ledger without its rows: the key column, the ``coded`` columns that promises are about, the
    releases so far, whether it was begun ``anew`` although there were releases before, and the
    secret of its hashes (hexadecimal)."""

    key: str
    coded: Sequence[str]
    entries: Sequence[Entry] = ()
    anew: bool = False
    secret: str = field(default_factory=lambda: secrets.token_hex(32), repr=False)

    @property
    def last(self) -> Entry | None:
        """The last release that is known to be published."""
        return next((entry for entry in reversed(self.entries) if entry.settled), None)

    @property
    def coming(self) -> int:
        """The number of the next release."""
        return 1 if self.last is None else self.last.number + 1

    @property
    def pending(self) -> Entry | None:
        """A release that may or may not have been published."""
        return next((entry for entry in self.entries if not entry.settled), None)


class Ledger(Protocol):
    """Where a ledger is kept."""

    def read(self) -> Book | None:
        """Return the ledger; None where there is none."""

    def bring_rows(self, engine: Engine, coded: int) -> None:
        """Make the scratch table :data:`ROWS` in the engine, with as many ``coded`` columns."""

    def announce(self, engine: Engine, book: Book, entry: Entry) -> None:
        """Keep :data:`NEXT` and the coming release as pending; the first makes the ledger."""

    def settle(self, *, published: bool) -> None:
        """Take the pending state for the present one where it was ``published``, else forget it."""

    def begin_anew(self, book: Book) -> None:
        """Remove the ledger and all it has, and begin another one."""


def columns(coded: int) -> list[ExportedColumn]:
    """Return the columns of a ledger's rows, for as many ``coded`` columns."""
    return [
        ExportedColumn("h", "VARCHAR"),
        ExportedColumn("trace", "BIGINT"),
        ExportedColumn("released", "BOOLEAN"),
        *(ExportedColumn(f"y{number}", "VARCHAR") for number in range(1, coded + 1)),
    ]


def load_secret(engine: Engine, book: Book) -> None:
    """Make the scratch table :data:`SECRET` of a ledger in the engine."""
    load_key(engine, book.secret)


def load_key(engine: Engine, secret: str) -> None:
    """Make the scratch table :data:`SECRET` of a key, in hexadecimal digits, in the engine."""
    padded = bytes.fromhex(secret).ljust(_BLOCK, b"\0")
    inner, outer = (bytes(number ^ pad for number in padded).hex() for pad in (0x36, 0x5C))
    engine.load(SECRET, [("inward", "VARCHAR"), ("outward", "VARCHAR")], [(inner, outer)])
