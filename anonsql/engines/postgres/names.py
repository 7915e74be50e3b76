"""Which relation a name in the policy means, and the refusal of a relation that runs others' code.

The search_path of anonsql's own sessions has nothing but the server's catalog. So a name without a
schema is looked up here, along the search_path that the role's sessions have by default. A name
that several relations have is refused: otherwise any role that may create views in a schema of that
path could have its view read instead of the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from anonsql.errors import PolicyError

_SCHEMA = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^",\s]+))\s*(?:,|\Z)')


class NamedRelation(NamedTuple):
    """A relation of the database, and whether the role may read it."""

    schema: str
    name: str
    readable: bool


def schemas_of(setting: str, role: str) -> list[str]:
    """Return the schemas of a ``search_path`` setting in its order, without the server's own.
    ``$user`` in it stands for the schema of the name of the ``role``."""
    names = [
        quoted.replace('""', '"') or plain.lower() for quoted, plain in _SCHEMA.findall(setting)
    ]
    path = [role if name == "$user" else name for name in names]
    return [name for name in dict.fromkeys(path) if not name.startswith("pg_")]


def matches(
    table: str, relations: Iterable[NamedRelation], path: Sequence[str]
) -> list[NamedRelation]:
    """Return which of the ``relations`` the name ``table`` may mean.

    Those are the relations with that name including the schema. Where there are none, they are the
    readable ones with that name in a schema of the ``path``, or one unreadable one where the role
    may read none. The list is empty where no relation has the name.
    """
    known = list(relations)
    if qualified := [column for column in known if table == f"{column.schema}.{column.name}"]:
        return qualified
    on_path = [row for row in known if table == row.name and row.schema in path]
    return [row for row in on_path if row.readable] or on_path[:1]


def require_one(table: str, matching: Sequence[NamedRelation], where: str) -> NamedRelation:
    """Return the only relation of ``matching``, which is not empty; raise PolicyError at ``where``
    when the name ``table`` means several."""
    if len(matching) > 1:
        several = ", ".join(f"{row.schema}.{row.name}" for row in matching)
        raise PolicyError.at(
            where, f"{table!r} means several tables: {several}.", "Write the schema: schema.table."
        )
    return matching[0]


class OthersCode(NamedTuple):
    """Code that reading a relation may run: a row of ``engines/postgres/others_code``. What is
    ``wrong``: its ``owner`` is somebody else, or, whosever it is, what its ``body`` calls cannot be
    followed, or it runs a ``statement`` that it is given as text."""

    kind: str
    name: str
    owner: str
    reader: str
    own_relation: bool
    wrong: Literal["owner", "body", "statement"]


def foreign_code(relation: str, codes: Sequence[OthersCode]) -> tuple[str, str]:
    """Return what is wrong with a relation that runs ``codes``, at least one, and what to do."""
    code = codes[0]
    others = f" and {len(codes) - 1} more" if len(codes) > 1 else ""
    if code.wrong == "owner":
        return (
            f"reading {relation} can run code of the role {code.owner}, who owns the {code.kind}"
            f" {code.name}{others}, with the rights of the role {code.reader}.",
            f"Let a superuser or the owner of {relation} own it, or copy the rows into a table"
            " whose columns have types of the server.",
        )
    if code.wrong == "statement":
        return (
            f"reading {relation} calls {code.name}{others}, which runs a statement given as text,"
            f" and so anybody's code, with the rights of the role {code.reader}.",
            "Leave it out of the view, or copy the rows into a table.",
        )
    return (
        f"reading {relation} runs the function {code.name} of the role {code.owner}{others}, whose"
        " body the server cannot follow: it may call anybody's code, with the rights of the role"
        f" {code.reader}.",
        "Write it in SQL with RETURN or BEGIN ATOMIC in the place of a string (PostgreSQL 14 or"
        " newer), leave it out, or copy the rows into a table.",
    )
