"""The scratch tables that statements of this package make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anonsql.engines.base import Engine


def make(
    engine: Engine, name: str, select: str, folder: str = "search", /, **parameters: Any
) -> None:
    """Make or replace a scratch table from a template in a folder of ``relational/``."""
    engine.drop(name)
    settings = {"name": name, "select": f"relational/{folder}/{select}"}
    engine.run("sql/table", **settings, **parameters)


def rows_of(engine: Engine, table: str) -> int:
    """Return how many rows a scratch table has."""
    rows: int = engine.query("sql/rows", table=table)[0][0]
    return rows


def people_of(engine: Engine, tables: Sequence[str], together: int) -> Mapping[int, int]:
    """Return how many people have rows in tables of rows to suppress, by node with any."""
    rows = engine.query("relational/search/people", tables=tables, together=together)
    return {int(node): int(people) for node, people in rows}
