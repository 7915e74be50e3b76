"""The summary of ``demo`` on a terminal."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.markup import escape

from anonsql.features.run.document import Report
from anonsql.features.run.several_tables_document import RelationalReport
from anonsql.features.run.terminal import run
from anonsql.features.tabulate.document import StatisticsReport


def demo(
    console: Console, report: Report | RelationalReport | StatisticsReport, page: Path
) -> None:
    """Print the summary of the demo's run, and where its page is."""
    run(console, report)
    console.print(f"\nA page to look at in a browser: [bold]{escape(str(page))}[/]")
