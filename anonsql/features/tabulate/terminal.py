"""Published statistics on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from anonsql.features.tabulate import noise
from anonsql.features.tabulate.document import StatisticsReport, StatisticsVerifyReport
from anonsql.presentation.tables import lines, percent
from anonsql.presentation.terminal import show_files, show_findings
from anonsql.system.numbers import counted


def run(console: Console, report: StatisticsReport) -> None:
    """Print the verdict, and what became of the cells of every table."""
    done = "Tried" if report.status == "tried" else "Published"
    console.print(f"[bold green]{done}[/] and verified: {escape(report.promise)}.")
    if report.noise is not None:
        spent = "would be spent by then" if report.status == "tried" else "spent so far"
        console.print(
            f"{report.cells:,} cells; {spent}: {escape(report.spent or '')}; others are unknown."
        )
        noise.show(console, report.noise)
        show_findings(console, "warning", "yellow", report.warnings)
        return
    of_people = "" if report.people == report.records else f" of {report.people:,} people"
    console.print(
        f"{report.cells:,} cells from {report.records:,} rows{of_people}; protected by"
        f" {report.protected_by}{f', {report.rounding}' if report.rounding else ''}."
    )
    console.print()
    changes = report.protected_by != "suppression"
    first = "mean change" if changes else "primary"
    titles = ("table", "measure", "cells", first, "hidden", "totals hidden", "of the amount")
    table = lines(*titles, right=(2, 3, 4, 5, 6))
    for entry in report.tables:
        for measure in entry.measures:
            table.add_row(
                escape(entry.table),
                escape(measure.measure),
                f"{measure.cells:,}",
                ("" if measure.mean_change is None else f"{measure.mean_change:,.4g}")
                if changes
                else f"{measure.primary:,}",
                f"{measure.hidden:,}",
                f"{measure.hidden_totals:,} of {measure.totals:,}",
                "" if measure.hidden_share is None else percent(measure.hidden_share),
            )
    console.print(table)
    console.print(
        "Mean change: the mean absolute difference between shown values and the source's."
        if changes
        else "Primary cells break a rule. Other cells are hidden because primary cells"
        " could be computed from them. The last column is the hidden share of the finest cells."
    )
    _labels(console, report)
    if empty := sum(entry.empty for entry in report.tables):
        cells = counted(empty, "primary cell is", "primary cells are")
        console.print(f"{cells} empty, and hidden like cells of few people.")
    if report.several:
        console.print(
            "Some people are in several cells: each cell counts them once, so totals of people are less"
            " than the sums of their parts."
        )
    show_findings(console, "warning", "yellow", report.warnings)


def _labels(console: Console, report: StatisticsReport) -> None:
    for label in report.costly_labels:
        value = "NULL" if label.label is None else repr(label.label)
        named = f"{label.dimension} = {value}" if label.named else f"A label of {label.dimension}"
        cost = (
            f"{label.fewer:,} of {label.hidden:,} hidden cells are hidden because of it"
            if label.fewer is not None
            else f"{label.own_hidden:,} of {label.hidden:,} hidden cells have it"
        )
        console.print(f"{escape(named)} ({counted(label.people, 'person', 'people')}): {cost}.")
    if report.costly_labels:
        unnamed = any(not label.named for label in report.costly_labels)
        console.print(
            "Begin at a coarser level, merge such a label with another one, or choose rounding or cell"
            f" keys.{' `--show-values` names the labels.' if unnamed else ''}"
        )


def verify(console: Console, report: StatisticsVerifyReport) -> None:
    """Print the result of verification."""
    how = "" if report.against_source else " by the release alone, which promises"
    console.print(f"[bold green]Verified[/]{how}: {escape(report.promise)}.")
    rows = ", ".join(f"{name} {count:,}" for name, count in report.rows.items())
    console.print(f"Cells: {escape(rows)}.")
    show_files(console, report.files)
    if report.protected_by == "noise":
        _noise(console, report)
    elif report.against_source and report.protected_by == "rounding" and report.additive:
        console.print(
            "Against the source: every value is one of the two multiples of its base next to the"
            " source's, and totals are the sums of their parts."
        )
    elif report.against_source and report.protected_by != "suppression":
        console.print(
            "Against the source: every value is what the secret in the catalog makes of the"
            " source's, computed again apart from the database."
        )
    elif report.against_source:
        console.print(
            "Against the source: every published value is the source's, every primary cell is hidden,"
            " and for each the audit found other tables that fit everything published, in which its"
            " value is as far from the true one as the rules ask."
        )
    else:
        more = "computes again what values are changed to, which no release can show"
        if report.protected_by == "suppression":
            more = (
                "compares values with the source's, and audits whether hidden ones can be recovered"
            )
        elif report.protected_by == "rounding" and report.additive:
            more = (
                "checks that values are multiples next to the source's, which no release can show"
            )
        console.print(
            "By the release alone: cells are shown or hidden, tables agree where they share"
            f" cells, and no count is too small. `--against-source` {more}."
        )


def _noise(console: Console, report: StatisticsVerifyReport) -> None:
    console.print(
        "By the release alone: of a public domain every cell is there, totals that are said to be the"
        " sums of their parts are, tables agree, and budget and plan are the policy's. That the noise"
        " was drawn as told rests on the run that drew it: no release can prove it."
    )
    if report.against_source and report.values_compared:
        console.print(
            "Against the source: the cells are those of its hierarchies, and no value is further from"
            " the source's than such noise reaches (but for once in 10^9 releases)."
        )
    elif report.against_source:
        console.print(
            "Against the source: the cells are those of its hierarchies. Values were not compared:"
            " somebody has more rows than are counted, and which were drawn is not known."
        )
