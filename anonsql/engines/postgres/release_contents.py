"""What lies in the schema of a release on PostgreSQL, or belongs to its tables, and is no part of
it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from anonsql.engines import contents
from anonsql.engines.base import VIEW_PARTS, Part, Relation, extras_of, is_release, parts_of
from anonsql.engines.contents import Item
from anonsql.engines.postgres.engine import PostgresEngine
from anonsql.errors import PolicyError
from anonsql.policy.parts import part_name


def strangers(
    engine: PostgresEngine,
    schema: str,
    names: Sequence[str],
    views: Sequence[str],
    claims: Sequence[str] = (),
) -> Sequence[str]:
    """Return in words what lies in the schema of a release, or belongs to its tables and views
    ``names``, and is no part of it. ``views`` are those names that views have; ``claims`` the
    tables by which this run itself keeps others away. Other releases in the schema are none of its
    business."""
    own_views = sorted(set(names).intersection(views))
    own = sorted(set(names).difference(views))
    rows = engine.query("engines/postgres/contents", schema=schema, tables=own, views=own_views)
    items = [Item(*row) for row in rows]
    items += [
        Item("rows written later in", name)
        for name in own
        if engine.query("engines/postgres/writers", table=(schema, name))[0][0] > 1
    ]
    tables = {item.name for item in items if item.kind == "table"}.difference(names)
    allowed = contents.allowed([*own, *claims], own_views)
    return contents.strangers(items, allowed | _other_releases(engine, schema, tables))


def _other_releases(
    engine: PostgresEngine, schema: str, tables: Collection[str]
) -> frozenset[Item]:
    """Return what belongs to other releases, of which the ``tables`` of a schema are some, as the
    ``__about`` of each says; of one that this role may not read, its names say it."""
    readable = {
        (known, name)
        for known, name, may_read in engine.query("engines/postgres/tables")
        if may_read
    }
    others: set[Item] = set()
    for name in tables:
        about = (schema, part_name(name, "about"))
        if about[1] not in tables:
            continue
        extras: Sequence[Part] = VIEW_PARTS
        if about in readable:
            if not _is_plain_release(engine, about):
                continue
            extras = extras_of(engine, about)
        views = [part_name(name, part) for part in extras if part in VIEW_PARTS]
        parts = [part for part in parts_of(extras) if part not in VIEW_PARTS]
        others |= contents.allowed([part_name(name, part) for part in parts], views)
    return frozenset(others)


def _is_plain_release(engine: PostgresEngine, about: Relation) -> bool:
    """Return whether a table is the ``__about`` of a release, and reading it runs no code."""
    try:
        engine.require_plain([about], "release.table")
    except PolicyError:
        return False
    return is_release(engine, about)
