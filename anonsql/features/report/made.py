"""The run that made a release, from the catalog."""

from __future__ import annotations

from typing import TypeVar

from anonsql.features.run.several_tables_document import RelationalReport
from anonsql.features.runs import command as runs
from anonsql.features.runs.document import RunLine
from anonsql.features.tabulate.document import StatisticsReport
from anonsql.policy.policies import AnyPolicy

Made = TypeVar("Made", RelationalReport, StatisticsReport)


def by_run(policy: AnyPolicy, release: str, kind: type[Made]) -> tuple[Made, RunLine] | None:
    """Return the report of the run that made a release, by its number, and the run; None where the
    catalog has none. Raise AnonsqlError where there is no catalog that can be read."""
    for run in runs.runs(policy).runs:
        shown = runs.show(policy, run.run)
        if isinstance(shown.report, kind) and shown.report.release_id == release:
            return shown.report, run
    return None
