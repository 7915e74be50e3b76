"""Summaries of the commands' results for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import indent

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from anonsql.measures import registry, risk
from anonsql.policy.methods import traits
from anonsql.report import kept_columns, tried
from anonsql.report.documents import (
    CheckReport,
    CompileReport,
    Explained,
    Finding,
    InitReport,
    Relocated,
    Report,
    Risks,
    RunReport,
    RunsReport,
    SearchReport,
    Withheld,
)
from anonsql.report.verify_documents import AgainstSource, VerifyReport
from anonsql.sql.templates import render

_SHOWN_NODES = 20
_RULES = {
    "checked": "counted",
    "generalization": "satisfying because a node below does",
    "specialization": "failing because a node above does",
    "subset": "not counted, for fewer columns told enough or because the search had ended",
}


def lines(*headings: str, right: tuple[int, ...] = ()) -> Table:
    """Return a table without rules; the columns whose numbers are in ``right`` are
    right-aligned."""
    table = Table(
        box=None,
        pad_edge=False,
        show_header=any(headings),
        header_style="bold",
        padding=(0, 2, 0, 0),
    )
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number in right else "left", overflow="fold")
    return table


def percent(share: float) -> str:
    """Return a share as people read it."""
    return f"{share:.2%}"


def run(console: Console, report: Report) -> None:
    """Print what was promised, what was done, how useful and how risky the result is, and how to
    query it."""
    if report.status == "unchanged":
        console.print(
            "[bold green]Unchanged[/] since it was published, and verified again: nothing was done."
        )
        return
    share = report.suppressed / report.records
    promised = "" if report.identity else f" (promised: k={report.k}{_apart(report)})"
    console.print(
        f"[bold green]Published[/] and verified: every released row {_hidden(report)}{promised}."
    )
    _identity(console, report.identity)
    _promises(console, report.promises, "bucket" if report.withheld else "class")
    in_classes = report.released - report.masked
    kind = traits(report.method).classes_are
    console.print(
        f"{in_classes:,} of {report.records:,} rows in {report.classes:,} {kind};"
        f" {report.suppressed:,} suppressed ({percent(share)} of at most"
        f" {percent(report.suppression_limit)}){_besides(report)}.\n"
    )
    columns = lines("column", "role", "level", "a value is", right=(2,))
    for each in report.columns:
        columns.add_row(
            escape(each.column),
            each.role,
            "" if each.level is None else str(each.level),
            escape(each.looks_like),
        )
    console.print(columns)
    console.print()
    _withheld(console, report.withheld)
    _spans(console, report)
    _relocated(console, report.relocated)
    utility = lines("utility", "value", "formula", right=(1,))
    for name, value in report.metrics.items():
        shown = f"{value:,.0f}" if value >= 1 and value.is_integer() else f"{value:,.4f}"
        utility.add_row(name, shown, f"[dim]{escape(registry.FORMULAS[name])}[/]")
    console.print(utility)
    console.print()
    _risks(console, report.risk)
    _findings(console, "warning", "yellow", report.warnings)
    console.print(
        f"\nRelease: [bold]{escape(report.release.database)}[/], table"
        f" [bold]{escape(report.release.table)}[/]. Try on it:"
    )
    for query in tried.queries(report):
        console.print(indent(escape(query), "  "), highlight=False, soft_wrap=True)


def _hidden(report: Report) -> str:
    """Return what every row shares with others."""
    if report.identity:
        return (
            f"is in a group of at least [bold]{report.min_class}[/] rows, whose sensitive values"
            " are told together"
        )
    if not traits(report.method).equal_rows_are_classes:
        return (
            f"may be any of [bold]{report.min_class}[/] people or more, with the same probability"
        )
    others, who = report.min_class - 1, "others"
    if report.min_people is not None:
        others, who = report.min_people - 1, "other people"
    return f"shares its quasi-identifying values with at least [bold]{others}[/] {who}"


def _withheld(console: Console, withheld: Mapping[str, Withheld]) -> None:
    """Print what lies in buckets, where anything does."""
    if not withheld:
        return
    buckets = lines(
        "in buckets",
        "cells",
        "buckets",
        "smallest",
        "hidden",
        "not sensitive",
        "flag NULL",
        right=(1, 2, 3, 4, 5, 6),
    )
    for name, each in withheld.items():
        numbers = (each.cells, each.buckets, each.smallest, each.hidden, each.widened, each.unknown)
        buckets.add_row(escape(name), *(f"{number:,}" for number in numbers))
    console.print(buckets)
    console.print()


def _spans(console: Console, report: Report) -> None:
    """Print how close to each other a class's or bucket's values of a numeric column are."""
    if not report.spans:
        return
    apart = "bucket" if report.withheld else "group" if report.identity else "class"
    table = lines(f"in a {apart}, from least to greatest", "least", "median", right=(1, 2))
    for name, each in report.spans.items():
        table.add_row(escape(name), percent(each.least), percent(each.median))
    console.print(table)
    console.print(
        "[dim]Shares of the column's range: values that are near each other tell nearly as much as"
        " one.[/]\n"
    )


def _relocated(console: Console, found: Relocated | None) -> None:
    """Print how many released values are untrue, where relocation made any so."""
    if found is None:
        return
    shares = f"{percent(found.cell_share)} of at most {percent(found.p)}"
    if not found.cells:
        console.print(f"No quasi-identifying cell was changed: all values are true ({shares}).")
        return
    console.print(
        f"{found.cells:,} quasi-identifying cells ({shares}) of {found.rows:,} rows"
        f" ({percent(found.row_share)}) are [bold]not true[/]: they were changed so that the rows"
        " hide among others."
    )
    if found.chi_squared is not None and found.critical is not None:
        console.print(
            f"Chi-squared of the group sizes before and after: {found.chi_squared:,.1f} of at most"
            f" {found.critical:,.1f}."
        )
    changed = lines("changed", "cells", right=(1,))
    for name, cells in found.columns.items():
        changed.add_row(escape(name), f"{cells:,}")
    console.print(changed)
    console.print()


def _identity(console: Console, identity: str | None) -> None:
    """Print that identities are not hidden, where the method does not hide them."""
    if identity:
        console.print(f"[bold yellow]Identity is {escape(identity)}.[/]")


def _promises(console: Console, promises: Mapping[str, str], unit: str = "class") -> None:
    """Print what every class, or every bucket, keeps besides k."""
    if promises:
        console.print(
            f"Every {unit} also keeps: "
            + escape("; ".join(f"{name} {what}" for name, what in promises.items()))
            + "."
        )


def _apart(report: Report) -> str:
    """Return a note where the promise is made for several combinations of columns."""
    return (
        f", on each of {report.combinations} combinations of columns"
        if report.combinations > 1
        else ""
    )


def _masked(rows: int) -> str:
    return f"; {rows:,} rows kept as *" if rows else ""


def _besides(report: Report) -> str:
    quarantined = (
        f"; {report.quarantined:,} rows quarantined, for they would break k"
        if report.quarantined
        else ""
    )
    return _masked(report.masked) + quarantined


def _risks(console: Console, risks: Risks) -> None:
    table = lines(
        "risk",
        "highest",
        "average",
        "rows at risk",
        "attacker",
        right=(1, 2, 3),
    )
    for name, each in risks.attackers.items():
        numbers = (
            "" if value is None else percent(value)
            for value in (each.highest, each.average, each.records_at_risk)
        )
        table.add_row(name, *numbers, f"[dim]{escape(risk.FORMULAS[name])}[/]")
    console.print(table)
    console.print(
        f"[dim]Rows at risk are those of a risk above {percent(1 / (risk.AT_RISK_SIZE + 1))}: in"
        f" classes of at most {risk.AT_RISK_SIZE} rows, fewer than the 5 that statistical offices"
        " usually ask for.[/]"
    )
    kept_columns.show(console, risks.kept)


def search(console: Console, report: SearchReport) -> None:
    """Print the satisfying generalizations, the least lossy first."""
    minimal = sum(node.minimal for node in report.nodes)
    console.print(
        f"{len(report.nodes):,} of {report.lattice:,} generalizations satisfy, {minimal:,} of them"
        f" minimal; {report.checked:,} nodes checked in {report.seconds:.2f} s.\n"
    )
    table = lines(
        *report.quasi_identifiers,
        "loss",
        "suppressed",
        "classes",
        "smallest",
        "",
        right=tuple(range(20)),
    )
    for node in sorted(report.nodes, key=lambda each: (each.loss, each.height))[:_SHOWN_NODES]:
        numbers = (
            f"{node.loss:.4f}",
            f"{node.suppressed:,}",
            f"{node.classes:,}",
            f"{node.min_class:,}",
        )
        table.add_row(
            *(str(level) for level in node.levels.values()),
            *numbers,
            "minimal" if node.minimal else "",
        )
    Console(
        width=max(
            console.width, sum(map(len, report.quasi_identifiers)) + 2 * len(table.columns) + 60
        )
    ).print(table)
    if len(report.nodes) > _SHOWN_NODES:
        console.print(f"\nThe {_SHOWN_NODES} of least loss; all of them with --json.")
    if report.explained:
        _explained(console, report.explained)


def _explained(console: Console, explained: Explained) -> None:
    """Print how the search went, and where to find it node by node."""
    console.print(f"\nBy the algorithm [bold]{explained.algorithm}[/]:")
    table = lines("", "counted", "satisfying", "undecided", "seconds", right=(1, 2, 3, 4))
    for each in explained.rounds:
        undecided = "" if each.undecided is None else f"{each.undecided:,}"
        table.add_row(
            each.title, f"{each.counted:,}", f"{each.satisfied:,}", undecided, f"{each.seconds:.3f}"
        )
    console.print(table)
    console.print(
        "Verdicts: "
        + ", ".join(f"{count:,} {_RULES[rule]}" for rule, count in explained.rules.items())
        + "."
    )
    console.print("Every node stands in the catalog:")
    console.print(f"  {escape(render('report/nodes'))}", highlight=False, soft_wrap=True)


def verify(console: Console, report: VerifyReport) -> None:
    """Print the result of verification."""
    alone = report.against_source is None or report.against_source.alone
    smallest = f"{report.min_class:,} rows" + (
        f" and {report.min_people:,} people" if report.min_people is not None else ""
    )
    units = f"classes, the smallest of {smallest}" if alone else "combinations of values"
    console.print(
        f"[bold green]Verified[/]: {report.released - report.masked:,} rows in {report.classes:,}"
        f" {units} (k={report.k}){_masked(report.masked)}."
    )
    _identity(console, report.identity)
    _promises(console, report.promises if alone else {})
    if report.against_source:
        _against_source(console, report.against_source)
    if report.as_told:
        console.print(
            f"Taken from `__about`, as the rows alone tell no more:"
            f" {escape(', '.join(report.as_told))}."
        )
    console.print()
    _risks(console, report.risk)
    _findings(console, "warning", "yellow", report.warnings)


def _against_source(console: Console, found: AgainstSource) -> None:
    """Print what was found against the source: who may be whom, or how much was changed."""
    if found.changed_cells is not None:
        _changed(console, found)
    if found.buckets:
        _apart_from_source(console, found)
    if (
        found.least_original is None
        or found.least_released is None
        or found.highest_probability is None
    ):
        return
    least = min(found.least_original, found.least_released)
    console.print(
        f"Against the source: every row has {least:,} effective matches or more"
        f" ({found.ineffective:,} of {found.matches:,} matches are ineffective), and"
        f" {found.disjoint:,} assignments share none: nobody need be identified with a probability"
        f" above {percent(found.highest_probability)}."
    )
    for name, each in found.sensitive.items():
        console.print(
            f"  Of the rows that anybody may be, at most {percent(each.highest_share)} share one"
            f" value of {escape(name)}, and {each.least_distinct:,} different values occur at"
            " least."
        )
        if each.limit is not None:
            kept = f"within every ring no value has more than {percent(each.limit)} of the rows"
            console.print(
                f"  Promised is less than that: {kept}, and assignments can be drawn so that nobody"
                " has a value with a higher probability."
            )


def _apart_from_source(console: Console, found: AgainstSource) -> None:
    """Print whether rows and buckets can be the source's."""
    columns = [escape(name) for name, each in found.buckets.items() if each.buckets is not None]
    totals = (
        f"the values in buckets ({', '.join(columns)}) are those of cells that are sensitive in the"
        " source"
    )
    own = (
        "every released row can be a row of the source of its own, with the values that it kept and"
        " some of its buckets'"
    )
    if found.with_kept_values:
        each = "taken column by column, each bucket can have its values from its rows"
        console.print(f"Against the source: {own}; {totals}; and {each}.")
    else:
        console.print(
            f"Against the source: {totals}. Whether {own} could not be shown either way: that is"
            " too much."
        )


def _changed(console: Console, found: AgainstSource) -> None:
    """Print how far the released rows are from the source's."""
    fewest = "at least" if found.fewest else "at most"
    console.print(
        f"Against the source: all sensitive and insensitive values are the source's, and {fewest}"
        f" {found.changed_cells:,} quasi-identifying cells, of {found.changed_rows:,} rows, are"
        f" not; {found.max_changed_cells:,} may be."
    )
    if found.chi_squared is not None:
        console.print(
            "The sizes of groups cannot be told from what they were: chi-squared"
            f" {found.chi_squared:,.4g}, at most {found.critical:,.4g}."
        )


def check(console: Console, report: CheckReport) -> None:
    """Print problems, warnings and the size of the job."""
    _findings(console, "problem", "red", report.problems)
    _findings(console, "warning", "yellow", report.warnings)
    if report.records is not None:
        lattice = f", {report.lattice:,} generalizations to choose from" if report.lattice else ""
        combinations = (
            f", {report.combinations:,} distinct combinations of quasi-identifying values"
            if report.combinations
            else ""
        )
        console.print(f"{report.records:,} rows{combinations}{lattice}.")
    if not report.problems:
        console.print("[bold green]The policy is ready[/]: `anonsql run` publishes it.")


def _findings(console: Console, word: str, colour: str, findings: list[Finding]) -> None:
    for each in findings:
        text = (
            f"[bold {colour}]{word}[/] [bold]{escape(each.where)}[/]: {escape(each.message)}"
            f" {escape(each.remedy)}"
        )
        console.print(text.rstrip(), highlight=False, soft_wrap=True)


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


def compiled(console: Console, report: CompileReport) -> None:
    """Print the files in the order to run them in."""
    console.print(
        f"[bold green]Wrote[/] {len(report.files)} files for {report.dialect} to"
        f" {escape(report.folder)}; run them in order:\n"
    )
    table = lines("file", "does", "")
    for each in report.files:
        table.add_row(
            escape(each.file),
            escape(each.does),
            "[dim]must return no row[/]" if each.offenders else "",
        )
    console.print(table)


def init(console: Console, report: InitReport) -> None:
    """Print where the policy is and what is left to decide."""
    console.print(f"[bold green]Wrote[/] {escape(report.policy)} for {report.columns} columns.")
    if report.undecided:
        console.print(f"Left for you to decide: {escape(', '.join(report.undecided))}.")
    _findings(console, "warning", "yellow", report.warnings)
    policy = escape(report.policy)
    console.print(
        f"Read it and finish it, then: `anonsql check {policy}` and `anonsql run {policy}`.",
        soft_wrap=True,
    )
