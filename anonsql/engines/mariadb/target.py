"""A release as tables of a database of MariaDB or MySQL: staged in the run's scratch database, and
put in the place of the previous one by one RENAME TABLE."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from anonsql.engines.base import (
    VIEW_PARTS,
    Context,
    Part,
    Relation,
    extras_of,
    is_release,
    names_of,
    parts_of,
)
from anonsql.engines.contents import Item
from anonsql.engines.mariadb import release_contents
from anonsql.engines.mariadb.engine import MariaDBEngine
from anonsql.engines.private_tables import WHERE, PrivateTables
from anonsql.engines.target import Columns, Given, ServerTarget, Tables
from anonsql.errors import PolicyError, SqlError
from anonsql.policy.table_columns import TableColumns

Move = tuple[Relation, Relation]


class MariaDBPrivate(PrivateTables[MariaDBEngine]):
    """Tables in a database beside the release's, which is locked with the release. They are put
    there by the statement that publishes it, which renames all tables or none."""

    schema_word = "database"

    def __init__(self, engine: MariaDBEngine, schema: str, table: str, *, exclusive: bool) -> None:
        super().__init__(engine, schema, table, exclusive=exclusive)
        self._release = (schema, table)
        self._coming: dict[str, str] = {}

    def _there(self, names: Sequence[str]) -> Sequence[str]:
        if self._exclusive:  # before anything is read, as nothing here sees one state of it
            self._lock()
        self._require_own()
        there = dict(self._engine.query("engines/mariadb/names", schema=self._schema))
        if views := [name for name, plain in there.items() if not plain]:
            text = f"{self._schema}.{views[0]} is a view, and no table of its ledger."
            raise PolicyError.at(WHERE, text, "Drop it.")
        return list(there)

    def _lock(self) -> None:
        self._engine.lock_release(*self._release)

    def put(self, name: str, table: str) -> None:
        """Let the rename that publishes the release put the table there."""
        self._require_short(name)
        self._lock()
        self._coming[name] = table

    def commit(self) -> None:
        """Put the tables there by a rename of their own."""
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


class MariaDBTarget(ServerTarget[MariaDBEngine]):
    """Tables and views of the source's server. Views name tables, wherever these are moved, so they
    are made anew behind the tables."""

    schema_word = "database"
    private_tables = MariaDBPrivate
    _beside: MariaDBPrivate | None

    def __init__(self, engine: MariaDBEngine, policy: TableColumns, context: Context) -> None:
        super().__init__(engine, policy, context)
        self._views: dict[Part, tuple[str, Mapping[str, Any]]] = {}

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

    def _items(
        self, schema: Relation, _tables: Sequence[str], _views: Sequence[str]
    ) -> Sequence[Item]:
        comments = self._engine.is_mariadb
        rows = self._engine.query("engines/mariadb/contents", schema=schema[0], comments=comments)
        return [Item(*row) for row in rows]

    def _strangers(self, tables: Tables) -> Sequence[str]:
        return (*super()._strangers(tables), *self._strangers_staged(tables))

    def _there(self) -> Collection[str]:
        known = dict(self._engine.query("engines/mariadb/names", schema=self._schema[0]))
        return [name for name in self._names if name in known]
