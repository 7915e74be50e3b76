"""The summary of ``measure`` on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from anonsql.features.measure.document import BoundsError, MeasureReport
from anonsql.features.measure.usefulness.document import Analyses
from anonsql.features.measure.usefulness.summary import GUESSED, sentences
from anonsql.features.run.several_tables_document import RelationalMeasureReport
from anonsql.presentation.tables import lines, percent
from anonsql.presentation.terminal import show_left_out


def measured(console: Console, report: MeasureReport | RelationalMeasureReport) -> None:
    """Print how much of its source's information a release keeps; of several tables, each."""
    if isinstance(report, RelationalMeasureReport):
        for name, table in report.tables.items():
            console.print(f"\n[bold]{escape(name)}[/]")
            measured(console, table)
        return
    console.print(
        f"{report.released:,} of {report.records:,} rows released by {escape(report.method)},"
        f" k={report.k}."
    )
    columns = lines("column", "lost", *(["withheld"] if report.withheld else []), right=(1, 2))
    for name, penalty in report.penalties.items():
        withheld = [f"{report.withheld.get(name, 0):,}"] if report.withheld else []
        columns.add_row(escape(name), f"{penalty:.4f}", *withheld)
    columns.add_row("[bold]all (GCP)[/]", f"[bold]{report.gcp:.4f}[/]")
    console.print(columns)
    if report.discernibility is not None:
        ncp = "" if report.ncp is None else f", NCP {report.ncp:,.1f}"
        console.print(
            "Withheld cells lose nothing here: they lie in buckets. Groups: C_DM"
            f" {report.discernibility:,}{ncp}."
        )
    show_left_out(console, report.left_out, report.k)
    _errors(console, report)
    if report.bounds is not None:
        _bounds(console, report.bounds, report.error.empty)
    if report.usefulness is not None:
        console.print()
        _analysed(console, report.usefulness)


def _errors(console: Console, report: MeasureReport) -> None:
    error, random = report.error, "random " if report.workload == "random" else ""
    kind = "COUNT" if report.aggregate.startswith("COUNT") else report.aggregate
    queries = f"{report.queries:,} {random}{escape(kind)} queries"
    if error.mean is None or error.median is None or error.ninetieth is None:
        console.print(f"\nThe release leaves no estimate of the answers of {queries}.")
        return
    console.print(
        f"\nError of {queries}: median [bold]{percent(error.median)}[/], mean"
        f" {percent(error.mean)}, 90 % at most {percent(error.ninetieth)} (of the"
        f" answer, or of {report.sanity_bound:g} where that is more)."
    )


def _bounds(console: Console, bounds_error: BoundsError, empty: int) -> None:
    both = ("expected", bounds_error.expected), ("guaranteed", bounds_error.guaranteed)
    for name, spread in both:
        if spread is not None:
            console.print(
                f"Between the {name} bounds: median [bold]{percent(spread.median)}[/] of the"
                f" answer, mean {percent(spread.mean)}, 90 % at most {percent(spread.ninetieth)}."
            )
    console.print(f"{empty:,} queries whose answer is 0 are left out.")
    if bounds_error.unanswered:
        console.print(
            f"{bounds_error.unanswered:,} are left without an estimate: labels like * stand for"
            " values of unknown number where the column's hierarchy does not name them one by one"
            " (taxonomy, order, file)."
        )


def _analysed(console: Console, found: Analyses) -> None:
    draws = "1 draw" if found.draws == 1 else f"{found.draws} draws"
    console.print(f"[bold]Analyses of the completed table[/] ({draws}), beside the source's:")
    for line in sentences(found):
        console.print(escape(line), highlight=False)
    if not found.attributes:
        return
    table = lines("guessed rightly", "usual", "held out", "release", "source", right=(1, 2, 3, 4))
    for risk in found.attributes:
        shares = (risk.usual, risk.held_out, risk.release, risk.source)
        table.add_row(escape(risk.column), *map(percent, shares))
    console.print(table)
    console.print(GUESSED, highlight=False)
