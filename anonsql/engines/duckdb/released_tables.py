"""Find out which table a file or folder is the release of."""

from __future__ import annotations

import re
from contextlib import closing

from anonsql.engines.base import BASE_PARTS, EXTRA_PART, Context, part_name
from anonsql.engines.duckdb.engine import DuckDBEngine
from anonsql.errors import PolicyError
from anonsql.policy.locations import Location


def only_table(place: Location, context: Context) -> str:
    """Return the table whose release lies at a place; raise PolicyError when there is no
    release."""
    path = place.path
    if place.kind == "parquet" or not path.exists():
        return path.stem
    if place.kind == "folder":
        names = [each.name.removesuffix(".parquet") for each in path.iterdir()]
    else:
        with closing(DuckDBEngine(place, context)) as reader:
            reader.attach(path, "release", "release")
            names = reader.tables(("release",))
    found = [name for name in names if part_name(name, "about") in names]
    if len(found) != 1:
        raise PolicyError.at(
            "release",
            f"{path} is no release of anonsql.",
            "Name a file or folder that `anonsql run` made.",
        )
    return found[0]


def released_in(tables: set[str]) -> str | None:
    """Return the table that all of ``tables`` are a release of, if there is one."""
    for each in tables:
        others = tables - {part_name(each, part) for part in BASE_PARTS}
        parts = re.compile(rf"{re.escape(each)}__{EXTRA_PART}")
        if {part_name(each, part) for part in BASE_PARTS} <= tables and all(
            parts.fullmatch(other) for other in others
        ):
            return each
    return None
