"""What ``check`` says of its document."""

from __future__ import annotations

from anonsql.features.check.document import CheckReport
from anonsql.features.tabulate import noise
from anonsql.presentation.tree import Part, Sentence, findings
from anonsql.system.numbers import counted


def describe(report: CheckReport) -> list[Part]:
    """Return problems, warnings and the size of the job."""
    return [
        *findings("problem", "bad", report.problems),
        *findings("warning", "warn", report.warnings),
        *[_stands(*entry) for entry in report.patterns.items()],
        *_size(report),
        *(noise.described(report.noise) if report.noise is not None else []),
        *([] if report.problems else [_ready(report)]),
    ]


def _stands(where: str, columns: int) -> Sentence:
    name = where.rpartition("columns.")[2]
    return Sentence(f"{name!r} matches {counted(columns, 'column')}.")


def _size(report: CheckReport) -> list[Sentence]:
    if report.records is None:
        return []
    rows = counted(report.records, "row")
    what = f"{report.records:,} people in {report.of}" if report.of else rows
    if report.combinations:
        what += f", {report.combinations:,} distinct combinations of quasi-identifying values"
    if report.lattice:
        what += f", {report.lattice:,} generalizations to choose from"
    return [Sentence(f"{what}.")]


def _ready(report: CheckReport) -> Sentence:
    if report.of:
        return Sentence(
            ": `anonsql run` searches the generalizations and publishes the release if one of"
            " them keeps the promise. To search only, use `anonsql search`.",
            "The policy fits its tables",
            "good",
        )
    return Sentence(
        f": `anonsql {report.publishes}` publishes the release.", "The policy is ready", "good"
    )
