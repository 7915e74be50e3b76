"""What the private tables of all servers do alike: see
:class:`anonsql.engines.base.PrivateTables`."""

from __future__ import annotations

from typing import Generic

from anonsql.engines.base import PrivateTables, Relation
from anonsql.engines.target import AnyServer
from anonsql.errors import PolicyError

WHERE = "privacy.over_time"
"""The field of a policy that asks for private tables."""


class ServerPrivateTables(PrivateTables, Generic[AnyServer]):
    """The tables ``schema__private.table__<name>`` beside the release ``schema.table``. Where it is
    ``exclusive`` they are locked as soon as they are opened, else when they are written."""

    schema_word = "schema"
    """What the server calls a schema."""

    def __init__(self, engine: AnyServer, schema: str, table: str, *, exclusive: bool) -> None:
        self._engine, self._table, self._exclusive = engine, table, exclusive
        self._schema = f"{schema}__private"
        self._opened: dict[str, Relation] = {}

    @property
    def place(self) -> str:
        """Where they lie, in words."""
        return f"the {self.schema_word} {self._schema} on {self._engine.host}"

    def _relation(self, name: str) -> Relation:
        return (self._schema, f"{self._table}__{name}")

    def _require_short(self, name: str) -> None:
        """Raise PolicyError where the table of a name would have too long a one."""
        if self._engine.too_long(self._relation(name)):
            text = f"a name of its ledger is longer than the {self._engine.name_limit}."
            raise PolicyError.at("release.table", text, "Choose a shorter name.")
