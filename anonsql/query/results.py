"""The results of the statements that answer questions: how many rows there are, and the bounds of
their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from typing import Any

from anonsql.engines.base import Engine
from anonsql.query import distinct
from anonsql.query.facets import Facet
from anonsql.query.numbers import Extreme, median
from anonsql.query.opened import OpenedRelease
from anonsql.query.questions import Question
from anonsql.query.uses import Used, load

_AT_ONCE = 50
"""How many questions one statement answers: with more, engines join the tables of questions with
each other before they join them with the rows."""


@dataclass(frozen=True)
class NumberedQuestion:
    """A question with the facets of its columns, as the statements take it."""

    question: Question
    facets: tuple[Facet, ...]

    @property
    def shape(self) -> tuple[tuple[int, ...], int, int, bool]:
        """What questions that are answered together have in common."""
        by_name = {facet.name: facet.index for facet in self.facets}
        named = [
            by_name[name] if name is not None else 0
            for name in (self.question.aggregated, self.question.pivot)
        ]
        return tuple(sorted(by_name.values())), named[0], named[1], self.question.separate


@dataclass
class Results:
    """The results of the statements for a question."""

    least: int
    most: int
    chance: float | None
    mass: float | None
    apart: float | None
    extremes: dict[str, Extreme] = field(default_factory=dict)
    expected: dict[str, Fraction | None] = field(default_factory=dict)
    medians: dict[str, Fraction | None] = field(default_factory=dict)
    distinct: tuple[int, int] = (0, 0)


def ask(release: OpenedRelease, ordered: Sequence[NumberedQuestion]) -> dict[int, Results]:
    """Return the results of questions, by number from 1; questions that no row can satisfy are left
    out."""
    engine = release.located.engine
    used: dict[int, Used] = {}
    for number, question in enumerate(ordered, start=1):
        for facet in question.facets:
            _note(used.setdefault(facet.index, Used(facet)), number, question.question)
    if not used.keys() <= release.in_facts:
        release.in_facts |= used.keys()
        known = [facet for facet in release.facets.values() if facet.index in release.in_facts]
        engine.drop("facts")
        engine.run("query/facts", table=release.located.rows, facets=known, starred=release.starred)
    for use in used.values():
        load(engine, use)
    results: dict[int, Results] = {}
    for _, group in groupby(enumerate(ordered, start=1), key=lambda row: row[1].shape):
        together = list(group)
        for some in (
            together[start : start + _AT_ONCE] for start in range(0, len(together), _AT_ONCE)
        ):
            results |= _together(release, used, [question for _, question in some], some[0][0])
    return results


def _note(used: Used, number: int, question: Question) -> None:
    """Record which sections of a column's domain each term of a question holds."""
    name = used.facet.name
    sections = {
        key: section
        for key, section in question.terms.sections[name].items()
        if section.spans or section.null
    }
    used.uses += [(number, 0, used.number(section)) for section in sections.values()]
    for position, term in enumerate(question.terms.terms, start=1):
        used.uses += [
            (number, position, used.number(sections[key])) for key in term.get(name, sections)
        ]


def _together(
    release: OpenedRelease,
    used: Mapping[int, Used],
    numbered: Sequence[NumberedQuestion],
    first: int,
) -> dict[int, Results]:
    """Answer questions numbered from ``first``, all over the same columns."""
    engine = release.located.engine
    _, aggregated, pivot, separate = numbered[0].shape
    last = first + len(numbered) - 1
    for table in ("narrow", "found", "asked", "units"):
        engine.drop(table)
    own = sorted(numbered[0].facets, key=lambda facet: facet.index)
    shared = {
        "number": next((facet.number for facet in own if facet.index == aggregated), "DOUBLE"),
        "aggregated": aggregated,
        "pivot": pivot,
        "separate": separate,
        "first": first,
        "last": last,
    }
    engine.run("query/narrow", facets=own)
    _join(engine, own, shared)
    if pivot:
        engine.drop("shapes")
        engine.load(
            "shapes",
            [("question", "INTEGER"), ("shape", "INTEGER")],
            used[pivot].shapes(first, last),
        )
        engine.run("query/asked", index=pivot)
    engine.run("query/units", **shared)
    results = {
        number: Results(*counts)
        for number, *counts in engine.query("query/counts", aggregated=aggregated)
    }
    if aggregated:
        wanted = {question.question.function for question in numbered}
        column = next(facet for facet in own if facet.index == aggregated)
        if wanted - {"DISTINCT"}:
            _bound(engine, column, results, {"own": pivot == aggregated}, "MEDIAN" in wanted)
        if "DISTINCT" in wanted:
            bounds = distinct.bounds(engine, used[aggregated], pivot, separate, results)
            for number, bound in bounds.items():
                results[number].distinct = bound
    return results


SIDES = (("least", -1), ("greatest", 1))


def _bound(
    engine: Engine,
    column: Facet,
    results: Mapping[int, Results],
    options: dict[str, bool],
    medians: bool,
) -> None:
    """Compute the bounds of sums, means and values of the aggregated column."""
    scale = column.scale
    for side, sign in SIDES:
        parts = {"side": side, **options}
        _portion(engine, fewest="least", most="most", buckets_only=False, **parts)
        for number, *row in engine.query("query/extremes", side=side):
            results[number].extremes[side] = Extreme.of(row, scale, sign)
        if medians:
            rows = sorted(engine.query("query/portioned"), key=lambda row: int(row[0]))
            for number, own in groupby(rows, key=lambda row: row[0]):
                results[number].medians[side] = median([row[1:] for row in own], scale, sign)
        if options["own"]:
            _portion(engine, fewest="floor", most="ceiling", buckets_only=True, **parts)
            for number, *row in engine.query("query/extremes", side=side):
                expected = Extreme.of(row, scale, sign).total
                results[number].expected[side] = (
                    expected if results[number].chance is not None else None
                )


def _portion(engine: Engine, **parameters: object) -> None:
    engine.drop("portions")
    engine.run("query/portions", **parameters)


def _join(engine: Engine, facets: Sequence[Facet], shared: Mapping[str, Any]) -> None:
    """Make ``found`` from ``narrow``, joining one column after another, as a rule those with
    conditions first."""
    left = sorted(
        facets,
        key=lambda facet: (facet.index in (shared["aggregated"], shared["pivot"]), facet.index),
    )
    before = "narrow"
    while left:
        facet, *left = left
        table = f"joined_{facet.index}"
        engine.drop(table)
        engine.run(
            "query/joined",
            table=table,
            before=before,
            begun=before != "narrow",
            c=facet,
            rest=left,
            **shared,
        )
        engine.drop(before)
        before = table
    engine.run("query/found", table=before, aggregated=shared["aggregated"])
    engine.drop(before)
