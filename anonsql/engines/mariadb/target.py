"""A release as tables of a database of MariaDB or MySQL: staged in the run's scratch database, and
put in the place of the previous one by one RENAME TABLE."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from anonsql.engines import contents
from anonsql.engines.base import (
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
from anonsql.engines.mariadb import release_contents
from anonsql.engines.mariadb.engine import MariaDBEngine
from anonsql.engines.mariadb.private import MariaDBPrivate
from anonsql.errors import PolicyError
from anonsql.policy.parts import part_name
from anonsql.policy.policy import Policy

_LONGEST_NAME = 64


class MariaDBTarget:
    """The tables ``database.table``, ``database.table__about``, ``database.table__columns``, and
    ``database.table__<part>`` for what the method publishes besides. Views name tables, wherever
    these are moved, so they are made anew behind the tables."""

    def __init__(self, engine: MariaDBEngine, policy: Policy, context: Context) -> None:
        self._engine, self._policy, self._exclusive = engine, policy, context.exclusive
        schema, dot, table = policy.release.name.partition(".")
        if not (schema and dot and table):
            remedy = (
                "E.g. released.people: a database of its own, so that its readers see nothing else."
            )
            raise PolicyError.at(
                "release.table", f"{policy.release.name!r} names no database.", remedy
            )
        self._schema, self._table = schema, table
        self._names = {part: part_name(table, part) for part in parts_of(policy.release_parts)}
        self._views: dict[Part, tuple[str, Mapping[str, Any]]] = {}
        self._beside: MariaDBPrivate | None = None

    def guard(self) -> None:
        """Raise PolicyError when the tables cannot be made, or would replace anything but a release
        of this table; BusyError when another run works on it."""
        self._require_names()
        source = self._policy.source.table or ""
        if self._engine.find(source, "source.table")[0].lower() == self._schema.lower():
            text = (
                "this is the source's database: whoever may look into it would see the source's"
                " table too."
            )
            remedy = "Name another, e.g. released.people; it is made when it is not there."
            raise PolicyError.at("release.table", text, remedy)
        if self._exclusive:
            self._engine.lock_release(self._schema, self._table)
        self._previous()

    def _previous(self) -> list[str]:
        """Return the tables of the previous release; raise PolicyError when the names belong to
        anything else."""
        engine, about = self._engine, (self._schema, self._names["about"])
        known = dict(engine.query("engines/mariadb/names", schema=self._schema))
        ours = set(self._names.values()) & known.keys()
        if not ours:
            return []
        made = known.get(about[-1]) and is_release(engine, about)
        extras = extras_of(engine, about) if made else ()
        views = {part_name(self._table, part) for part in VIEW_PARTS}
        previous = {part_name(self._table, part) for part in parts_of(extras)} & known.keys()
        odd = sorted(
            name
            for name in ours | previous
            if name not in previous or bool(known[name]) == (name in views)
        )
        if not made or odd:
            found = f"{self._schema}.{odd[0] if made else self._table}"
            raise PolicyError.at(
                "release.table",
                f"{found} is there already and is no release of ours.",
                "Name another table, or drop it.",
            )
        return sorted(previous)

    def _require_names(self) -> None:
        longest = max([*self._names.values(), self._schema], key=len)
        if len(longest) > _LONGEST_NAME:
            found = f"{longest!r} is longer than the {_LONGEST_NAME} characters that are allowed."
            raise PolicyError.at("release.table", found, "Choose a shorter name.")

    def stage(
        self, part: Part, template: str, columns: Sequence[Column], **parameters: Any
    ) -> None:
        """Write the rows of a template as a table of the scratch database."""
        if too_long := [column.name for column in columns if len(column.name) > _LONGEST_NAME]:
            found = (
                f"the release's column {too_long[0]!r} is longer than the {_LONGEST_NAME}"
                " characters that are allowed."
            )
            remedy = "Set `release.bounds: false`, or rename the column in a view."
            raise PolicyError.at("release", found, remedy)
        self._engine.stage(self._relation(part), template, columns, **parameters)
        release_contents.even_out(self._engine, self._relation(part), columns)

    def stage_view(self, part: Part, template: str, **parameters: Any) -> None:
        """Make a view of the scratch database, to be proved, and remember it."""
        self._views[part] = (template, parameters)
        self._make_view(part, {table: self._relation(table) for table in self._tables})

    def _make_view(self, part: Part, relations: Mapping[Part, Relation]) -> None:
        """Make a view over tables, beside them."""
        template, parameters = self._views[part]
        schema = relations["rows"][0]
        name = self._names[part] if schema == self._schema else f"staged_{part}"
        given = {**parameters, "view": (schema, name), "select": template, "tables": relations}
        self._engine.query("release/staged_view", **given)

    @property
    def _tables(self) -> list[Part]:
        """The parts that are no views."""
        return [part for part in self._names if part not in VIEW_PARTS]

    def _relation(self, part: Part) -> Relation:
        """Return a staged table."""
        return (self._engine.require_scratch(), f"staged_{part}")

    def staged_rows(self, part: Part = "rows") -> tuple[Engine, Relation]:
        """Return the staged table."""
        return self._engine, self._relation(part)

    def build(self) -> tuple[ReleaseTables, Mapping[Part, Relation]]:
        """Return the staged tables as they are."""
        tables = {part: self._relation(part) for part in self._names}
        return release_contents.staged(self._engine, tables), tables

    def publish(self) -> None:
        """Put the staged tables in the place of the previous ones by one statement, and views after
        them. The previous tables go with the scratch database."""
        engine = self._engine
        engine.require_unchanged()
        engine.query("engines/mariadb/make_database", name=self._schema)
        scratch = engine.require_scratch()
        views = {part_name(self._table, part) for part in VIEW_PARTS}
        previous = self._previous()
        moves: list[tuple[Relation, Relation]] = [
            ((self._schema, name), (scratch, f"previous_{place}"))
            for place, name in enumerate(previous)
            if name not in views
        ]
        moves += [
            (self._relation(part), (self._schema, self._names[part])) for part in self._tables
        ]
        moves += self._beside.moves() if self._beside is not None else []
        engine.query("engines/mariadb/rename", moves=moves)
        for name in views.intersection(previous):
            engine.query("engines/mariadb/drop_view", view=(self._schema, name))
        for part in self._views:
            self._make_view(
                part, {table: (self._schema, self._names[table]) for table in self._tables}
            )
        tables = {part: (self._schema, name) for part, name in self._names.items()}
        contents.warn_of(
            self._policy.release.name, release_contents.strangers(self._engine, tables)
        )

    @contextmanager
    def published(self) -> Iterator[ReleaseTables]:
        """Open the published tables; raise PolicyError when they do not exist."""
        release = self._engine.released(self._policy.release.name, "release.table")
        yield release_contents.published(self._engine, release)

    def private(self, release: str) -> MariaDBPrivate:
        """Return the tables in a database of their own beside the release's."""
        schema, _, table = release.partition(".")
        if self._beside is None:
            self._beside = MariaDBPrivate(self._engine, schema, table, exclusive=self._exclusive)
        return self._beside

    def close(self) -> None:
        """Do nothing: when the engine closes, scratch is removed."""
