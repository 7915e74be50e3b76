"""The terminal's summary of a verification."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from anonsql.features.run import several_tables_terminal as relational
from anonsql.features.run.several_tables_document import RelationalVerifyReport
from anonsql.features.tabulate import terminal as of_statistics
from anonsql.features.tabulate.document import StatisticsVerifyReport
from anonsql.features.verify.document import AgainstSource, VerificationSql, VerifyReport
from anonsql.presentation.tables import percent
from anonsql.presentation.terminal import (
    masked_rows,
    show_files,
    show_findings,
    show_identity,
    show_not_covered,
    show_promises,
    show_risks,
)
from anonsql.system.numbers import counted


def verify(
    console: Console, report: VerifyReport | RelationalVerifyReport | StatisticsVerifyReport
) -> None:
    """Print the result of verification."""
    if isinstance(report, StatisticsVerifyReport):
        of_statistics.verify(console, report)
        return
    if isinstance(report, RelationalVerifyReport):
        relational.verify(console, report)
        return
    alone = report.against_source is None or report.against_source.alone
    smallest = counted(report.min_class, "row")
    if report.min_people is not None:
        stated = " as the release states" if "min_people" in report.as_told else ""
        smallest += f" and {counted(report.min_people, 'person', 'people')}{stated}"
    units = f"classes, the smallest of {smallest}" if alone else "combinations of values"
    console.print(
        f"[bold green]Verified[/]: {report.released - report.masked:,} rows in {report.classes:,}"
        f" {units} (k={report.k}){masked_rows(report.masked)}."
    )
    show_not_covered(console, report.not_covered)
    show_identity(console, report.identity)
    show_promises(console, report.promises if alone else {}, limits=report.limits)
    show_files(console, report.files)
    if report.against_source:
        _against_source(console, report.against_source)
    elif report.missing:
        rows = "row of the source is" if report.missing == 1 else "rows of the source are"
        console.print(
            f"{report.missing:,} {rows} left out or masked: whose, the release alone cannot tell"
            " (`anonsql measure` counts it by the source)."
        )
    if report.on_trust:
        console.print(f"What rests on the run: {'; '.join(report.on_trust)}.")
    if report.as_told:
        console.print(
            f"Not recomputed, taken from the run's record: {escape(', '.join(report.as_told))}."
        )
    console.print()
    show_risks(console, report.risk, people=report.min_people is not None)
    show_findings(console, "warning", "yellow", report.warnings)


def _against_source(console: Console, against_source: AgainstSource) -> None:
    """Print what was found against the source: who may be whom, how much was changed, or whether
    rows can be a sample."""
    if (sample := against_source.sample) is not None:
        console.print(
            f"Against the source: of its {sample.classes:,} classes {sample.released_classes:,} are"
            " released, with no more rows than it has and as many as chance leaves of them (of"
            f" {sample.rows:,} rows {sample.kept:,}, where {sample.least:,} to {sample.most:,} are"
            " to be expected; all but a probability of 1e-9)."
        )
    if against_source.changed_cells is not None:
        _changed(console, against_source)
    if against_source.buckets:
        _apart_from_source(console, against_source)
    if against_source.least_original is None or against_source.least_released is None:
        return
    least = min(against_source.least_original, against_source.least_released)
    console.print(
        f"Against the source: every row may be {least:,} rows of the other side or more"
        f" ({against_source.matches:,} pairs of rows), and assignments can be drawn so that no row is"
        f" identified with a probability above {percent(against_source.highest_probability or 0)}."
    )
    console.print(
        "With the values that they keep, the released rows can be different rows of the source."
        if against_source.with_kept_values
        else "Not compared with the source: kept values, or some of them."
    )
    if against_source.least_people is not None and against_source.most_people is not None:
        _people(
            console,
            against_source.least_people,
            against_source.most_people,
            linked=bool(against_source.people_linked),
        )


def _people(console: Console, least: int, most: int, *, linked: bool) -> None:
    if least == most:
        console.print(f"By the source the class with fewest people has {least:,}.")
    else:
        console.print(
            f"By the source the class with fewest people has {least:,} to {most:,}: which of the"
            " rows that fit it are released in it is not known."
        )
    if linked:
        console.print(
            "Everybody whom the release tells apart is somebody of the source, with all rows."
        )


def _apart_from_source(console: Console, against_source: AgainstSource) -> None:
    columns = [
        escape(name)
        for name, bucket in against_source.buckets.items()
        if bucket.buckets is not None
    ]
    totals = (
        f"the values in buckets ({', '.join(columns)}) are those of cells that are sensitive in the"
        " source"
    )
    own = (
        "every released row can be a row of the source of its own, with the values that it kept and"
        " some of its buckets'"
    )
    if against_source.with_kept_values:
        each = "taken column by column, each bucket can have its values from its rows"
        console.print(f"Against the source: {own}; {totals}; and {each}.")
    else:
        console.print(
            f"Against the source: {totals}. Whether {own} could not be shown either way: that is"
            " too much."
        )


def _changed(console: Console, against_source: AgainstSource) -> None:
    console.print(
        "Against the source: all sensitive and insensitive values are the source's, and at least"
        f" {against_source.changed_cells:,} quasi-identifying cells, of"
        f" {against_source.changed_rows:,} rows, are"
        f" not; {against_source.max_changed_cells:,} may be."
    )
    if against_source.chi_squared is not None:
        console.print(
            "The sizes of groups cannot be told from what they were: chi-squared"
            f" {against_source.chi_squared:,.4g}, at most {against_source.critical:,.4g}."
        )


def as_sql(console: Console, shown: VerificationSql) -> None:
    """Print verification SQL as a script, whatever the width of the terminal."""
    console.print(shown.script, end="", soft_wrap=True, markup=False, highlight=False, emoji=False)
