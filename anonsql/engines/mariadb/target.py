"""A release as tables of a database of MariaDB or MySQL: staged in the run's scratch database, and
put in the place of the previous one by one RENAME TABLE."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
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
from anonsql.engines.mariadb import release_contents
from anonsql.engines.mariadb.engine import MariaDBEngine
from anonsql.engines.mariadb.private import MariaDBPrivate
from anonsql.engines.target import Columns, Given, ServerTarget, Tables
from anonsql.policy.policy import Policy


class MariaDBTarget(ServerTarget[MariaDBEngine]):
    """Tables and views of the source's server. Views name tables, wherever these are moved, so they
    are made anew behind the tables."""

    schema_word = "database"

    def __init__(self, engine: MariaDBEngine, policy: Policy, context: Context) -> None:
        super().__init__(engine, policy)
        self._exclusive = context.exclusive
        self._views: dict[Part, tuple[str, Mapping[str, Any]]] = {}
        self._beside: MariaDBPrivate | None = None

    def _folded(self, schema: Relation) -> Relation:
        return tuple(name.lower() for name in schema)

    def guard(self) -> None:
        """Raise PolicyError when the tables cannot be made, or would replace anything but a release
        of this table; BusyError when another run works on it."""
        self._require_names()
        self._require_own_schema()
        if self._exclusive:
            self._engine.lock_release(self._schema[0], self._table)
        self._previous()

    def _previous(self) -> list[str]:
        """Return the tables of the previous release; raise PolicyError when the names belong to
        anything else."""
        engine, about = self._engine, self._about
        known = dict(engine.query("engines/mariadb/names", schema=self._schema[0]))
        ours = set(self._names) & known.keys()
        if not ours:
            return []
        made = known.get(about[-1]) and is_release(engine, about)
        extras = extras_of(engine, about) if made else ()
        views = set(names_of(self._table, VIEW_PARTS)[1])
        previous = {self._name(part) for part in parts_of(extras)} & known.keys()
        odd = sorted(
            name
            for name in ours | previous
            if name not in previous or bool(known[name]) == (name in views)
        )
        if not made or odd:
            raise self._not_ours(f"{self._schema[0]}.{odd[0] if made else self._table}")
        return sorted(previous)

    def _staged(self, part: Part) -> Relation:
        return (self._engine.require_scratch(), f"staged_{part}")

    def _fill(self, table: Relation, template: str, columns: Columns, parameters: Given) -> None:
        super()._fill(table, template, columns, parameters)
        release_contents.even_out(self._engine, table, columns)

    def stage_view(self, part: Part, template: str, **parameters: Any) -> None:
        """Make a view of the scratch database, to be proved, and remember it."""
        super().stage_view(part, template, **parameters)
        self._views[part] = (template, parameters)

    def _strangers_staged(self, tables: Tables) -> Sequence[str]:
        return release_contents.of_tables(self._engine, tables)

    def publish(self) -> None:
        """Put the staged tables in the place of the previous ones by one statement, and views after
        them. The previous tables go with the scratch database."""
        engine = self._engine
        engine.require_unchanged()
        engine.query("engines/mariadb/make_database", name=self._schema[0])
        scratch = engine.require_scratch()
        views = set(names_of(self._table, VIEW_PARTS)[1])
        previous = self._previous()
        tables = {part: self._published(part) for part in self._parts if part not in VIEW_PARTS}
        moves: list[tuple[Relation, Relation]] = [
            ((*self._schema, name), (scratch, f"previous_{position}"))
            for position, name in enumerate(previous)
            if name not in views
        ]
        moves += [(self._staged(part), table) for part, table in tables.items()]
        moves += self._beside.moves() if self._beside is not None else []
        engine.query("engines/mariadb/rename", moves=moves)
        for name in views.intersection(previous):
            engine.query("engines/mariadb/drop_view", view=(*self._schema, name))
        for part, (template, parameters) in self._views.items():
            settings = {**parameters, "view": self._published(part), "select": template}
            engine.query("release/staged_view", **settings, tables=tables)
        self._warn_of_strangers()

    def _strangers(self, tables: Tables) -> Sequence[str]:
        return release_contents.strangers(self._engine, tables)

    @contextmanager
    def published(self) -> Iterator[ReleaseTables]:
        """Open the published tables, all that its facts name; raise PolicyError when they do not
        exist."""
        release = self._engine.released(self._policy.release.name, "release.table")
        within = cache(partial(self._strangers, release.by_part))
        yield ReleaseTables.of(self._engine, release.by_part, within=within)

    def private(self, release: str) -> MariaDBPrivate:
        """Return the tables in a database of their own beside the release's."""
        schema, _, table = release.partition(".")
        if self._beside is None:
            self._beside = MariaDBPrivate(self._engine, schema, table, exclusive=self._exclusive)
        return self._beside
