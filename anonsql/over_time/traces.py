"""Which rows are held back, so that all releases of a table together keep the promise.

A row's trace is the class in which each release so far has it, or *absent*. After every release all
rows that were ever released and have one trace must keep the promise. The rows of one trace that
fall into one class now are a *part* of it. A part that does not keep the promise by itself is held
back. Rows that were released before and are absent now, gone from the source or held back, must
keep it too, unless the whole trace is absent: where they do not, more rows of the trace are held
back with them, as many as are lacking, drawn at random from its largest part, or else its smallest
part whole.

By induction a trace that is absent as a whole keeps the promise, for it kept it before; so the
steps end, at the latest with nothing of the trace released.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from anonsql.engines.base import Column, Engine, PlainColumn, Relation
from anonsql.hierarchies.dimensions import Attribute
from anonsql.privacy.promise import Promise
from anonsql.star.coded import Coded
from anonsql.star.lattice import Levels

FOLLOWED = "followed"
"""The scratch view of the source without the rows that are held back."""
TRACED = "with_traces"
"""The scratch view of rows of the source that has their traces, too."""


@dataclass(frozen=True)
class Rows:
    """The rows whose traces are followed: the ``source``, the ``key`` column that names its rows,
    the quasi-identifying ``attributes`` with the ``levels`` that are to be released, by index, and
    the ``coded`` columns that the promise is about."""

    source: Relation
    key: PlainColumn
    attributes: Sequence[Attribute]
    levels: Levels
    coded: Sequence[Coded]
    promise: Promise

    @property
    def people(self) -> int:
        """The number of the coded column that identifies people, from 1; 0 where there is none."""
        numbers = [
            n for n, column in enumerate(self.coded, 1) if column.index == self.promise.people
        ]
        return numbers[0] if numbers and self.promise.people else 0


@dataclass(frozen=True)
class GroupedTraces:
    """How rows are released by groups, which were made of the rows of ``source`` ``within`` their
    traces; groups with the same values in all columns ``keys`` are released with equal labels. The
    tables ``assigned`` and ``groups`` are described in :mod:`anonsql.methods.groups`."""

    source: Relation
    within: Sequence[Coded]
    keys: Sequence[str]


@dataclass(frozen=True)
class TraceSizes:
    """Numbers of rows after a decision: ``released``, ``held_back`` (the source has them), ``gone``
    (released before, and the source does not have them), ``known`` (released before, and the source
    has them), ``exposed`` (in traces of fewer than k), and of the ``smallest`` trace."""

    released: int
    held_back: int
    gone: int
    known: int
    exposed: int
    smallest: int

    def then(self, later: TraceSizes) -> TraceSizes:
        """Return the sizes after a ``later`` decision about the rows that this one released."""
        return replace(later, gone=self.gone, known=self.known)


def follow(engine: Engine, rows: Rows) -> None:
    """Make the tables of the source's rows with traces; needs the ledger's rows and secret."""
    shared = {"attributes": rows.attributes, "coded": rows.coded}
    keyed = engine.own["keyed_hash"]
    parameters = {"source": rows.source, "key": rows.key, "levels": rows.levels, "hash": keyed}
    engine.run("over_time/tracked", **parameters, **shared)
    engine.run("over_time/classes", attributes=rows.attributes)
    for column in rows.coded:
        engine.run("over_time/hashed_values", a=column, hash=keyed)
    engine.run("over_time/remembered", coded=rows.coded)
    engine.run("over_time/traced", **shared)
    engine.drop("tracked")
    engine.run("over_time/missing")
    engine.run("over_time/absent", coded=rows.coded)


def hold_back(
    engine: Engine,
    rows: Rows,
    *,
    protect: bool,
    refused: Sequence[Sequence[int]] = (),
    again: bool = False,
) -> TraceSizes:
    """Decide which rows are held back; make the tables ``held`` and ``ledger_next``, and the view
    :data:`FOLLOWED`. ``protect``: absent rows must keep the promise, too; ``refused`` are classes
    that must not be released, by the codes of their attributes; ``again``: the rows are from that
    view, and more of them are held back."""
    _refuse(engine, rows, refused)
    engine.run("over_time/parts")
    while _step(engine, rows, protect=protect):
        pass
    engine.run("over_time/placed", coded=rows.coded)
    engine.run("over_time/held_more" if again else "over_time/held")
    engine.run("over_time/next", placed="placed", coded=rows.coded)
    released, smallest, exposed = _sizes(engine, rows)
    before, gone = engine.query("over_time/known")[0]
    held = engine.query("sql/rows", table="held")[0][0]
    if not again:
        _make_view(engine, FOLLOWED, "over_time/followed", source=rows.source, key=rows.key)
    return TraceSizes(released, held, gone, before - gone, exposed, smallest)


def _sizes(engine: Engine, rows: Rows) -> tuple[int, int, int]:
    """Return how many rows are released, the smallest trace has, and are exposed."""
    released, smallest, exposed = engine.query(
        "over_time/sizes", k=rows.promise.k, people=rows.people
    )[0]
    return released, smallest, exposed


def _make_view(engine: Engine, view: str, select: str, **given: Any) -> None:
    engine.run(engine.own["scratch_view"], view=(view,), select=select, **given)


def give(engine: Engine, rows: Rows, name: str) -> None:
    """Make the view :data:`TRACED` of rows that are not held back, with their traces."""
    engine.run("over_time/released_rows")
    parameters = {"source": rows.source, "key": rows.key, "name": name}
    _make_view(engine, TRACED, "over_time/with_traces", **parameters)


def place_in_groups(
    engine: Engine, rows: Rows, sizes: TraceSizes, grouped: GroupedTraces
) -> TraceSizes:
    """Make ``ledger_next`` anew for rows released by groups; return the sizes."""
    parameters = {"source": grouped.source, "within": grouped.within, "keys": grouped.keys}
    shared = {"key": rows.key, "attributes": rows.attributes, "coded": rows.coded}
    engine.run("over_time/grouped_rows", **parameters, **shared)
    engine.drop("ledger_next")
    engine.run("over_time/next", placed="grouped_rows", coded=rows.coded)
    engine.drop("grouped_rows")
    released, smallest, exposed = _sizes(engine, rows)
    held_back = sizes.held_back + sizes.released - released
    return replace(
        sizes, released=released, held_back=held_back, smallest=smallest, exposed=exposed
    )


def forget_rows(engine: Engine, rows: Rows) -> None:
    """Remove what following rows made, but the view and what is held back."""
    of_rows = ("tracked_classes", "remembered", "traced", "missing", "absent")
    of_decision = ("refused", "parts", "drawn", "placed", "ledger_next")
    engine.drop(*of_rows, *of_decision, *(f"hashed_{column.index}" for column in rows.coded))


def forget_decision(engine: Engine) -> None:
    """Remove what :func:`hold_back` made, so that it can decide again."""
    engine.run("over_time/unfollowed", view=FOLLOWED)
    engine.drop("refused", "parts", "drawn", "placed", "held", "ledger_next")


def _refuse(engine: Engine, rows: Rows, refused: Sequence[Sequence[int]]) -> None:
    if not refused:
        engine.run("over_time/no_rows", table="refused", columns=[Column("class", "BIGINT")])
        return
    names = [(f"c{attribute.index}", "INTEGER") for attribute in rows.attributes]
    engine.load("refused_codes", names, refused)
    engine.run("over_time/refused", attributes=rows.attributes)
    engine.drop("refused_codes")


def _step(engine: Engine, rows: Rows, *, protect: bool) -> bool:
    promise = rows.promise
    engine.drop("drawn")
    engine.run("over_time/drawn")
    engine.run("over_time/standing", promise=promise, coded=rows.coded)
    judged = {"table": "standing", "keys": ["trace", "part"], "promise": promise}
    engine.run("sql/table", name="judged", select="privacy/classes", **judged)
    known = [column.index for column in rows.coded if column.index != promise.people]
    drawing = {"draw": not promise.people, "known": known}
    engine.run("over_time/settled", k=promise.k, protect=protect, **drawing)
    before, after = (
        engine.query("over_time/progress", table=name)[0] for name in ("parts", "next_parts")
    )
    engine.drop("standing", "judged")
    if before == after:
        engine.drop("next_parts")
        return False
    engine.drop("parts")
    engine.run("over_time/parts_again")
    engine.drop("next_parts")
    return True


def key_faults(engine: Engine, source: Relation, key: PlainColumn) -> tuple[int, int]:
    """Return how many rows have no key, and how many share theirs with others."""
    without, repeated = engine.query("over_time/keys", source=source, key=key)[0]
    return without, repeated


def missing_here(rows: int, k: int) -> str:
    """Return in words which rows a series with `deletions: tell` leaves exposed, without a stop."""
    are = "row of earlier releases that is missing here is"
    if rows != 1:
        are = "rows of earlier releases that are missing here are"
    return f"{rows:,} {are} among fewer than k={k:,} that are missing in the same way"
