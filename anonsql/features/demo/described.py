"""What ``demo`` says of its run."""

from __future__ import annotations

from pathlib import Path

from anonsql.features.run.document import RelationalReport, Report
from anonsql.features.tabulate.document import StatisticsReport
from anonsql.presentation.tree import Part, Section, Sentence


def describe(report: Report | RelationalReport | StatisticsReport, page: Path) -> list[Part]:
    """Return what the run did, and where its page is."""
    shown = [Sentence(f"{page}", "A page to look at in a browser: ")]
    return [*report.described(), Section("", shown)]
