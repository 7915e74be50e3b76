"""The terminal's summary of a page that was written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.markup import escape

from anonsql.features.report.document import PageReport

Result = TypeVar("Result")
_AUDIENCES = {
    "owner": "for you alone: it holds counts of the source",
    "recipient": "made from the release alone, to be handed out with it",
}


def with_page(
    show: Callable[[Console, Result], None], page: Path | None
) -> Callable[[Console, Result], None]:
    """Return a summary that ends with where the page is that was written besides."""

    def shown(console: Console, report: Result) -> None:
        show(console, report)
        if page is not None:
            console.print(
                f"\n[bold green]Written[/]: [bold]{escape(str(page.absolute()))}[/],"
                f" {_AUDIENCES['owner']}.",
                highlight=False,
            )

    return shown


def page(console: Console, report: PageReport) -> None:
    """Print where the page is, for whom, and what it cannot show."""
    console.print(
        f"[bold green]Written[/]: [bold]{escape(report.page)}[/]"
        f" ({report.bytes / 2**20:.1f} MB), {_AUDIENCES[report.audience]}.",
        highlight=False,
    )
    for file in report.files:
        console.print(
            f"[bold green]Written[/]: [bold]{escape(file.path)}[/] ({file.rows:,} rows).",
            highlight=False,
        )
    if formulas := sum(file.formulas for file in report.files):
        console.print(
            f"[yellow]Worth a look[/]: {formulas:,} labels begin with =, +, - or @, which a"
            " spreadsheet may take for formulas. Open the files as text there.",
            highlight=False,
        )
    for missing in report.missing:
        console.print(
            f"[yellow]not in it[/] {escape(missing.what)}: {escape(missing.why)}",
            highlight=False,
        )
