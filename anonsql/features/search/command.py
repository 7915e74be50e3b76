"""``anonsql search``: find and measure every satisfying generalization."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

from anonsql.features.kinds.base import SearchOptions
from anonsql.features.search import solution_space
from anonsql.features.search.document import Explained, SearchReport, SearchRound
from anonsql.jobs import pipeline
from anonsql.jobs.job import Job
from anonsql.jobs.sessions import running
from anonsql.methods.full_domain import choose as full_domain
from anonsql.policy.policy import Policy
from anonsql.presentation import page
from anonsql.star.lattice import size
from anonsql.system import text_files


def search_table(policy: Policy, options: SearchOptions) -> SearchReport:
    """Find and measure every satisfying generalization of one table: see
    :func:`anonsql.api.search`."""
    started, html = time.perf_counter(), options.html
    result = policy.by_itself()
    full_domain.settings(result)
    if html is not None:
        text_files.require_replaceable(Path(html), "--html")
    with running(result, "search", options.progress, options.show_values) as job:
        pipeline.go_through(job, pipeline.SEARCH)
        search_result = job.schema.searched
        measured = job.schema.nodes.roll_ups.measured(list(search_result.nodes.values()))
        nodes = [
            solution_space.node_of(job, entry, minimal=number in search_result.minimal)
            for number, entry in zip(search_result.nodes, measured, strict=True)
        ]
        report = SearchReport(
            quasi_identifiers=[attribute.name for attribute in job.counted.attributes],
            lattice=size(job.schema.star.bottom, job.schema.star.top),
            checked=search_result.checked,
            statements=job.context.journal.count(),
            seconds=round(time.perf_counter() - started, 4),
            nodes=sorted(nodes, key=lambda node: (node.height, tuple(node.levels.values()))),
            explained=_explained(job) if options.explain else None,
        )
        space = solution_space.of_job(job, nodes) if html is not None else None
    if html is not None and space is not None:
        from anonsql.features.search.described import of_space

        page.write(html, "search", f"Ways to release {space.table}", of_space(space))
    return report


def _explained(job: Job) -> Explained:
    """Return how the search of a job went; for several combinations of columns, in all of their
    lattices."""
    several = job.policy.privacy.several
    whole = [
        verdict
        for levels, verdict in job.schema.searched.verdicts
        if several or len(levels) == len(job.counted.attributes)
    ]
    rounds = [
        SearchRound(
            title=round_.title,
            counted=round_.counted,
            satisfied=round_.satisfied,
            undecided=round_.undecided,
            seconds=round(round_.seconds, 4),
        )
        for round_ in job.schema.searched.rounds
    ]
    return Explained(
        algorithm=full_domain.settings(job.policy).algorithm,
        rules=Counter(verdict.rule for verdict in whole),
        rounds=rounds,
        seconds=job.seconds,
        statements=job.statements,
    )
