"""The commands as Python functions that take a policy of one table or of several: run, search,
verify; and init for frames. What only some commands need is imported by these, so that a small job
starts at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from anonsql.features.run import unchanged
from anonsql.jobs import source_columns
from anonsql.policy import policies
from anonsql.policy.policies import AnyGiven
from anonsql.system.clock import Progress, silent

if TYPE_CHECKING:
    from anonsql.features.run.document import RelationalReport, Report
    from anonsql.features.search.document import RelationalSearchReport, SearchReport
    from anonsql.features.tabulate.document import StatisticsReport, StatisticsVerifyReport
    from anonsql.features.verify.document import RelationalVerifyReport, VerifyReport


def run(
    policy: AnyGiven,
    *,
    if_changed: bool = False,
    dry_run: bool = False,
    progress: Progress = silent,
    show_values: bool = False,
) -> Report | RelationalReport | StatisticsReport:
    """Run the whole job: search, choose, stage, verify, publish. Raise an AnonsqlError when
    anything fails; the previous release stays as it was then.

    With ``if_changed`` nothing is done, and the report's status is "unchanged", when the source,
    the hierarchies and the policy are what the published release was made from, its files have the
    SHA-256 that was recorded, and it still passes verification. With ``dry_run`` everything is done
    but publishing: the staged release is proved and thrown away, and nothing is made, locked or
    recorded where the release would go.
    """
    result = source_columns.of(policy)
    if if_changed and not dry_run and (report := unchanged.report(result)) is not None:
        return report
    from anonsql.features.run.command import run_job

    return run_job(
        result, if_changed=if_changed, dry_run=dry_run, progress=progress, show_values=show_values
    )


def tabulate(
    policy: AnyGiven,
    *,
    if_changed: bool = False,
    dry_run: bool = False,
    progress: Progress = silent,
    show_values: bool = False,
) -> StatisticsReport:
    """Publish the tables of a policy of ``statistics``: count the cells, protect those that may not
    be told, prove it, publish all tables together. This is :func:`run` for such a policy; raise
    PolicyError for another one."""
    result = run(
        policies.of_statistics(policy),
        if_changed=if_changed,
        dry_run=dry_run,
        progress=progress,
        show_values=show_values,
    )
    return cast("StatisticsReport", result)


def search(
    policy: AnyGiven,
    *,
    explain: bool = False,
    html: str | Path | None = None,
    progress: Progress = silent,
    show_values: bool = False,
) -> SearchReport | RelationalSearchReport:
    """Find and measure every satisfying generalization; with ``explain`` also report how the search
    went. Publish nothing. ``html`` is a file to write a page to, for its owner alone, that shows
    them; it holds counts and labels of the source."""
    from anonsql.features import kinds
    from anonsql.features.kinds.base import SearchOptions

    known = source_columns.of(policy)
    return kinds.of(known).search(known, SearchOptions(explain, html, progress, show_values))


def verify(
    policy: AnyGiven,
    *,
    against_source: bool = False,
    progress: Progress = silent,
) -> VerifyReport | RelationalVerifyReport | StatisticsVerifyReport:
    """Check what is published by nothing but itself and the policy, and, with ``against_source``,
    by which of the source's rows each released row may be (see
    :mod:`anonsql.verification.linking.rows`): that judges classes smaller than k as well. Raise
    VerificationError when it falls short, PolicyError when there is no release, or no source to
    compare it with."""
    from anonsql.features.verify.command import verify_release

    return verify_release(
        source_columns.of(policy, reading=not against_source),
        against_source=against_source,
        progress=progress,
    )


def init(table: object) -> str:
    """Propose a policy for a data frame of pandas or Polars, an Arrow table or a relation of
    DuckDB, from types, counts and column names, as the command ``init`` does for a table; return it
    as commented YAML, which holds no value of the frame. Its owner finishes it: columns that
    nothing tells of have no role yet. Raise PolicyError for a frame that is no table, or has no
    rows."""
    from anonsql.features.init.command import of_frame

    return of_frame(table)
