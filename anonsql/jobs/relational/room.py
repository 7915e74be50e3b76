"""Whether several tables can be read and released where a policy says."""

from __future__ import annotations

import re

from anonsql.errors import PolicyError
from anonsql.policy.locations import Places
from anonsql.policy.relational import RelationalPolicy

_ONE_TABLE_ENGINES = {"sqlite": "SQLite", "mysql": "MariaDB or MySQL"}


def require_room(policy: RelationalPolicy, places: Places) -> None:
    """Raise PolicyError for a source that several tables are not released from, before it is
    connected to, and for a release in one file that holds one table."""
    if places.source.kind in _ONE_TABLE_ENGINES:
        engine = _ONE_TABLE_ENGINES[places.source.kind]
        raise PolicyError.at(
            "source.database",
            f"found {engine}; several tables are released from DuckDB, PostgreSQL and Spark.",
            "Copy them to one of these, or name one table.",
        )
    if policy.whole.release.is_single_file:
        text = "a Parquet or CSV file holds one table, and this policy has several."
        remedy = "Name a folder (without a suffix), or a database."
        raise PolicyError.at("release.file", text, remedy)
    odd = [name for name in policy.released if re.search(r"[/\\\0]|^\.", name)]
    if policy.release.file is not None and odd:
        text = f"{odd[0]!r} is no name of a file."
        raise PolicyError.at("release.file", text, "Rename it in a view, or name a database.")
