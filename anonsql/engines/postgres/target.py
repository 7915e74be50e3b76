"""A release as tables of a PostgreSQL schema: staged in the run's transaction, moved at its end."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

from anonsql.engines import contents
from anonsql.engines.base import (
    BASE_PARTS,
    VIEW_PARTS,
    Column,
    Context,
    Engine,
    Part,
    Relation,
    ReleaseTables,
    extras_of,
    is_release,
    parts_of,
)
from anonsql.engines.postgres import release_contents
from anonsql.engines.postgres.claim import claim, claim_name, let_go
from anonsql.engines.postgres.engine import PostgresEngine
from anonsql.engines.postgres.errors import LockedError
from anonsql.engines.postgres.private import PostgresPrivate
from anonsql.errors import PolicyError, SqlError
from anonsql.policy.parts import part_name
from anonsql.policy.policy import Policy
from anonsql.sql.templates import ident
from anonsql.system.journal import log

_LONGEST_NAME = 63


class PostgresTarget:
    """The tables ``schema.table``, ``schema.table__about``, ``schema.table__columns``, and
    ``schema.table__<part>`` for what the method publishes besides, of the source's database."""

    def __init__(self, engine: PostgresEngine, policy: Policy, context: Context) -> None:
        self._engine, self._policy, self._exclusive = engine, policy, context.exclusive
        schema, dot, table = policy.release.name.partition(".")
        if not (schema and dot and table):
            remedy = (
                "E.g. released.people: a schema of its own, so that its readers see nothing else."
            )
            raise PolicyError.at(
                "release.table", f"{policy.release.name!r} names no schema.", remedy
            )
        self._schema, self._table = schema, table
        self._names = {part: part_name(table, part) for part in parts_of(policy.release_parts)}
        self._stage = f"anonsql_{secrets.token_hex(8)}"
        self._staged = False
        self._previous: list[str] = []
        self._own_claim: list[str] = []

    def guard(self) -> None:
        """Raise PolicyError when the tables cannot be made, or would replace anything but a release
        of this table."""
        self._require_names()
        if self._engine.find(self._policy.source.table or "", "source.table")[0] == self._schema:
            text = (
                "this is the source's schema: whoever may look into it would see the source's table"
                " too."
            )
            raise PolicyError.at(
                "release.table",
                text,
                "Name another schema, e.g. released.people; it is made when it is not there.",
            )
        roles = self._policy.release.grant
        exists, may_create, existing, own, known, blind, may_grant = self._standing(
            self._names.values(), roles
        )
        if missing := sorted(set(roles) - set(known)):
            raise PolicyError.at(
                "release.grant",
                f"there is no role {', '.join(missing)}.",
                "Create it first: CREATE ROLE.",
            )
        if exists and not may_create:
            role = self._engine.query("engines/postgres/me")[0][0]
            remedy = f'Its owner can: GRANT CREATE, USAGE ON SCHEMA "{self._schema}" TO "{role}".'
            raise PolicyError.at(
                "release.table",
                f"the role {role} may not create tables in the schema {self._schema}.",
                remedy,
            )
        if blind and not may_grant:
            raise PolicyError.at("release.grant", *self._ungranted([(blind[0], None)]))
        if self._exclusive:
            claim(self._engine, self._schema, self._table, made=not exists)
            self._own_claim = [claim_name(self._table)]
        if existing:
            self._previous = self._replaceable(own == len(existing))
            self._engine.query(
                "engines/postgres/hold", tables=[(self._schema, name) for name in self._previous]
            )

    def _standing(self, names: Iterable[str], roles: Sequence[str] = ()) -> tuple[Any, ...]:
        """Return what exists under the names of the tables to be made (for columns see the
        template)."""
        parameters: dict[str, Any] = {
            "schema": self._schema,
            "tables": sorted(names),
            "views": self._view_names,
            "roles": roles or [None],
        }
        return self._engine.query("engines/postgres/target", **parameters)[0]

    @property
    def _view_names(self) -> list[str]:
        """The names of the views of a release of this table."""
        return [part_name(self._table, part) for part in VIEW_PARTS]

    def _replaceable(self, ours: bool) -> list[str]:
        """Return the tables of the previous release; raise PolicyError when the names belong to
        anything else, or other views read them. Relations that are not ``ours`` (made by this role)
        are not read: that might run code."""
        name = f"{self._schema}.{self._table}"
        extras = extras_of(self._engine, self._about) if ours else ()
        previous = {part_name(self._table, part) for part in parts_of(extras)}
        existing, own = self._standing(previous.union(self._names.values()))[2:4]
        ours = ours and own == len(existing)
        if not ours or set(existing) != previous or not is_release(self._engine, self._about):
            other = sorted(set(existing) - previous)
            found = f"{self._schema}.{other[0]}" if other else name
            raise PolicyError.at(
                "release.table",
                f"{found} is there already and is no release of ours.",
                "Name another table, or drop it.",
            )
        if views := self._engine.query(
            "engines/postgres/dependents",
            schema=self._schema,
            tables=existing,
            own=self._view_names,
        ):
            found = (
                f"views read {name}, so it cannot be replaced:"
                f" {', '.join(row[0] for row in views)}."
            )
            raise PolicyError.at(
                "release.table", found, "Drop them before the run and make them again after it."
            )
        return sorted(existing)

    @property
    def _about(self) -> Relation:
        return (self._schema, self._names["about"])

    def _require_names(self) -> None:
        longest = max([*self._names.values(), self._schema], key=lambda name: len(name.encode()))
        if len(longest.encode()) > _LONGEST_NAME:
            found = f"{longest!r} is longer than the {_LONGEST_NAME} bytes that PostgreSQL allows."
            raise PolicyError.at("release.table", found, "Choose a shorter name.")

    def stage(
        self, part: Part, template: str, columns: Sequence[Column], **parameters: Any
    ) -> None:
        """Write the rows of a template as a table of the staging schema. Its types have no declared
        lengths: these would tell of values that are not released."""
        if too_long := [
            column.name for column in columns if len(column.name.encode()) > _LONGEST_NAME
        ]:
            found = (
                f"the release's column {too_long[0]!r} is longer than the {_LONGEST_NAME} bytes"
                " that PostgreSQL allows."
            )
            raise PolicyError.at(
                "release", found, "Set `release.bounds: false`, or rename the column in a view."
            )
        if not self._staged:
            self._engine.execute(
                "engines/postgres/create_schema", schema=self._stage, unless_there=False
            )
            self._staged = True
        table = (self._stage, self._names[part])
        names = [column.name for column in columns]
        self._engine.execute(
            "release/staged", table=table, select=template, names=names, **parameters
        )
        if types := self._engine.execute("engines/postgres/plain_types", table=table):
            self._engine.execute("engines/postgres/retype", table=table, types=types)
        self._engine.execute("engines/postgres/analyze", table=table)

    def stage_view(self, part: Part, template: str, **parameters: Any) -> None:
        """Make a view of the staging schema; it follows the tables it reads wherever they are
        moved."""
        tables = {
            entry: (self._stage, name)
            for entry, name in self._names.items()
            if entry not in VIEW_PARTS
        }
        view = (self._stage, self._names[part])
        self._engine.execute(
            "release/staged_view", view=view, select=template, tables=tables, **parameters
        )

    def staged_rows(self, part: Part = "rows") -> tuple[Engine, Relation]:
        """Return the staged table."""
        return self._engine, (self._stage, self._names[part])

    def build(self) -> tuple[ReleaseTables, Mapping[Part, Relation]]:
        """Return the staged tables as they are, which nobody else may read."""
        names = list(self._names.values())
        self._close_to_all(self._stage, names)
        tables: dict[Part, Relation] = {
            part: (self._stage, name) for part, name in self._names.items()
        }
        within = partial(
            release_contents.strangers, self._engine, self._stage, names, self._view_names
        )
        return ReleaseTables.of(self._engine, tables, within=cache(within)), tables

    def publish(self) -> None:
        """Put the staged tables in the place of the previous ones and end the transaction."""
        engine, schema = self._engine, self._schema
        engine.execute("engines/postgres/create_schema", schema=schema, unless_there=True)
        views = set(self._view_names)
        for name in sorted(
            self._previous, key=lambda previou: previou not in views
        ):  # views before the tables that they read
            engine.execute("engines/postgres/drop", table=(schema, name), view=name in views)
        for name in self._names.values():
            engine.execute("engines/postgres/move", table=(self._stage, name), schema=schema)
        self._share()
        contents.warn_of(self._policy.release.name, self._strangers(list(self._names.values())))
        engine.execute("engines/postgres/drop_schema", schema=self._stage)
        if self._exclusive:
            let_go(engine, schema, self._table)
        engine.commit()

    def _share(self) -> None:
        """Grant reading to the roles of the policy, and revoke it from PUBLIC; raise PolicyError
        when a role still could not read the release."""
        engine, schema, roles = self._engine, self._schema, self._policy.release.grant
        names = list(self._names.values())
        tables = [(schema, name) for name in names]
        by_default = self._close_to_all(schema, names)
        if others := sorted(set(by_default) - {None, *roles}):
            log.warning(
                "default privileges let others than release.grant names read %s.%s: %s",
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
        """Revoke from PUBLIC what default privileges gave it on tables of a schema; return who had
        any rights, None for PUBLIC."""
        rows = self._engine.execute("engines/postgres/grantees", schema=schema, tables=names)
        grantees = [row[0] for row in rows]
        if None in grantees:
            tables = [(schema, name) for name in names]
            self._engine.execute("engines/postgres/revoke", tables=tables, schema=None)
        return grantees

    def _ungranted(self, missing: Sequence[tuple[str, str | None]]) -> tuple[str, str]:
        """Return what a reader could not read, and the GRANT that lets it."""
        role, name = missing[0]
        what = f"the schema {self._schema}" if name is None else f"{self._schema}.{name}"
        grant = (
            f"USAGE ON SCHEMA {ident(self._schema)}"
            if name is None
            else f"SELECT ON {ident((self._schema, name))}"
        )
        me = self._engine.query("engines/postgres/me")[0][0]
        return (
            (
                f"the role {role} could not read the release: it may not use {what}, "
                f"and the role {me} cannot grant that."
            ),
            f"Its owner can: GRANT {grant} TO {ident(role)}.",
        )

    @contextmanager
    def published(self) -> Iterator[ReleaseTables]:
        """Open the published tables; raise PolicyError when they do not exist, or reading them
        would run code. A statement that fails in the ``with`` block does not end the transaction of
        the run."""
        self._engine.query("engines/postgres/savepoint", to="set")
        try:
            yield self._published()
        except (SqlError, LockedError):
            self._engine.query("engines/postgres/savepoint", to="go back")
            raise

    def _published(self) -> ReleaseTables:
        """Return the published tables: see :meth:`published`."""
        self._engine.find(self._policy.release.name, "release.table")
        existing = self._standing(self._names.values())[2]
        self._engine.require_plain([(self._schema, name) for name in existing], "release.table")
        if not is_release(self._engine, self._about):
            found = f"{self._policy.release.name} is no release of anonsql."
            raise PolicyError.at("release.table", found, "`anonsql run` makes one.")
        tables: dict[Part, Relation] = {
            part: (self._schema, name)
            for part, name in self._names.items()
            if part in BASE_PARTS or name in existing
        }
        names = [name for _, name in tables.values()]
        within = partial(self._strangers, names)
        return ReleaseTables.of(self._engine, tables, within=cache(within))

    def _strangers(self, names: Sequence[str]) -> Sequence[str]:
        """Return in words what the release's schema holds besides the tables and views ``names``
        and other releases."""
        return release_contents.strangers(
            self._engine, self._schema, names, self._view_names, self._own_claim
        )

    def private(self, release: str) -> PostgresPrivate:
        """Return the tables in a schema of their own beside the release's."""
        schema, _, table = release.partition(".")
        return PostgresPrivate(self._engine, schema, table, exclusive=self._exclusive)

    def close(self) -> None:
        """Do nothing: when the engine closes, its transaction is rolled back."""
