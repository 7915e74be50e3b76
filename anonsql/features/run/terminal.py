"""The summary of ``run`` on a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from anonsql.features.ledger import terminal as over_time
from anonsql.features.run import queries_to_try, unchanged
from anonsql.features.run.document import ChangedValues, Relocated, Report, Withheld
from anonsql.measures import registry
from anonsql.policy.methods import traits
from anonsql.presentation.tables import lines, percent, statement
from anonsql.presentation.terminal import (
    masked_rows,
    show_findings,
    show_identity,
    show_kept_columns,
    show_left_out,
    show_not_covered,
    show_promises,
    show_risks,
)

if TYPE_CHECKING:
    from anonsql.features.run.several_tables_document import RelationalReport
    from anonsql.features.tabulate.document import StatisticsReport


def run(
    console: Console,
    report: Report | RelationalReport | StatisticsReport,
    *,
    verbose: bool = False,
) -> None:
    """Print the verdict, what became of each column, warnings, and what to do next. With
    ``verbose`` also all measures and risks with their formulas."""
    if report.status == "unchanged":
        unchanged.show(console)
        return
    if not isinstance(report, Report):
        from anonsql.features.run import several_tables_terminal as relational
        from anonsql.features.tabulate import terminal as of_statistics
        from anonsql.features.tabulate.document import StatisticsReport

        if isinstance(report, StatisticsReport):
            of_statistics.run(console, report)
        else:
            relational.run(console, report)
        return
    _verdict(console, report)
    console.print(_columns(report, verbose))
    console.print()
    show_left_out(console, report.left_out, report.k)
    _withheld(console, report.withheld)
    _spans(console, report)
    _relocated(console, report.relocated)
    _changed(console, report.changed)
    if verbose:
        _measures(console, report)
    else:
        _in_short(console, report)
    show_findings(console, "warning", "yellow", report.warnings)
    _next(console, report, verbose)


def _verdict(console: Console, report: Report) -> None:
    several = report.combinations > 1
    apart = f", on each of {report.combinations} combinations of columns" if several else ""
    promised = "" if report.identity else f" (promised: k={report.k}{apart})"
    done = "Tried" if report.status == "tried" else "Published"
    console.print(
        f"[bold green]{done}[/] and verified: every released row {_hidden(report)}{promised}."
    )
    show_not_covered(console, report.not_covered)
    if report.query is not None:
        console.print(f"Made from what this selects: {escape(report.query)}", highlight=False)
    show_identity(console, report.identity)
    unit = "bucket" if report.withheld else "class"
    show_promises(console, report.promises, unit, report.limits)
    in_classes, quarantined = report.released - report.masked, report.quarantined
    kind = traits(report.method).classes_are
    console.print(
        f"{in_classes:,} of {report.records:,} rows in {report.classes:,} {kind};"
        f" {_left_out(report)}{masked_rows(report.masked)}"
        + (f"; {quarantined:,} rows quarantined, for they would break k." if quarantined else ".")
    )
    over_time.show(console, report.over_time, report.records, report.k)
    console.print()


def _left_out(report: Report) -> str:
    if report.sampled is not None:
        return (
            f"{report.sampled:,} were kept by chance, and {report.suppressed:,} of these suppressed"
            " (for you alone: the release tells neither)"
        )
    share = percent(report.suppressed / report.records)
    limit = percent(report.suppression_limit)
    return f"{report.suppressed:,} suppressed ({share} of at most {limit})"


def _columns(report: Report, verbose: bool) -> Table:
    headings = ("column", "role", "level") if verbose else ("column", "level")
    table = lines(*headings, "a value is", "for example", right=(len(headings) - 1,))
    for column in report.columns:
        roles = [column.role] if verbose else []
        level = "" if column.level is None else str(column.level)
        looks = [escape(column.looks_like), escape(column.example or "")]
        table.add_row(escape(column.column), *roles, level, *looks)
    return table


def _in_short(console: Console, report: Report) -> None:
    lost = report.metrics.get("loss")
    if lost is not None:
        console.print(
            f"Information lost: {percent(lost)} (0% as it was, 100% nothing left)."
            " `anonsql measure` tells more."
        )
    highest = report.risk.prosecutor.highest
    if highest is not None:
        console.print(
            f"Risk that somebody who knows the person is in it finds the row: {percent(highest)} at"
            " most."
        )
    show_kept_columns(console, report.risk.kept)


def _measures(console: Console, report: Report) -> None:
    utility = lines("utility", "value", "formula", right=(1,))
    for name, value in report.metrics.items():
        shown = f"{value:,.0f}" if value >= 1 and value.is_integer() else f"{value:,.4f}"
        utility.add_row(name, shown, f"[dim]{escape(registry.FORMULAS[name])}[/]")
    console.print(utility)
    console.print()
    show_risks(console, report.risk, people=report.min_people is not None)


def _next(console: Console, report: Report, verbose: bool) -> None:
    if report.status == "tried":
        console.print("\nNothing was published. Without --dry-run it is.")
        return
    console.print(
        f"\nRelease: [bold]{escape(report.release.database)}[/], table"
        f" [bold]{escape(report.release.table)}[/]. Try on it:"
    )
    for query in queries_to_try.queries(report):
        console.print(escape(statement(query)), highlight=False, soft_wrap=True)
    if not verbose:
        console.print("All measures with their formulas: --verbose.")


def _hidden(report: Report) -> str:
    if report.identity:
        return (
            f"is in a group of at least [bold]{report.min_class}[/] rows, whose sensitive values"
            " are told together"
        )
    if not traits(report.method).equal_rows_are_classes:
        return (
            f"may be any of [bold]{report.min_class}[/] people or more, with the same probability"
        )
    if report.k == 1 and report.min_class == 1:
        return "keeps what is promised of it, and some are the only ones of their kind"
    others, who = report.min_class - 1, "others"
    if report.min_people is not None:
        others, who = report.min_people - 1, "other people"
    return f"shares its quasi-identifying values with at least [bold]{others}[/] {who}"


def _withheld(console: Console, withheld: Mapping[str, Withheld]) -> None:
    if not withheld:
        return
    headings = ("cells", "buckets", "smallest", "hidden", "not sensitive", "flag NULL")
    buckets = lines("in buckets", *headings, right=(1, 2, 3, 4, 5, 6))
    for name, own in withheld.items():
        numbers = (own.cells, own.buckets, own.smallest, own.hidden, own.widened, own.unknown)
        buckets.add_row(escape(name), *(f"{number:,}" for number in numbers))
    console.print(buckets)
    console.print()


def _spans(console: Console, report: Report) -> None:
    if not report.spans:
        return
    apart = "bucket" if report.withheld else "group" if report.identity else "class"
    table = lines(f"in a {apart}, from least to greatest", "least", "median", right=(1, 2))
    for name, span in report.spans.items():
        table.add_row(escape(name), percent(span.least), percent(span.median))
    console.print(table)
    console.print(
        "[dim]Shares of the column's range: values that are near each other tell nearly as much as"
        " one.[/]\n"
    )


def _changed(console: Console, changed: ChangedValues | None) -> None:
    if changed is None:
        return
    console.print(
        f"Kept values of {changed.rows:,} rows ({percent(changed.row_share)}) are [bold]not true[/]:"
        " they were changed as the policy says."
    )
    table = lines("changed", "values", right=(1,))
    for name, values in changed.columns.items():
        table.add_row(escape(name), f"{values:,}")
    console.print(table)
    console.print()


def _relocated(console: Console, relocated: Relocated | None) -> None:
    if relocated is None:
        return
    shares = f"{percent(relocated.cell_share)} of at most {percent(relocated.p)}"
    if not relocated.cells:
        console.print(f"No quasi-identifying cell was changed: all values are true ({shares}).")
        return
    console.print(
        f"{relocated.cells:,} quasi-identifying cells ({shares}) of {relocated.rows:,} rows"
        f" ({percent(relocated.row_share)}) are [bold]not true[/]: they were changed so that the"
        " rows hide among others."
    )
    if relocated.chi_squared is not None and relocated.critical is not None:
        console.print(
            f"Chi-squared of the group sizes before and after: {relocated.chi_squared:,.1f} of at"
            f" most {relocated.critical:,.1f}."
        )
    changed = lines("changed", "cells", right=(1,))
    for name, cells in relocated.columns.items():
        changed.add_row(escape(name), f"{cells:,}")
    console.print(changed)
    console.print()
