"""Answers to queries from a release: bounds that hold whatever the original values were, and
estimates.

A row satisfies a condition with a chance: of each column the share of the values that its released
value stands for, the shares of different columns multiplied, those of the condition's disjoint
terms added. It surely does when every value that it may have satisfies the condition, and possibly
when any does. Where the values of a column are released by bucket, a bucket has as many rows as
values: of its n values m satisfy the condition on that column, so of the rows of which the rest of
the condition surely holds for C and possibly for U, between max(0, C - (n - m)) and min(U, m)
satisfy it all, and they have different ones of the m values.

``expected_lower`` and ``expected_upper`` are those of Li, He, Sun (Local Generalization and
Bucketization, section 4.2): as if between floor and ceiling of the expected number of rows of each
bucket satisfied the condition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import groupby
from typing import Any

from anonsql.engines.base import Engine, Located
from anonsql.grammar.literals import UnsupportedError
from anonsql.query import distinct, facets, groups
from anonsql.query.columns import OriginalColumn
from anonsql.query.facets import Facet, Used
from anonsql.query.groups import Group
from anonsql.query.numbers import Exact, Extreme, median
from anonsql.query.parse import Parsed, Selected, refused
from anonsql.query.questions import Bound, BoundAggregate, Question, bind
from anonsql.query.value_sets import Domain

_AT_ONCE = 50
"""How many questions one statement answers: with more, engines join the tables of questions with
each other before they join them with the rows."""


@dataclass(frozen=True)
class Answer:
    """The answer to one aggregate. Numbers are None where nothing is known, or SQL's answer is
    NULL: ``possible`` is the greatest number of released rows that the aggregate may be over,
    ``certain`` the least; ``every``: it is over every row; ``infinite``: numbers are None because
    values are NaN or infinite. Bounds are those over the released rows, of one ``group`` of them in
    a query with GROUP BY; they are values of a ``domain`` where that is not numbers."""

    selected: Selected
    certain: int
    possible: int
    estimate: Exact | float | None
    lower: Exact | None
    upper: Exact | None
    expected_lower: Exact | float | None = None
    expected_upper: Exact | float | None = None
    every: bool = False
    infinite: bool = False
    group: Group | None = None
    domain: Domain | None = None


@dataclass
class Opened:
    """A release opened for queries: where it is, its columns by name, the columns by which masked
    rows are recognized (``starred``, empty where no row is masked), and the facts of ``__about``.
    ``unlisted`` are the columns that may have values for which a query with GROUP BY has no
    group."""

    located: Located
    columns: Mapping[str, OriginalColumn]
    starred: Sequence[str] = ()
    about: Mapping[str, str] = field(default_factory=dict)
    facets: dict[tuple[str, Domain, bool], Facet] = field(default_factory=dict)
    in_facts: set[int] = field(default_factory=set)
    unlisted: set[str] = field(default_factory=set)
    told_hierarchies: bool = False
    rows: int | None = None


@dataclass(frozen=True)
class _Numbered:
    """A question with the facets of its columns, as the statements take it."""

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
class _Results:
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


def answers(release: Opened, queries: Sequence[Parsed]) -> list[list[Answer]]:
    """Return the answers to each query's aggregates, in their order, with GROUP BY those of one
    group after another; questions over the same columns share their statements. Raise PolicyError
    for a query that cannot be rewritten."""
    wanted: list[list[_Aggregates]] = []
    numbered: dict[int, _Numbered] = {}
    for parsed in queries:
        try:
            bound = bind(parsed, release.columns, release.located.engine.dialect == "duckdb")
            wanted.append(_aggregates(release, bound))
        except UnsupportedError as error:
            raise refused(str(error)) from None
        for each in wanted[-1]:
            for question in each.questions:
                own = tuple(_facet(release, name, bound) for name in question.terms.columns)
                numbered.setdefault(id(question), _Numbered(question, own))
    ordered = sorted(numbered.values(), key=lambda each: each.shape)
    found = _ask(release, ordered) if ordered else {}
    by_question = {
        id(each.question): found.get(number) for number, each in enumerate(ordered, start=1)
    }
    return [
        [made for each in own for made in _answered(release, each, by_question)] for own in wanted
    ]


@dataclass(frozen=True)
class _Aggregates:
    """The aggregates of a query, or of one of its groups; ``rows`` asks how many rows the group
    has."""

    asked: Sequence[BoundAggregate]
    group: Group | None = None
    rows: BoundAggregate | None = None

    @property
    def questions(self) -> list[Question]:
        """All that must be answered."""
        every = [*self.asked, *([self.rows] if self.rows is not None else [])]
        return [question for each in every for question in each.questions]


_ROWS = Selected("COUNT", None, "COUNT(*)")


def _aggregates(release: Opened, bound: Bound) -> list[_Aggregates]:
    """Return the aggregates of a query, once for each of its groups."""
    selected = bound.parsed.selected
    if not bound.parsed.groups:
        return [_Aggregates(bound.asked(selected))]
    made = []
    for group, within in groups.of(bound, lambda name: _facet(release, name, bound), release):
        *asked, rows = bound.asked([*selected, _ROWS], within)
        counted = next((each for each in asked if each.selected.column is None), rows)
        made.append(_Aggregates(asked, group, counted))
    return made


def _answered(
    release: Opened, wanted: _Aggregates, by_question: Mapping[int, _Results | None]
) -> list[Answer]:
    """Return the answers to a query or to one of its groups, none for a group that no row can be
    in."""

    def answer(asked: BoundAggregate) -> Answer:
        return _answer(release, asked, [by_question[id(each)] for each in asked.questions])

    if wanted.rows is not None and answer(wanted.rows).possible == 0:
        return []
    return [replace(answer(each), group=wanted.group) for each in wanted.asked]


def rows_of(release: Opened) -> int:
    """Return how many rows the release has."""
    if release.rows is None:
        release.rows = int(
            release.located.engine.query("sql/rows", table=release.located.rows)[0][0]
        )
    return release.rows


def _facet(release: Opened, name: str, bound: Bound) -> Facet:
    """Return the facet of a column in one domain, prepared at its first use."""
    domain = bound.domains[name]
    valued = domain.moments and name in bound.valued
    key = (name, domain, valued)
    if key not in release.facets:
        held, rows = release.columns[name], rows_of(release)
        made = Facet(len(release.facets) + 1, held, domain, rows, valued)
        facets.prepare(release.located.engine, release.located.rows, made)
        release.facets[key] = made
    return release.facets[key]


def _ask(release: Opened, ordered: Sequence[_Numbered]) -> dict[int, _Results]:
    """Return the results of questions, by number from 1; questions that no row can satisfy are left
    out."""
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
    found: dict[int, _Results] = {}
    for _, group in groupby(enumerate(ordered, start=1), key=lambda each: each[1].shape):
        together = list(group)
        for some in (
            together[start : start + _AT_ONCE] for start in range(0, len(together), _AT_ONCE)
        ):
            found |= _together(release, used, [each for _, each in some], some[0][0])
    return found


def _note(used: Used, number: int, question: Question) -> None:
    """Record which cells of a column's domain each term of a question holds."""
    name = used.facet.name
    cells = {
        key: cell for key, cell in question.terms.cells[name].items() if cell.spans or cell.null
    }
    used.uses += [(number, 0, used.number(cell)) for cell in cells.values()]
    for place, term in enumerate(question.terms.terms, start=1):
        used.uses += [(number, place, used.number(cells[key])) for key in term.get(name, cells)]


def _together(
    release: Opened, used: Mapping[int, Used], numbered: Sequence[_Numbered], first: int
) -> dict[int, _Results]:
    """Answer questions numbered from ``first``, all over the same columns."""
    engine = release.located.engine
    _, aggregated, pivot, separate = numbered[0].shape
    last = first + len(numbered) - 1
    for table in ("narrow", "found", "asked", "units"):
        engine.drop(table)
    own = sorted(numbered[0].facets, key=lambda each: each.index)
    shared = {
        "number": next((each.number for each in own if each.index == aggregated), "DOUBLE"),
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
        number: _Results(*told)
        for number, *told in engine.query("query/counts", aggregated=aggregated)
    }
    if aggregated:
        wanted = {each.question.function for each in numbered}
        column = next(each for each in own if each.index == aggregated)
        if wanted - {"DISTINCT"}:
            _bound(engine, column, found, {"own": pivot == aggregated}, "MEDIAN" in wanted)
        if "DISTINCT" in wanted:
            bounds = distinct.bounds(engine, used[aggregated], pivot, separate, found)
            for number, each in bounds.items():
                found[number].distinct = each
    return found


_SIDES = (("least", -1), ("greatest", 1))


def _bound(
    engine: Engine,
    column: Facet,
    found: Mapping[int, _Results],
    told: dict[str, bool],
    medians: bool,
) -> None:
    """Compute the bounds of sums, means and values of the aggregated column."""
    scale = column.scale
    for side, sign in _SIDES:
        parts = {"side": side, **told}
        _portion(engine, fewest="least", most="most", buckets_only=False, **parts)
        for number, *row in engine.query("query/extremes", side=side):
            found[number].extremes[side] = Extreme.of(row, scale, sign)
        if medians:
            rows = sorted(engine.query("query/portioned"), key=lambda each: int(each[0]))
            for number, own in groupby(rows, key=lambda each: each[0]):
                found[number].medians[side] = median([each[1:] for each in own], scale, sign)
        if told["own"]:
            _portion(engine, fewest="floor", most="ceiling", buckets_only=True, **parts)
            for number, *row in engine.query("query/extremes", side=side):
                expected = Extreme.of(row, scale, sign).total
                found[number].expected[side] = (
                    expected if found[number].chance is not None else None
                )


def _portion(engine: Engine, **parameters: object) -> None:
    engine.drop("portions")
    engine.run("query/portions", **parameters)


def _join(engine: Engine, facets: Sequence[Facet], shared: Mapping[str, Any]) -> None:
    """Make ``found`` from ``narrow``, joining one column after another, as a rule those with
    conditions first."""
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


def _answer(release: Opened, asked: BoundAggregate, found: Sequence[_Results | None]) -> Answer:
    """Return the answer to an aggregate from the results of its questions, with the tightest bounds
    of all."""
    selected = asked.selected
    if asked.every:
        rows = rows_of(release)
        return Answer(selected, rows, rows, rows, rows, rows, every=True)
    known = [each for each in found if each is not None]
    if not known:
        empty = 0 if selected.counts else None
        return Answer(selected, 0, 0, empty, empty, empty)
    certain, possible = max(each.least for each in known), min(each.most for each in known)
    one = known[0]
    if selected.function == "COUNT":
        return Answer(selected, certain, possible, one.chance, certain, possible)
    if selected.function == "DISTINCT":
        least, most = (
            max(each.distinct[0] for each in known),
            min(each.distinct[1] for each in known),
        )
        return Answer(selected, certain, possible, None, least, most)
    if possible == 0:
        return Answer(selected, 0, 0, None, None, None)
    if any(end.infinite for each in known for end in each.extremes.values()):
        return Answer(selected, certain, possible, None, None, None, infinite=True)
    bounds = [_bounds_of(selected.function, each) for each in known]
    lower = _best(max, (each[0] for each in bounds))
    upper = _best(min, (each[1] for each in bounds))
    answer = Answer(selected, certain, possible, None, lower, upper, domain=asked.domain)
    if selected.function == "AVG":
        mean = one.mass / one.chance if one.mass is not None and one.chance else None
        return replace(answer, estimate=mean)
    if selected.function != "SUM":
        return answer
    low, high = (_added(one.expected.get(side), one.apart) for side, _ in _SIDES)
    return replace(answer, estimate=one.mass, expected_lower=low, expected_upper=high)


def _bounds_of(function: str, found: _Results) -> tuple[Fraction | None, Fraction | None]:
    """Return the lower and the upper bound of an aggregate."""
    least, greatest = (found.extremes.get(side, Extreme()) for side, _ in _SIDES)
    if function == "MEDIAN":
        return found.medians.get("least"), found.medians.get("greatest")
    if function == "MIN":
        return least.far, greatest.near
    if function == "MAX":
        return least.near, greatest.far
    if function == "SUM":
        return least.total, greatest.total
    return least.mean, greatest.mean


def _best(
    choose: Callable[[Sequence[Fraction]], Fraction], bounds: Iterable[Fraction | None]
) -> Fraction | None:
    """Return the tightest of the bounds that are known."""
    known = [each for each in bounds if each is not None]
    return choose(known) if known else None


def _added(one: Fraction | None, other: float | None) -> Fraction | None:
    return None if one is None or other is None else one + Fraction(other)
