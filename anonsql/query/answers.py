"""Answers to queries from a release: bounds that hold for all possible original values, and
estimates.

The expected number of rows assumes that all values of a released value are equally likely, and that
columns are independent. ``expected_lower`` and ``expected_upper`` are those of Li, He, Sun (Local
Generalization and Bucketization, section 4.2): as if between floor and ceiling of the expected
number of rows of each bucket satisfied the condition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from anonsql.grammar.literals import UnsupportedError
from anonsql.labels.domains import Domain
from anonsql.query import columns, groups
from anonsql.query.binding import Bound, bind
from anonsql.query.bounds import SIDES, Question, Results, ask
from anonsql.query.columns import QueriedColumn
from anonsql.query.groups import Group, Key
from anonsql.query.numbers import Exact, Extreme
from anonsql.query.opening import OpenedRelease, rows_of
from anonsql.query.parse import Parsed, Selected, refused
from anonsql.query.where import Conjunction, resolve


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
    group after another. Raise PolicyError for a query that cannot be rewritten."""
    try:
        bound = [bind(one, release.columns, release.located.engine.embedded) for one in queries]
        queried = [_queried(release, one) for one in bound]
        _make_facts(release)
        known = _together(release, bound, queried)
        return [
            _answers(release, one, own, known.get(position, {}))
            for position, (one, own) in enumerate(zip(bound, queried, strict=True))
        ]
    except UnsupportedError as error:
        raise refused(str(error)) from None


def asked_labels(release: OpenedRelease, parsed: Parsed) -> list[tuple[str, str]]:
    """Return the conditions of a query that compare a column with a label that the release has:
    the column, and the label."""
    found = []
    for atom in parsed.atoms:
        name = resolve(atom.column, release.columns, "original").name
        texts = [literal.text for literal in atom.literals if literal.string]
        if release.columns[name].labels and texts and atom.operator in ("=", "<>"):
            parts = {"table": release.located.rows, "name": name, "texts": texts}
            rows = release.located.engine.query("query/labels_among", **parts)
            found += [(name, str(label)) for (label,) in rows]
    return found


def _queried(release: OpenedRelease, bound: Bound) -> dict[str, QueriedColumn]:
    """Return the columns of a query by name, prepared at their first use."""
    result = {}
    for name, domain in bound.domains.items():
        key = (name, domain, domain.moments and name in bound.valued)
        if key not in release.queried:
            number, held = len(release.queried) + 1, release.columns[name]
            column = QueriedColumn(number, held, domain, rows_of(release), key[2])
            columns.prepare(release.located.engine, release.located.rows, column)
            release.queried[key] = column
        result[name] = release.queried[key]
    return result


def _make_facts(release: OpenedRelease) -> None:
    """Make the table of the released rows by the numbers of their values in the queried columns."""
    queried = list(release.queried.values())
    if queried:
        engine = release.located.engine
        engine.drop("facts")
        parts = {"queried": queried, "starred": release.starred}
        engine.run("query/facts", table=release.located.rows, **parts)


_AT_ONCE = 50
"""How many questions one statement answers."""
_ROWS = Selected("COUNT", None, "COUNT(*)")
_Found = Mapping[int, list[Results]]
"""What is known of an aggregate by group: the results of its question, one for each pivot."""

_Shape = tuple[tuple[int, ...], str | None]
"""What questions that are asked together have in common: the columns of their conditions, and the
aggregated column."""


def _together(
    release: OpenedRelease, bound: Sequence[Bound], queried: Sequence[Mapping[str, QueriedColumn]]
) -> dict[int, dict[tuple[object, ...], _Found | None]]:
    """Return the results of aggregates by query, for queries that ask the same columns by AND: one
    statement answers many."""
    shapes: dict[_Shape, list[tuple[int, Selected, Conjunction]]] = {}
    for position, (one, own) in enumerate(zip(bound, queried, strict=True)):
        for selected in () if one.parsed.groups or len(bound) == 1 else one.parsed.selected:
            condition = one.condition(selected)
            if condition is not None and condition.columns and not condition.others:
                places = tuple(own[name].index for name in sorted(condition.columns))
                aggregated = None if selected.counts else one.name(selected.column)
                asked = (position, selected, condition)
                shapes.setdefault((places, aggregated), []).append(asked)
    known: dict[int, dict[tuple[object, ...], _Found | None]] = {}
    for (_, aggregated), every in shapes.items():
        for start in range(0, len(every), _AT_ONCE):
            some = every[start : start + _AT_ONCE]
            conditions = [condition for _, _, condition in some]
            question = Question(
                conditions[0], queried[some[0][0]], {}, aggregated, together=conditions
            )
            results = ask(release.located.engine, question)
            for number, (position, selected, _) in enumerate(some):
                own_results = [one[number] for one in results if number in one]
                known.setdefault(position, {})[_of(selected)] = {0: own_results}
    return known


def _answers(
    release: OpenedRelease,
    bound: Bound,
    queried: Mapping[str, QueriedColumn],
    known: Mapping[tuple[object, ...], _Found | None],
) -> list[Answer]:
    """Return the answers to a query; of some aggregates the results are ``known``."""
    selected = bound.parsed.selected
    if not bound.parsed.groups:
        asked = [one for one in selected if _of(one) not in known]
        found = {**known, **_found(release, bound, queried, asked, {})}
        return [_answer(release, bound, one, found[_of(one)], 0) for one in selected]
    keys = groups.of(bound, queried, release)
    found = _found(release, bound, queried, [*selected, _ROWS], keys)
    made = []
    for number, positions in groups.numbered(keys):
        rows = _answer(release, bound, _ROWS, found[_of(_ROWS)], number)
        titles = [grouping.title for grouping in bound.parsed.groups]
        words = [own[place][0] for own, place in zip(keys.values(), positions, strict=True)]
        group = tuple(zip(titles, words, strict=True))
        parts = {"group": group, "positions": positions, "group_least": rows.certain}
        if rows.possible:
            own_answers = (
                _answer(release, bound, one, found[_of(one)], number) for one in selected
            )
            made += [replace(answer, **parts) for answer in own_answers]  # type: ignore[arg-type]
    return made


def _of(selected: Selected) -> tuple[object, ...]:
    """Return the common key of aggregates that one question answers."""
    return (selected.column or "").lower(), selected.counts, selected.where


def _found(
    release: OpenedRelease,
    bound: Bound,
    queried: Mapping[str, QueriedColumn],
    selected: Sequence[Selected],
    keys: Mapping[str, Sequence[Key]],
) -> dict[tuple[object, ...], _Found | None]:
    """Return the results of aggregates; None for one over every row."""
    found: dict[tuple[object, ...], _Found | None] = {}
    sets = {name: [values for _, values in own] for name, own in keys.items()}
    for one in selected:
        if _of(one) in found:
            continue
        condition = bound.condition(one)
        found[_of(one)] = {}
        if condition is None:
            continue
        aggregated = None if one.counts else bound.name(one.column)
        question = Question(condition, queried, sets, aggregated)
        if not question.sets and not condition.others:
            found[_of(one)] = None
            continue
        by_pivot = ask(release.located.engine, question)
        found[_of(one)] = {
            number: [results[number] for results in by_pivot if number in results]
            for number in {number for results in by_pivot for number in results}
        }
    return found


def _answer(
    release: OpenedRelease, bound: Bound, selected: Selected, found: _Found | None, number: int
) -> Answer:
    """Return the answer to an aggregate of a group, with the tightest bounds of all pivots."""
    if found is None:
        rows = rows_of(release)
        return Answer(selected, rows, rows, rows, rows, rows, every=True)
    known = found.get(number, [])
    certain = max((result.least for result in known), default=0)
    possible = min((result.most for result in known), default=0)
    if selected.counts:
        estimate = known[0].chance if known else 0
        return Answer(selected, certain, possible, estimate, certain, possible)
    if possible == 0:
        return Answer(selected, 0, 0, None, None, None)
    if any(end.infinite for result in known for end in result.extremes.values()):
        return Answer(selected, certain, possible, None, None, None, infinite=True)
    bounds = [_bounds_of(selected.function, result) for result in known]
    lower, upper = _best(max, (low for low, _ in bounds)), _best(min, (high for _, high in bounds))
    own = bound.domains[bound.name(selected.column) or ""]
    domain = own if own.moments else None
    answer = Answer(selected, certain, possible, None, lower, upper, domain=domain)
    one = known[0]
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
