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
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from anonsql.grammar.literals import UnsupportedError
from anonsql.labels.domains import Domain
from anonsql.query import groups
from anonsql.query.aggregates import Selected
from anonsql.query.groups import Group
from anonsql.query.numbers import Exact, Extreme
from anonsql.query.opened import OpenedRelease, facet_of, rows_of
from anonsql.query.parse import Parsed, refused
from anonsql.query.questions import Bound, BoundAggregate, Question, bind
from anonsql.query.results import SIDES, NumberedQuestion, Results, ask


@dataclass(frozen=True)
class Answer:
    """The answer to one aggregate. Numbers are None where nothing is known, or SQL's answer is
    NULL: ``possible`` is the greatest number of released rows that the aggregate may be over,
    ``certain`` the least; ``every``: it is over every row; ``infinite``: numbers are None because
    values are NaN or infinite. Bounds are those over the released rows, of one ``group`` of them in
    a query with GROUP BY, whose values have ``positions`` among those of its columns, and which has
    ``group_least`` rows or more; they are values of a ``domain`` where that is not numbers."""

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
    positions: tuple[int, ...] = ()
    domain: Domain | None = None
    group_least: int | None = None


def answers(release: OpenedRelease, queries: Sequence[Parsed]) -> list[list[Answer]]:
    """Return the answers to each query's aggregates, in their order, with GROUP BY those of one
    group after another; questions over the same columns share their statements. Raise PolicyError
    for a query that cannot be rewritten."""
    wanted: list[list[_Aggregates]] = []
    numbered: dict[int, NumberedQuestion] = {}
    for parsed in queries:
        try:
            bound = bind(parsed, release.columns, release.located.engine.embedded)
            wanted.append(_aggregates(release, bound))
        except UnsupportedError as error:
            raise refused(str(error)) from None
        for aggregates in wanted[-1]:
            for question in aggregates.questions:
                own = tuple(facet_of(release, name, bound) for name in question.terms.columns)
                numbered.setdefault(id(question), NumberedQuestion(question, own))
    ordered = sorted(numbered.values(), key=lambda question: question.shape)
    results = ask(release, ordered) if ordered else {}
    by_question = {
        id(question.question): results.get(number)
        for number, question in enumerate(ordered, start=1)
    }
    return [
        [made for aggregates in own for made in _answered(release, aggregates, by_question)]
        for own in wanted
    ]


@dataclass(frozen=True)
class _Aggregates:
    """The aggregates of a query, or of one of its groups; ``rows`` asks how many rows the group
    has."""

    aggregates: Sequence[BoundAggregate]
    group: Group | None = None
    positions: tuple[int, ...] = ()
    rows: BoundAggregate | None = None

    @property
    def questions(self) -> list[Question]:
        """All that must be answered."""
        every = [*self.aggregates, *([self.rows] if self.rows is not None else [])]
        return [question for aggregate in every for question in aggregate.questions]


_ROWS = Selected("COUNT", None, "COUNT(*)")


def _aggregates(release: OpenedRelease, bound: Bound) -> list[_Aggregates]:
    """Return the aggregates of a query, once for each of its groups."""
    selected = bound.parsed.selected
    if not bound.parsed.groups:
        return [_Aggregates(bound.aggregates(selected))]
    made = []
    facets = partial(facet_of, release, bound=bound)
    for group, within, positions in groups.of(bound, facets, release):
        *aggregates, rows = bound.aggregates([*selected, _ROWS], within)
        counted = next((one for one in aggregates if one.selected.same(_ROWS)), rows)
        made.append(_Aggregates(aggregates, group, positions, counted))
    return made


def _answered(
    release: OpenedRelease, wanted: _Aggregates, by_question: Mapping[int, Results | None]
) -> list[Answer]:
    """Return the answers to a query or to one of its groups, none for a group that no row can be
    in."""

    def answer(aggregate: BoundAggregate) -> Answer:
        return _answer(
            release, aggregate, [by_question[id(question)] for question in aggregate.questions]
        )

    rows = None if wanted.rows is None else answer(wanted.rows)
    if rows is not None and rows.possible == 0:
        return []
    of_group = {
        "group": wanted.group,
        "positions": wanted.positions,
        "group_least": None if rows is None else rows.certain,
    }
    return [replace(answer(aggregate), **of_group) for aggregate in wanted.aggregates]  # type: ignore[arg-type]


def _answer(
    release: OpenedRelease, aggregate: BoundAggregate, outcome: Sequence[Results | None]
) -> Answer:
    """Return the answer to an aggregate from the results of its questions, with the tightest bounds
    of all."""
    selected = aggregate.selected
    if aggregate.every:
        rows = rows_of(release)
        return Answer(selected, rows, rows, rows, rows, rows, every=True)
    known = [result for result in outcome if result is not None]
    if not known:
        empty = 0 if selected.counts else None
        return Answer(selected, 0, 0, empty, empty, empty)
    certain, possible = max(result.least for result in known), min(result.most for result in known)
    one = known[0]
    if selected.function == "COUNT":
        return Answer(selected, certain, possible, one.chance, certain, possible)
    if selected.function == "DISTINCT":
        least, most = (
            max(result.distinct[0] for result in known),
            min(result.distinct[1] for result in known),
        )
        return Answer(selected, certain, possible, None, least, most)
    if possible == 0:
        return Answer(selected, 0, 0, None, None, None)
    if any(end.infinite for result in known for end in result.extremes.values()):
        return Answer(selected, certain, possible, None, None, None, infinite=True)
    bounds = [_bounds_of(selected.function, result) for result in known]
    lower = _best(max, (bound[0] for bound in bounds))
    upper = _best(min, (row[1] for row in bounds))
    answer = Answer(selected, certain, possible, None, lower, upper, domain=aggregate.domain)
    if selected.function == "AVG":
        mean = one.mass / one.chance if one.mass is not None and one.chance else None
        return replace(answer, estimate=mean)
    if selected.function != "SUM":
        return answer
    low, high = (_added(one.expected.get(side), one.apart) for side, _ in SIDES)
    return replace(answer, estimate=one.mass, expected_lower=low, expected_upper=high)


def _bounds_of(function: str, results: Results) -> tuple[Fraction | None, Fraction | None]:
    """Return the lower and the upper bound of an aggregate."""
    least, greatest = (results.extremes.get(side, Extreme()) for side, _ in SIDES)
    if function == "MEDIAN":
        return results.medians.get("least"), results.medians.get("greatest")
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
    known = [bound for bound in bounds if bound is not None]
    return choose(known) if known else None


def _added(one: Fraction | None, other: float | None) -> Fraction | None:
    return None if one is None or other is None else one + Fraction(other)
