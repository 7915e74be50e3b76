"""Tables on a server next to a release, for its owner alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Generic

from anonsql.engines.base import Relation
from anonsql.engines.server import AnyServer
from anonsql.errors import PolicyError

WHERE = "privacy.over_time"
"""The field of a policy that asks for private tables."""


class PrivateTables(ABC, Generic[AnyServer]):
    """The tables ``schema__private.table__<name>`` next to the release ``schema.table``. Only the
    owner can read, change or create tables there. They are published together with the release, or
    not at all. If it is ``exclusive``, they are locked as soon as they are opened, else when they
    are written."""

    schema_word = "schema"
    """What the server calls a schema."""

    def __init__(self, engine: AnyServer, schema: str, table: str, *, exclusive: bool) -> None:
        self._engine, self._table, self._exclusive = engine, table, exclusive
        self._schema = f"{schema}__private"
        self._opened: dict[str, Relation] = {}

    @property
    def place(self) -> str:
        """The place of the tables, for messages."""
        return f"the {self.schema_word} {self._schema} on {self._engine.host}"

    def open(self, names: Sequence[str]) -> Mapping[str, Relation]:
        """Return the existing tables among these names, and keep other runs from changing them.
        Raise PolicyError if another role may use their schema; BusyError if another run works on
        them."""
        own = {name: self._relation(name) for name in names}
        there = self._there([table[1] for table in own.values()])
        self._opened = {name: table for name, table in own.items() if table[1] in there}
        if self._exclusive:
            self._lock()
        return self._opened

    @abstractmethod
    def put(self, name: str, table: str) -> None:
        """Let a scratch table be the private one of a name, from the next release on."""

    @abstractmethod
    def commit(self) -> None:
        """Publish the new private tables now, without a release."""

    @abstractmethod
    def _there(self, names: Sequence[str]) -> Sequence[str]:
        """Return the names of the tables of their schema, at least the existing ones among
        ``names``; raise PolicyError if another role may use it."""

    @abstractmethod
    def _lock(self) -> None:
        """Keep other runs from the tables; raise BusyError where one has them."""

    def _relation(self, name: str) -> Relation:
        return (self._schema, f"{self._table}__{name}")

    def _require_short(self, name: str) -> None:
        if self._engine.too_long(self._relation(name)):
            text = f"a name of the release's ledger is longer than the {self._engine.name_limit}."
            raise PolicyError.at("release.table", text, "Choose a shorter name.")
