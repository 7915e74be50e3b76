"""``anonsql tabulate``: the job of ``anonsql run``, for policies of statistics."""

from __future__ import annotations

from anonsql.errors import InvariantError
from anonsql.features.tabulate.document import StatisticsReport


def of_run(report: object) -> StatisticsReport:
    """Return the report of a run as that of statistics; raise InvariantError where it is not."""
    if not isinstance(report, StatisticsReport):
        raise InvariantError("a job of statistics has another report")
    return report
