"""The problems of kept columns whose text holds what points to people, and is not accepted by
name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonsql.engines.base import Column, Engine, Relation
from anonsql.errors import Problem
from anonsql.policy.columns import KEPT, ColumnPolicy
from anonsql.risks.contents.looking import MOST_VALUES, Held, of_columns

_SHORT = ("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER")


def holds_text(column: Column) -> bool:
    """Return whether values of a column, as texts, can hold what points to people: of numbers those
    that have room for the number of a card."""
    if column.kind == "text":
        return column.type.upper() != "UUID"
    if column.kind == "integer":
        return column.type.upper() not in _SHORT
    return column.kind in ("other", "decimal")


def look(
    engine: Engine, relation: Relation, columns: Sequence[Column], rows: int
) -> dict[str, Held]:
    """Return what each column with text holds, by name, in a table of so many rows; those that hold
    nothing of note are left out."""
    texts = [column for column in columns if holds_text(column)]
    if not texts or not rows:
        return {}
    counts: Sequence[int] = [rows] * len(texts)
    if rows > MOST_VALUES:
        counts = engine.query("risks/kept/distinct", relation=relation, columns=texts)[0]
    return of_columns(engine, relation, dict(zip(texts, map(int, counts), strict=True)))


def problems(
    engine: Engine,
    relation: Relation,
    columns: Sequence[Column],
    settings: Mapping[str, ColumnPolicy],
    rows: int,
) -> list[Problem]:
    """Return a problem for each column that is released as it is and holds what its settings do not
    accept."""
    kept = [
        column
        for column in columns
        if column.name in settings and settings[column.name].role in KEPT
    ]
    by_name = look(engine, relation, kept, rows)
    return [
        _problem(name, settings[name], held)
        for name, held in by_name.items()
        if held.kinds.keys() - set(settings[name].contains)
    ]


def _problem(name: str, settings: ColumnPolicy, held: Held) -> Problem:
    """Return the problem of one column, with the way out."""
    new = [kind for kind in held.kinds if kind not in settings.contains]
    text = f"this {settings.role} column is released as it is, and {held.words(new)}."
    kinds = ", ".join((*settings.contains, *new))
    remedy = (
        "Make it identifying, or cut that out in a view. If it may be released all the same, say"
        f' so and why: {{role: {settings.role}, contains: [{kinds}], accepted: "…"}}.'
    )
    return Problem(f"columns.{name}", text, remedy)
