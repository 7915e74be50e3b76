"""What lies in the schema of a release on Spark, or is set of its tables and views, and is no part
of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from anonsql.engines import contents
from anonsql.engines.base import Part, Relation, extras_of, is_release, parts_of
from anonsql.engines.contents import Item
from anonsql.engines.spark.engine import SparkEngine
from anonsql.policy.release_parts import part_name

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


def strangers(
    engine: SparkEngine, schema: Relation, table: str, parts: Sequence[Part]
) -> Sequence[str]:
    """Return in words what lies in the schema of a release and is no part of it, and what is set of
    its views and of the tables that they show. Other releases in the schema are none of its
    business."""
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
    return contents.strangers(items, expected)


def staged(engine: SparkEngine, relations: Sequence[Relation]) -> Sequence[str]:
    """Return in words what is set of the tables of a staged release."""
    items = [item for relation in relations for item in _of_relation(engine, relation)]
    return contents.strangers(items, ())


def _views_of_others(
    engine: SparkEngine, schema: Relation, known: Mapping[str, str], own: Sequence[str]
) -> list[str]:
    """Return the views of other releases in the schema, as the ``__about`` of each says."""
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
    """Return the table that a view of a release shows, and what is wrong with the view: it must be
    all of one table of its own name and schema."""
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
    """Return what the catalog says of a table or view besides its columns."""
    names = [row[0] for row in rows]
    start = names.index(_DETAILS) + 1 if _DETAILS in names else len(names)
    return {str(name): str(value) for name, value, _ in rows[start:] if name}


def _of_relation(engine: SparkEngine, relation: Relation) -> list[Item]:
    """Return what is set of a table besides names and types of columns, and the files in its folder
    that are none of its rows."""
    rows = engine.query("engines/spark/described", relation=relation)
    items = _of_described(engine, relation, rows)
    return items + _foreign_files(_facts(rows).get("Location", ""), VERSION.sub("", relation[-1]))


def _of_described(engine: SparkEngine, relation: Relation, rows: Described) -> list[Item]:
    """Return what is set of a table or view and its columns, by what the catalog says of it."""
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
    """Return what lies in the folder of a table on this machine and is no file of its rows."""
    folder = Path(unquote(urlparse(location).path))
    if not location.startswith("file:") or not folder.is_dir():
        return []
    return [
        Item("file", path.name, of=table)
        for path in sorted(folder.iterdir())
        if not _FILE.fullmatch(path.name) or not path.is_file()
    ]
