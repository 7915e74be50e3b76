"""Tables that lie beside a release on PostgreSQL, in a schema for the owner alone.

They are written in the transaction that publishes the release: whatever ends a run, both are there
or neither. Nobody else may look into the schema or make anything in it, so that no name means
anybody else's table; it is refused where that is not so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonsql.engines.base import Relation
from anonsql.engines.postgres.engine import PostgresEngine
from anonsql.engines.postgres.errors import LockedError
from anonsql.engines.private_tables import WHERE, ServerPrivateTables
from anonsql.errors import BusyError, PolicyError
from anonsql.sql.templates import ident

_SECONDS, _LOOK, _USUAL = 3, 0.3, 60


class PostgresPrivate(ServerPrivateTables[PostgresEngine]):
    """Tables in a schema beside the release's."""

    def __init__(self, engine: PostgresEngine, schema: str, table: str, *, exclusive: bool) -> None:
        super().__init__(engine, schema, table, exclusive=exclusive)
        self._locked = False

    def open(self, names: Sequence[str]) -> Mapping[str, Relation]:
        """See :class:`anonsql.engines.base.PrivateTables`."""
        there = set(self._require_own(names))
        own = {name: self._relation(name) for name in names}
        self._opened = {name: table for name, table in own.items() if table[1] in there}
        if self._exclusive:
            self._lock()
        return self._opened

    def put(self, name: str, table: str) -> None:
        """See :class:`anonsql.engines.base.PrivateTables`."""
        engine, relation = self._engine, self._relation(name)
        self._require_short(name)
        self._lock()
        self._make_schema()
        if name in self._opened:
            engine.execute("engines/postgres/drop", table=relation, view=False)
        engine.execute("engines/postgres/keep", table=relation, scratch=table)
        engine.execute("engines/postgres/analyze", table=relation)
        self._opened[name] = relation

    def commit(self) -> None:
        """See :class:`anonsql.engines.base.PrivateTables`."""
        self._engine.commit()

    def _standing(self, names: Sequence[str] = ()) -> tuple[str, str, list[str], str, list[str]]:
        """Return what stands there: see the template. All is empty where there is no schema."""
        tables: list[str | None] = [self._relation(name)[1] for name in names]
        parameters = {"schema": self._schema, "tables": tables or [None]}
        rows = self._engine.query("engines/postgres/private", **parameters)
        return rows[0] if rows else ("", "", [], "", [])

    def _require_own(self, names: Sequence[str]) -> list[str]:
        """Return which tables are there, by the names that they have there. Raise PolicyError where
        the schema is not this role's alone."""
        me, owner, others, strange, there = self._standing(names)
        ledgers = f"the schema {self._schema}, where its ledger lies,"
        if owner != me:
            text = f"{ledgers} belongs to the role {owner}, not to {me}."
            remedy = f"Run as {owner}, or release to another schema."
            raise PolicyError.at(WHERE, text, remedy)
        if others:
            text = f"{ledgers} is not its owner's alone: {', '.join(others)} may use it."
            roles = ", ".join(other if other == "PUBLIC" else ident(other) for other in others)
            remedy = f"REVOKE ALL ON SCHEMA {ident(self._schema)} FROM {roles}."
            raise PolicyError.at(WHERE, text, remedy)
        if strange:
            text = f"{self._schema}.{strange} is no table of the role {me}."
            raise PolicyError.at(WHERE, text, "Drop it, or let that role own it.")
        return there

    def _make_schema(self) -> None:
        """Make the schema when it is first needed, open to nobody, whatever the role's default
        privileges say."""
        engine, schema = self._engine, self._schema
        if self._standing()[0]:
            return
        engine.execute("engines/postgres/create_schema", schema=schema, unless_there=False)
        engine.execute("engines/postgres/revoke", schema=schema, tables=[])
        for role in self._standing()[2]:
            engine.execute("engines/postgres/revoke_usage", schema=schema, role=role)
        self._require_own(())

    def _lock(self) -> None:
        """Keep other runs from the tables until the transaction ends. Raise BusyError where one has
        them, or has changed them since this transaction began."""
        engine, tables = self._engine, list(self._opened.values())
        if self._locked or not tables:
            return
        engine.execute("engines/postgres/lock_timeout", seconds=_SECONDS)
        try:
            engine.execute("engines/postgres/own", patience=_LOOK, tables=tables)
        except LockedError:
            who = engine.holders or "another run"
            raise BusyError(
                f"{self.place} is locked by {who}. Wait until it has finished, then run again."
            ) from None
        engine.execute("engines/postgres/lock_timeout", seconds=_USUAL)
        if any(engine.query("engines/postgres/replaced", table=table)[0][0] for table in tables):
            raise BusyError(f"{self.place} was changed by another run just now. Run again.")
        self._locked = True
