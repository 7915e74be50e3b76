"""Measure how useful a staged release is, in the same way for every method, so that policies can be
compared.

The measures are those of :mod:`anonsql.usefulness.comparing`. The same random queries are asked of
every release of a source: they depend on the values of their columns alone and not on the policy.
Releases of ``local`` answer them as ``anonsql query`` does, because withheld values lie in buckets;
answers that are 0 count there as for the other methods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from anonsql.engines.base import Engine
from anonsql.jobs import sources
from anonsql.jobs.job import Job
from anonsql.measures import predicates
from anonsql.measures.workload import Condition, Domain, Query, Ranges, WorkloadSettings
from anonsql.report.advice_documents import ColumnEntries
from anonsql.report.usefulness_documents import QueryError
from anonsql.system.numbers import rounded
from anonsql.usefulness import bounded, comparing
from anonsql.usefulness.comparing import Measured
from anonsql.usefulness.entries import column_entries
from anonsql.verification.facts import facts_of


@dataclass(frozen=True)
class Usefulness:
    """GCP, the queries, their errors (None where they cannot be measured), and ``notes`` that say
    why; where they were looked at, the ``entries`` of each quasi-identifying column."""

    gcp: float
    queries: Sequence[Query]
    error: QueryError | None
    notes: list[str] = field(default_factory=list)
    entries: Sequence[ColumnEntries] = ()


def usefulness(
    job: Job, columns: Sequence[str], workload: WorkloadSettings, *, closely: bool = False
) -> Usefulness:
    """Measure the staged release of a job by queries over some quasi-identifying columns;
    ``closely``: look at the entries of its columns too. Tables of the job are overwritten."""
    if job.opened.population:
        _forget_population(job)
    made = Measured(job, job.verified.staged, facts_of(job.verified.staged), None)
    sizes = comparing.domains(made)
    comparing.understand(made)
    values = comparing.all_values(made) if made.bounded else sizes
    generalized = [
        each for each in job.counted.attributes if each.name in columns and values[each.index][1]
    ]
    queries = (
        comparing.random_queries(
            [Domain(each.name, values[each.index][1], each.sorts) for each in generalized], workload
        )
        if generalized
        else []
    )
    comparing.count_rows(made, [])
    penalties, _, _ = comparing.column_penalties(made, sizes)
    gcp = rounded(sum(penalties.values()) / len(penalties))
    entries = column_entries(made, sizes) if closely else ()
    if not queries:
        return Usefulness(
            gcp,
            queries,
            None,
            ["no query error: no quasi-identifying column that all policies have holds a value"],
            entries,
        )
    if not made.bounded:
        return Usefulness(
            gcp,
            queries,
            comparing.query_errors(made, [], queries, workload.sanity_bound, job.progress)[0],
            entries=entries,
        )
    error, note = _by_answers(made, queries, workload.sanity_bound)
    return Usefulness(gcp, queries, error, [note], entries)


def _forget_population(job: Job) -> None:
    """Make the dimension tables anew without the values that only the population has: neither
    queries nor GCP count those."""
    hierarchies = [
        *job.counted.attributes,
        *(each.attribute for each in job.counted.coded if each.attribute is not None),
    ]
    for table in ("combinations", *(f"dim_{each.index}" for each in hierarchies)):
        job.engine.drop(table)
    job.opened = replace(job.opened, population=())
    job.counted = sources.count_combinations(job, job.opened)
    sources.build_hierarchies(job, job.counted)


def _by_answers(
    made: Measured, queries: Sequence[Query], bound: float
) -> tuple[QueryError | None, str]:
    """Return the errors of the answers that ``anonsql query`` gives, and a note about them."""
    columns: dict[str, Any] = {each.name: each for each in made.job.counted.attributes}
    named = _with_words(made.engine, list(columns.values()), queries)
    if named is None:
        return None, "no query error: queries would name numbers that are none (infinite, NaN)"
    for each in columns.values():
        predicates.load(made.engine, each, named)
    actual = bounded.actual(made.engine, columns, named)
    for each in columns.values():  # the release's columns reuse the indices
        made.engine.drop(f"domain_{each.index}")
    lines = bounded.answered(made.release, made.job.policy, named, None)
    if unanswered := sum(each.estimate is None and each.possible != 0 for each in lines):
        return (
            None,
            (
                f"no query error: the release leaves {unanswered:,} of {len(lines):,} queries"
                " without an estimate"
            ),
        )
    estimates = [bounded.number(each.estimate) or 0.0 for each in lines]
    return (
        comparing.relative_errors(estimates, actual, bound),
        "withheld cells lose nothing in loss and GCP; queries are answered by buckets",
    )


def _with_words(
    engine: Engine, attributes: Sequence[Any], queries: Sequence[Query]
) -> list[Query] | None:
    """Return the same queries with values instead of positions; None where a value cannot be
    written as a literal."""
    ranges_of = [
        (each.name, ranges)
        for query in queries
        for each in attributes
        if isinstance(ranges := query.conditions.get(each.name), Ranges)
    ]
    ordered = {each.name for each in attributes if each.sorts}
    places: dict[str, set[int]] = {}
    for name, ranges in ranges_of:
        places.setdefault(name, set()).update(_places(ranges, name in ordered))
    words = bounded.words_at(engine, attributes, places)
    if any(word is None for own in words.values() for word in own.values()):
        return None
    return [
        Query(
            {
                name: _conditions(each, words[name], name in ordered)
                for name, each in query.conditions.items()
                if isinstance(each, Ranges)
            }
        )
        for query in queries
    ]


def _places(ranges: Ranges, ordered: bool) -> list[int]:
    """Return the positions whose values the condition of a query needs: of an interval, its
    ends."""
    return [
        place
        for ends in ranges.places
        for place in (ends if ordered else range(ends[0], ends[1] + 1))
    ]


def _conditions(
    ranges: Ranges, words: Mapping[int, object], ordered: bool
) -> tuple[Condition, ...]:
    """Return the conditions of a query on a column: of an ordered column an interval, which is a
    single stretch."""
    if not ordered:
        return (Condition("=", tuple(words[place] for place in _places(ranges, ordered))),)
    ((first, last),) = ranges.places
    return (Condition(">=", (words[first],)), Condition("<=", (words[last],)))
