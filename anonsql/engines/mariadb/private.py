"""Tables that lie beside a release on MariaDB or MySQL, in a database of their own.

They are put there by the statement that publishes the release, which renames all tables or none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonsql.engines.base import Relation
from anonsql.engines.mariadb.engine import MariaDBEngine
from anonsql.engines.private_tables import WHERE, ServerPrivateTables
from anonsql.errors import PolicyError, SqlError

Move = tuple[Relation, Relation]


class MariaDBPrivate(ServerPrivateTables[MariaDBEngine]):
    """Tables in a database beside the release's, which is locked with the release."""

    schema_word = "database"

    def __init__(self, engine: MariaDBEngine, schema: str, table: str, *, exclusive: bool) -> None:
        super().__init__(engine, schema, table, exclusive=exclusive)
        self._release = (schema, table)
        self._coming: dict[str, str] = {}

    def open(self, names: Sequence[str]) -> Mapping[str, Relation]:
        """See :class:`anonsql.engines.base.PrivateTables`."""
        if self._exclusive:
            self._engine.lock_release(*self._release)
        self._require_own()
        there = dict(self._engine.query("engines/mariadb/names", schema=self._schema))
        if views := [name for name, plain in there.items() if not plain]:
            text = f"{self._schema}.{views[0]} is a view, and no table of its ledger."
            raise PolicyError.at(WHERE, text, "Drop it.")
        own = {name: self._relation(name) for name in names}
        self._opened = {name: table for name, table in own.items() if table[1] in there}
        return self._opened

    def put(self, name: str, table: str) -> None:
        """See :class:`anonsql.engines.base.PrivateTables`."""
        self._require_short(name)
        self._engine.lock_release(*self._release)
        self._coming[name] = table

    def commit(self) -> None:
        """See :class:`anonsql.engines.base.PrivateTables`."""
        self._engine.query("engines/mariadb/rename", moves=self.moves())

    def moves(self) -> list[Move]:
        """Return which tables get which names for what was put to be there; make the database that
        they go to."""
        if not self._coming:
            return []
        self._make_schema()
        scratch = self._engine.require_scratch()
        moves: list[Move] = []
        for name, table in self._coming.items():
            if name in self._opened:
                moves.append((self._opened[name], (scratch, f"previous_{name}")))
            moves.append(((scratch, table), self._relation(name)))
        return moves

    def _make_schema(self) -> None:
        """Make the database when it is first needed."""
        try:
            self._engine.query("engines/mariadb/make_database", name=self._schema)
        except SqlError as error:
            if "denied" not in str(error):
                raise
            text = f"the user may not make the database {self._schema}, where its ledger lies."
            escaped = self._schema.replace("_", "\\_")
            remedy = f"Its administrator can: GRANT ALL ON `{escaped}`.* TO that user."
            raise PolicyError.at(WHERE, text, remedy) from None

    def _require_own(self) -> None:
        """Raise PolicyError where others may use the database, as far as this user sees what was
        granted to others."""
        others = self._engine.query("engines/mariadb/others", schema=self._schema)
        if others:
            who = ", ".join(row[0] for row in others)
            text = f"the database {self._schema}, where its ledger lies, is not its owner's alone:"
            remedy = "Revoke what was granted to them on it, or on a pattern that it matches."
            raise PolicyError.at(WHERE, f"{text} {who} may use it.", remedy)
