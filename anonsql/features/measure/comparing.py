"""Measure how much of the source's information a release keeps, published or staged. GCP (Wong,
Mamoulis, Cheung 2010, Definition 8, for any released value) is the mean over rows and
quasi-identifying columns of (values that the released one covers - 1) / (values of the column - 1);
rows that were left out count 1. For COUNT queries, a released row counts by the share of the values
it covers that satisfy the conditions, and for a kept column by 1 or 0; the error is |estimate -
actual| / max(actual, sanity bound). For ``local`` and sums, queries are answered as ``anonsql
query`` answers them (:mod:`anonsql.features.measure.bounded`), and withheld entries cover one value
each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from anonsql.engines.base import Column, Engine, ReleaseTables
from anonsql.errors import PolicyError, Problem
from anonsql.features.measure import bounded
from anonsql.features.measure.document import BoundsError, QueryError
from anonsql.features.measure.workload_files import read
from anonsql.jobs.job import Job
from anonsql.labels.bench import bench_for
from anonsql.labels.readings import ask
from anonsql.measures.workload import (
    Query,
    QueryDomain,
    WorkloadSettings,
    at_random,
    compared_at_random,
    load_conditions,
    quantile,
)
from anonsql.policy.local import bucket_name
from anonsql.star.coded import Coded
from anonsql.system.clock import Progress
from anonsql.system.numbers import rounded
from anonsql.verification.linking.tables import cover


class NothingToAskError(PolicyError):
    """No quasi-identifying column has a value that random queries could ask for."""


WITHHELD = -1
"""The label of an entry that is withheld."""
_SAME_SOURCE = (
    "Measure a release with the policy, the hierarchies and the source from which it was made."
)


@dataclass
class MeasuredRelease:
    """The source's engine with its domains, and the release."""

    job: Job
    release: ReleaseTables
    facts: Mapping[str, str]
    summed: Column | None
    widths: dict[int, dict[int, int]] = field(default_factory=dict)

    @property
    def bounded(self) -> bool:
        """Whether queries are answered by :mod:`anonsql.features.measure.bounded`."""
        return self.job.counted.marks is not None or self.summed is not None

    @property
    def withheld(self) -> dict[int, str]:
        """The column of the buckets of every semi-sensitive column, by index."""
        marks = self.job.counted.marks
        return {value.index: bucket_name(value.name) for value in marks.semi} if marks else {}

    @property
    def engine(self) -> Engine:
        """The source's engine."""
        return self.job.engine

    @property
    def apart(self) -> bool:
        """Whether the release is read by another engine than the source."""
        return self.release.engine is not self.job.engine


def domains(made: MeasuredRelease) -> dict[int, tuple[int, int]]:
    """Make ``domain_<index>`` of every attribute; return its values, with and without NULL."""
    for attribute in made.job.counted.attributes:
        made.engine.run("features/measure/domain", a=attribute)
    return _sizes(made)


def all_values(made: MeasuredRelease) -> dict[int, tuple[int, int]]:
    """Make ``domain_<index>`` of every attribute again, with the values that are sensitive in every
    row: no label covers these, but queries may ask for them."""
    for attribute in made.job.counted.attributes:
        made.engine.drop(f"domain_{attribute.index}")
        made.engine.run("query/column_values", a=attribute, table=made.job.opened.source)
    return _sizes(made)


def _sizes(made: MeasuredRelease) -> dict[int, tuple[int, int]]:
    attributes = made.job.counted.attributes
    rows = made.engine.query("features/measure/sizes", attributes=attributes)
    return {index: (size, known) for index, size, known in rows}


def asked_queries(
    made: MeasuredRelease, workload: WorkloadSettings, sizes: Mapping[int, tuple[int, int]]
) -> list[Query]:
    """Return the queries, those over the same columns side by side."""
    policy = made.job.policy
    if workload.file is not None:
        columns = {
            column.name: column
            for column in made.job.opened.columns
            if policy.columns[column.name].role != "identifying"
        }
        queries = read(workload.file, columns)
    else:
        known = drawable(made, sizes)
        if not known:
            raise NothingToAskError.at(
                "columns",
                "no quasi-identifying column has a value, so there is nothing to query.",
                "Give --workload.",
            )
        if not made.bounded:
            return random_queries(known, workload)
        drawn = compared_at_random(
            known, workload.queries, min(workload.predicates, len(known)), workload.seed
        )
        queries = bounded.with_values(made.engine, made.job.counted.attributes, drawn)
    return sorted(queries, key=lambda query: query.columns)


def drawable(made: MeasuredRelease, sizes: Mapping[int, tuple[int, int]]) -> list[QueryDomain]:
    """Return the quasi-identifying columns that have a value to ask for."""
    return [
        QueryDomain(attribute.name, sizes[attribute.index][1], attribute.sorts)
        for attribute in made.job.counted.attributes
        if sizes[attribute.index][1]
    ]


def random_queries(known: Sequence[QueryDomain], workload: WorkloadSettings) -> list[Query]:
    """Return random queries, those over the same columns side by side. They depend on the values of
    the columns alone, not on their order in the policy or hierarchies."""
    ordered = sorted(known, key=lambda domain: domain.column)
    predicates = min(workload.predicates, len(ordered))
    queries = at_random(ordered, workload.queries, predicates, workload.selectivity, workload.seed)
    return sorted(queries, key=lambda query: query.columns)


def kept_columns(made: MeasuredRelease, queries: Sequence[Query]) -> list[Coded]:
    """Return the other columns that queries ask for or sum, numbered after the attributes."""
    attributes = {attribute.name for attribute in made.job.counted.attributes}
    named = {name for query in queries for name in query.columns}
    named |= {made.summed.name} if made.summed is not None else set()
    columns = {column.name: column for column in made.job.opened.columns}
    numbered = enumerate(sorted(named - attributes), start=len(attributes) + 1)
    return [Coded(number, columns[name]) for number, name in numbered]


def understand(made: MeasuredRelease) -> None:
    """Number the released labels, and make the tables of the values that each covers."""
    release, job = made.release, made.job
    columns = release.engine.query(
        "verification/facts", table=release.columns, columns=["column_name", "level"]
    )
    levels: dict[str, int | None] = dict(columns)
    problems = []
    for attribute in job.counted.attributes:
        rows = release.engine.query(
            "features/measure/labels",
            table=release.rows,
            name=attribute.name,
            bucket=made.withheld.get(attribute.index),
        )
        named = [
            (number, word, label)
            for number, (word, label) in enumerate(rows, start=1)
            if word is not None
        ]
        lists = any(isinstance(label, list) for _, _, label in named)
        labels = [
            (number, None if lists else label, label if lists else None, None, None)
            for number, _, label in named
        ]
        if len(named) < len(rows):
            labels.append((0, None, None, None, None))
        release.engine.load(
            f"labels_{attribute.index}",
            [("label", "INTEGER"), ("word", "VARCHAR")],
            [(number, word) for number, word, _ in named] or [(0, None)],
        )
        with bench_for(release.engine) as bench:
            ask(bench, labels)
            level = levels.get(attribute.name)
            numbers, widths = cover(made.engine, bench, attribute, every=False, level=level)
        made.widths[attribute.index] = dict(zip(numbers.tolist(), widths.tolist(), strict=True))
        if missing := len(labels) - len(numbers):
            text = (
                f"{missing:,} of its {len(labels):,} released values cover no value of the source."
            )
            problems.append(Problem(attribute.where, text, _SAME_SOURCE))
    if problems:
        raise PolicyError(problems)


def count_rows(made: MeasuredRelease, kept: Sequence[Coded]) -> None:
    """Make ``source_facts`` and ``released_facts``."""
    job, release = made.job, made.release
    for column in kept:
        made.engine.run("query/column_values", a=column, table=job.opened.source)
    made.engine.run(
        "features/measure/facts", source=job.opened.source, columns=[*job.counted.attributes, *kept]
    )
    kept_here = [] if made.bounded else _released(made, kept)  # bounds need other tables
    if made.apart:
        for column in kept_here:
            release.engine.run("query/column_values", a=column, table=release.rows)
    release.engine.run(
        "features/measure/released",
        table=release.rows,
        attributes=job.counted.attributes,
        kept=kept_here,
        withheld=made.withheld,
    )


def _released(made: MeasuredRelease, kept: Sequence[Coded]) -> list[Coded]:
    columns = {column.name: column for column in made.release.engine.columns(made.release.rows)}
    return [Coded(column.index, columns[column.name]) for column in kept]


def column_penalties(
    made: MeasuredRelease, sizes: Mapping[int, tuple[int, int]]
) -> tuple[dict[str, float], dict[str, int], int]:
    """Return the mean penalty of each column, the withheld entries of each semi-sensitive column,
    and the number of released rows."""
    by_name, withheld, released = {}, {}, 0
    for attribute in made.job.counted.attributes:
        rows = dict(made.release.engine.query("features/measure/label_rows", a=attribute))
        released, spread = sum(rows.values()), max(sizes[attribute.index][0] - 1, 1)
        if attribute.index in made.withheld:
            withheld[attribute.name] = rows.pop(WITHHELD, 0)
        lost = sum(
            count * (made.widths[attribute.index][label] - 1) / spread
            for label, count in rows.items()
        )
        by_name[attribute.name] = rounded(
            (lost + max(made.job.counted.rows - released, 0)) / made.job.counted.rows
        )
    return by_name, withheld, released


def query_errors(
    made: MeasuredRelease,
    kept: Sequence[Coded],
    queries: Sequence[Query],
    bound: float,
    progress: Progress,
) -> tuple[QueryError, BoundsError | None]:
    """Return the errors of the queries, with one statement for each set of columns."""
    columns = load_queries(made, kept, queries)
    if made.bounded:
        return bounded.compare(
            made.engine,
            made.release,
            made.job.policy,
            columns,
            queries,
            summed=made.summed,
            bound=bound,
        )
    estimate, actual = query_answers(made, kept, queries, columns, progress)
    return relative_errors(estimate, actual, bound), None


def load_queries(
    made: MeasuredRelease, kept: Sequence[Coded], queries: Sequence[Query]
) -> dict[str, Any]:
    """Make ``predicates_<index>`` of every column; return the columns by name."""
    every: list[Any] = [*made.job.counted.attributes, *kept]
    columns = {value.name: value for value in every}
    for column in columns.values():
        load_conditions(made.engine, column, queries)
    return columns


def query_answers(
    made: MeasuredRelease,
    kept: Sequence[Coded],
    queries: Sequence[Query],
    columns: Mapping[str, Any],
    progress: Progress,
) -> tuple[list[float], list[float]]:
    """Return the release's estimates and the source's answers, where queries are answered here.
    Queries over the same columns must be side by side."""
    job = made.job
    for attribute in job.counted.attributes:
        if any(attribute.name in query.conditions for query in queries):
            made.engine.run("features/measure/shares", a=attribute)
            if made.apart:
                _take_over(made, attribute.index)
    if made.apart:
        for column in _released(made, kept):
            load_conditions(made.release.engine, column, queries)
    spread = [attribute.index for attribute in job.counted.attributes]
    actual, estimate = [0.0] * len(queries), [0.0] * len(queries)
    for names, numbered in groupby(enumerate(queries), key=lambda query: query[1].columns):
        numbers = [number for number, _ in numbered]
        parameters = {
            "columns": [columns[name] for name in names],
            "first": numbers[0],
            "last": numbers[-1],
        }
        progress("queries", numbers[0], len(queries))
        for number, answer in made.engine.query(
            "features/measure/answers", facts="source_facts", spread=[], **parameters
        ):
            actual[number] = answer
        for number, answer in made.release.engine.query(
            "features/measure/answers", facts="released_facts", spread=spread, **parameters
        ):
            estimate[number] = answer
    return estimate, actual


def relative_errors(estimate: Sequence[float], actual: Sequence[float], bound: float) -> QueryError:
    """Return the errors of estimates of answers, including answers that are 0."""
    errors = [
        abs(one - other) / max(other, bound) for one, other in zip(estimate, actual, strict=True)
    ]
    return QueryError(
        mean=rounded(sum(errors) / len(errors)),
        median=rounded(quantile(errors, 0.5)),
        ninetieth=rounded(quantile(errors, 0.9)),
        empty=sum(other == 0 for other in actual),
    )


def _take_over(made: MeasuredRelease, index: int) -> None:
    """Copy the shares of labels, which are numbers only, to the release's engine."""
    rows = made.engine.query("features/measure/all_shares", index=index)
    types = [("query", "INTEGER"), ("label", "INTEGER"), ("share", "DOUBLE")]
    made.release.engine.load(f"shares_{index}", types, rows or [(-1, -1, 0.0)])
