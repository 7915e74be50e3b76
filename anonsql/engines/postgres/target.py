"""A release as tables of a PostgreSQL schema: staged in the run's transaction, moved at its end;
and the private tables next to it, in a schema for the owner alone.

Both are written in the transaction that publishes the release: whatever ends a run, both exist or
neither. Only the owner may read the owner's schema or create objects in it, so that no name refers
to another role's table. A schema that other roles can use is refused.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from anonsql.engines.base import (
    VIEW_PARTS,
    Context,
    Part,
    Relation,
    ReleaseTables,
    extras_of,
    is_release,
    names_of,
    parts_of,
)
from anonsql.engines.contents import Item
from anonsql.engines.postgres.engine import PostgresEngine
from anonsql.engines.postgres.session import LockedError
from anonsql.engines.private_tables import WHERE, PrivateTables
from anonsql.engines.target import Columns, Given, ServerTarget, Tables
from anonsql.errors import BusyError, PolicyError, SqlError
from anonsql.policy.table_columns import TableColumns
from anonsql.sql.templates import ident
from anonsql.system.journal import log


class PostgresPrivate(PrivateTables[PostgresEngine]):
    """Tables in a schema next to the release's schema."""

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
        """Return the existing objects: see the template. All is empty where there is no schema."""
        tables: Sequence[str | None] = names or [None]
        rows = self._engine.query("engines/postgres/private", schema=self._schema, tables=tables)
        return rows[0] if rows else ("", "", [], "", [])

    def _there(self, names: Sequence[str]) -> Sequence[str]:
        me, owner, others, strange, there = self._standing(names)
        ledgers = f"the schema {self._schema}, which holds the release's ledger,"
        if owner != me:
            text = f"{ledgers} belongs to the role {owner}, not to {me}."
            remedy = f"Run as {owner}, or release to another schema."
            raise PolicyError.at(WHERE, text, remedy)
        if others:
            text = f"{ledgers} must belong to its owner only: {', '.join(others)} may also use it."
            roles = ", ".join(other if other == "PUBLIC" else ident(other) for other in others)
            remedy = f"REVOKE ALL ON SCHEMA {ident(self._schema)} FROM {roles}."
            raise PolicyError.at(WHERE, text, remedy)
        if strange:
            text = f"{self._schema}.{strange} is not a table of the role {me}."
            raise PolicyError.at(WHERE, text, "Drop it, or make that role its owner.")
        return there

    def _make_schema(self) -> None:
        """Create the schema when it is first needed, closed to all other roles, whatever the role's
        default privileges are."""
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
            raise BusyError(f"{self.place} was just changed by another run. Run again.")
        self._locked = True


class PostgresTarget(ServerTarget[PostgresEngine]):
    """Tables and views of the source's database, staged in a schema of their own."""

    private_tables = PostgresPrivate

    def __init__(self, engine: PostgresEngine, policy: TableColumns, context: Context) -> None:
        super().__init__(engine, policy, context)
        self._stage_schema = f"anonsql_{secrets.token_hex(8)}"
        self._has_stage = False
        self._previous: list[str] = []

    def guard(self) -> None:
        """Raise PolicyError when the tables cannot be made, or would replace anything but a release
        of this table."""
        self._require_names()
        self._require_own_schema()
        roles, (schema,) = self._policy.release.grant, self._schema
        exists, may_create, existing, own, known, blind, may_grant = self._standing(
            self._names, roles
        )
        if missing := sorted(set(roles) - set(known)):
            raise PolicyError.at(
                "release.grant",
                f"there is no role {', '.join(missing)}.",
                "Create it first: CREATE ROLE.",
            )
        if exists and not may_create:
            role = self._engine.query("engines/postgres/me")[0][0]
            remedy = f'Its owner can: GRANT CREATE, USAGE ON SCHEMA "{schema}" TO "{role}".'
            raise PolicyError.at(
                "release.table",
                f"the role {role} may not create tables in the schema {schema}.",
                remedy,
            )
        if blind and not may_grant:
            raise PolicyError.at("release.grant", *self._ungranted([(blind[0], None)]))
        if self._exclusive:
            self._claim(made=not exists)
        if existing:
            self._previous = self._replaceable(own == len(existing))
            self._engine.query(
                "engines/postgres/hold", tables=[(schema, name) for name in self._previous]
            )

    def _claim(self, *, made: bool) -> None:
        """Claim the release until the transaction ends: at most one run at a time writes it. Raise
        BusyError that names the session that has it, or that it changed meanwhile.

        The claim is an empty table next to the release, made in the run's own transaction: no other
        session sees it, and a session that makes one of the same name waits until the transaction
        ends. Unlike an advisory lock, whose key any session may take, it can be held only by roles
        that may create tables in the release's schema (or that schema, before the first release),
        and such roles can obstruct the release in any case. A schema that is ``made`` for it is
        closed to all other roles, whatever the role's default privileges are.
        """
        engine, (schema,), about = self._engine, self._schema, self._about
        name, claim = f"{schema}.{self._table}", claim_name(self._table)
        facts: dict[str, Any] = {"claim": (schema, claim), "about": about, "schema": schema}
        if engine.execute("engines/postgres/claimed", name=about[-1], **facts)[0][0]:
            raise PolicyError.at(
                "release.table",
                f"the table {schema}.{claim} exists, and a run needs that name to lock {name}.",
                "Drop it, and make sure that no other role can create tables in the schema.",
            )
        what = f"{name} on {engine.host}"
        engine.lock(what, "engines/postgres/create_schema", schema=schema, unless_there=True)
        if made:
            engine.execute("engines/postgres/revoke", schema=schema, tables=[])
        engine.lock(what, "engines/postgres/claim", table=(schema, claim))
        self._claims = [claim]
        if engine.execute("engines/postgres/claimed", name=about[-1], **facts)[0][1]:
            raise BusyError(f"{what} was just replaced by another run. Run again.")

    def _standing(self, names: Iterable[str], roles: Sequence[str] = ()) -> tuple[Any, ...]:
        """Return what exists under the names of the tables to be made (for columns see the
        template)."""
        parameters: dict[str, Any] = {
            "schema": self._schema[0],
            "tables": sorted(names),
            "views": self._view_names,
            "roles": roles or [None],
        }
        return self._engine.query("engines/postgres/target", **parameters)[0]

    @property
    def _view_names(self) -> list[str]:
        return names_of(self._table, VIEW_PARTS)[1]

    def _replaceable(self, ours: bool) -> list[str]:
        """Return the tables of the previous release; raise PolicyError when the names belong to
        anything else, or other views read them. Relations that are not ``ours`` (made by this role)
        are not read: that might run code."""
        name, (schema,) = f"{self._schema[0]}.{self._table}", self._schema
        extras = extras_of(self._engine, self._about) if ours else ()
        previous = {self._name(part) for part in parts_of(extras)}
        existing, own = self._standing(previous.union(self._names))[2:4]
        ours = ours and own == len(existing)
        if not ours:
            self._require_owner(existing)
        if not ours or set(existing) != previous or not is_release(self._engine, self._about):
            other = sorted(set(existing) - previous)
            raise self._not_ours(f"{schema}.{other[0]}" if other else name)
        if views := self._engine.query(
            "engines/postgres/dependents", schema=schema, tables=existing, own=self._view_names
        ):
            text = (
                f"views read {name}, so it cannot be replaced:"
                f" {', '.join(row[0] for row in views)}."
            )
            raise PolicyError.at(
                "release.table", text, "Drop them before the run and create them again after it."
            )
        return sorted(existing)

    def _require_owner(self, existing: Sequence[str]) -> None:
        """Raise PolicyError if a relation belongs to another role: whether it is part of a release
        is not known, as it is not read."""
        (schema,) = self._schema
        found = self._engine.query("engines/postgres/owners", schema=schema, tables=existing)
        if not found:
            return
        name, owner, me = found[0]
        text = (
            f"{schema}.{name} belongs to the role {owner}: the role {me}, as which the run connects,"
            " may not read or replace it."
        )
        remedy = (
            f"If it is part of a release, run as {owner}, or let {owner} drop the release or give"
            f" all its tables and views to {me}: ALTER TABLE {ident(schema)}.{ident(name)} OWNER TO"
            f" {ident(me)}. Otherwise name another table."
        )
        raise PolicyError.at("release.table", text, remedy)

    def _staged(self, part: Part) -> Relation:
        return (self._stage_schema, self._name(part))

    def _open_stage(self) -> None:
        if not self._has_stage:
            schema = self._stage_schema
            self._engine.execute(
                "engines/postgres/create_schema", schema=schema, unless_there=False
            )
            self._has_stage = True

    def _fill(self, table: Relation, template: str, columns: Columns, parameters: Given) -> None:
        """Create a staged table. Its types have no declared lengths, as these could reveal values
        that are not released."""
        names = [column.name for column in columns]
        self._engine.execute(
            "release/staged",
            table=table,
            select=template,
            names=names,
            sorted=columns,
            **parameters,
        )
        if types := self._engine.execute("engines/postgres/plain_types", table=table):
            self._engine.execute("engines/postgres/retype", table=table, types=types)
        self._engine.execute("engines/postgres/analyze", table=table)

    def build(self) -> tuple[ReleaseTables, Mapping[Part, Relation]]:
        """Return the staged tables, which no other session can read."""
        self._close_to_all(self._stage_schema, self._names)
        return super().build()

    def _unexpected_objects_staged(self, tables: Tables) -> Sequence[str]:
        return self._unexpected_objects(tables)

    def publish(self) -> None:
        """Replace the previous tables by the staged ones and end the transaction."""
        engine, (schema,) = self._engine, self._schema
        engine.execute("engines/postgres/create_schema", schema=schema, unless_there=True)
        views = set(self._view_names)
        for name in sorted(self._previous, key=lambda name: name not in views):
            # views before the tables that they read
            engine.execute("engines/postgres/drop", table=(schema, name), view=name in views)
        for part in self._parts:
            engine.execute("engines/postgres/move", table=self._staged(part), schema=schema)
        self._share()
        self._warn_of_unexpected_objects()
        engine.execute("engines/postgres/drop_schema", schema=self._stage_schema)
        for name in self._claims:
            engine.execute("engines/postgres/drop", table=(schema, name), view=False)
        engine.commit()

    def _share(self) -> None:
        """Grant reading to the roles of the policy, and revoke it from PUBLIC; raise PolicyError
        when a role still could not read the release."""
        engine, names, roles = self._engine, self._names, self._policy.release.grant
        (schema,) = self._schema
        tables = [(schema, name) for name in names]
        by_default = self._close_to_all(schema, names)
        if others := sorted(set(by_default) - {None, *roles}):
            log.warning(
                "default privileges let roles that release.grant does not name read %s.%s: %s",
                schema,
                self._table,
                ", ".join(others),
            )
        blind = self._standing(names, roles)[5]
        for role in roles:
            if role in blind:
                engine.execute("engines/postgres/grant_usage", schema=schema, role=role)
            engine.execute("engines/postgres/grant_select", tables=tables, role=role)
        if roles and (
            missing := engine.execute(
                "engines/postgres/unreadable", schema=schema, tables=names, roles=roles
            )
        ):
            raise PolicyError.at("release.grant", *self._ungranted(missing))

    def _close_to_all(self, schema: str, names: Sequence[str]) -> list[Any]:
        """Revoke from PUBLIC the default privileges on tables of a schema; return who had any
        rights, None for PUBLIC."""
        rows = self._engine.execute("engines/postgres/grantees", schema=schema, tables=names)
        grantees = [row[0] for row in rows]
        if None in grantees:
            tables = [(schema, name) for name in names]
            self._engine.execute("engines/postgres/revoke", tables=tables, schema=None)
        return grantees

    def _ungranted(self, missing: Sequence[tuple[str, str | None]]) -> tuple[str, str]:
        role, name = missing[0]
        (schema,) = self._schema
        what = f"the schema {schema}" if name is None else f"{schema}.{name}"
        grant = (
            f"USAGE ON SCHEMA {ident(schema)}"
            if name is None
            else f"SELECT ON {ident((schema, name))}"
        )
        me = self._engine.query("engines/postgres/me")[0][0]
        return (
            (
                f"the role {role} could not read the release: it has no access to {what}, and the"
                f" role {me} cannot grant that."
            ),
            f"Its owner can: GRANT {grant} TO {ident(role)}.",
        )

    @contextmanager
    def published(self) -> Iterator[ReleaseTables]:
        """Open the published tables. A statement that fails in the ``with`` block does not end the
        transaction of the run."""
        self._engine.query("engines/postgres/savepoint", to="set")
        try:
            with super().published() as release:
                yield release
        except (SqlError, LockedError):
            self._engine.query("engines/postgres/savepoint", to="go back")
            raise

    def _there(self) -> Collection[str]:
        return list(self._standing(self._names)[2])

    def _items(
        self, schema: Relation, tables: Sequence[str], views: Sequence[str]
    ) -> Sequence[Item]:
        query, (place,) = self._engine.query, schema
        rows = query("engines/postgres/contents", schema=place, tables=tables, views=views)
        writers = {name: query("engines/postgres/writers", table=(place, name)) for name in tables}
        return [
            *(Item(*row) for row in rows),
            *(
                Item("rows written later in", name)
                for name, row in writers.items()
                if row[0][0] > 1
            ),
        ]

    def _extras_beside(self, schema: Relation, about: str) -> Sequence[Part] | None:
        """Return the extra parts of another release, None where reading it would run code. Of one
        that this role may not read, its name says that it is one."""
        if (*schema, about, True) not in self._engine.query("engines/postgres/tables"):
            return VIEW_PARTS
        try:
            self._engine.require_plain([(*schema, about)], "release.table")
        except PolicyError:
            return None
        return super()._extras_beside(schema, about)


def claim_name(table: str) -> str:
    """Return the name of the table that claims a release, which is short however long the release's
    name is."""
    return f"anonsql_claim_{hashlib.sha256(table.encode()).hexdigest()[:16]}"
