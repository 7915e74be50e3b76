"""What ``measure`` says of its document."""

from __future__ import annotations

from anonsql.features.measure.document import BoundsError, MeasureReport, RelationalMeasureReport
from anonsql.features.measure.usefulness.document import Analyses
from anonsql.features.measure.usefulness.summary import GUESSED, sentences
from anonsql.presentation.numbers import Number, percent
from anonsql.presentation.sentences import left_out
from anonsql.presentation.tree import Figures, Part, Section, Sentence
from anonsql.system.numbers import counted


def of_tables(report: RelationalMeasureReport) -> list[Part]:
    """Return how much of its source's information each of several tables keeps."""
    return [Section(name, describe(table)) for name, table in report.tables.items()]


def describe(report: MeasureReport) -> list[Part]:
    """Return how much of its source's information a release keeps."""
    parts: list[Part] = [
        Sentence(
            f"{report.released:,} of {report.records:,} rows released by {report.method},"
            f" k={report.k}."
        ),
        _penalties(report),
    ]
    if report.discernibility is not None:
        ncp = "" if report.ncp is None else f", NCP {report.ncp:,.1f}"
        parts.append(
            Sentence(
                "Withheld cells lose nothing here: they lie in buckets. Groups: C_DM"
                f" {report.discernibility:,}{ncp}."
            )
        )
    bounds = [] if report.bounds is None else _bounds(report.bounds, report.error.empty)
    return [
        *parts,
        *left_out(report.left_out, report.k),
        Section("", [_errors(report), *bounds]),
        *([] if report.usefulness is None else [Section("", analysed(report.usefulness))]),
    ]


def _penalties(report: MeasureReport) -> Figures:
    withheld = bool(report.withheld)
    rows = [
        [name, Number(f"{lost:.4f}"), *([report.withheld.get(name, 0)] if withheld else [])]
        for name, lost in report.penalties.items()
    ]
    all_of_them = ["all (GCP)", Number(f"{report.gcp:.4f}"), *([""] if withheld else [])]
    return Figures(["column", "lost", *(["withheld"] if withheld else [])], [*rows, all_of_them])


def _errors(report: MeasureReport) -> Sentence:
    error, random = report.error, "random " if report.workload == "random" else ""
    kind = "COUNT" if report.aggregate.startswith("COUNT") else report.aggregate
    queries = f"{report.queries:,} {random}{kind} queries"
    if error.mean is None or error.median is None or error.ninetieth is None:
        return Sentence(f"The release leaves no estimate of the answers of {queries}.")
    return Sentence(
        f"Error of {queries}: median {percent(error.median)}, mean {percent(error.mean)}, 90 % at"
        f" most {percent(error.ninetieth)} (of the answer, or of {report.sanity_bound:g} where that"
        " is more)."
    )


def _bounds(bounds_error: BoundsError, empty: int) -> list[Sentence]:
    both = ("expected", bounds_error.expected), ("guaranteed", bounds_error.guaranteed)
    said = [
        f"Between the {name} bounds: median {percent(spread.median)} of the answer, mean"
        f" {percent(spread.mean)}, 90 % at most {percent(spread.ninetieth)}."
        for name, spread in both
        if spread is not None
    ]
    said.append(f"{empty:,} queries whose answer is 0 are left out.")
    if bounds_error.unanswered:
        said.append(
            f"{bounds_error.unanswered:,} are left without an estimate: labels like * stand for"
            " values of unknown number where the column's hierarchy does not name them one by one"
            " (taxonomy, order, file)."
        )
    return [Sentence(text) for text in said]


def analysed(found: Analyses) -> list[Part]:
    """Return what analyses of the completed table find."""
    draws = f" ({counted(found.draws, 'draw')}), beside the source's:"
    parts: list[Part] = [
        Sentence(draws, "Analyses of the completed table"),
        *map(Sentence, sentences(found)),
    ]
    if found.attributes:
        rows = [
            [risk.column, *map(percent, (risk.usual, risk.held_out, risk.release, risk.source))]
            for risk in found.attributes
        ]
        headings = ["guessed rightly", "usual", "held out", "release", "source"]
        parts += [Figures(headings, rows), Sentence(GUESSED)]
    return parts
