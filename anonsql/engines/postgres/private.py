"""Tables that lie beside a release on PostgreSQL, in a schema for the owner alone.

They are written in the transaction that publishes the release: whatever ends a run, both are there
or neither. Nobody else may look into the schema or make anything in it, so that no name means
anybody else's table; it is refused where that is not so.
"""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.engines.postgres.engine import PostgresEngine
from anonsql.engines.private_tables import WHERE, PrivateTables
from anonsql.errors import BusyError, PolicyError
from anonsql.sql.templates import ident


class PostgresPrivate(PrivateTables[PostgresEngine]):
    """Tables in a schema beside the release's."""

    _locked = False

    def put(self, name: str, table: str) -> None:
        """Make the table, when the release is published."""
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
        self._engine.commit()
        self._locked = False

    def _standing(self, names: Sequence[str] = ()) -> tuple[str, str, list[str], str, list[str]]:
        """Return what stands there: see the template. All is empty where there is no schema."""
        tables: Sequence[str | None] = names or [None]
        rows = self._engine.query("engines/postgres/private", schema=self._schema, tables=tables)
        return rows[0] if rows else ("", "", [], "", [])

    def _there(self, names: Sequence[str]) -> Sequence[str]:
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
        self._there(())

    def _lock(self) -> None:
        """Keep other runs from the tables until the transaction ends. Raise BusyError where one has
        them, or has changed them since this transaction began."""
        engine, tables = self._engine, list(self._opened.values())
        if self._locked or not tables:
            return
        engine.lock(self.place, "engines/postgres/own", tables=tables)
        if any(engine.query("engines/postgres/replaced", table=table)[0][0] for table in tables):
            raise BusyError(f"{self.place} was changed by another run just now. Run again.")
        self._locked = True
