"""The terminal's summaries of recorded runs."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from anonsql.features.runs.document import RunReport, RunsReport
from anonsql.presentation.tables import lines

_TO_SECONDS = 19
"""Characters of a moment up to its seconds."""


def runs(console: Console, report: RunsReport) -> None:
    """Print the history, the latest run first."""
    table = lines("run", "command", "started (UTC)", "seconds", "status", "release", right=(0, 3))
    table.columns[2].no_wrap = table.columns[3].no_wrap = True
    for run in report.runs:
        seconds = "" if run.seconds is None else f"{run.seconds:,.2f}"
        table.add_row(
            str(run.run),
            run.command,
            run.started[:_TO_SECONDS],
            seconds,
            run.status,
            escape(_short(run.release or "")),
        )
    console.print(table)
    for run in report.runs:
        if run.error:
            text = f"run {run.run} {run.status}: {run.error.splitlines()[0]}"
            console.print(escape(text), highlight=False)


def _short(release: str) -> str:
    """Return a release without the folder of its file."""
    return release if "://" in release else release.rpartition("/")[2]


def show_run(console: Console, report: RunReport) -> None:
    """Print one run with its statements."""
    runs(console, RunsReport(catalog=report.catalog, runs=[report.run]))
    console.print(f"{report.run.statements:,} statements on the data's engine.")
    table = lines("", "plane", "statement", "rows", "ms", right=(0, 3, 4))
    for statement in report.statements:
        table.add_row(
            str(statement.number),
            statement.plane,
            escape(statement.name),
            f"{statement.rows:,}",
            f"{statement.milliseconds:,.1f}",
        )
    console.print()
    console.print(table)
