"""Find the relation that a name in the policy means, and whose code runs when it is read.

A session's own path holds nothing but the server's catalog, so a name without a schema is looked up
here, along the path that the role's sessions have by themselves. A name that several relations have
is refused: otherwise any role that may create in a schema of that path could have its view read
instead of the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from anonsql.errors import PolicyError

Found = tuple[str, str, bool]
"""A relation: schema, name, whether the role may read it."""
_SCHEMA = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^",\s]+))\s*(?:,|\Z)')


def schemas_of(setting: str, role: str) -> list[str]:
    """Return the schemas of a ``search_path`` setting, without the server's own."""
    names = [
        quoted.replace('""', '"') or plain.lower() for quoted, plain in _SCHEMA.findall(setting)
    ]
    path = [role if name == "$user" else name for name in names]
    return [name for name in dict.fromkeys(path) if not name.startswith("pg_")]


def matches(table: str, found: Iterable[Found], path: Sequence[str]) -> list[Found]:
    """Return the relations that ``table`` may mean: relations whose name with schema it is, before
    those found on the path. If the role may read any of them, only those are returned."""
    known = list(found)
    if qualified := [each for each in known if table == f"{each[0]}.{each[1]}"]:
        return qualified
    bare = [each for each in known if table == each[1] and each[0] in path]
    return [each for each in bare if each[2]] or bare[:1]


def require_one(table: str, named: Sequence[Found], where: str) -> Found:
    """Return the relation that a name means; raise PolicyError at ``where`` when it means
    several."""
    if len(named) > 1:
        several = ", ".join(f"{schema}.{name}" for schema, name, _ in named)
        raise PolicyError.at(
            where, f"{table!r} means several tables: {several}.", "Write the schema: schema.table."
        )
    return named[0]


def foreign_code(relation: str, rows: Sequence[tuple[str, str, str, str, bool]]) -> tuple[str, str]:
    """Return what is wrong with a relation that runs code of others, and what to do."""
    kind, name, owner, me, _ = rows[0]
    others = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
    text = (
        f"reading {relation} can run code of the role {owner}, who owns the {kind} {name}{others}, "
        f"with the rights of the role {me}."
    )
    remedy = (
        f"Let a superuser or the owner of {relation} own it, or copy the rows into a table whose "
        "columns have types of the server."
    )
    return text, remedy
