"""The summary of ``init`` on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from anonsql.features.init.document import InitReport
from anonsql.presentation.terminal import (
    show_findings,
)


def init(console: Console, report: InitReport) -> None:
    """Print where the policy is and what is left to decide."""
    console.print(f"[bold green]Wrote[/] {escape(report.policy)} for {report.columns} columns.")
    if report.undecided:
        console.print(f"Left for you to decide: {escape(', '.join(report.undecided))}.")
    for hierarchy in report.hierarchies:
        console.print(
            f"Wrote {escape(hierarchy)}, which names values of the table: only you can read it.",
        )
    show_findings(console, "warning", "yellow", report.warnings)
    show_findings(console, "error", "bold red", report.problems)
    policy = escape(report.policy)
    if report.asked and not report.problems:
        console.print(f"It is checked. Next: `anonsql run {policy}`.")
        return
    then = "tabulate" if report.statistics else "run"
    console.print(
        f"Read it and finish it, then: `anonsql check {policy}` and `anonsql {then} {policy}`.",
    )
