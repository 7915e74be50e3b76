"""Writing the rows of a release, sorted by their own content and numbered by it.

Rows of every table are sorted by all of their columns from the first to the last, NULL before other
values: numbers, moments and booleans by value, everything else by its text, byte by byte; equal
values with different texts (-0.0 and 0.0) then by their texts. Such an order is a function of the
rows: it reveals nothing more.

Numbers that a release gives to people, groups, buckets and rows follow from the content, too. They
are given one column after the other: the keys of tables by the names of the tables, then columns in
their order in these, the numbers of single rows last. Rows have places in the order of their
content without any numbers, then by the numbers that were given before; equal rows share one. A
number is greater than another

1. where its first row has a later place (in the table that it belongs to), else
2. where the sum of the hashes of all its rows' places is greater: of every place, behind the number
   of its table (among the tables with the number) and a full stop, the first 40 bits of the MD5.

Remaining ties are numbered at random: by the numbers that templates of rows give, which are random
(:mod:`anonsql.release.salts`), and never by the order in which an engine reads its rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anonsql.engines import exported_columns
from anonsql.engines.base import Column, Engine, Part
from anonsql.engines.target import Target
from anonsql.release.columns import ReleasedColumn
from anonsql.release.salts import fresh_salt

Number = Sequence[tuple[Part, str]]
"""What is numbered, by the columns of tables that have the number: that of its own table first."""


@dataclass(frozen=True)
class Rows:
    """The rows of a part: a template that selects them, with its parameters, and the columns."""

    part: Part
    template: str
    columns: Sequence[Column]
    parameters: Mapping[str, Any] = field(default_factory=dict)


def numbers_of(
    released: Sequence[ReleasedColumn], apart: Mapping[str, Part], part: Part = "rows"
) -> list[Number]:
    """Return a table's columns of numbers in order; ``apart``: separate tables that are joined by
    them."""
    kinds = ("group", "bucket", "record")
    numbers = [c for c in released if c.replaced == "surrogate" or c.kind in kinds]
    numbers.sort(key=lambda column: column.kind == "record")
    return [
        [(part, c.name), *((apart[c.name], c.name) for _ in range(c.name in apart))]
        for c in numbers
    ]


def stage(
    engine: Engine, target: Target, tables: Sequence[Rows], numbers: Sequence[Number]
) -> dict[tuple[Part, str], str]:
    """Write the rows of tables that have ``numbers`` in common. Return the scratch tables of each
    random number (``own``) and its replacement (``number``), by the own columns of the numbers."""
    if not numbers:
        for rows in tables:
            with fresh_salt(engine):
                target.stage(rows.part, rows.template, rows.columns, **rows.parameters)
        return {}
    for position, rows in enumerate(tables, start=1):
        with fresh_salt(engine):
            select = {"select": rows.template, **rows.parameters}
            engine.run("sql/table", name=f"unnumbered_{position}", **select)
    made = _number(engine, target, tables, numbers)
    replaced = {
        column: table for number, table in zip(numbers, made, strict=True) for column in number
    }
    for position, rows in enumerate(tables, start=1):
        name = f"unnumbered_{position}"
        own = {name: table for (part, name), table in replaced.items() if part == rows.part}
        given = {"source": (name,), "titles": [c.name for c in rows.columns], "numbers": own}
        target.stage(rows.part, "release/numbering/replaced", rows.columns, **given)
        engine.drop(name)
    return {number[0]: table for number, table in zip(numbers, made, strict=True)}


def _number(
    engine: Engine, target: Target, tables: Sequence[Rows], numbers: Sequence[Number]
) -> list[str]:
    """Return scratch tables of each random number (``own``) and its replacement (``number``), by
    the places of rows as the reader of the release will have them."""
    places: dict[Part, tuple[str, list[str]]] = {}
    reader = engine
    for position, rows in enumerate(tables, start=1):
        name = f"unnumbered_{position}"
        reader, table, columns = target.as_released(rows.part, name, rows.columns)
        own = [column for number in numbers for part, column in number if part == rows.part]
        content = [column for column in columns if column.name not in own]
        select = {"select": "release/numbering/content", "table": table, "columns": content}
        reader.run("sql/table", name=f"content_{position}", numbers=own, **select)
        places[rows.part] = (f"content_{position}", own)
    made: list[str] = []
    done: dict[tuple[Part, str], str] = {}
    for place, number in enumerate(numbers, start=1):
        extents = [_extent(places[part], part, column, done) for part, column in number]
        select = {"select": "release/numbering/numbered", "numbered": reader.own["hex_number"]}
        made.append(f"numbers_{place}")
        reader.run("sql/table", name=made[-1], extents=extents, **select)
        done |= dict.fromkeys(number, made[-1])
    for name, _ in places.values():
        reader.drop(name)
    for name in made if reader is not engine else ():
        exported_columns.bring(reader, name, engine, engine.context.workspace)
        reader.drop(name)
    return made


def _extent(
    content: tuple[str, list[str]], part: Part, column: str, done: Mapping[tuple[Part, str], str]
) -> dict[str, Any]:
    """Return what ``release/numbering/numbered`` takes of one column that has a number: its table
    of places, and the columns of that which are numbered already."""
    name, own = content
    before = [
        (position, done[part, other])
        for position, other in enumerate(own, start=1)
        if (part, other) in done
    ]
    return {"content": name, "number": own.index(column) + 1, "before": before}


def replace(engine: Engine, table: str, numbers: Mapping[str, str]) -> None:
    """Replace the numbers of a scratch table by new ``numbers``, by column."""
    names = [column.name for column in engine.columns((table,))]
    given = {"select": "release/numbering/replaced", "numbers": numbers, "titles": names}
    engine.run("sql/table", name="renumbered", source=(table,), **given)
    engine.drop(table)
    given |= {"numbers": {}}
    engine.run("sql/table", name=table, source=("renumbered",), **given)
    engine.drop("renumbered")
