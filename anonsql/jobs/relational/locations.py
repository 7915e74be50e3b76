"""Whether several tables can be read and released where a policy says."""

from __future__ import annotations

import re

from anonsql.errors import PolicyError
from anonsql.policy.databases import of_several_tables
from anonsql.policy.locations import Places
from anonsql.policy.relational import RelationalPolicy


def require_supported(policy: RelationalPolicy, places: Places) -> None:
    """Raise PolicyError for a source that several tables are not released from, before it is
    connected to, and for a release in one file that holds one table."""
    database = places.source.database
    if not database.several_tables:
        title = f"{database.title} or {database.also}" if database.also else database.title
        raise PolicyError.at(
            "source.database",
            f"found {title}; several tables are released from {of_several_tables()}.",
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
