"""``anonsql measure``: a published release, compared with its source."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

from anonsql import pipeline
from anonsql.catalog import Catalog
from anonsql.engines import open_engine, open_target
from anonsql.engines.base import Context
from anonsql.errors import PolicyError
from anonsql.job import Job, Progress, silent
from anonsql.journal import Journal
from anonsql.measuring import bounded, comparing
from anonsql.measuring.comparing import Measured
from anonsql.measuring.workload import Asked
from anonsql.metrics import rounded
from anonsql.places import Places
from anonsql.policy import Policy
from anonsql.released import GROUP
from anonsql.report.documents import Place
from anonsql.report.usefulness_documents import MeasureReport
from anonsql.verification.facts import facts_of
from anonsql.workspace import private_memory, scratch

_AT_RANDOM = Asked()
MEASURE = (pipeline.open_source, pipeline.count_combinations, pipeline.build_hierarchies)


def measure(
    policy: Policy | str | Path,
    asked: Asked = _AT_RANDOM,
    *,
    progress: Progress = silent,
    show_values: bool = False,
) -> MeasureReport:
    """Measure what is published against its source, by a thousand random queries unless told otherwise; neither is changed.

    Raises PolicyError when the release holds values that stand for nothing in the source, or a query cannot be understood."""
    given = policy if isinstance(policy, Policy) else Policy.load(policy)
    started, journal, places = time.perf_counter(), Journal(), Places.of(given)
    with (
        private_memory(),
        scratch() as folder,
        Catalog.open(None, journal) as catalog,
        closing(
            open_engine(
                places.source,
                context := Context(folder, given.engine, journal, purpose="anonsql measure"),
            )
        ) as engine,
        closing(open_target(engine, places, given, context)) as target,
        target.published() as release,
    ):
        job = Job(given, places, engine, target, catalog, context, progress, show_values)
        pipeline.go_through(job, MEASURE)
        if job.problems:
            raise PolicyError(job.problems)
        made = Measured(
            job, release, facts_of(release), bounded.to_sum(job.columns, given, asked.sum)
        )
        sizes = comparing.domains(made)
        comparing.understand(made)
        queries = comparing.asked_queries(
            made, asked, comparing.all_values(made) if made.bounded else sizes
        )
        kept = comparing.kept_columns(made, queries)
        comparing.count_rows(made, kept)
        penalties, withheld, released = comparing.column_penalties(made, sizes)
        penalty = made.told.get("ncp") if job.marks is not None else None
        squares = (
            release.engine.query("workload/squares", table=release.rows, group=GROUP.name)[0][0]
            if job.marks is not None
            else None
        )
        errors, bounds = comparing.query_errors(made, kept, queries, asked.sanity_bound, progress)
        return MeasureReport(
            method=made.told.get("method", "unknown"),
            k=int(made.told.get("k", 0)),
            records=job.rows,
            released=released,
            gcp=rounded(sum(penalties.values()) / len(penalties)),
            penalties=penalties,
            withheld=withheld,
            discernibility=None
            if squares is None
            else int(squares) + (job.rows - released) * job.rows,
            ncp=None if penalty is None else float(penalty),
            queries=len(queries),
            aggregate="COUNT(*)" if made.summed is None else f"SUM({made.summed.name})",
            workload="file" if asked.file else "random",
            sanity_bound=asked.sanity_bound,
            error=errors,
            bounds=bounds,
            statements=journal.count(),
            seconds=round(time.perf_counter() - started, 4),
            release=Place(database=str(places.release), table=given.release.name),
        )
