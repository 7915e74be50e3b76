"""The terminal's summaries of recorded runs."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from anonsql.report.documents import (
    RunReport,
    RunsReport,
)
from anonsql.report.tables import lines


def runs(console: Console, report: RunsReport) -> None:
    """Print the history, the latest run first."""
    table = lines(
        "run",
        "command",
        "started (UTC)",
        "seconds",
        "statements",
        "status",
        "release",
        right=(0, 3, 4),
    )
    for each in report.runs:
        seconds = "" if each.seconds is None else f"{each.seconds:,.2f}"
        status = escape(each.status + (f": {each.error.splitlines()[0]}" if each.error else ""))
        table.add_row(
            str(each.run),
            each.command,
            each.started,
            seconds,
            str(each.statements),
            status,
            escape(each.release or ""),
        )
    console.print(table)


def show_run(console: Console, report: RunReport) -> None:
    """Print one run with its statements."""
    runs(console, RunsReport(catalog=report.catalog, runs=[report.run]))
    table = lines("", "plane", "statement", "rows", "ms", right=(0, 3, 4))
    for each in report.statements:
        table.add_row(
            str(each.number),
            each.plane,
            escape(each.name),
            f"{each.rows:,}",
            f"{each.milliseconds:,.1f}",
        )
    console.print()
    console.print(table)
