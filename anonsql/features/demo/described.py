"""What ``demo`` says of its run."""

from __future__ import annotations

from pathlib import Path

from anonsql.features.run.document import RelationalReport, Report
from anonsql.features.tabulate.document import StatisticsReport
from anonsql.presentation.tree import Part, Sentence


def describe(report: Report | RelationalReport | StatisticsReport, page: Path) -> list[Part]:
    """Return the results of the run, and the place of its page."""
    return [*report.described(), Sentence(f"{page}", "A page to look at in a browser: ")]
