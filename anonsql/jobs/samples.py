"""Samples of a source, on which ``advise`` tries methods in little time: all rows of some people,
chosen by a hash of the values that identify them. The choice is not random: every job of a source
has the same sample, and no two parts share a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from anonsql.engines.base import Column, Engine, PlainColumn, Relation

SAMPLE: Final = "sample_of_people"
_DRAWS: Final = 2**40


@dataclass(frozen=True)
class Size:
    """How many rows and people a source has; each row is a person where no ``entity`` is named."""

    rows: int
    people: int


@dataclass(frozen=True)
class Sample:
    """The ``part`` (from 1 on) of the people of a source, each part a ``share`` of them."""

    share: float
    part: int = 1


def size_of(
    engine: Engine, source: Relation, columns: Sequence[Column], entity: str | None
) -> Size:
    """Return the size of a source; ``entity`` is the column that identifies people, if any."""
    who = next((PlainColumn(column) for column in columns if column.name == entity), None)
    return Size(*map(int, engine.query("jobs/size", source=source, who=who)[0]))


def draw(
    engine: Engine,
    source: Relation,
    columns: Sequence[Column],
    sample: Sample,
    entity: str | None,
) -> Relation:
    """Make a scratch table of a sample of a source, and return it. Without an ``entity``, each row
    is a person, identified by the primary key that the database declares or by all of its values;
    of equal rows each is drawn by itself."""
    keys = [key.columns for key in engine.keys(source) if key.kind == "primary"]
    named = (entity,) if entity is not None else next(iter(keys), ())
    who = [column for column in columns if column.name in named]
    engine.run(
        "sql/table",
        name=SAMPLE,
        select="jobs/sample",
        source=source,
        names=[column.name for column in columns],
        who=[PlainColumn(one) for one in who or columns if one.kind != "other"],
        alike=not who,
        low=round((sample.part - 1) * sample.share * _DRAWS),
        high=round(sample.part * sample.share * _DRAWS),
        numbered=engine.own["hex_number"],
        fence=engine.own["fence"],
    )
    engine.describe_mended((SAMPLE,), source, columns)
    return (SAMPLE,)
