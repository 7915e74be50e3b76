"""The lock of a release on a server: at most one run at a time writes it.

A run claims its release by making an empty table beside it, in its own transaction: no other
session sees that table, and a session that makes one of the same name has to wait until the
transaction ends. Unlike an advisory lock, whose key any session may take, it can be held only by
roles that may create tables in the release's schema (or that schema, before the first release), and
such roles can obstruct the release in any case.
"""

from __future__ import annotations

import hashlib
from typing import Any

from anonsql.engines.postgres.engine import PostgresEngine
from anonsql.engines.postgres.errors import LockedError
from anonsql.errors import BusyError, PolicyError
from anonsql.policy.release_parts import part_name

_SECONDS, _LOOK = 3, 0.3
_USUAL = 60
"""Seconds that all other statements wait for a lock: the session's own setting."""


def claim_name(table: str) -> str:
    """Return the name of the table that claims a release, which is short however long the release's
    name is."""
    return f"anonsql_claim_{hashlib.sha256(table.encode()).hexdigest()[:16]}"


def claim(engine: PostgresEngine, schema: str, table: str, *, made: bool) -> None:
    """Claim a release until the transaction ends; raise BusyError that says who has it, or that it
    changed meanwhile.

    A schema that is ``made`` for it is open to nobody, whatever the role's default privileges say.
    """
    name, claimed, about = f"{schema}.{table}", claim_name(table), part_name(table, "about")
    parameters: dict[str, Any] = {
        "claim": (schema, claimed),
        "about": (schema, about),
        "schema": schema,
        "name": about,
    }
    if engine.execute("engines/postgres/claimed", **parameters)[0][0]:
        raise PolicyError.at(
            "release.table",
            f"{schema}.{claimed} is in the way: a table of that name locks {name} during a run.",
            "Drop it, and see to it that nobody else may create tables in the schema.",
        )
    engine.execute("engines/postgres/lock_timeout", seconds=_SECONDS)
    try:
        engine.execute(
            "engines/postgres/create_schema", patience=_LOOK, schema=schema, unless_there=True
        )
        if made:
            engine.execute("engines/postgres/revoke", schema=schema, tables=[])
        engine.execute("engines/postgres/claim", patience=_LOOK, table=(schema, claimed))
    except LockedError:
        who = engine.holders or "another run"
        raise BusyError(
            f"{name} on {engine.host} is locked by {who}. "
            "Wait until it has finished, then run again."
        ) from None
    engine.execute("engines/postgres/lock_timeout", seconds=_USUAL)
    if engine.execute("engines/postgres/claimed", **parameters)[0][1]:
        raise BusyError(
            f"{name} on {engine.host} was replaced by another run just now. "
            "Run again to do it anew."
        )


def let_go(engine: PostgresEngine, schema: str, table: str) -> None:
    """Drop the claim, as the last thing before the transaction ends."""
    engine.execute("engines/postgres/drop", table=(schema, claim_name(table)), view=False)
