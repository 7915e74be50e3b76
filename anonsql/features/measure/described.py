"""The words of ``measure`` for its document, and the results of analyses as a row of figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from anonsql.features.measure.document import (
    Analyses,
    AssociationError,
    BoundsError,
    CountError,
    MeasureReport,
    RelationalMeasureReport,
    TargetUsefulness,
)
from anonsql.presentation.numbers import Number, percent
from anonsql.presentation.sentences import left_out
from anonsql.presentation.tree import Figures, Part, Section, Sentence
from anonsql.system.numbers import counted

Of = TypeVar("Of")
_MOST_COLUMNS = 5
"""Columns that are named for their losses, or for the errors of queries, at most."""
_MORE = Sentence("`--verbose` shows all columns and analyses.", on="terminal")


def of_tables(report: RelationalMeasureReport) -> list[Part]:
    """Return how much of its source's information each of several tables keeps."""
    return [*(Section(name, _of_table(table)) for name, table in report.tables.items()), _MORE]


def describe(report: MeasureReport) -> list[Part]:
    """Return how much of its source's information a release keeps."""
    return [*_of_table(report), _MORE]


def _of_table(report: MeasureReport) -> list[Part]:
    parts: list[Part] = [
        Sentence(
            f"{report.released:,} of {report.records:,} rows released by {report.method},"
            f" k={report.k}."
        ),
        Sentence(_lost_most(report), on="terminal"),
        Section("", [_penalties(report), *left_out(report.left_out, report.k)], on="verbose"),
    ]
    if report.withheld:
        parts.append(Sentence("Withheld cells lose nothing here, because they are in buckets."))
    bounds = [] if report.bounds is None else _bounds(report.bounds, report.error.empty)
    return [
        *parts,
        _errors(report),
        *bounds,
        *([] if report.usefulness is None else [Section("", analysed(report.usefulness))]),
    ]


def _lost_most(report: MeasureReport) -> str:
    most = sorted(report.penalties.items(), key=lambda of: -of[1])
    named = ", ".join(f"{name} {percent(lost)}" for name, lost in most[:_MOST_COLUMNS])
    more = f" and {len(most) - _MOST_COLUMNS} more" if len(most) > _MOST_COLUMNS else ""
    return f"Information lost (GCP): {percent(report.gcp)}; by column: {named}{more}."


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
        return Sentence(f"The release gives no estimate for {queries}.")
    return Sentence(
        f"Error of {queries}: median {percent(error.median)}, mean {percent(error.mean)}, 90 % at"
        f" most {percent(error.ninetieth)} (of the answer, or of {report.sanity_bound:g} if that"
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
            f"{bounds_error.unanswered:,} have no estimate: the number of values that labels like"
            " * cover is known only if the column's hierarchy lists them one by one (taxonomy,"
            " order, file)."
        )
    return [Sentence(text) for text in said]


def analysed(found: Analyses) -> list[Part]:
    """Return the results of analyses of the completed table."""
    draws = f" ({counted(found.draws, 'draw')}), compared with the source's:"
    parts: list[Part] = [
        Sentence(draws, "Analyses of the completed table"),
        *map(Sentence, _pmse_in_words(found)),
        *(Sentence(text, on="verbose") for text in _errors_in_words(found)),
        *map(Sentence, count_by(found.counts)),
        *map(Sentence, [] if found.target is None else in_words(found.target)),
    ]
    return parts


@dataclass(frozen=True)
class Figure(Generic[Of]):
    """A figure of a release: its heading, its meaning, and its value as text, if it has one.
    ``ranked`` is the measure by which the best releases are marked, if any."""

    name: str
    meaning: str
    shown: Callable[[Of], str | None]
    ranked: str = ""


def _pmse(found: Analyses) -> str | None:
    return None if found.propensity is None else ratio(found.propensity.ratio)


def _pairs(found: Analyses) -> str | None:
    pairs = [line.mean for line in found.marginals if line.columns == 2]
    return percent(pairs[0]) if pairs else None


def _correlation(found: Analyses) -> str | None:
    return None if found.correlations is None else f"{found.correlations.greatest:.2f}"


def _means(found: Analyses) -> str | None:
    return None if found.group_means is None else f"{found.group_means.mean:.2f}"


def _counts(found: Analyses) -> str | None:
    return percent(found.queries.mean)


def _inside(found: Analyses) -> str | None:
    target = found.target
    if target is None:
        return None
    turned = f", {target.turned} turned" if target.turned else ""
    return f"{target.inside}/{len(target.coefficients)}{turned}"


def _lost(found: Analyses) -> str | None:
    return None if found.target is None else f"{found.target.learned[-1].lost:.3f}"


FIGURES = (
    Figure("pMSE", "of pairs of columns, as a multiple of two random halves of the source", _pmse),
    Figure("pairs", "share of rows in other cells, in tables of two columns", _pairs),
    Figure("corr.", "largest error of a correlation", _correlation),
    Figure("means", "mean error of means by group, in standard deviations", _means),
    Figure("counts", "mean error of COUNT queries with 1 to 3 conditions", _counts),
    Figure("inside", "coefficients inside the source's 95 % interval; changed signs", _inside),
    Figure("lost", "loss of AUC, or of R² for a number, of a model of the target", _lost),
)


def shown_of(found: list[Analyses]) -> list[Figure[Analyses]]:
    """Return the figures that some of several releases have."""
    return [figure for figure in FIGURES if any(figure.shown(one) is not None for one in found)]


def _pmse_in_words(found: Analyses) -> list[str]:
    if found.propensity is None:
        return []
    return [
        f"pMSE of pairs of columns: {ratio(found.propensity.ratio)} times that of two random"
        " halves (1: indistinguishable)."
    ]


def _errors_in_words(found: Analyses) -> list[str]:
    said = []
    for one in found.marginals:
        kind = "single columns" if one.columns == 1 else f"{one.columns} columns"
        said.append(
            f"Tables of {kind}: {percent(one.mean)} of the rows are in other cells, at most"
            f" {percent(one.greatest)} ({', '.join(one.where)})."
        )
    said += _associations("Correlations of numbers", found.correlations)
    said += _associations("Means by group", found.group_means, " standard deviations")
    worst = list(found.queries.by_column.items())[:_MOST_COLUMNS]
    named = ", ".join(f"{name} {percent(error)}" for name, error in worst)
    said.append(
        "COUNT queries with 1 to 3 conditions have a mean error of"
        f" {percent(found.queries.mean)}; by the columns in the query: {named}."
    )
    return said


def count_by(counts: Sequence[CountError], *, may: bool = False) -> list[str]:
    """Return by which columns to count, and by which not; ``may``: their errors are not known, only
    how great they may be."""
    bands = sorted({one.within for one in counts if one.within is not None})
    by_band = [
        f"{', '.join(one.column for one in counts if one.within == band)} within {percent(band)}"
        for band in bands
    ]
    beyond = [one.column for one in counts if one.within is None]
    wrong = [
        f"{one.column} {one.wrong} of {one.values}"
        for one in counts
        if one.wrong and one.within is not None
    ]
    said = []
    if by_band:
        are = "may be" if may else "are"
        text = (
            f"How far counts grouped by one column {are} off, averaged over rows (numbers and"
            " dates with more than ten values: in ten groups of similar size)"
        )
        said.append(f"{text}: {'; '.join(by_band)}.")
    if beyond:
        are = "counts may be" if may else "counts are"
        said.append(f"Do not count by {', '.join(beyond)}: {are} off by more than 20 %.")
    if wrong:
        said.append(f"Values whose own count is off by more than 20 %: {'; '.join(wrong)}.")
    return said


def _associations(name: str, error: AssociationError | None, unit: str = "") -> list[str]:
    if error is None:
        return []
    return [
        f"{name} have a mean error of {error.mean:.3f}{unit}; the largest error is"
        f" {error.greatest:.3f} ({', '.join(error.where)})."
    ]


def ratio(value: float) -> str:
    """Return a ratio as people read it."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def in_words(target: TargetUsefulness) -> list[str]:
    """Return the losses of a regression and a model of a target, in sentences."""
    many = len(target.coefficients)
    sample = f" of a sample of {target.rows:,} rows" if target.sampled else ""
    turned = (
        "no significant one has changed its sign"
        if not target.turned
        else f"{target.turned} significant ones have changed their sign"
    )
    said = [
        f"{target.target} ({target.kind} regression{sample}): {target.inside} of {many}"
        f" coefficients are inside the source's 95 % interval, {turned}; the intervals overlap by"
        f" {percent(target.overlap)} on average."
    ]
    names = {"accuracy": "accuracy", "auc": "AUC", "r_squared": "R²"}
    learned = [
        f"{names[one.measure]} {one.release:.3f} instead of {one.source:.3f}"
        for one in target.learned
    ]
    kind = "regression" if target.model == "regression" else "trees"
    said.append(f"A model ({kind}) trained on the release predicts it with {', '.join(learned)}.")
    return said
