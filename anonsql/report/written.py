"""The terminal's summary of a page that was written."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from anonsql.report.page_documents import PageReport

_AUDIENCES = {
    "owner": "for you alone: it holds counts of the source",
    "recipient": "made from the release alone, to be handed out with it",
}


def page(console: Console, report: PageReport) -> None:
    """Print where the page is, for whom, and what it cannot show."""
    console.print(
        f"[bold green]Written[/]: [bold]{escape(report.page)}[/]"
        f" ({report.bytes / 2**20:.1f} MB), {_AUDIENCES[report.audience]}.",
        soft_wrap=True,
        highlight=False,
    )
    for each in report.missing:
        console.print(
            f"[yellow]not in it[/] {escape(each.what)}: {escape(each.why)}",
            soft_wrap=True,
            highlight=False,
        )
