"""The summary of ``init`` on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from anonsql.features.init.document import InitReport
from anonsql.features.init.policy_text import shown
from anonsql.presentation.terminal import show_findings


def init(console: Console, report: InitReport) -> None:
    """Print where the policy is and what is left to decide."""
    console.print(f"[bold green]Wrote[/] {escape(report.policy)} for {report.columns} columns.")
    if report.undecided:
        console.print(f"Left for you to decide: {escape(', '.join(map(shown, report.undecided)))}.")
    show_findings(console, "warning", "yellow", report.warnings)
    policy = escape(report.policy)
    then = "tabulate" if report.statistics else "run"
    console.print(
        f"Read it and finish it, then: `anonsql check {policy}` and `anonsql {then} {policy}`.",
    )
