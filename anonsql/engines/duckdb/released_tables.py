"""Which release a file or a folder contains."""

from __future__ import annotations

import re
from contextlib import closing

from anonsql.engines.base import BASE_PARTS, EXTRA_PART, Context
from anonsql.engines.duckdb.engine import DuckDBEngine
from anonsql.errors import PolicyError
from anonsql.policy.locations import Location
from anonsql.policy.release_parts import part_name


def only_table(location: Location, context: Context, first: str | None = None) -> str:
    """Return the name of the only table that is released in a DuckDB file or a folder of Parquet
    files, or of the ``first`` of several that belong together; raise PolicyError when there is no
    release, or more than one. A Parquet or CSV file, and
    a file that does not exist, is the release of its own name: whoever opens it finds out."""
    path = location.path
    if location.is_single or not path.exists():
        return path.stem
    if location.kind == "folder":
        names = [column.name.removesuffix(".parquet") for column in path.iterdir()]
    else:
        with closing(DuckDBEngine(location, context)) as reader:
            reader.attach(path, "release", "release")
            names = reader.tables(("release",))
    released = [name for name in names if part_name(name, "about") in names]
    if first in released:
        return str(first)
    if len(released) != 1:
        raise PolicyError.at(
            "release",
            f"{path} is no release of anonsql.",
            "Name a file or folder that `anonsql run` made.",
        )
    return released[0]


def released_in(tables: set[str]) -> str | None:
    """Return the name of the release that ``tables`` are, where they are one and nothing else: its
    table, its other base parts, and perhaps extra parts."""
    for name in tables:
        base = {part_name(name, part) for part in BASE_PARTS}
        extra = re.compile(rf"{re.escape(name)}__{EXTRA_PART}")
        if base <= tables and all(extra.fullmatch(other) for other in tables - base):
            return name
    return None
