"""Summaries of releases of several tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from anonsql.features.run.several_tables_document import (
    RelationalReport,
    RelationalVerifyReport,
    TableAgainstSource,
)
from anonsql.policy.promise_text import known
from anonsql.presentation.tables import lines, percent
from anonsql.presentation.terminal import show_files, show_findings, show_not_covered, show_promises


def run(console: Console, report: RelationalReport) -> None:
    """Print the verdict, what became of each table and column, and what is not promised."""
    done = "Tried" if report.status == "tried" else "Published"
    others = any(table.kind == "rows" for table in report.tables)
    console.print(
        f"[bold green]{done}[/] and verified: whoever knows of somebody"
        f" {known(report.known_rows, others)} finds {report.fewest_people:,} people or"
        f" more (promised: k={report.k})."
    )
    show_not_covered(console, *report.not_covered.values())
    console.print(
        f"{report.released_people:,} of {report.people:,} people in {escape(report.of)}"
        f" ({percent(1 - report.released_people / report.people)} suppressed); mean loss"
        f" {percent(report.loss)}."
    )
    show_promises(console, report.promises)
    console.print()
    console.print(_tables(report))
    console.print()
    console.print(_columns(report))
    console.print(
        "Numbers are the same for the same value, and follow from the released rows alone."
    )
    console.print()
    console.print(
        "Not promised: how many rows a person has is seen (max_rows caps it); sensitive and"
        " insensitive columns, and references to public tables, are as they are."
        + (" Of sensitive ones classes keep what is said above." if report.promises else "")
    )
    show_findings(console, "warning", "yellow", report.warnings)


def _tables(report: RelationalReport) -> Table:
    counts = ("rows", "released", "suppressed", "with others", "capped")
    lined = lines("table", "refers to", *counts, right=(2, 3, 4, 5, 6))
    for table in report.tables:
        numbers = (table.rows, table.released, table.suppressed, table.with_others)
        lined.add_row(
            escape(table.table),
            "public" if table.kind == "public" else escape(table.refers_to or "people"),
            *(f"{number:,}" for number in (*numbers, table.beyond_max_rows)),
        )
    return lined


def _columns(report: RelationalReport) -> Table:
    lined = lines("table", "column", "role", "level", "released as")
    for table in report.tables:
        for column in table.columns:
            level = "" if column.level is None else str(column.level)
            looks = "number" if column.form == "surrogate" else escape(column.looks_like)
            lined.add_row(escape(table.table), escape(column.column), column.role, level, looks)
    return lined


def verify(console: Console, report: RelationalVerifyReport) -> None:
    """Print the result of verification."""
    console.print(
        f"[bold green]Verified[/]: of {report.people:,} people in {escape(report.of)}, at least"
        f" {report.fewest_people:,} match whoever knows of one of them"
        f" {known(report.known_rows, len(report.rows) > 1)} (k={report.k})."
    )
    show_not_covered(console, *report.not_covered.values())
    show_promises(console, report.promises)
    rows = ", ".join(f"{name} {count:,}" for name, count in report.rows.items())
    console.print(f"Keys and references hold. Rows: {escape(rows)}.")
    show_files(console, report.files)
    if report.against_source is not None:
        _against_source(console, report.against_source)
    if report.not_told is not None:
        console.print(escape(report.not_told))
    show_findings(console, "warning", "yellow", report.warnings)


def _against_source(console: Console, tables: Mapping[str, TableAgainstSource]) -> None:
    left = ", ".join(f"{name} {source.left_over:,}" for name, source in tables.items())
    console.print(
        "Against the source: the released rows of every table, by themselves, with the rows that"
        " they refer to, and people with all that belongs to them, are the source's at the released"
        " levels, each another row; public tables are the source's. Rows of it that are not"
        f" released: {escape(left)}."
    )
    for name, source in tables.items():
        if source.not_compared:
            columns = escape(", ".join(source.not_compared))
            console.print(
                f"  Not compared, as engines write it differently: {escape(name)}.{columns}"
            )
