"""Measure how useful a staged release is, in the same way for every method, and how exact its
entries are, column by column. The same random queries are asked of every release: they depend on the
values of their columns alone. Releases of ``local`` answer them as ``anonsql query`` does, because
withheld values are in buckets; answers that are 0 count as for the other methods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from anonsql.engines.base import Column, Engine
from anonsql.features.compare.document import ColumnEntries, CompareLine
from anonsql.features.measure import bounded, comparing
from anonsql.features.measure.comparing import WITHHELD, MeasuredRelease
from anonsql.features.measure.document import Analyses, QueryError
from anonsql.features.measure.usefulness import measuring
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs import sources
from anonsql.jobs.job import Job
from anonsql.measures.workload import (
    Query,
    QueryCondition,
    Ranges,
    WorkloadSettings,
    load_conditions,
)
from anonsql.policy.methods import traits
from anonsql.release.columns import ReleasedColumn
from anonsql.star.coded import Coded
from anonsql.system.numbers import percent, rounded
from anonsql.verification.facts import facts_of

_DATES = ("date", "timestamp")


@dataclass(frozen=True)
class Usefulness:
    """GCP, the queries, their errors (None where they cannot be measured), ``notes`` that say why,
    the ``entries`` of each column, and the ``analyses`` of the completed table, if any."""

    gcp: float
    penalties: Mapping[str, float]
    queries: Sequence[Query]
    entries: Sequence[ColumnEntries]
    error: QueryError | None = None
    notes: list[str] = field(default_factory=list)
    analyses: Analyses | None = None


def usefulness(
    job: Job,
    columns: Sequence[str],
    workload: WorkloadSettings,
    *,
    analyses: bool = True,
) -> Usefulness:
    """Measure the staged release of a job by queries over some columns, and by ``analyses`` of its
    completed table. Tables of the job are overwritten."""
    if job.opened.population:
        _forget_population(job)
    made = MeasuredRelease(job, job.verified.staged, facts_of(job.verified.staged), None)
    sizes = comparing.domains(made)
    comparing.understand(made)
    values = comparing.all_values(made) if made.bounded else sizes
    domains = [domain for domain in comparing.drawable(made, values) if domain.column in columns]
    queries = comparing.random_queries(domains, workload) if domains else []
    comparing.count_rows(made, [])
    penalties, _, _ = comparing.column_penalties(made, sizes)
    completed = measuring.completed_of(job, job.verified.staged) if analyses else None
    result = Usefulness(
        rounded(sum(penalties.values()) / len(penalties)),
        penalties,
        queries,
        column_entries(made, sizes),
        analyses=measuring.usefulness_of(job, completed),
    )
    if not queries:
        none = "no query error: no quasi-identifying column of all policies has a value"
        return replace(result, notes=[none])
    if made.bounded:
        return _by_answers(made, result, queries, workload.sanity_bound)
    named = comparing.load_queries(made, [], queries)
    estimates, actual = comparing.query_answers(made, [], queries, named, job.progress)
    error = comparing.relative_errors(estimates, actual, workload.sanity_bound)
    return replace(result, error=error)


def _forget_population(job: Job) -> None:
    """Make the dimension tables anew without values that only the population has."""
    hierarchies = [
        *job.counted.attributes,
        *(column.attribute for column in job.counted.coded if column.attribute is not None),
    ]
    job.engine.drop("combinations", *(f"dim_{hierarchy.index}" for hierarchy in hierarchies))
    job.opened = replace(job.opened, population=())
    job.counted = sources.count(job)
    sources.build_hierarchies(job)


def _by_answers(
    made: MeasuredRelease, result: Usefulness, queries: Sequence[Query], bound: float
) -> Usefulness:
    columns: dict[str, Any] = {
        attribute.name: attribute for attribute in made.job.counted.attributes
    }
    named = _with_words(made.engine, list(columns.values()), queries)
    if named is None:
        none = "no query error: queries would name values that are not numbers (infinite, NaN)"
        return replace(result, notes=[none])
    for column in columns.values():
        load_conditions(made.engine, column, named)
    actual = bounded.actual(made.engine, columns, named)
    for column in columns.values():  # the release's columns reuse the indices
        made.engine.drop(f"domain_{column.index}")
    lines = bounded.answered(made.release, made.job.policy, named, None)
    estimates = [
        bounded.number(line.estimate) or 0.0
        for line in lines
        if line.estimate is not None or line.possible == 0
    ]
    if left := len(lines) - len(estimates):
        none = (
            f"no query error: the release gives no estimate for {left:,} of {len(lines):,} queries"
        )
        return replace(result, notes=[none])
    error = comparing.relative_errors(estimates, actual, bound)
    note = "withheld cells lose nothing in loss and GCP; queries are answered from buckets"
    return replace(result, error=error, notes=[note])


def _with_words(
    engine: Engine, attributes: Sequence[Any], queries: Sequence[Query]
) -> list[Query] | None:
    """Return the queries with values for positions; None if a value is no literal."""
    ranges_of = [
        (attribute.name, ranges)
        for query in queries
        for attribute in attributes
        if isinstance(ranges := query.conditions.get(attribute.name), Ranges)
    ]
    ordered = {value.name for value in attributes if value.sorts}
    places: dict[str, set[int]] = {}
    for name, ranges in ranges_of:
        places.setdefault(name, set()).update(_places(ranges, name in ordered))
    words = bounded.words_at(engine, attributes, places)
    if any(word is None for own in words.values() for word in own.values()):
        return None
    return [
        Query(
            {
                name: _conditions(condition, words[name], name in ordered)
                for name, condition in query.conditions.items()
                if isinstance(condition, Ranges)
            }
        )
        for query in queries
    ]


def _places(ranges: Ranges, ordered: bool) -> list[int]:
    """Return the positions that a condition needs: of an interval its ends."""
    return [
        position
        for ends in ranges.places
        for position in (ends if ordered else range(ends[0], ends[1] + 1))
    ]


def _conditions(
    ranges: Ranges, words: Mapping[int, object], ordered: bool
) -> tuple[QueryCondition, ...]:
    if not ordered:
        places = _places(ranges, ordered)
        return (QueryCondition("=", tuple(words[position] for position in places)),)
    ((first, last),) = ranges.places
    return (QueryCondition(">=", (words[first],)), QueryCondition("<=", (words[last],)))


def column_entries(
    made: MeasuredRelease, sizes: Mapping[int, tuple[int, int]]
) -> list[ColumnEntries]:
    """Return how exactly the released rows show each quasi-identifying column; ``sizes`` are its
    values in the source. Needs ``comparing.understand`` and ``count_rows``."""
    bounds = {column.name: column for column in made.job.counted.released if column.kind == "lo"}
    return [
        _entries(made, attribute, sizes[attribute.index][0], bounds.get(f"{attribute.name}_lo"))
        for attribute in made.job.counted.attributes
    ]


def _entries(
    made: MeasuredRelease, column: Attribute, size: int, lo: ReleasedColumn | None
) -> ColumnEntries:
    rows_of: Counter[int] = Counter()
    for label, count in made.release.engine.query("features/measure/label_rows", a=column):
        rows_of[1 if label == WITHHELD else made.widths[column.index][label]] += count
    rows = max(rows_of.total(), 1)
    within = None
    if lo is not None:
        bounds = Coded(column.index, Column(lo.name, lo.type))
        ((within,),) = made.release.engine.query(
            "features/compare/width", table=made.release.rows, name=column.name, a=bounds
        )
    is_date = lo is not None and Column(lo.name, lo.type).kind in _DATES
    form = made.job.policy.method.form(ordered=lo is not None, least=column.min_level)
    return ColumnEntries(
        column=column.name,
        ordered=lo is not None,
        within=None if within is None else rounded(within),
        unit="days" if is_date else None,
        sets=form == "set",
        values=_most(rows_of, rows),
        size=size,
        exact=rounded(rows_of[1] / rows),
        anything=rounded(rows_of[size] / rows) if size > 1 else 0.0,
    )


def _most(rows_of: Mapping[int, int], rows: int) -> int:
    """Return the number of values that nine of ten rows do not exceed."""
    upto = 0
    for values, count in sorted(rows_of.items()):
        upto += count
        if 10 * upto >= 9 * rows:
            return values
    return 0


def in_words(line: CompareLine) -> str:
    """Return how exact the released rows of a policy are."""
    words = [f"For 90 % of the released rows: {', '.join(map(_ninetieth, line.columns))}."]
    shares = [text for column in line.columns if not column.ordered and (text := _shares(column))]
    if shares:
        words.append(f"Of all rows: {'; '.join(shares)}.")
    if not traits(line.method).equal_rows_are_classes:
        words.append("Sets overlap: rows with equal values form no class.")
    return " ".join(words)


def _ninetieth(column: ColumnEntries) -> str:
    name, within = column.column, column.within or 0.0
    if column.values <= 1:
        return f"{name} exact"
    if column.values >= column.size:
        return f"{name} `*`"
    number = f"{within:,.0f}" if within == int(within) or abs(within) >= 100 else f"{within:.3g}"
    width = f"{number} {column.unit or ''}".rstrip()
    if column.within is None or column.sets:
        apart = f" at most {width} apart" if column.within is not None else ""
        return f"{name} one of {column.values:,} values{apart}"
    return f"{name} within {width}"


def _shares(column: ColumnEntries) -> str:
    """Return the shares of exact entries and of `*`; empty where it is all or none."""
    said = [f"exact in {percent(column.exact)}"] if 0 < column.exact < 1 else []
    said += [f"`*` in {percent(column.anything)}"] if 0 < column.anything < 1 else []
    return f"{column.column} {', '.join(said)}" if said else ""
