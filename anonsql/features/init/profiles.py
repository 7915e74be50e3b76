"""What the columns of a table are like: counts and quantiles, computed in the database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anonsql.engines.base import Column, Engine, Relation
from anonsql.features.init.numbers import SHARES, Quantiles
from anonsql.features.init.proposals import Profile
from anonsql.hierarchies.patterns import FORMS, recognize
from anonsql.risks.contents import looking as contents
from anonsql.risks.keys_of_people.finding import keys

NUMBERS = ("integer", "decimal", "float")
"""The kinds of columns of numbers."""


def profiles_of(engine: Engine, relation: Relation) -> list[Profile]:
    """Return what the columns of a table are like."""
    columns = engine.columns(relation)
    numbers = engine.query("risks/kept/columns", relation=relation, columns=columns)
    forms = _forms(engine, relation, columns)
    quantiles = _quantiles(engine, relation, columns)
    of_people = {key.name: key for key in keys(engine, relation, columns, columns)}
    held = contents.look(engine, relation, columns, int(numbers[0][1]) if numbers else 0)
    return [
        replace(
            Profile(*(column, *row[1:])),
            form=recognize(forms.get(column.name, ()), row[1] - row[2]),
            held=held.get(column.name),
            quantiles=quantiles.get(column.name),
            key=of_people.get(column.name),
        )
        for column, row in zip(columns, numbers, strict=True)
    ]


def _quantiles(
    engine: Engine, relation: Relation, columns: Sequence[Column]
) -> dict[str, Quantiles]:
    wanted = [column for column in columns if column.kind in NUMBERS]
    if not wanted:
        return {}
    parameters = {"relation": relation, "columns": wanted, "shares": SHARES}
    return {
        column.name: Quantiles(tuple(map(float, values)))
        for column, (_, *values) in zip(
            wanted, engine.query("risks/kept/quantiles", **parameters), strict=True
        )
        if values[0] is not None
    }


def _forms(
    engine: Engine, relation: Relation, columns: Sequence[Column]
) -> dict[str, Sequence[int]]:
    texts = [column for column in columns if column.kind == "text"]
    if not texts:
        return {}
    counts = engine.query(
        "risks/kept/forms",
        relation=relation,
        columns=texts,
        expressions=[form.expression for form in FORMS],
    )
    return {column.name: row[1:] for column, row in zip(texts, counts, strict=True)}
