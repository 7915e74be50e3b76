"""What ``runs`` says of recorded runs."""

from __future__ import annotations

from anonsql.features.runs.document import RunReport, RunsReport
from anonsql.presentation.numbers import Number
from anonsql.presentation.tree import Figures, Part, Section, Sentence

_TO_SECONDS = 19
"""Characters of a moment up to its seconds."""


def describe(report: RunsReport) -> list[Part]:
    """Return the history, the latest run first."""
    rows = [
        [
            run.run,
            run.command,
            Number(run.started[:_TO_SECONDS]),
            Number("" if run.seconds is None else f"{run.seconds:,.2f}"),
            run.status,
            _short(run.release or ""),
        ]
        for run in report.runs
    ]
    headings = ["run", "command", "started (UTC)", "seconds", "status", "release"]
    failed = [
        Sentence(f"run {run.run} {run.status}: {run.error.splitlines()[0]}")
        for run in report.runs
        if run.error
    ]
    return [Figures(headings, rows), *failed]


def _short(release: str) -> str:
    """Return a release without the folder of its file."""
    return release if "://" in release else release.rpartition("/")[2]


def describe_run(report: RunReport) -> list[Part]:
    """Return one run with its statements."""
    rows = [
        [
            *(statement.number, statement.plane, statement.name, statement.rows),
            Number(f"{statement.milliseconds:,.1f}"),
        ]
        for statement in report.statements
    ]
    return [
        *describe(RunsReport(catalog=report.catalog, runs=[report.run])),
        Sentence(f"{report.run.statements:,} statements on the data's engine."),
        Section("", [Figures(["", "plane", "statement", "rows", "ms"], rows)]),
    ]
