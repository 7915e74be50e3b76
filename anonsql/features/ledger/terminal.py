"""What a terminal shows of releases that follow one another."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from anonsql.features.ledger.document import LedgerReport, OverTime
from anonsql.presentation.tables import lines, percent

_TO_DAY = 10
"""Characters of a moment up to its day."""


def show(console: Console, over_time: OverTime | None, records: int, k: int) -> None:
    """Print what a run did so that its release keeps the promise with those before it."""
    if over_time is None:
        return
    begun = ", begun anew" if over_time.begun_anew else ""
    if over_time.release == 1 and not over_time.begun_anew:
        begun = ", the first of a series, as no release or ledger was there"
    alike = f"rows that were released alike every time number at least {over_time.smallest:,}"
    if over_time.exposed:
        from anonsql.over_time.traces import missing_here

        alike = missing_here(over_time.exposed, k)
    console.print(
        f"Over time: release {over_time.release}{begun}; {over_time.held_back:,} rows held back"
        f" ({percent(over_time.held_back / records)}), {over_time.gone:,} gone from the source;"
        f" {alike}."
    )


def ledger(console: Console, report: LedgerReport) -> None:
    """Print the releases of a ledger, the first one first."""
    if report.status == "begun anew":
        console.print(
            "[bold green]Begun anew[/]: the promise holds from the next release on, which says so."
            f" The ledger is in {escape(report.ledger)}.",
        )
        return
    if report.status == "ended":
        console.print(
            "[bold green]Ended[/]: releases from now on are not held against those before. A run of"
            " a policy with `over_time` begins another series. What the ledger had was removed from"
            f" {escape(report.ledger)}.",
        )
        return
    begun = "; it was begun anew, and says nothing of the releases before" if report.anew else ""
    besides = f"; besides k: {report.promises}" if report.promises else ""
    console.print(
        escape(f"The ledger in {report.ledger} knows rows by {report.key}{besides}{begun}."),
        highlight=False,
    )
    table = lines(
        "release",
        "made",
        "run",
        "k",
        "released",
        "held back",
        "gone",
        "exposed",
        "smallest",
        "",
        right=(0, 2, 3, 4, 5, 6, 7, 8),
    )
    table.columns[1].no_wrap = True
    for release in report.releases:
        sizes = (
            release.released,
            release.held_back,
            release.gone,
            release.exposed,
            release.smallest,
        )
        table.add_row(
            *(str(release.release), release.made[:_TO_DAY], str(release.run), f"{release.k:,}"),
            *(f"{size:,}" for size in sizes),
            "" if release.published else "not settled",
        )
    console.print(table)
    console.print("[dim]Smallest: rows of the smallest trace, released alike every time.[/]")
