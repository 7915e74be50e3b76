"""A random sample of the source: each row is kept with the same probability, by a draw of 40 bits
that cannot be repeated (:mod:`anonsql.release.salts`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from anonsql.engines.base import Column, Engine, Relation
from anonsql.release.salts import fresh_salt

SAMPLED: Final = "sampled"


def sample(engine: Engine, source: Relation, columns: Sequence[Column], limit: int) -> Relation:
    """Make and return a scratch table of rows, each kept with probability ``limit`` / 2^40."""
    parameters = {"source": source, "names": [column.name for column in columns], "limit": limit}
    own = {"numbered": engine.own["hex_number"], "fence": engine.own["fence"]}
    with fresh_salt(engine):
        engine.run("sql/table", name=SAMPLED, select="release/sampled", **parameters, **own)
    return (SAMPLED,)
