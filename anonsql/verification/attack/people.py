"""Hold the people of a release against those of its source.

Where ``privacy.entity`` names the column that tells people apart, k counts people, and a release
shows at most surrogates of them. Whose rows a class has is counted here from the source: its rows
are placed in the classes whose labels stand for their values. A class that all rows that fit it are
in has exactly those people. Where fewer rows are released than fit (suppressed by themselves, held
back), or rows fit several classes, which rows a class has is not known, and the number of its
people only between limits; then some way to deal the rows to the classes must give each class as
many people as is stated.

Where people have surrogates, or their column is released as it is, each is held with all of his
rows, as a multiset of (class, kept values): there must be a one to one correspondence of the
release's people and the source's. Components of classes that share rows count as one class there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from anonsql.engines.base import Column, Engine, OfColumn, Relation, ReleaseTables
from anonsql.errors import VerificationError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.measures.risk import AT_RISK_SIZE
from anonsql.policy.policy import Policy
from anonsql.verification.attack.assignment_graph import MatchGraph
from anonsql.verification.attack.matching import Matching
from anonsql.verification.attack.pairs import as_array
from anonsql.verification.attack.released import Released
from anonsql.verification.attack.relocated import casts_of
from anonsql.verification.attack.transport import Ints, components_of, greatest_flow
from anonsql.verification.facts import count_of, facts_of

_INEXACT = ("float", "timestamp", "other")
"""Kinds of values that may not be the same when they come from another engine."""
_SHOWN = "together_shown_0"
_MOST_ARCS = 4_000_000
"""So many arcs of a flow are looked at; above, the numbers of people keep their limits."""


@dataclass(frozen=True)
class JudgedPeople:
    """The people of a release by its source: of the class that has fewest, between ``least`` and
    ``most``; whether the source tells of every class whose rows it has (``exact``); whether
    everybody in the release is somebody of the source with all rows (``linked``), None where no
    released column links them."""

    least: int
    most: int
    exact: bool
    linked: bool | None


@dataclass(frozen=True)
class _Person(OfColumn):
    """The column of the source that tells people apart."""

    column: Column


@dataclass(frozen=True)
class _Kept:
    """A kept column by which rows are compared: its number, the types that it is cast to on either
    side, None for its own, and whether it is text then."""

    number: int
    name: str
    original_cast: str | None
    released_cast: str | None
    text: bool


def against_source(
    engine: Engine,
    release: ReleaseTables,
    policy: Policy,
    source: Relation,
    attributes: Sequence[Attribute],
    *,
    folder: Path,
) -> JudgedPeople | None:
    """Return the people of a release in classes, None where the policy names none and no column has
    surrogates. ``engine`` has the source, whose dimension tables are made for ``attributes``;
    ``folder`` is the run's private one. Raise VerificationError listing every offence."""
    entity = policy.privacy.entity
    columns = {column.name: column for column in engine.columns(source)}
    shown = {column.name for column in release.engine.columns(release.rows)}
    linking = [
        name
        for name in columns
        if name in shown
        and (
            policy.replaced.get(name) == "surrogate"
            or (name == entity and name not in policy.quasi_identifiers | policy.replaced)
        )
    ]
    if entity is None and not linking:
        return None
    people = _People(engine, release, policy, source, attributes, folder=folder)
    offences, limits = list[str](), (0, 0, True)
    linked: bool | None = None
    try:
        people.place()
        if entity is not None:
            people.count(columns[entity])
            limits, offences = people.sizes()
        for name in linking:
            text = people.link(columns[name])
            offences += text
            linked = not text if name == entity else linked
    finally:
        people.drop()
    if offences:
        raise VerificationError(offences)
    return JudgedPeople(*limits, linked)


class _People:
    """The scratch tables of one comparison, beside the source."""

    def __init__(
        self,
        engine: Engine,
        release: ReleaseTables,
        policy: Policy,
        source: Relation,
        attributes: Sequence[Attribute],
        *,
        folder: Path,
    ) -> None:
        self._source, self._travels = source, release.engine is not engine
        self._engine, self._release, self._policy = engine, release, policy
        self._attributes, self._folder = attributes, folder
        released = Released.of(
            release, policy, [(attribute.index, attribute.name) for attribute in attributes]
        )
        self._released = replace(released, sensitive=())
        leveled = all(attribute.index in released.levels for attribute in attributes)
        self._matching = Matching(engine, release, self._released, attributes, every=not leveled)
        self._graph = MatchGraph.of([], [], [], [])
        self._open = 0
        self._made: list[str] = []

    def place(self) -> None:
        """Find which classes, and which components of these, each row of the source fits."""
        self._matching.make(self._source)
        graph = self._graph = self._matching.graph()
        cells, classes = len(graph.originals), len(graph.released)
        component = components_of(cells + classes, graph.cell, graph.tuple + cells)
        parts = int(component.max(initial=-1)) + 1
        fitting = np.bincount(component[:cells], weights=graph.originals, minlength=parts)
        released = np.bincount(component[cells:], weights=graph.released, minlength=parts)
        several = np.bincount(component[cells:], minlength=parts)
        names = [f"v{attribute.index}" for attribute in self._attributes]
        values = self._matching.cells(names)
        placed = np.isin(component[:cells], component[cells:])
        self._open = int(np.maximum(fitting - released, 0)[released > 0].sum())
        tables: dict[str, dict[str, Ints]] = {
            "people_cells": {
                **{name: value[placed] for name, value in zip(names, values, strict=True)},
                "cell": np.flatnonzero(placed),
                "part": component[:cells][placed],
            },
            "people_classes": {
                "class": np.arange(1, classes + 1, dtype=np.int64),
                "part": component[cells:],
            },
            "people_parts": {
                "part": np.arange(parts, dtype=np.int64),
                "whole": (fitting == released).astype(np.int64),
                "single": (several <= 1).astype(np.int64),
            },
            "people_fits": {
                "cell": graph.cell,
                "class": graph.tuple + 1,
                "n": graph.released[graph.tuple],
            },
        }
        for name, arrays in tables.items():
            self._engine.load_numbers(name, arrays)
            self._made.append(name)

    def count(self, column: Column, kept: Sequence[_Kept] = ()) -> None:
        """Make people_rows of the people that a column tells apart."""
        self._engine.drop("people_rows")
        self._engine.run(
            "verification/attack/people/rows",
            source=self._source,
            attributes=self._attributes,
            person=_Person(column),
            kept=[
                (column.number, column.name, column.original_cast, column.text) for column in kept
            ],
        )

    def sizes(self) -> tuple[tuple[int, int, bool], list[str]]:
        """Return the limits of the number of people of the class that has fewest, whether all
        classes' numbers are exact, and what is wrong: classes with too few people, and facts that
        the source contradicts."""
        k, about = self._policy.privacy.k, facts_of(self._release)
        numbers = as_array(self._engine.query("verification/attack/people/sizes"), 3)
        if not len(numbers):
            return (0, 0, True), []
        fewest, most, classes = numbers[:, 0], numbers[:, 1], numbers[:, 2]
        exact = bool((fewest == most).all())
        limits = int(fewest.min()), int(most.min()), exact
        if limits[1] < k:
            small = int(classes[most < k].sum())
            text = f"by the source {small:,} classes have rows of fewer than k={k} people"
            return limits, [f"{text}, the smallest of {limits[1]:,} at most"]
        stated = max(k, count_of(about, "min_people"))
        shares = () if exact else self._engine.query("verification/attack/people/shares")
        if not can_be_dealt(self._graph, shares, stated):
            text = f"no way to deal the source's rows to classes gives each {stated:,} people"
            return limits, [f"{text}, as the release says"]
        lowest = np.where(most <= AT_RISK_SIZE, fewest, 0)
        highest = np.where(fewest <= AT_RISK_SIZE, np.minimum(most, AT_RISK_SIZE), 0)
        facts = {
            "people_in_classes": (fewest * classes, most * classes),
            "min_people": (fewest.min(keepdims=True), most.min(keepdims=True)),
            "people_at_risk": (lowest * classes, highest * classes),
        }
        offences = []
        for name, (low, high) in facts.items():
            least, greatest = int(low.sum()), int(high.sum())
            if name in about and not least <= count_of(about, name) <= greatest:
                shown = f"{least:,}" + (f" to {greatest:,}" if greatest > least else "")
                offences.append(f"__about says {name}={about[name]}, the source has {shown}")
        return limits, offences

    def link(self, column: Column) -> list[str]:
        """Return what is wrong with the people, or other things, that a released column links: each
        of them must be one of the source's with all rows."""
        kept = self._kept(column.name)
        self.count(column, kept)
        self._show(kept, column.name)
        asked = {
            "kept": [
                (column.number, column.released_cast if self._travels else None, column.text)
                for column in kept
            ],
            "who": len(kept) + 1,
            "shown": _SHOWN,
        }
        query = "verification/attack/people/differing"
        beyond, lacking = self._engine.query(query, whole=True, **asked)[0]
        if not beyond and not lacking and self._open:
            beyond, lacking = self._engine.query(query, whole=False, **asked)[0]
            if beyond <= self._open:  # each row that is not released may be one of somebody else's
                beyond = lacking = 0
        self._engine.drop(_SHOWN)
        if not beyond and not lacking:
            return []
        return [
            f"{max(beyond, lacking):,} values of {column.name!r}, each with all rows that it"
            " links, are none of the source's that is not another's already"
        ]

    def drop(self) -> None:
        """Drop all scratch tables."""
        self._matching.drop()
        for table in (*self._made, "people_rows", _SHOWN):
            self._engine.drop(table)

    def _kept(self, besides: str) -> list[_Kept]:
        """Return the kept columns whose values can be compared with the source's."""
        release, travels = self._release, self._travels
        released = {column.name: column for column in release.engine.columns(release.rows)}
        columns = list[_Kept]()
        for original in self._engine.columns(self._source):
            column, settings = released.get(original.name), self._policy.columns.get(original.name)
            if column is None or settings is None or original.name == besides:
                continue
            if not settings.comparable or not original.comparable:
                continue
            if not column.comparable or (travels and original.kind in _INEXACT):
                continue
            if (casts := casts_of(original, column, travels=travels)) is not None:
                text = (casts[0] or original.type) == "VARCHAR"
                columns.append(_Kept(len(columns) + 1, original.name, *casts, text))
        return columns

    def _show(self, kept: Sequence[_Kept], who: str) -> None:
        """Bring the released rows, by class, kept values and the column that links them, to where
        the source is."""
        engine, reader, travels = self._engine, self._release.engine, self._travels
        leaving = [
            (column.number, column.name, "VARCHAR" if travels else column.released_cast)
            for column in kept
        ]
        leaving.append((len(kept) + 1, who, "VARCHAR" if travels else None))
        numbers = [number for number, _, _ in leaving]
        reader.drop("judged_rows")
        self._released.put_together(self._release, leaving)
        parameters = {"values": self._released.values, "number": 0, "kept": numbers}
        reader.run("verification/attack/people/shown", **parameters)
        if not travels:
            return
        columns = [
            Column("class", "BIGINT"),
            *(Column(f"y{number}", "VARCHAR") for number in numbers),
            Column("n", "BIGINT"),
        ]
        if engine.takes == "rows":
            names = [column.name for column in columns]
            rows = reader.query("verification/facts", table=_SHOWN, columns=names)
            reader.drop(_SHOWN)
            engine.load(_SHOWN, [(column.name, column.type) for column in columns], rows)
        else:
            sent = reader.carry(_SHOWN, columns, self._folder / _SHOWN, engine.takes)
            reader.drop(_SHOWN)
            engine.receive(_SHOWN, sent)


def can_be_dealt(graph: MatchGraph, shares: Sequence[Sequence[int]], least: int) -> bool:
    """Return whether the source's rows can be dealt to the classes that share rows so that each of
    these has so many people at the ``least``; True where that is too much to be told. ``shares``
    are (person, cell, rows) of the cells that fit such classes.

    It is a flow: a class takes one row of each of so many people, and further rows of anybody.
    """
    numbers = as_array(shares, 3)
    if not len(numbers):
        return True
    numbers = numbers[np.argsort(numbers[:, 1], kind="stable")]
    person, cell, rows = numbers[:, 0], numbers[:, 1], numbers[:, 2]
    first = np.searchsorted(cell, np.arange(len(graph.originals) + 1))
    width = (first[1:] - first[:-1])[graph.cell]
    if int(width.sum()) > _MOST_ARCS:
        return True
    within = np.arange(int(width.sum())) - np.repeat(np.cumsum(width) - width, width)
    share = first[np.repeat(graph.cell, width)] + within
    taking = np.repeat(graph.tuple, width)
    people = int(person.max()) + 1
    pairs, pair = np.unique(taking * people + person[share], return_inverse=True)
    # nodes: classes as they ask for people, classes as they ask for further rows, pairs of a class
    # and a person, shares
    classes = len(graph.released)
    asked = np.zeros(classes, dtype=np.int64)
    asked[np.unique(taking)] = least
    further = np.where(asked > 0, graph.released - asked, 0)
    of_pairs, of_shares = 2 * classes, 2 * classes + len(pairs)
    tail = np.concatenate([pairs // people, of_pairs + pair, classes + taking])
    head = np.concatenate([of_pairs + np.arange(len(pairs)), of_shares + share, of_shares + share])
    capacity = np.concatenate([np.ones(len(pairs) + len(pair), dtype=np.int64), rows[share]])
    supply = np.concatenate([asked, further, np.zeros(len(pairs) + len(rows), dtype=np.int64)])
    demand = np.concatenate([np.zeros(of_shares, dtype=np.int64), rows])
    flow = greatest_flow(supply, demand, tail, head, capacity)
    taken = flow[: len(pairs)].sum() + flow[len(pairs) + len(pair) :].sum()
    return bool(taken == supply.sum())
