"""How much of the source a published release still tells, whatever method made it.

Two measures, both from the released values themselves and the values that the source has. GCP (Wong, Mamoulis, Cheung 2010,
Definition 8, for any released value): the mean over rows and quasi-identifying columns of (values that the released one stands
for - 1) / (values of the column - 1), rows of the source that were left out counting 1. And the error of COUNT queries: a
released row counts, for each quasi-identifying column that a query asks for, by the share of the values it stands for that
are asked for (as if they were spread evenly), for columns kept as they are wholly or not; the error is |estimate - actual| /
max(actual, sanity bound).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from itertools import groupby
from pathlib import Path
from typing import Any

from anonsql import pipeline
from anonsql.catalog import Catalog
from anonsql.coded import Coded
from anonsql.engines import open_engine, open_target
from anonsql.engines.base import Column, Context, Engine, Located
from anonsql.errors import PolicyError
from anonsql.job import Job, Progress, silent
from anonsql.journal import Journal
from anonsql.measuring.workload import Domain, Query, Ranges, at_random, quantile
from anonsql.measuring.workload_files import read
from anonsql.metrics import rounded
from anonsql.places import Places
from anonsql.policy import Policy
from anonsql.reading import Said, cover
from anonsql.report.documents import MeasureReport, Place, QueryError
from anonsql.workspace import private_files, scratch

MEASURE = (pipeline.open_source, pipeline.count_combinations, pipeline.build_hierarchies)


@dataclass(frozen=True)
class Asked:
    """Which queries to measure by: those of a file, or random ones (see :func:`anonsql.measuring.workload.at_random`; where there are fewer
    columns than ``predicates``, on all of them), and the number of rows below which an answer's error is taken relative to
    that number."""

    file: Path | None = None
    queries: int = 1000
    predicates: int = 2
    selectivity: float = 0.05
    seed: int = 0
    sanity_bound: float = 1.0

    def __post_init__(self) -> None:
        """Raise PolicyError for numbers that mean nothing."""
        for name, fits, right in (
            ("queries", self.queries >= 1, "at least 1"),
            ("predicates", self.predicates >= 1, "at least 1"),
            ("selectivity", 0 < self.selectivity <= 1, "above 0 and at most 1"),
            ("sanity-bound", self.sanity_bound >= 1, "at least 1"),
        ):
            if not fits:
                raise PolicyError.at(f"--{name}", "this number means nothing.", f"Give one that is {right}.")


@dataclass
class _Measured:
    """The two sides of a comparison: the source's engine with its domains, and the release."""

    job: Job
    release: Located
    told: Mapping[str, str]
    widths: dict[int, dict[int, int]] = field(default_factory=dict)

    @property
    def engine(self) -> Engine:
        """The source's."""
        return self.job.engine

    @property
    def apart(self) -> bool:
        """Whether the release is read by another engine than the source."""
        return self.release.engine is not self.job.engine


def measure(
    policy: Policy | str | Path, asked: Asked = Asked(), *, progress: Progress = silent, show_values: bool = False
) -> MeasureReport:
    """Measure what is published against its source, by a thousand random queries unless told otherwise; neither is changed.

    Raises PolicyError when the release holds values that stand for nothing in the source, or a query cannot be understood."""
    given = policy if isinstance(policy, Policy) else Policy.load(policy)
    started, journal, places = time.perf_counter(), Journal(), Places.of(given)
    with (
        private_files(),
        scratch() as folder,
        Catalog.open(None, journal) as catalog,
        closing(open_engine(places.source, context := Context(folder, given.engine, journal, purpose="anonsql measure"))) as engine,
        closing(open_target(engine, places, given, context)) as target,
        target.published() as release,
    ):
        job = Job(given, places, engine, target, catalog, context, progress, show_values)
        pipeline.go_through(job, MEASURE)
        if job.problems:
            raise PolicyError(job.problems)
        facts = release.engine.query("verify/facts", table=release.about, columns=["property", "value"])
        made = _Measured(job, release, dict(facts))
        sizes = _domains(made)
        queries = _queries(made, asked, sizes)
        kept = _kept(made, queries)
        _understand(made)
        _count(made, kept)
        penalties, released = _penalties(made, sizes)
        errors = _errors(made, kept, queries, asked.sanity_bound, progress)
        return MeasureReport(
            method=made.told.get("method", "unknown"),
            k=int(made.told.get("k", 0)),
            records=job.rows,
            released=released,
            gcp=rounded(sum(penalties.values()) / len(penalties)),
            penalties=penalties,
            queries=len(queries),
            workload="file" if asked.file else "random",
            sanity_bound=asked.sanity_bound,
            error=errors,
            statements=journal.count(),
            seconds=round(time.perf_counter() - started, 4),
            release=Place(database=str(places.release), table=given.release.name),
        )


def _domains(made: _Measured) -> dict[int, tuple[int, int]]:
    """Make ``domain_<index>`` of every attribute: how many values it has, and how many besides NULL."""
    attributes = made.job.attributes
    for each in attributes:
        made.engine.run("workload/domain", a=each)
    return {index: (size, known) for index, size, known in made.engine.query("workload/sizes", attributes=attributes)}


def _queries(made: _Measured, asked: Asked, sizes: Mapping[int, tuple[int, int]]) -> list[Query]:
    """The queries, those over the same columns side by side."""
    policy = made.job.policy
    if asked.file is not None:
        columns = {each.name: each for each in made.job.columns if policy.columns[each.name].role != "identifying"}
        found = read(asked.file, columns)
    else:
        domains = [Domain(each.name, sizes[each.index][1], each.sorts) for each in made.job.attributes if sizes[each.index][1]]
        if not domains:
            raise PolicyError.at("columns", "no quasi-identifying column has a value, so there is nothing to ask for.", "Give --workload.")
        found = at_random(domains, asked.queries, min(asked.predicates, len(domains)), asked.selectivity, asked.seed)
    return sorted(found, key=lambda query: query.columns)


def _kept(made: _Measured, queries: Sequence[Query]) -> list[Coded]:
    """The columns besides the quasi-identifying ones that queries ask for, their indices counted on."""
    attributes = {each.name for each in made.job.attributes}
    names = sorted({name for query in queries for name in query.columns if name not in attributes})
    columns = {each.name: each for each in made.job.columns}
    return [Coded(number, columns[name]) for number, name in enumerate(names, start=len(attributes) + 1)]


def _understand(made: _Measured) -> None:
    """Number the released labels, and make what they stand for."""
    release, job = made.release, made.job
    columns = release.engine.query("verify/facts", table=release.columns, columns=["column_name", "level"])
    levels: dict[str, int | None] = dict(columns)
    problems = []
    for each in job.attributes:
        found = release.engine.query("workload/labels", table=release.rows, name=each.name)
        words = {number: word for number, (word, _) in enumerate(found, start=1) if word is not None}
        labels = {number: Said(label) for number, (word, label) in enumerate(found, start=1) if word is not None}
        if len(words) < len(found):
            labels[0] = Said(None)
        release.engine.load(f"labels_{each.index}", [("label", "INTEGER"), ("word", "VARCHAR")], list(words.items()) or [(0, None)])
        made.widths[each.index] = cover(made.engine, each, labels, every=False, level=levels.get(each.name))
        if missing := len(labels) - len(made.widths[each.index]):
            problems.append((each.where, f"{missing:,} of its {len(labels):,} released values stand for nothing that the source has."))
    if problems:
        remedy = "Measure a release by the policy, the hierarchies and the source that it was made from."
        raise PolicyError([problem for where, text in problems for problem in PolicyError.at(where, text, remedy).problems])


def _count(made: _Measured, kept: Sequence[Coded]) -> None:
    """Make ``source_facts`` and ``released_facts``."""
    job, release = made.job, made.release
    for each in kept:
        made.engine.run("workload/values", a=each, table=job.source)
    made.engine.run("workload/facts", source=job.source, columns=[*job.attributes, *kept])
    there = _released(made, kept)
    if made.apart:
        for each in there:
            release.engine.run("workload/values", a=each, table=release.rows)
    release.engine.run("workload/released", table=release.rows, attributes=job.attributes, kept=there)


def _released(made: _Measured, kept: Sequence[Coded]) -> list[Coded]:
    """Columns as the release has them."""
    columns = {each.name: each for each in made.release.engine.columns(made.release.rows)}
    return [Coded(each.index, columns[each.name]) for each in kept]


def _penalties(made: _Measured, sizes: Mapping[int, tuple[int, int]]) -> tuple[dict[str, float], int]:
    """The mean penalty of each column, by name, and the number of released rows."""
    found, released = {}, 0
    for each in made.job.attributes:
        rows = dict(made.release.engine.query("workload/label_rows", a=each))
        released, spread = sum(rows.values()), max(sizes[each.index][0] - 1, 1)
        lost = sum(count * (made.widths[each.index][label] - 1) / spread for label, count in rows.items())
        found[each.name] = rounded((lost + max(made.job.rows - released, 0)) / made.job.rows)
    return found, released


def _errors(made: _Measured, kept: Sequence[Coded], queries: Sequence[Query], bound: float, progress: Progress) -> QueryError:
    """The errors of the queries, asked of source and release: a statement for each set of columns."""
    job = made.job
    every: list[Any] = [*job.attributes, *kept]
    columns = {each.name: each for each in every}
    for column in columns.values():
        _predicates(made.engine, column, queries)
    for each in job.attributes:
        if any(each.name in query.asked for query in queries):
            made.engine.run("workload/shares", a=each)
            if made.apart:
                _take_over(made, each.index)
    if made.apart:
        for column in _released(made, kept):
            _predicates(made.release.engine, column, queries)
    spread = [each.index for each in job.attributes]
    actual, estimate = [0.0] * len(queries), [0.0] * len(queries)
    for names, numbered in groupby(enumerate(queries), key=lambda each: each[1].columns):
        numbers = [number for number, _ in numbered]
        told = {"columns": [columns[name] for name in names], "first": numbers[0], "last": numbers[-1]}
        progress("queries", numbers[0], len(queries))
        for number, answer in made.engine.query("workload/answers", facts="source_facts", spread=[], **told):
            actual[number] = answer
        for number, answer in made.release.engine.query("workload/answers", facts="released_facts", spread=spread, **told):
            estimate[number] = answer
    errors = [abs(one - other) / max(other, bound) for one, other in zip(estimate, actual, strict=True)]
    return QueryError(
        mean=rounded(sum(errors) / len(errors)),
        median=rounded(quantile(errors, 0.5)),
        ninetieth=rounded(quantile(errors, 0.9)),
        empty=sum(other == 0 for other in actual),
    )


def _take_over(made: _Measured, index: int) -> None:
    """Bring the shares of labels, numbers all, to the release's engine."""
    rows = made.engine.query("workload/all_shares", index=index)
    types = [("query", "INTEGER"), ("label", "INTEGER"), ("share", "DOUBLE")]
    made.release.engine.load(f"shares_{index}", types, rows or [(-1, -1, 0.0)])


def _predicates(engine: Engine, each: Any, queries: Sequence[Query]) -> None:
    """Make ``predicates_<index>``: the values that the queries ask for in a column."""
    places: list[tuple[int, int, int]] = []
    conditions: list[tuple[object, ...]] = []
    for number, query in enumerate(queries):
        asked = query.asked.get(each.name, ())
        if isinstance(asked, Ranges):
            places += [(number, *stretch) for stretch in asked.places]
        else:
            conditions += [(number, place, len(asked), told.operator, word) for place, told in enumerate(asked) for word in told.words]
    if places:
        engine.load(f"ranges_{each.index}", [("query", "INTEGER"), ("first", "BIGINT"), ("last", "BIGINT")], places)
        engine.run("workload/chosen", a=each)
    elif conditions:
        kinds = [*((name, "INTEGER") for name in ("query", "condition", "conditions")), ("operator", "VARCHAR")]
        word_type, written = _written(each.column, [told[-1] for told in conditions])
        rows = [(*told[:-1], word) for told, word in zip(conditions, written, strict=True)]
        engine.load(f"conditions_{each.index}", [*kinds, ("word", word_type)], rows)
        engine.run("workload/satisfying", a=each)


def _written(column: Column, words: Sequence[object]) -> tuple[str, list[object]]:
    """Literals as values of a type that they can be compared with the column as."""
    if column.kind == "float":
        return "DOUBLE", [float(word) for word in words if isinstance(word, Decimal)]
    if column.kind in ("integer", "decimal"):
        numbers = [word for word in words if isinstance(word, Decimal)]
        digits = max(0, column.scale, *(-int(word.as_tuple().exponent) for word in numbers))
        return f"DECIMAL(38, {min(digits, 18)})", list(numbers)
    kinds: dict[str, tuple[str, Callable[[Any], object]]] = {
        "date": ("DATE", lambda word: word if isinstance(word, date) else None),
        "timestamp": ("TIMESTAMP", lambda word: word if isinstance(word, datetime) else None),
        "boolean": ("BOOLEAN", bool),
        "text": ("VARCHAR", str),
    }
    kind, made = kinds[column.kind]
    return kind, [made(word) for word in words]
