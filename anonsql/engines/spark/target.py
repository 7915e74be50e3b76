"""A release as tables of a Spark catalog, written beside the previous ones, and views that are
switched to the new tables.

Spark has no transaction over several tables: each of the views is switched at once, one after the
other.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

from anonsql.engines.base import (
    BASE_PARTS,
    EXTRA_PART,
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
from anonsql.engines.spark import release_contents
from anonsql.engines.spark.engine import SparkEngine
from anonsql.engines.spark.release_contents import VERSION
from anonsql.errors import PolicyError
from anonsql.policy.parts import WHOLE, part_name
from anonsql.policy.policy import Policy


class SparkTarget:
    """The views ``schema.table``, ``schema.table__about``, ``schema.table__columns``, and
    ``schema.table__<part>`` for what the method publishes besides."""

    def __init__(self, engine: SparkEngine, policy: Policy, _context: Context) -> None:
        self._engine, self._policy = engine, policy
        *schema, table = policy.release.name.split(".")
        if not schema or not all((*schema, table)):
            remedy = (
                "E.g. released.people: a schema of its own, so that its readers see nothing else."
            )
            raise PolicyError.at(
                "release.table", f"{policy.release.name!r} names no schema.", remedy
            )
        self._schema, self._table = tuple(schema), table
        self._parts = parts_of(policy.release_parts)
        for part in self._parts:
            if not re.fullmatch(r"[A-Za-z0-9_]+", name := part_name(table, part)):
                found = f"{name!r} is no name that every Spark catalog takes."
                raise PolicyError.at("release.table", found, "Use letters, digits and underscores.")
        self._version = f"__v{secrets.token_hex(8)}"
        self._staged: list[str] = []

    def guard(self) -> None:
        """Raise PolicyError when the views would replace anything but a release of this table."""
        source = self._policy.source.table
        if self._engine.forgets and len(self._schema) == 1:
            text = (
                "this Spark keeps its tables in memory, and the release would vanish with the run."
            )
            remedy = (
                "Set engine.spark: {spark.sql.catalogImplementation: hive}, or release to a file."
            )
            raise PolicyError.at("release.database", text, remedy)
        if source and _schema_of(self._engine.find(source, "source.table")) == _schema_of(
            (*self._schema, "")
        ):
            text = (
                "this is the source's schema: whoever may look into it would see the source's table"
                " too."
            )
            raise PolicyError.at(
                "release.table",
                text,
                "Name another schema, e.g. released.people; it is made when it is not there.",
            )
        existing = self._engine.names_in(self._schema) or []
        known = {name.lower() for name in existing}
        ours = {part_name(self._table, part).lower() for part in BASE_PARTS} & known
        views = all(self._engine.is_view((*self._schema, name)) for name in ours)
        named = "" if not ours or (views and self._is_release()) else self._policy.release.name
        extras = {
            part_name(self._table, part).lower() for part in self._parts if part not in BASE_PARTS
        } & known
        if foreign := sorted(extras - {name.lower() for name in self._extra_views(existing)}):
            named = named or ".".join((*self._schema, foreign[0]))
        if named:
            raise PolicyError.at(
                "release.table",
                f"{named} is there already and is no release of ours.",
                "Name another table, or drop it.",
            )

    def _extra_views(self, existing: Sequence[str]) -> list[str]:
        """Return, of the tables and views ``existing``, the views of extra parts of earlier
        releases of this table: they show tables with version names, which only runs give. A view
        with an ``__about`` of its own belongs to another release, unless this one's ``__about``
        names it as a further table."""
        known = {name.lower() for name in existing}
        extra = re.compile(rf"{re.escape(self._table)}__{EXTRA_PART}", re.I)
        versions = {name.rpartition("__v")[0] for name in known if VERSION.search(name)}
        about = (*self._schema, part_name(self._table, "about"))
        named = extras_of(self._engine, about) if self._is_release() else ()
        further = {part_name(self._table, part).lower() for part in named if part.startswith(WHOLE)}
        own = [
            name
            for name in existing
            if (extra.fullmatch(name) and f"{name}__about".lower() not in known)
            or name.lower() in further
        ]
        return [
            name
            for name in own
            if name.lower() in versions and self._engine.is_view((*self._schema, name))
        ]

    def _is_release(self) -> bool:
        about = (*self._schema, part_name(self._table, "about"))
        existing = [name.lower() for name in self._engine.names_in(self._schema) or []]
        return about[-1].lower() in existing and is_release(self._engine, about)

    def stage(
        self, part: Part, template: str, columns: Sequence[Column], **parameters: Any
    ) -> None:
        """Write the rows of a template as a new table of the release's schema."""
        if not self._staged:
            self._engine.query("engines/spark/create_schema", schema=self._schema, location=None)
        table = part_name(self._table, part) + self._version
        self._staged.append(table)
        self._engine.stage((*self._schema, table), template, columns, **parameters)

    def stage_view(self, part: Part, template: str, **parameters: Any) -> None:
        """Make a view of the release's schema that reads the new tables, and is published and
        removed as these are."""
        view = (*self._schema, part_name(self._table, part) + self._version)
        tables = {
            name: (*self._schema, part_name(self._table, name) + self._version)
            for name in self._parts
            if name not in VIEW_PARTS
        }
        self._staged.append(view[-1])
        self._engine.run(
            "release/staged_view", view=view, select=template, tables=tables, **parameters
        )

    def _drop(self, name: str) -> None:
        """Remove a table or view of some version."""
        shown = name.rpartition("__v")[0].lower()
        if shown in {part_name(self._table, part).lower() for part in VIEW_PARTS}:
            self._engine.query("engines/spark/drop_view", view=(*self._schema, name))
        else:
            self._engine.query("engines/spark/drop", table=(*self._schema, name))

    def staged_rows(self, part: Part = "rows") -> tuple[Engine, Relation]:
        """Return the new table."""
        return self._engine, (*self._schema, part_name(self._table, part) + self._version)

    def build(self) -> tuple[ReleaseTables, Mapping[Part, Relation]]:
        """Return the new tables as they are."""
        tables = {
            part: (*self._schema, part_name(self._table, part) + self._version)
            for part in self._parts
        }
        within = partial(release_contents.staged, self._engine, list(tables.values()))
        return ReleaseTables.of(self._engine, tables, within=cache(within)), tables

    def publish(self) -> None:
        """Switch the views to the new tables and remove the old ones. The rows come last: where
        they are new, the facts are, too, so that a ledger knows of them."""
        self._engine.require_unchanged()
        self.guard()
        parts = sorted(self._parts, key=lambda part: part == "rows")
        names = [part_name(self._table, part) for part in parts]
        earlier = self._extra_views(self._engine.names_in(self._schema) or [])
        for name in names:
            self._staged.remove(name + self._version)  # from here on the view may show it
            self._engine.query(
                "engines/spark/swap",
                view=(*self._schema, name),
                table=(*self._schema, name + self._version),
            )
        current = {name.lower() for name in names}
        existing = self._engine.names_in(self._schema) or []
        for name in {*earlier, *self._extra_views(existing)}:
            if name.lower() not in current:
                self._engine.query("engines/spark/drop_view", view=(*self._schema, name))
        self._sweep(existing, {*current, *(name.lower() for name in earlier)})

    def _sweep(self, existing: Sequence[str], ours: Collection[str]) -> None:
        """Remove tables of earlier versions, published or left by a run that died: what the views
        ``ours`` have shown, and of extra parts."""
        known = {name.lower() for name in existing}
        extra = re.compile(rf"{re.escape(self._table)}__{EXTRA_PART}", re.I)
        for name in existing:
            if not VERSION.search(name) or name.lower().endswith(self._version):
                continue
            shown = name.rpartition("__v")[0].lower()
            of_nobody = extra.fullmatch(shown) and f"{shown}__about" not in known
            if shown in ours or of_nobody:  # others are of another release
                self._drop(name)

    @contextmanager
    def published(self) -> Iterator[ReleaseTables]:
        """Open the published views; raise PolicyError when they do not exist."""
        self._engine.find(self._policy.release.name, "release.table")
        if not self._is_release():
            found = f"{self._policy.release.name} is no release of anonsql."
            raise PolicyError.at("release.table", found, "`anonsql run` makes one.")
        existing = {name.lower() for name in self._engine.names_in(self._schema) or []}
        names = {part: part_name(self._table, part) for part in self._parts}
        tables = {
            part: (*self._schema, name)
            for part, name in names.items()
            if part in BASE_PARTS or name.lower() in existing
        }
        within = partial(
            release_contents.strangers, self._engine, self._schema, self._table, list(tables)
        )
        yield ReleaseTables.of(self._engine, tables, within=cache(within))

    def private(self, _release: str) -> None:
        """Return None: Spark has no owners of tables, and puts no two of them there in one step."""

    def close(self) -> None:
        """Remove what was staged and not published."""
        for name in reversed(self._staged):
            self._drop(name)


def _schema_of(relation: Relation) -> list[str]:
    """Return a relation's schema as Spark compares it: case does not count, nor the name of its own
    catalog."""
    parts = [part.lower() for part in relation[:-1]]
    return parts[1:] if parts[:1] == ["spark_catalog"] else parts
