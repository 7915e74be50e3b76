"""What compare tells on a terminal: a line for each policy, the best value of each measure marked."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from anonsql.report.terminal import percent
from anonsql.report.usefulness_documents import CompareLine, CompareReport

_WIDTH = 112  # what the table needs where its text is folded; a pipe has no width of its own
_MEASURES = ("loss", "gcp", "discernibility", "suppressed", "relocated", "error", "risk", "seconds")
_HEADINGS = ("loss", "GCP", "C_DM", "suppressed", "relocated", "error", "risk", "seconds")
_LARGE = 10**10


def compared(console: Console, report: CompareReport) -> None:
    """The table, why policies are not met, and what keeps values from being compared."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 1, 0))
    table.add_column("policy\nmethod", overflow="fold", min_width=12)
    table.add_column("promise", overflow="fold", min_width=10)
    for heading in _HEADINGS:
        unit = "\nmed./90 %" if heading == "error" else ""
        table.add_column(f"{heading} {unit}", justify="right", no_wrap=True)
    for each in report.policies:
        best = {measure for measure, names in report.best.items() if each.policy in names}
        named = (
            f"[bold]{escape(each.policy)}[/]\n{escape(f'{each.method} {each.settings}'.rstrip())}"
        )
        table.add_row(
            named,
            escape(_promise(each)),
            *(_cell(each, measure, measure in best) for measure in _MEASURES),
        )
    Console(width=max(console.width, _WIDTH), file=console.file).print(table)
    for each in report.policies:
        if each.reason is not None:
            console.print(
                f"[bold red]{escape(each.policy)}: {each.status}[/]: {escape(each.reason)}",
                highlight=False,
                soft_wrap=True,
            )
    for name, note in [
        *((each.policy, note) for each in report.policies for note in each.notes),
        *(("", note) for note in report.notes),
    ]:
        console.print(
            escape(f"{name}: {note}." if name else f"{note[0].upper()}{note[1:]}."),
            highlight=False,
            soft_wrap=True,
        )
    _asked(console, report)


def _promise(line: CompareLine) -> str:
    return "\n".join([f"k={line.k}", *(f"{place} {told}" for place, told in line.promises.items())])


def _cell(line: CompareLine, measure: str, best: bool) -> str:
    """A value, and its mark or as much space."""
    if line.status != "met" and measure != "seconds":
        return line.status + " " if measure == "loss" else "- "
    first, *more = _shown(line, measure)
    return "\n".join([first + ("*" if best else " "), *(f"{each} " for each in more)])


def _shown(line: CompareLine, measure: str) -> list[str]:
    """A value as people read it, in one or two lines."""
    if measure == "error":
        if line.error is None or line.error.median is None or line.error.ninetieth is None:
            return ["-"]
        return [percent(line.error.median), percent(line.error.ninetieth)]
    if (
        measure == "suppressed"
        and line.suppressed is not None
        and line.suppressed_share is not None
    ):
        return [f"{line.suppressed:,}", percent(line.suppressed_share)]
    value = getattr(line, measure)
    if value is None:
        return ["-"]
    if measure in ("relocated", "risk"):
        return [percent(value)]
    if measure == "seconds":
        return [f"{value:,.2f}"]
    return [
        f"{value:.4f}"
        if measure != "discernibility"
        else f"{value:,.0f}"
        if value < _LARGE
        else f"{value:.4e}"
    ]


def _asked(console: Console, report: CompareReport) -> None:
    """What was compared by what."""
    rows = f"{report.records:,} rows of " if report.records is not None else ""
    asked = (
        f" Errors are those of {report.queries:,} random COUNT queries over {', '.join(report.columns)}."
        if report.queries
        else ""
    )
    marked = " * is the best of a column." if report.best else ""
    told = f"{rows}{report.source.table} ({report.source.database}); nothing was published.{asked}{marked}"
    console.print(escape(told), highlight=False, soft_wrap=True)
