"""What lies in the schema of a release on PostgreSQL, or belongs to its tables, and is no part of
it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from anonsql.engines import contents
from anonsql.engines.base import VIEW_PARTS, Part, Relation, extras_of, is_release
from anonsql.engines.contents import Item
from anonsql.engines.postgres.engine import PostgresEngine
from anonsql.errors import PolicyError


def strangers(
    engine: PostgresEngine, tables: Mapping[Part, Relation], claims: Sequence[str] = ()
) -> Sequence[str]:
    """Return in words what lies in the schema of a release, or belongs to its ``tables`` and views,
    and is no part of it. ``claims`` are the tables by which this run itself keeps others away.
    Other releases in the schema are none of its business."""
    schema = tables["rows"][0]
    views = sorted(table[-1] for part, table in tables.items() if part in VIEW_PARTS)
    own = sorted(table[-1] for part, table in tables.items() if part not in VIEW_PARTS)
    rows = engine.query("engines/postgres/contents", schema=schema, tables=own, views=views)
    items = [Item(*row) for row in rows]
    items += [
        Item("rows written later in", name)
        for name in own
        if engine.query("engines/postgres/writers", table=(schema, name))[0][0] > 1
    ]
    others = {item.name for item in items if item.kind == "table"}.difference(own, views)
    readable = {
        name
        for known, name, may_read in engine.query("engines/postgres/tables")
        if may_read and known == schema
    }
    beside = contents.other_releases(others, partial(_extras, engine, schema, readable))
    return contents.strangers(items, contents.allowed([*own, *claims], views) | beside)


def _extras(
    engine: PostgresEngine, schema: str, readable: set[str], about: str
) -> Sequence[Part] | None:
    """Return the extra parts of a release by the name of its ``__about``, None where it is none, or
    reading it would run code. Of one that this role may not read, its name says that it is one."""
    if about not in readable:
        return VIEW_PARTS
    relation = (schema, about)
    try:
        engine.require_plain([relation], "release.table")
    except PolicyError:
        return None
    return extras_of(engine, relation) if is_release(engine, relation) else None
