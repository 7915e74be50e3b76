"""Rows of which nobody has more than a policy says, drawn at random in the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from anonsql.engines.base import Column, Engine, OfColumn, Relation
from anonsql.release.salts import fresh_salt

BOUNDED: Final = "bounded"


def bound(
    engine: Engine, source: Relation, columns: Sequence[Column], entity: OfColumn, rows: int
) -> Relation:
    """Make a scratch table of columns of the source, with ``rows`` random rows at most of every
    entity, and return it. Whoever else is in the source has no part in which rows are drawn."""
    names = [column.name for column in columns]
    parameters = {"source": source, "names": names, "entity": entity, "rows": rows}
    fence = engine.own["fence"]
    with fresh_salt(engine):
        engine.run(
            "sql/table", name=BOUNDED, select="statistics/bounded", fence=fence, **parameters
        )
    return (BOUNDED,)
