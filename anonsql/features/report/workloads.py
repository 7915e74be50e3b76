"""The errors of COUNT queries by their kind, and the losses of released combinations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from anonsql.errors import PolicyError
from anonsql.features.measure import bounded, comparing, completed
from anonsql.features.measure.comparing import MeasuredRelease
from anonsql.features.measure.document import QueryError
from anonsql.features.measure.usefulness.measuring import usefulness_of
from anonsql.features.report.page_document import Region, Usefulness, Workload
from anonsql.measures.workload import Query, WorkloadSettings, by_kind
from anonsql.system.clock import Progress
from anonsql.system.numbers import rounded

PREDICATES = 3
"""The most columns that a query is about."""
QUERIES = 200
BOUNDED = 60
"""Queries of a kind where each is answered within bounds, which takes longer."""
SEED = 0
_STEPS = 50
_MOST_REGIONS = 2000


_Kind = tuple[int, float | None]
"""A kind of query: over how many columns, and which share of the rows it should select; of releases
whose queries are answered within bounds that is left to chance."""


def useful(
    made: MeasuredRelease, sizes: Mapping[int, tuple[int, int]], progress: Progress
) -> Usefulness:
    """Measure a release after ``comparing.understand``; ``sizes`` are those of the domains."""
    sizes_asked = comparing.all_values(made) if made.bounded else dict(sizes)
    if not any(values for _, values in sizes_asked.values()):
        raise PolicyError.at(
            "columns",
            "no quasi-identifying column has a value, so there is nothing to ask for.",
            "Look at the source.",
        )
    drawn = sorted(_drawn(made, sizes_asked), key=lambda row: row[1].columns)
    queries = [query for _, query in drawn]
    comparing.count_rows(made, [])
    penalties, _, _ = comparing.column_penalties(made, sizes)
    regions = _regions(made, sizes)
    analyses = usefulness_of(made.job, completed.completed_of(made.job, made.release))
    errors = _errors(made, [kind for kind, _ in drawn], queries, progress)
    return Usefulness(
        gcp=rounded(sum(penalties.values()) / len(penalties)),
        lost=penalties,
        workloads=[
            Workload(
                predicates=kind[0],
                selectivity=kind[1],
                queries=sum(1 for row, _ in drawn if row == kind),
                error=error,
            )
            for kind, error in errors.items()
        ],
        regions=regions,
        seed=SEED,
        analyses=analyses,
    )


def _drawn(
    made: MeasuredRelease, sizes: Mapping[int, tuple[int, int]]
) -> Iterator[tuple[_Kind, Query]]:
    domains = comparing.drawable(made, sizes)
    if not made.bounded:
        for kind, queries in by_kind(domains, QUERIES, SEED, most=PREDICATES, sets=None).items():
            yield from (((kind.predicates, kind.selectivity), query) for query in queries)
        return
    for number in range(1, min(PREDICATES, len(domains)) + 1):
        settings = WorkloadSettings(queries=BOUNDED, predicates=number, seed=SEED)
        for query in comparing.asked_queries(made, settings, sizes):
            yield (number, None), query


def _errors(
    made: MeasuredRelease, kinds: Sequence[_Kind], queries: Sequence[Query], progress: Progress
) -> dict[_Kind, QueryError]:
    columns = comparing.load_queries(made, [], queries)
    numbers = {
        kind: [position for position, row in enumerate(kinds) if row == kind]
        for kind in dict.fromkeys(sorted(kinds, key=lambda kind: (kind[0], kind[1] or 0.0)))
    }
    if made.bounded:
        truths = bounded.actual(made.engine, columns, queries)
        for column in columns.values():
            made.engine.drop(f"domain_{column.index}")
        lines = bounded.answered(made.release, made.job.policy, queries, None)
        return {
            kind: bounded.errors([lines[one] for one in own], [truths[one] for one in own], 1.0)[0]
            for kind, own in numbers.items()
        }
    estimate, actual = comparing.query_answers(made, [], queries, columns, progress)
    return {
        kind: comparing.relative_errors(
            [estimate[one] for one in own], [actual[one] for one in own], 1.0
        )
        for kind, own in numbers.items()
    }


def _regions(made: MeasuredRelease, sizes: Mapping[int, tuple[int, int]]) -> list[Region]:
    """Return combinations of labels by rows and loss; none if too many for a chart, or withheld."""
    if made.withheld:
        return []
    attributes = made.job.counted.attributes
    for attribute in attributes:
        spread = max(sizes[attribute.index][0] - 1, 1)
        losses = [
            (label, (width - 1) / spread) for label, width in made.widths[attribute.index].items()
        ]
        types = [("label", "INTEGER"), ("loss", "DOUBLE")]
        made.release.engine.load(f"losses_{attribute.index}", types, losses or [(-1, 0.0)])
    rows = made.release.engine.query(
        "features/report/regions",
        attributes=attributes,
        columns=len(attributes),
        steps=_STEPS,
    )
    for attribute in attributes:
        made.release.engine.drop(f"losses_{attribute.index}")
    if len(rows) > _MOST_REGIONS:
        return []
    return [Region(rows=size, lost=step / _STEPS, regions=regions) for size, step, regions in rows]
