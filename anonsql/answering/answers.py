"""Answers to queries from a release: bounds that hold whatever the original values were, and estimates.

A row satisfies a condition with a chance: of each column the share of the values that its released value stands for, the
shares of different columns multiplied, those of the condition's disjoint terms added. It surely does when all it may be
satisfies the condition, and possibly when any does. Where a column is told by buckets, a bucket has as many rows as values: of its n
values m satisfy the condition on that column, so of the rows of which the rest of the condition surely holds for C and possibly for U,
between max(0, C - (n - m)) and min(U, m) satisfy it all, and they have different ones of the m values.

``expected_lower`` and ``expected_upper`` are those of Li, He, Sun (Local Generalization and Bucketization, section 4.2): as if between
floor and ceiling of the expected number of rows of each bucket satisfied the condition.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from anonsql.answering import facets
from anonsql.answering.columns import Held
from anonsql.answering.facets import Facet, Used
from anonsql.answering.parse import Parsed, Selected, refused
from anonsql.answering.questions import Asked, Bound, Question, bind
from anonsql.answering.value_sets import Domain
from anonsql.answering.where import UnsupportedError
from anonsql.engines.base import Engine, Located

_AT_ONCE = 50
"""Questions that one statement answers: with more, engines join what is asked with itself before they join it with the rows."""


@dataclass(frozen=True)
class Answer:
    """The answer to one aggregate. Numbers are None where nothing is known, or SQL's answer is NULL: ``possible`` is the greatest number of
    released rows that it may be of, ``certain`` the least; ``every`` that it is of every row, ``infinite`` that numbers are None for values
    that are NaN or infinite. Bounds are those over the released rows."""

    selected: Selected
    certain: int
    possible: int
    estimate: float | None
    lower: float | None
    upper: float | None
    expected_lower: float | None = None
    expected_upper: float | None = None
    every: bool = False
    infinite: bool = False


@dataclass
class Opened:
    """A release to ask: where it is, its columns as it holds them, which columns tell masked rows (none where there are none),
    and what the release says of itself."""

    located: Located
    columns: Mapping[str, Held]
    starred: Sequence[str] = ()
    about: Mapping[str, str] = field(default_factory=dict)
    facets: dict[tuple[str, Domain], Facet] = field(default_factory=dict)
    in_facts: set[int] = field(default_factory=set)
    rows: int | None = None


@dataclass(frozen=True)
class _Numbered:
    """A question as the statements know it, with the facets of its columns."""

    question: Question
    facets: tuple[Facet, ...]

    @property
    def shape(self) -> tuple[tuple[int, ...], int, int, bool]:
        """What questions that are answered together have in common."""
        by_name = {each.name: each.index for each in self.facets}
        named = [
            by_name[name] if name is not None else 0
            for name in (self.question.aggregated, self.question.pivot)
        ]
        return tuple(sorted(by_name.values())), named[0], named[1], self.question.separate


@dataclass
class _Found:
    """What the statements say of a question."""

    least: int
    most: int
    chance: float | None
    mass: float | None
    apart: float | None
    extremes: dict[str, tuple[float | None, float | None]] = field(default_factory=dict)
    expected: dict[str, float | None] = field(default_factory=dict)


def answers(release: Opened, queries: Sequence[Parsed]) -> list[list[Answer]]:
    """The answers to each query's aggregates, in their order; questions over the same columns share their statements. Raises
    PolicyError for a query that cannot be rewritten."""
    bound: list[Bound] = []
    for parsed in queries:
        try:
            bound.append(bind(parsed, release.columns, release.located.engine.dialect == "duckdb"))
        except UnsupportedError as error:
            raise refused(str(error)) from None
    numbered: dict[int, _Numbered] = {}
    for query in bound:
        for asked in query.asked:
            for question in asked.questions:
                own = tuple(
                    _facet(release, name, query.domains[name]) for name in question.terms.columns
                )
                numbered.setdefault(id(question), _Numbered(question, own))
    ordered = sorted(numbered.values(), key=lambda each: each.shape)
    found = _ask(release, ordered) if ordered else {}
    by_question = {
        id(each.question): found.get(number) for number, each in enumerate(ordered, start=1)
    }
    return [
        [
            _answer(release, asked, [by_question[id(each)] for each in asked.questions])
            for asked in query.asked
        ]
        for query in bound
    ]


def rows_of(release: Opened) -> int:
    """How many rows the release has."""
    if release.rows is None:
        release.rows = int(
            release.located.engine.query("query/rows", table=release.located.rows)[0][0]
        )
    return release.rows


def _facet(release: Opened, name: str, domain: Domain) -> Facet:
    """A column in one domain, made ready when it is first asked for."""
    key = (name, domain)
    if key not in release.facets:
        made = Facet(len(release.facets) + 1, release.columns[name], domain)
        facets.prepare(release.located.engine, release.located.rows, made)
        release.facets[key] = made
    return release.facets[key]


def _ask(release: Opened, ordered: Sequence[_Numbered]) -> dict[int, _Found]:
    """What the statements say of questions, by number from 1; those that no row can satisfy are left out."""
    engine = release.located.engine
    used: dict[int, Used] = {}
    for number, each in enumerate(ordered, start=1):
        for facet in each.facets:
            _note(used.setdefault(facet.index, Used(facet)), number, each.question)
    if not used.keys() <= release.in_facts:
        release.in_facts |= used.keys()
        known = [each for each in release.facets.values() if each.index in release.in_facts]
        engine.drop("facts")
        engine.run("query/facts", table=release.located.rows, facets=known, starred=release.starred)
    for asked in used.values():
        facets.load(engine, asked)
    found: dict[int, _Found] = {}
    for _, group in groupby(enumerate(ordered, start=1), key=lambda each: each[1].shape):
        together = list(group)
        for some in (
            together[start : start + _AT_ONCE] for start in range(0, len(together), _AT_ONCE)
        ):
            found |= _together(release, used, some[0][1], some[0][0], some[-1][0])
    return found


def _note(used: Used, number: int, question: Question) -> None:
    """Note which cells of a column a question's terms hold."""
    name = used.facet.name
    cells = {
        key: cell for key, cell in question.terms.cells[name].items() if cell.spans or cell.null
    }
    used.uses += [(number, 0, used.number(cell)) for cell in cells.values()]
    for place, term in enumerate(question.terms.terms, start=1):
        used.uses += [(number, place, used.number(cells[key])) for key in term.get(name, cells)]


def _together(
    release: Opened, used: Mapping[int, Used], example: _Numbered, first: int, last: int
) -> dict[int, _Found]:
    """Answer the questions from ``first`` to ``last``, all over the same columns."""
    engine = release.located.engine
    _, aggregated, pivot, separate = example.shape
    for table in ("narrow", "found", "asked", "units"):
        engine.drop(table)
    own = sorted(example.facets, key=lambda each: each.index)
    shared = {
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
    found = {
        number: _Found(*told)
        for number, *told in engine.query("query/counts", aggregated=aggregated)
    }
    if not aggregated:
        return found
    for side in ("least", "greatest"):
        told = {"side": side, "own": pivot == aggregated}
        for number, total, mean, unknown in engine.query(
            "query/extremes", fewest="least", most="most", buckets_only=False, **told
        ):
            found[number].extremes[side] = (None, None) if unknown else (total, mean)
        if pivot == aggregated:
            for number, total, *_ in engine.query(
                "query/extremes", fewest="floor", most="ceiling", buckets_only=True, **told
            ):
                found[number].expected[side] = total if found[number].chance is not None else None
    return found


def _join(engine: Engine, facets: Sequence[Facet], shared: Mapping[str, Any]) -> None:
    """Make ``found`` from ``narrow``, one column after another: those first that a question says something of, as a rule."""
    left = sorted(
        facets, key=lambda each: (each.index in (shared["aggregated"], shared["pivot"]), each.index)
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


def _answer(release: Opened, asked: Asked, found: Sequence[_Found | None]) -> Answer:
    """The answer to an aggregate from what was found on its questions, the tightest bounds of all."""
    selected = asked.selected
    if asked.every:
        rows = rows_of(release)
        return Answer(selected, rows, rows, rows, rows, rows, every=True)
    known = [each for each in found if each is not None]
    if not known:
        empty = 0 if selected.function == "COUNT" else None
        return Answer(selected, 0, 0, empty, empty, empty)
    certain, possible = max(each.least for each in known), min(each.most for each in known)
    one = known[0]
    if selected.function == "COUNT":
        return Answer(selected, certain, possible, one.chance, certain, possible)
    place = 0 if selected.function == "SUM" else 1
    lower = _best(max, (each.extremes["least"][place] for each in known))
    upper = _best(min, (each.extremes["greatest"][place] for each in known))
    if possible == 0:
        return Answer(selected, 0, 0, None, None, None)
    if selected.function == "AVG":
        estimate = one.mass / one.chance if one.mass is not None and one.chance else None
        return _finite(Answer(selected, certain, possible, estimate, lower, upper))
    low, high = (_added(one.expected.get(side), one.apart) for side in ("least", "greatest"))
    return _finite(Answer(selected, certain, possible, one.mass, lower, upper, low, high))


def _finite(answer: Answer) -> Answer:
    """The answer, its numbers unknown where any is NaN or infinite: NaN lies between no bounds."""
    numbers = (
        answer.estimate,
        answer.lower,
        answer.upper,
        answer.expected_lower,
        answer.expected_upper,
    )
    if all(each is None or math.isfinite(each) for each in numbers):
        return answer
    return Answer(answer.selected, answer.certain, answer.possible, None, None, None, infinite=True)


def _best(
    choose: Callable[[Sequence[float]], float], bounds: Iterable[float | None]
) -> float | None:
    """The tightest of the bounds that are known."""
    known = [each for each in bounds if each is not None]
    if any(math.isnan(each) for each in known):
        return math.nan
    return choose(known) if known else None


def _added(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other
