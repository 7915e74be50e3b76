"""A release as tables of a Spark catalog, written beside the previous ones, and views that are
switched to the new tables.

Spark has no transaction over several tables: each of the views is switched at once, one after the
other.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Sequence
from typing import Any

from anonsql.engines.base import (
    BASE_PARTS,
    EXTRA_PART,
    VIEW_PARTS,
    Context,
    Part,
    Relation,
    extras_if_release,
    names_of,
)
from anonsql.engines.spark import release_contents
from anonsql.engines.spark.engine import SparkEngine
from anonsql.engines.spark.release_contents import VERSION
from anonsql.engines.target import Columns, Given, ServerTarget, Tables
from anonsql.errors import PolicyError
from anonsql.policy.release_parts import WHOLE
from anonsql.policy.table_columns import TableColumns


class SparkTarget(ServerTarget[SparkEngine]):
    """Views of the source's catalog, each of which shows a table of this version."""

    def __init__(self, engine: SparkEngine, policy: TableColumns, context: Context) -> None:
        super().__init__(engine, policy, context)
        self._version = f"__v{secrets.token_hex(8)}"
        self._to_drop: list[str] = []
        for name in self._names:
            if not re.fullmatch(r"[A-Za-z0-9_]+", name):
                text = f"{name!r} is no name that every Spark catalog takes."
                raise PolicyError.at("release.table", text, "Use letters, digits and underscores.")

    def _split(self, name: str) -> Sequence[str]:
        return name.split(".")

    def _folded(self, schema: Relation) -> Relation:
        """Return a schema as Spark compares it: case does not count, nor the name of its own
        catalog."""
        parts = tuple(name.lower() for name in schema)
        return parts[1:] if parts[:1] == ("spark_catalog",) else parts

    def guard(self) -> None:
        """Raise PolicyError when the views would replace anything but a release of this table."""
        if self._engine.forgets and len(self._schema) == 1:
            text = (
                "this Spark keeps its tables in memory, and the release would vanish with the run."
            )
            remedy = (
                "Set engine.spark: {spark.sql.catalogImplementation: hive}, or release to a file."
            )
            raise PolicyError.at("release.database", text, remedy)
        self._require_own_schema()
        self._replaced()

    def _replaced(self) -> tuple[Sequence[str], Sequence[str]]:
        """Return the tables and views of the schema, and those views of them that a release of this
        table replaces besides its own; raise PolicyError where it would replace anything else."""
        existing = self._engine.names_in(self._schema) or []
        known = {name.lower() for name in existing}
        ours = {self._name(part).lower() for part in BASE_PARTS} & known
        views = all(self._engine.is_view((*self._schema, name)) for name in ours)
        parts = self._extras_there(known)
        named = "" if not ours or (views and parts is not None) else self._policy.release.name
        extras = {self._name(part).lower() for part in self._parts if part not in BASE_PARTS}
        replaced = self._extra_views(existing, parts or ())
        if foreign := sorted((extras & known) - {name.lower() for name in replaced}):
            named = named or ".".join((*self._schema, foreign[0]))
        if named:
            raise self._not_ours(named)
        return existing, replaced

    def _extras_there(self, known: Collection[str]) -> tuple[Part, ...] | None:
        """Return the extra parts of the published release of this table, by its ``__about``; None
        where there is none among the ``known`` names."""
        if self._name("about").lower() not in known:
            return None
        return extras_if_release(self._engine, self._about)

    def _extra_views(self, existing: Sequence[str], named: Sequence[Part]) -> list[str]:
        """Return, of the tables and views ``existing``, the views of extra parts of earlier
        releases of this table: they show tables with version names, which only runs give. A view
        with an ``__about`` of its own belongs to another release, unless this one's ``__about``
        names it (``named``) as a further table."""
        known = {name.lower() for name in existing}
        extra = re.compile(rf"{re.escape(self._table)}__{EXTRA_PART}", re.I)
        versions = {name.rpartition("__v")[0] for name in known if VERSION.search(name)}
        further = {self._name(part).lower() for part in named if part.startswith(WHOLE)}
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

    def _there(self) -> Collection[str]:
        known = {name.lower() for name in self._engine.names_in(self._schema) or []}
        return [name for name in self._names if name.lower() in known]

    def _staged(self, part: Part) -> Relation:
        return (*self._schema, self._name(part) + self._version)

    def _open_stage(self) -> None:
        if not self._to_drop:
            self._engine.query("engines/spark/create_schema", schema=self._schema, location=None)

    def _fill(self, table: Relation, template: str, columns: Columns, parameters: Given) -> None:
        self._to_drop.append(table[-1])
        super()._fill(table, template, columns, parameters)

    def stage_view(self, part: Part, template: str, **parameters: Any) -> None:
        """Make a view of the release's schema that reads the new tables, and is published and
        removed as these are."""
        self._to_drop.append(self._staged(part)[-1])
        super().stage_view(part, template, **parameters)

    def _drop(self, name: str) -> None:
        shown = name.rpartition("__v")[0].lower()
        views = {view.lower() for view in names_of(self._table, VIEW_PARTS)[1]}
        if shown in views:
            self._engine.query("engines/spark/drop_view", view=(*self._schema, name))
        else:
            self._engine.query("engines/spark/drop", table=(*self._schema, name))

    def _strangers_staged(self, tables: Tables) -> Sequence[str]:
        return release_contents.staged(self._engine, list(tables.values()))

    def publish(self) -> None:
        """Switch the views to the new tables and remove the old ones. The rows come last: where
        they are new, the facts are, too, so that a ledger knows of them."""
        self._engine.require_unchanged()
        self._require_own_schema()
        existing, earlier = self._replaced()
        parts = sorted(self._parts, key=lambda part: part == "rows")
        for part in parts:
            view, table = self._published(part), self._staged(part)
            self._to_drop.remove(table[-1])  # from here on the view may show it
            self._engine.query("engines/spark/swap", view=view, table=table)
        current = {name.lower() for name in self._names}
        for name in earlier:
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

    def _strangers(self, tables: Tables) -> Sequence[str]:
        return release_contents.strangers(self._engine, self._schema, self._table, list(tables))

    def close(self) -> None:
        for name in reversed(self._to_drop):
            self._drop(name)
