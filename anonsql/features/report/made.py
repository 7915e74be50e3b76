"""The run that made a release, from the catalog."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from anonsql.features.run.several_tables_document import RelationalReport
from anonsql.features.runs import command as runs
from anonsql.features.runs.document import RunLine
from anonsql.features.tabulate.document import StatisticsReport
from anonsql.policy.policies import AnyPolicy

Made = TypeVar("Made", RelationalReport, StatisticsReport)


def by_run(
    policy: AnyPolicy, lines: Sequence[RunLine], release: str, kind: type[Made]
) -> tuple[Made, RunLine] | None:
    """Return the report of the one of some runs of a policy that made a release, by its number, and
    the run; None where none did."""
    for run in lines:
        shown = runs.show(policy, run.run)
        if isinstance(shown.report, kind) and shown.report.release_id == release:
            return shown.report, run
    return None
