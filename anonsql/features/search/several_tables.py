"""``anonsql search`` of several tables."""

from __future__ import annotations

import time

from anonsql.features.kinds.base import SearchOptions
from anonsql.features.run.several_tables import levels_by_column
from anonsql.features.search.document import RelationalNode, RelationalSearchReport
from anonsql.jobs import pipeline
from anonsql.jobs.job import Job
from anonsql.jobs.pipeline import timed
from anonsql.jobs.relational import deciding
from anonsql.jobs.relational import pipeline as of_tables
from anonsql.jobs.relational.state import tables_of
from anonsql.jobs.sessions import read_only_job
from anonsql.policy.relational import RelationalPolicy
from anonsql.relational import search as searching
from anonsql.system.numbers import rounded


def search(policy: RelationalPolicy, options: SearchOptions) -> RelationalSearchReport:
    """Find and measure every generalization of all tables that keeps the promise: see
    :func:`anonsql.api.search`."""
    started = time.perf_counter()
    with read_only_job(
        policy, "search", progress=options.progress, show_values=options.show_values
    ) as job:
        pipeline.go_through(job, of_tables.SEARCH)
        with timed(job, "search"):
            return _report(job, started)


def _report(job: Job, started: float) -> RelationalSearchReport:
    tables = tables_of(job)
    judge = tables.judge
    names = {table.number: table.name for table in judge.coded.tables}
    nodes = [
        RelationalNode(
            levels=levels_by_column(judge.coded.tables, node.levels),
            height=sum(node.levels.values()),
            suppressed={names[n]: rows for n, rows in node.outcome.suppressed.items()},
            released={names[n]: rows for n, rows in node.outcome.left.items()},
            loss=rounded(node.loss),
        )
        for node in searching.every(judge, job.progress)
    ]
    return RelationalSearchReport(
        quasi_identifiers=[
            f"{table.name}.{attribute.name}"
            for table in judge.coded.tables
            for attribute in table.attributes
        ],
        lattice=searching.lattice_of(judge.coded).size,
        judged=judge.judged,
        statements=job.context.journal.count(),
        seconds=round(time.perf_counter() - started, 4),
        nodes=nodes,
        advice=None if nodes else deciding.remedy(tables.policy, judge),
    )
