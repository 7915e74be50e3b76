"""The joint risk of several releases of one table: the sets of rows of the source that an attacker
who has all of the releases cannot distinguish.

The attacker knows all quasi-identifying values, when the target's row was in the source, and which
released rows of two releases are the same row's. So the attacker knows the target's **trace**: for
each release the class of the row, or that it was absent. Rows of the source with the same trace are
a set. Rows that no release has are in none. (Ganta, Kasiviswanathan, Smith: Composition attacks and
auxiliary information in data privacy, KDD 2008.)

The source determines the traces:

- A row was released in the class whose labels include its values, and is absent if there is none. A
  release in which a row fits several classes is refused.
- If a class has fewer released rows than rows fit it, some of these are absent. Kept values decide
  which, as far as they can (``attacks/composition/placed``). If a row is open in one release alone,
  the numbers are known. All other open rows are *undetermined*.
- The source is assumed to have the rows of all releases, with unchanged values. Released rows
  without a row of the source are counted (``unseen``). Masked rows count as absent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonsql.attacks.sides import MOST_PAIRS, SOURCE, Facet, Sides, TooManyPairsError
from anonsql.engines.base import Column, Engine, OfColumn, Relation
from anonsql.errors import PolicyError
from anonsql.release.staging import free_name


@dataclass(frozen=True)
class _Person(OfColumn):
    """The column of people, in the shape in which templates take attributes."""

    column: Column


@dataclass(frozen=True)
class Placed:
    """The rows of the source in the classes of one release, by ``columns``: ``classes``, rows of
    the smallest one, rows of the source that fit one, those of them that are not released
    (``left_out``), and released rows without one (``unseen``). ``table`` has the class of each
    row."""

    table: str
    columns: tuple[str, ...]
    classes: int
    least: int
    fitting: int
    left_out: int
    unseen: int


@dataclass(frozen=True)
class Sets:
    """The sets that releases leave together: how many, the ``rows`` of the one with fewest
    ``units`` that k counts (people, where the policy names them), the sets and rows below k, the
    rows that are surely in a release, and the ``undetermined`` ones."""

    columns: tuple[str, ...]
    originals: int
    sets: int
    rows: int
    units: int
    small_sets: int
    small_rows: int
    released: int
    undetermined: int


class Composition:
    """The scratch tables of one comparison, in the source's engine."""

    def __init__(self, engine: Engine, source: Relation) -> None:
        columns = [column.name for column in engine.columns(source) if column.comparable]
        self._engine, self._row = engine, free_name(columns)
        self._traces: list[str] = []
        named = {"source": source, "row": self._row, "columns": columns}
        engine.run("attacks/composition/rows", **named)

    def place(self, name: str, sides: Sides, known: Sequence[Facet]) -> Placed:
        """Find the class of a release for each row of the source, by the facets that are ``known``;
        ``name`` is for messages. Raise PolicyError where labels cannot be read, or rows fit several
        classes."""
        engine, kept = self._engine, [one for one in sides.values if one not in known]
        both = [f"v{facet.number}" for facet in (*known, *kept)]
        sides.hold_against(SOURCE, known)
        sides.look_through(known)
        self._require_read(name, known)
        try:
            pairs = sides.joined(known)
        except TooManyPairsError:
            text = f"rows of the source may match its classes in more than {MOST_PAIRS:,} pairs."
            raise PolicyError.at(name, text, "Compare releases with finer labels.") from None
        try:
            steps = len(known)
            several = int(engine.query("attacks/composition/several", steps=steps)[0][0])
            if several:
                text = f"{several:,} rows of the source match several of its classes."
                raise PolicyError.at(name, text, NO_CLASSES)
            sides.run(
                "attacks/composition/placed",
                "together_placed",
                steps=steps,
                known=both[:steps],
                kept=both[steps:],
                facets=both,
            )
        finally:
            pairs.drop()
        table = f"together_trace_{len(self._traces) + 1}"
        self._traces.append(table)
        sides.code_rows(
            ("together_rows",), "attacks/composition/trace", made=table, row=self._row, joined=both
        )
        classes, least, fitting, left_out, unseen = map(
            int, engine.query("attacks/composition/sizes")[0]
        )
        columns = tuple(facet.name for facet in known)
        return Placed(table, columns, classes, least, fitting, left_out, unseen)

    def sets(self, placed: Sequence[Placed], k: int, entity: Column | None) -> Sets:
        """Return the sets of some releases, placed by the same columns. With ``entity`` k counts
        its values."""
        engine, places = self._engine, list(range(1, len(placed) + 1))
        person = None if entity is None else _Person(entity)
        shared = {"releases": places, "entity": person}
        traces = [(place, one.table) for place, one in zip(places, placed, strict=True)]
        try:
            grouped = {"places": places, "traces": traces, "row": self._row, "entity": person}
            engine.run("attacks/composition/groups", **grouped)
            engine.run("attacks/composition/parts", k=k, **shared)
            rows = engine.query("attacks/composition/sets", **shared)
            originals, known = map(int, engine.query("attacks/composition/open")[0])
        finally:
            engine.drop("together_groups", "together_parts")
        sizes = [tuple(int(value) for value in row) for row in rows]
        least = min(sizes, key=lambda size: (size[1], size[0]), default=(0, 0, 0, 0))
        small = [size for size in sizes if size[1] < k]
        return Sets(
            columns=tuple(dict.fromkeys(name for one in placed for name in one.columns)),
            originals=originals,
            sets=sum(size[2] for size in sizes),
            rows=least[0],
            units=least[1],
            small_sets=sum(size[2] for size in small),
            small_rows=sum(size[3] for size in small),
            released=sum(size[3] for size in sizes),
            undetermined=originals - known,
        )

    def _require_read(self, name: str, known: Sequence[Facet]) -> None:
        """Raise PolicyError where no label covers a value of the source, as with other
        hierarchies."""
        for facet in known:
            asked = {"facet": facet.number, "tuples": "judged_tuples", "cells": "judged_cells"}
            strange, labels = self._engine.query("verification/linking/uncovering", **asked)[0]
            if strange and strange == labels:
                text = f"none of its {labels:,} labels of {facet.name!r} covers a value of the"
                remedy = "Name the policy that made the release, which has its hierarchies."
                raise PolicyError.at(name, f"{text} source.", remedy)

    def drop(self) -> None:
        """Drop all scratch tables."""
        self._engine.drop("together_rows", *self._traces)


NO_CLASSES = (
    "Releases can be compared if a row's values determine its class, as with full-domain,"
    " attribute-suppression or mondrian."
)
