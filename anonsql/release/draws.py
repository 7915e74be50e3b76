"""Values that are drawn anew (PRAM): the weight of each value, and the draws.

A value that k rows (or people) of the source have stays with the probability ``stay``; else it is
drawn with the weights of such values, so that P = stay I + (1 - stay) 1 w'. From w'P = w' their
expected counts stay in proportion. A rarer value is always drawn anew, and has no weight: rows with
it may be suppressed. Draws are whole numbers below 2^40, and so are weights: ``__about`` states
exactly the weights of the draws.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from anonsql.engines.base import Column, Engine, OfColumn, PlainColumn, Relation
from anonsql.errors import PolicyError
from anonsql.policy.changes import WHOLE, Drawn, Pram, cumulated
from anonsql.policy.privacy import Privacy
from anonsql.release.salts import fresh_salt
from anonsql.system.scalars import plain

MOST: Final = 100
"""The most values that a column may have: the proof looks at every pair of them."""


def planned(
    engine: Engine,
    source: Relation,
    columns: Sequence[Column],
    drawn: tuple[int, Pram],
    by: Privacy,
) -> Drawn:
    """Count the values of the column that is to be ``drawn`` (its number from 1, and how), and
    return the draw: the values that k rows or people have, ``by`` the policy's privacy. The scratch
    tables ``categories_<index>`` and ``draws_<index>`` have them. Raise PolicyError where there are
    too many values, none that k have, or they cannot be compared."""
    (index, pram), column = drawn, columns[drawn[0] - 1]
    where = f"columns.{column.name}.change.pram"
    if not column.exact or column.kind in ("float", "other"):
        text = f"the column is {column.family}, whose equal values can look different."
        raise PolicyError.at(where, text, "Cast the column to text in a view, or leave this out.")
    named = {"source": source, "name": column.name}
    rows, _, different = engine.query("release/changes/values", **named)[0]
    if different > MOST or 2 * different > rows:
        text = f"the column has {different:,} distinct values in {rows:,} rows; draws need at most"
        remedy = "Group its values in a view, or make it quasi-identifying."
        raise PolicyError.at(where, f"{text} {MOST:,}, with two rows for each on average.", remedy)
    table, own = f"categories_{index}", by_name(columns)
    a, people = own[column.name], own.get(by.entity or "")
    select = {"select": "release/changes/categories", "k": by.k, "people": people}
    engine.run("sql/table", name=table, source=source, a=a, **select)
    counted = engine.query("release/changes/counts", table=table, a=a)
    if not counted:
        text = (
            f"every value has fewer than {by.k:,} rows or people, and rare values are not released."
        )
        raise PolicyError.at(where, text, "Group its values in a view, or leave the column out.")
    weights = weights_of([int(n) for _, _, n in counted])
    places = [(place, low, high) for place, (low, high) in enumerate(cumulated(weights), start=1)]
    titles = [(name, "BIGINT") for name in ("place", "low", "high")]
    engine.load(f"draws_{index}", titles, places)
    return Drawn(
        index,
        column.name,
        _free(f"drawn {index}", columns),
        pram.stay,
        pram.limit,
        tuple(word for _, word, _ in counted),
        weights,
        different - len(counted),
    )


def weights_of(counts: Sequence[int]) -> tuple[int, ...]:
    """Return whole weights that sum to :data:`WHOLE`, each within 1 of its count's share."""
    total, weights, before = sum(counts), [], 0
    seen = 0
    for count in counts:
        seen += count
        upto = seen * WHOLE // total
        weights.append(upto - before)
        before = upto
    return tuple(weights)


def draw(
    engine: Engine, source: Relation, columns: Sequence[Column], drawn: Sequence[Drawn], table: str
) -> Relation:
    """Make a scratch table of the source's columns with those of drawn values, and return it."""
    names = [column.name for column in columns]
    more = {"numbered": engine.own["hex_number"], "fence": engine.own["fence"]}
    with fresh_salt(engine):
        engine.run(
            "sql/table",
            name=table,
            select="release/changes/drawn",
            source=source,
            names=names,
            drawn=drawn,
            own=by_name(columns),
            **more,
        )
    for column in drawn:
        engine.drop(f"categories_{column.index}", f"draws_{column.index}")
    return (table,)


def by_name(columns: Sequence[Column]) -> dict[str, OfColumn]:
    """Return columns as templates take their values, by name."""
    return {column.name: PlainColumn(column) for column in columns}


def facts(drawn: Drawn) -> dict[str, str]:
    """Return the facts of ``__about`` on a drawn column: the probability to stay, and the drawn
    values with their weights, as JSON."""
    weights = [list(pair) for pair in zip(drawn.values, drawn.weights, strict=True)]
    told = {"of": WHOLE, "weights": weights}
    return {
        f"change.{drawn.name}.stay": plain(drawn.stay),
        f"change.{drawn.name}.drawn": json.dumps(told, ensure_ascii=False),
    }


def _free(name: str, columns: Sequence[Column]) -> str:
    while name in {column.name.lower() for column in columns}:
        name += "_"
    return name
