"""The summary of ``check`` on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from anonsql.features.check.document import CheckReport
from anonsql.features.tabulate import noise
from anonsql.presentation.terminal import show_findings
from anonsql.system.numbers import counted


def check(console: Console, report: CheckReport) -> None:
    """Print problems, warnings and the size of the job."""
    show_findings(console, "problem", "red", report.problems)
    show_findings(console, "warning", "yellow", report.warnings)
    if report.records is not None:
        lattice = f", {report.lattice:,} generalizations to choose from" if report.lattice else ""
        combinations = (
            f", {report.combinations:,} distinct combinations of quasi-identifying values"
            if report.combinations
            else ""
        )
        rows = counted(report.records, "row")
        what = f"{report.records:,} people in {escape(report.of)}" if report.of else rows
        console.print(f"{what}{combinations}{lattice}.")
    if report.noise is not None:
        noise.show(console, report.noise)
    if not report.problems and report.of:
        console.print(
            "[bold green]The policy fits its tables[/]: `anonsql run` publishes it where some"
            " generalization keeps the promise, which it, or `anonsql search`, finds out."
        )
    elif not report.problems:
        console.print(
            f"[bold green]The policy is ready[/]: `anonsql {report.publishes}` publishes it."
        )
