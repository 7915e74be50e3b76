"""A release as tables of a Spark catalog, written next to the previous ones, and views that are
switched to the new tables. Any other object in the schema, or property of its tables and views, is
not part of a release and is refused.

Spark has no transaction over several tables: the views are switched one after the other, each at
once.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from anonsql.engines import contents
from anonsql.engines.base import (
    BASE_PARTS,
    EXTRA_PART,
    VIEW_PARTS,
    Context,
    Part,
    Relation,
    extras_if_release,
    extras_of,
    is_release,
    names_of,
    parts_of,
)
from anonsql.engines.contents import Item
from anonsql.engines.spark.engine import SparkEngine
from anonsql.engines.target import Columns, Given, ServerTarget, Tables
from anonsql.errors import PolicyError
from anonsql.policy.release_parts import WHOLE, part_name
from anonsql.policy.table_columns import TableColumns

VERSION = re.compile(r"__v[0-9a-f]{16}$", re.I)
"""How the name of a table ends that a view shows."""
_ALL_OF = "SELECT * FROM "
_DETAILS = "# Detailed Table Information"
_OF_EVERY_TABLE = {
    *("Catalog", "Database", "Table", "Owner", "Created Time", "Last Access", "Created By", "Type"),
    *("Location", "Statistics", "View Text", "View Original Text", "View Schema Mode"),
    *("View Catalog and Namespace", "View Query Output Columns"),
    *("Serde Library", "InputFormat", "OutputFormat"),
}
"""What the catalog says of every table or view by itself."""
_HARMLESS = {
    "Provider": re.compile(r"(?i)parquet"),
    "Collation": re.compile(r"UTF8_BINARY"),
    "Storage Properties": re.compile(r"\[serialization\.format=1\]"),
    "Table Properties": re.compile(r"\[transient_lastDdlTime=\d+\]"),
    "Comment": re.compile(""),
    "Partition Provider": re.compile("Catalog"),
}
"""What it says of some, and says nothing with these values."""
Described = Sequence[tuple[Any, ...]]
"""The rows of ``DESCRIBE TABLE EXTENDED``."""
_FILE = re.compile(
    r"part-[0-9A-Za-z.-]+\.parquet|_SUCCESS|\.(?:part-[0-9A-Za-z.-]+\.parquet|_SUCCESS)\.crc"
)


def unexpected_objects(
    engine: SparkEngine, schema: Relation, table: str, parts: Sequence[Part]
) -> Sequence[str]:
    """Describe the objects in the schema of a release that are not part of it, and the properties
    of its views and of the tables that they show. Other releases in the schema are ignored."""
    existing = engine.names_in(schema) or []
    known = {name.lower(): name for name in existing}
    own = [known[name] for part in parts if (name := part_name(table, part).lower()) in known]
    items, expected = [], set[Item]()
    for name in existing:
        kind = "view" if engine.is_view((*schema, name)) else "table"
        items.append(Item(kind, name))
    for name in [*own, *_views_of_others(engine, schema, known, own)]:
        shown, odd = _shown(engine, schema, name)
        items += odd if name in own else []
        expected |= {
            Item("view", name),
            *(Item(kind, shown) for kind in ("table", "view") if shown),
        }
        items += _of_relation(engine, (*schema, shown)) if shown and name in own else []
    items += [
        Item("function", row[0].rpartition(".")[2])
        for row in engine.query("engines/spark/functions", schema=schema)
        if row[0].lower().startswith(f"{'.'.join(schema)}.".lower())
        or f".{schema[-1]}.".lower() in row[0].lower()
    ]
    for key, value, *_ in engine.query("engines/spark/schema", schema=schema):
        if key in ("Comment", "Properties") and value not in ("", "()", None):
            items.append(Item(f"{key.lower()} of the schema", schema[-1]))
    return contents.unexpected_objects(items, expected)


def staged(engine: SparkEngine, relations: Sequence[Relation]) -> Sequence[str]:
    """Describe the properties of the tables of a staged release."""
    items = [item for relation in relations for item in _of_relation(engine, relation)]
    return contents.unexpected_objects(items, ())


def _views_of_others(
    engine: SparkEngine, schema: Relation, known: Mapping[str, str], own: Sequence[str]
) -> list[str]:
    others: list[str] = []
    for name, spelled in known.items():
        about = part_name(name, "about")
        if spelled in own or about not in known or not is_release(engine, (*schema, about)):
            continue
        for part in parts_of(extras_of(engine, (*schema, about))):
            if (view := part_name(name, part).lower()) in known:
                others.append(known[view])
    return others


def _shown(engine: SparkEngine, schema: Relation, view: str) -> tuple[str, list[Item]]:
    """Return the table that a view of a release shows, and the problems of the view: it must be all
    of one table of its own name and schema."""
    rows = engine.query("engines/spark/described", relation=(*schema, view))
    described = _facts(rows)
    text = described.get("View Text", "")
    *_, location, shown = ["", "", *text.removeprefix(_ALL_OF).replace("`", "").split(".")]
    plain = text.startswith(_ALL_OF) and text == described.get("View Original Text")
    odd = _of_described(engine, (*schema, view), rows)
    name = VERSION.sub("", shown).lower()
    if not plain or location.lower() != schema[-1].lower() or name != view.lower() or name == shown:
        return "", [*odd, Item("text of view", view)]
    return shown, odd


def _facts(rows: Described) -> dict[str, str]:
    names = [row[0] for row in rows]
    start = names.index(_DETAILS) + 1 if _DETAILS in names else len(names)
    return {str(name): str(value) for name, value, _ in rows[start:] if name}


def _of_relation(engine: SparkEngine, relation: Relation) -> list[Item]:
    """Return the properties of a table other than names and types of columns, and the files in its
    folder that are none of its rows."""
    rows = engine.query("engines/spark/described", relation=relation)
    items = _of_described(engine, relation, rows)
    return items + _foreign_files(_facts(rows).get("Location", ""), VERSION.sub("", relation[-1]))


def _of_described(engine: SparkEngine, relation: Relation, rows: Described) -> list[Item]:
    shown = VERSION.sub("", relation[-1])
    items = [
        Item("type, comment, declared length or other metadata of", name, of=shown)
        for name in engine.odd_columns(relation)
    ]
    items += [
        Item(f"section {name} of", shown)
        for name, *_ in rows
        if name.startswith("#") and name != _DETAILS
    ]
    for name, value in _facts(rows).items():
        harmless = _HARMLESS.get(name)
        if name not in _OF_EVERY_TABLE and not (harmless and harmless.fullmatch(value)):
            items.append(Item(f"{name} of", shown))
    return items


def _foreign_files(location: str, table: str) -> list[Item]:
    folder = Path(unquote(urlparse(location).path))
    if not location.startswith("file:") or not folder.is_dir():
        return []
    return [
        Item("file", path.name, of=table)
        for path in sorted(folder.iterdir())
        if not _FILE.fullmatch(path.name) or not path.is_file()
    ]


class SparkTarget(ServerTarget[SparkEngine]):
    """Views of the source's catalog, each showing a table of this version."""

    def __init__(self, engine: SparkEngine, policy: TableColumns, context: Context) -> None:
        super().__init__(engine, policy, context)
        self._version = f"__v{secrets.token_hex(8)}"
        self._to_drop: list[str] = []
        for name in self._names:
            if not re.fullmatch(r"[A-Za-z0-9_]+", name):
                text = f"{name!r} is not a name that every Spark catalog accepts."
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
                "this Spark keeps its tables in memory, so the release would vanish with the run."
            )
            remedy = (
                "Set engine.spark: {spark.sql.catalogImplementation: hive}, or release to a file."
            )
            raise PolicyError.at("release.database", text, remedy)
        self._require_own_schema()
        self._replaced()

    def _replaced(self) -> tuple[Sequence[str], Sequence[str]]:
        """Return the tables and views of the schema, and the other views of them that a release of
        this table also replaces; raise PolicyError where it would replace anything else."""
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

    def _unexpected_objects_staged(self, tables: Tables) -> Sequence[str]:
        return staged(self._engine, list(tables.values()))

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
        """Remove tables of earlier versions, published or left by a run that died: tables behind
        the views ``ours``, and of extra parts."""
        known = {name.lower() for name in existing}
        extra = re.compile(rf"{re.escape(self._table)}__{EXTRA_PART}", re.I)
        for name in existing:
            if not VERSION.search(name) or name.lower().endswith(self._version):
                continue
            shown = name.rpartition("__v")[0].lower()
            of_nobody = extra.fullmatch(shown) and f"{shown}__about" not in known
            if shown in ours or of_nobody:  # others are of another release
                self._drop(name)

    def _unexpected_objects(self, tables: Tables) -> Sequence[str]:
        return unexpected_objects(self._engine, self._schema, self._table, list(tables))

    def close(self) -> None:
        for name in reversed(self._to_drop):
            self._drop(name)
