"""A release as tables of a PostgreSQL schema: staged in the run's transaction, moved at its end."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from anonsql.engines.base import PARTS, Column, Context, Located, Part, Relation, is_release, part_name
from anonsql.engines.postgres import PostgresEngine
from anonsql.errors import PolicyError
from anonsql.policy import Policy

_LONGEST_NAME = 63


class PostgresTarget:
    """The tables ``schema.table``, ``schema.table__about`` and ``schema.table__columns`` of the source's database."""

    def __init__(self, engine: PostgresEngine, policy: Policy, context: Context) -> None:
        self._engine, self._policy, self._exclusive = engine, policy, context.exclusive
        schema, dot, table = policy.release.name.partition(".")
        if not (schema and dot and table):
            remedy = "E.g. released.people: a schema of its own, so that its readers see nothing else."
            raise PolicyError.at("release.table", f"{policy.release.name!r} names no schema.", remedy)
        self._schema, self._table = schema, table
        self._names = [part_name(table, part) for part in PARTS]
        self._stage = f"anonsql_{secrets.token_hex(8)}"
        self._staged = False
        self._replaces = False

    def guard(self) -> None:
        """Raise PolicyError when the tables cannot be made, or would replace anything but a release of this table."""
        name = f"{self._schema}.{self._table}"
        if self._exclusive:
            self._engine.lock(name, int.from_bytes(hashlib.sha256(name.encode()).digest()[:8]) >> 1)
        self._require_names()
        if self._engine.find(self._policy.source.table or "", "source.table")[0] == self._schema:
            text = "this is the source's schema: whoever may look into it would see the source's table too."
            raise PolicyError.at("release.table", text, "Name another schema, e.g. released.people; it is made when it is not there.")
        roles = self._policy.release.grant
        exists, may_create, tables, own, known = self._engine.query(
            "postgres/target", schema=self._schema, tables=self._names, roles=roles or [None]
        )[0]
        if missing := sorted(set(roles) - set(known)):
            raise PolicyError.at("release.grant", f"there is no role {', '.join(missing)}.", "Create it first: CREATE ROLE.")
        if exists and not may_create:
            role = self._engine.query("postgres/me")[0][0]
            remedy = f'Its owner can: GRANT CREATE, USAGE ON SCHEMA "{self._schema}" TO "{role}".'
            raise PolicyError.at("release.table", f"the role {role} may not create tables in the schema {self._schema}.", remedy)
        if tables and (own < tables or tables < len(PARTS) or not is_release(self._engine, (self._schema, self._names[1]))):
            raise PolicyError.at("release.table", f"{name} is there already and is no release of ours.", "Name another table, or drop it.")
        if tables and (views := self._engine.query("postgres/dependents", schema=self._schema, tables=self._names)):
            found = f"views read {name}, so it cannot be replaced: {', '.join(row[0] for row in views)}."
            raise PolicyError.at("release.table", found, "Drop them before the run and make them again after it.")
        self._replaces = tables > 0
        if tables:
            self._engine.query("postgres/hold", tables=[(self._schema, name) for name in self._names])

    def _require_names(self) -> None:
        longest = max([*self._names, self._schema], key=lambda name: len(name.encode()))
        if len(longest.encode()) > _LONGEST_NAME:
            found = f"{longest!r} is longer than the {_LONGEST_NAME} bytes that PostgreSQL allows."
            raise PolicyError.at("release.table", found, "Choose a shorter name.")

    def stage(self, part: Part, template: str, columns: Sequence[Column], **parameters: Any) -> None:
        """Write the rows of a template as a table of the staging schema."""
        if too_long := [each.name for each in columns if len(each.name.encode()) > _LONGEST_NAME]:
            found = f"the release's column {too_long[0]!r} is longer than the {_LONGEST_NAME} bytes that PostgreSQL allows."
            raise PolicyError.at("release", found, "Set `release.bounds: false`, or rename the column in a view.")
        if not self._staged:
            self._engine.execute("postgres/create_schema", schema=self._stage)
            self._staged = True
        table = (self._stage, part_name(self._table, part))
        names = [each.name for each in columns]
        self._engine.execute("release/staged", table=table, select=template, names=names, **parameters)
        self._engine.execute("postgres/analyze", table=table)

    def build(self) -> tuple[Located, Relation]:
        """The staged tables as they are."""
        located = self._located(self._stage)
        return located, located.rows

    def _located(self, schema: str) -> Located:
        rows, about, columns = ((schema, name) for name in self._names)
        return Located(self._engine, rows, about, columns)

    def publish(self) -> None:
        """Put the staged tables in the place of the previous ones and end the transaction."""
        engine, schema = self._engine, self._schema
        engine.execute("postgres/ensure_schema", schema=schema)
        for name in self._names:
            if self._replaces:
                engine.execute("postgres/drop", table=(schema, name))
            engine.execute("postgres/move", table=(self._stage, name), schema=schema)
        for role in self._policy.release.grant:
            engine.execute("postgres/grant_usage", schema=schema, role=role)
            engine.execute("postgres/grant_select", tables=[(schema, name) for name in self._names], role=role)
        engine.execute("postgres/drop_schema", schema=self._stage)
        engine.commit()

    @contextmanager
    def published(self) -> Iterator[Located]:
        """The release's tables; raises PolicyError when they are not there."""
        self._engine.find(self._policy.release.name, "release.table")
        if not is_release(self._engine, (self._schema, self._names[1])):
            found = f"{self._policy.release.name} is no release of anonsql."
            raise PolicyError.at("release.table", found, "`anonsql run` makes one.")
        yield self._located(self._schema)

    def close(self) -> None:
        """Nothing of its own: the engine's transaction takes all back."""
