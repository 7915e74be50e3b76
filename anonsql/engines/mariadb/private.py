"""Tables that lie beside a release on MariaDB or MySQL, in a database of their own.

They are put there by the statement that publishes the release, which renames all tables or none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonsql.engines.base import Relation
from anonsql.engines.mariadb.engine import MariaDBEngine
from anonsql.errors import PolicyError, SqlError

_WHERE = "privacy.over_time"
_LONGEST_NAME = 64
Move = tuple[Relation, Relation]


class MariaDBPrivate:
    """The tables ``database__private.table__<name>`` beside the release ``database.table``. That is
    locked as soon as they are opened, where it is ``exclusive``, else when they are written."""

    def __init__(self, engine: MariaDBEngine, schema: str, table: str, *, exclusive: bool) -> None:
        self._exclusive = exclusive
        self._engine, self._release, self._table = engine, (schema, table), table
        self._schema = f"{schema}__private"
        self._found: dict[str, Relation] = {}
        self._coming: dict[str, str] = {}

    @property
    def place(self) -> str:
        """See :class:`anonsql.engines.base.PrivateTables`."""
        return f"the database {self._schema} on {self._engine.host}"

    def open(self, names: Sequence[str]) -> Mapping[str, Relation]:
        """See :class:`anonsql.engines.base.PrivateTables`."""
        if self._exclusive:
            self._engine.lock_release(*self._release)
        self._require_own()
        there = dict(self._engine.query("engines/mariadb/names", schema=self._schema))
        if views := [name for name, plain in there.items() if not plain]:
            found = f"{self._schema}.{views[0]} is a view, and no table of its ledger."
            raise PolicyError.at(_WHERE, found, "Drop it.")
        own = {name: self._relation(name) for name in names}
        self._found = {name: table for name, table in own.items() if table[1] in there}
        return self._found

    def put(self, name: str, table: str) -> None:
        """See :class:`anonsql.engines.base.PrivateTables`."""
        if max(map(len, self._relation(name))) > _LONGEST_NAME:
            found = f"a name of its ledger is longer than the {_LONGEST_NAME} characters allowed."
            raise PolicyError.at("release.table", found, "Choose a shorter name.")
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
            if name in self._found:
                moves.append((self._found[name], (scratch, f"previous_{name}")))
            moves.append(((scratch, table), self._relation(name)))
        return moves

    def _relation(self, name: str) -> Relation:
        return (self._schema, f"{self._table}__{name}")

    def _make_schema(self) -> None:
        """Make the database when it is first needed."""
        try:
            self._engine.query("engines/mariadb/make_database", name=self._schema)
        except SqlError as error:
            if "denied" not in str(error):
                raise
            found = f"the user may not make the database {self._schema}, where its ledger lies."
            escaped = self._schema.replace("_", "\\_")
            remedy = f"Its administrator can: GRANT ALL ON `{escaped}`.* TO that user."
            raise PolicyError.at(_WHERE, found, remedy) from None

    def _require_own(self) -> None:
        """Raise PolicyError where others may use the database, as far as this user sees what was
        granted to others."""
        others = self._engine.query("engines/mariadb/others", schema=self._schema)
        if others:
            who = ", ".join(row[0] for row in others)
            found = f"the database {self._schema}, where its ledger lies, is not its owner's alone:"
            remedy = "Revoke what was granted to them on it, or on a pattern that it matches."
            raise PolicyError.at(_WHERE, f"{found} {who} may use it.", remedy)
