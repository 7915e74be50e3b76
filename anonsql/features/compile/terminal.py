"""The summary of ``compile`` on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from anonsql.features.compile.dbt import PACKAGE
from anonsql.features.compile.document import CompileReport
from anonsql.presentation.tables import lines


def compiled(console: Console, report: CompileReport) -> None:
    """Print the files in the order to run them in, or the one that dbt runs."""
    if len(report.files) == 1:
        model = escape(f"{report.folder}/{report.files[0].file}")
        console.print(f"[bold green]Wrote[/] the dbt model {model} for {report.dialect}.")
        console.print(f"dbt builds it by the package {escape(str(PACKAGE))} (packages.yml: local).")
        return
    console.print(
        f"[bold green]Wrote[/] {len(report.files)} files for {report.dialect} to"
        f" {escape(report.folder)}; run them in order:\n"
    )
    table = lines("file", "does", "")
    for file in report.files:
        table.add_row(
            escape(file.file),
            escape(file.does),
            "[dim]must return no row[/]" if file.offenders else "",
        )
    console.print(table)
