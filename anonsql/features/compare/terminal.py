"""The summary of ``compare`` on a terminal: the policies sorted by the error of queries, in 80
columns, and what the figures mean in words."""

from __future__ import annotations

import math

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from anonsql.features.compare.document import CompareLine, CompareReport
from anonsql.features.measure.usefulness.summary import shown_of

_WIDTH = 80
_HEADINGS = (
    ("error", "nine in ten"),
    ("lost", "of values"),
    ("left out", "untrue"),
    ("uniform", ""),
    ("risk", ""),
    ("seconds", "memory"),
)
_MEANING = (
    ("error", "half of the queries are off by no more; below it, nine in ten"),
    ("lost", "share of detail by the hierarchies (loss); below it, by the values (GCP)"),
    ("left out", "rows that are not in the release; below it, rows that are not true"),
    ("uniform", "whether one level holds for all values of a column"),
    ("risk", "the highest chance to pick out a person"),
)
_BEYOND = 10.0  # an error so large that more digits mean nothing


def share(value: float | None) -> str:
    """Return a share or a relative error in percent, in one format for all."""
    if value is None:
        return "-"
    return f"{value:.1%}" if value < _BEYOND else f">{_BEYOND:.0%}"


def compared(console: Console, report: CompareReport) -> None:
    """Print the table, why promises are not met, why values cannot be compared, and what the
    figures mean."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 1, 0))
    table.add_column("policy\nmethod\npromise", overflow="fold", ratio=1)
    for heading, below in _HEADINGS:
        table.add_column(f"{heading} \n{below} ", justify="right", no_wrap=True)
    for policy in sorted(report.policies, key=_by_error):
        best = {measure for measure, names in report.best.items() if policy.policy in names}
        settings = escape(f"{policy.method} {policy.settings}".rstrip())
        named = f"[bold]{escape(policy.policy)}[/]\n{settings}"
        table.add_row(f"{named}\n{escape(_promise(policy))}", *_cells(policy, best))
    wide = Console(width=_WIDTH, file=console.file)
    wide.print(table)
    if report.best:
        for heading, meaning in _MEANING:
            wide.print(f"{heading}: {meaning}.", highlight=False)
        console.print()
    for policy in report.policies:
        if policy.reason is not None:
            console.print(
                f"[bold red]{escape(policy.policy)}: {policy.status}[/]: {escape(policy.reason)}",
                highlight=False,
            )
    for name, note in [
        *((line.policy, note) for line in report.policies for note in line.notes),
        *(("", note) for note in report.notes),
    ]:
        console.print(
            escape(f"{name}: {note}." if name else f"{note[0].upper()}{note[1:]}."),
            highlight=False,
        )
    _print_basis(console, report)
    _print_analyses(console, report)
    if closing := in_words(report):
        console.print(f"\n{escape(closing)}", highlight=False)


def _by_error(line: CompareLine) -> tuple[bool, float]:
    """Return the sort key of a line: policies that are met first, by the median error of
    queries."""
    return line.status != "met", _median(line)


def _median(line: CompareLine) -> float:
    return math.inf if line.median_error is None else line.median_error


def _promise(line: CompareLine) -> str:
    return "\n".join(
        [f"k={line.k}", *(f"{location} {stated}" for location, stated in line.promises.items())]
    )


def _cells(line: CompareLine, best: set[str]) -> list[str]:
    """Return a policy's row of the table, its entries of up to three lines; behind every value is a
    mark or a space."""
    seconds = f"{line.seconds:,.1f} "
    if line.status != "met":
        return [f"{line.status} ", *["- "] * (len(_HEADINGS) - 2), seconds]
    ninetieth = line.error.ninetieth if line.error is not None else None
    cells = [
        [(share(line.median_error), "error"), (share(ninetieth), "")],
        [
            (_number(line.loss), "loss"),
            (_number(line.gcp), "gcp"),
        ],
        [(share(line.suppressed_share), ""), (share(line.untrue), "")],
        [("yes" if line.uniform else "no", "")],
        [(share(line.risk), "")],
        [(seconds.strip(), ""), (_megabytes(line.peak_memory), "")],
    ]
    return [
        "\n".join(text + ("*" if measure in best else " ") for text, measure in cell)
        for cell in cells
    ]


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}"


def _megabytes(size: int | None) -> str:
    return "-" if size is None else f"{size / 2**20:,.0f} MB"


def _print_basis(console: Console, report: CompareReport) -> None:
    """Print which source, columns and queries the comparison used."""
    rows = f"{report.records:,} rows of " if report.records is not None else ""
    queries = (
        f" Errors are those of {report.queries:,} random COUNT queries over"
        f" {', '.join(report.columns)}."
        if report.queries
        else ""
    )
    marked = " * is the best of a column." if report.best else ""
    text = (
        f"{rows}{report.source.table} ({report.source.database}); nothing was"
        f" published.{queries}{marked}"
    )
    console.print(escape(text), highlight=False)


def _print_analyses(console: Console, report: CompareReport) -> None:
    """Print what analyses find in the completed tables, where there are some."""
    rows = [
        (line.policy, line.usefulness)
        for line in sorted(report.policies, key=_by_error)
        if line.usefulness is not None
    ]
    figures = shown_of([found for _, found in rows])
    if not figures:
        return
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    table.add_column("analyses", overflow="fold", ratio=1)
    for figure in figures:
        table.add_column(figure.name, justify="right", no_wrap=True)
    for name, found in rows:
        table.add_row(escape(name), *(figure.shown(found) or "-" for figure in figures))
    wide = Console(width=_WIDTH, file=console.file)
    wide.print()
    wide.print(table)
    for figure in figures:
        wide.print(f"{figure.name}: {figure.meaning}.", highlight=False, markup=False)


def _listed(names: list[str]) -> str:
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]


def in_words(report: CompareReport) -> str:
    """Return what the figures mean for a choice; empty where no promise is met."""
    met = sorted((policy for policy in report.policies if policy.status == "met"), key=_by_error)
    answering = [line for line in met if line.median_error is not None]
    words = []
    if answering:
        first = answering[0]
        ninetieth = first.error.ninetieth if first.error is not None else None
        names = [line.policy for line in answering if line.error == first.error]
        verb = "answer queries equally well" if len(names) > 1 else "answers queries best"
        words.append(
            f"{_listed(names)} {verb}: half of them are off by {share(_median(first))} at most,"
            f" nine of ten by {share(ninetieth)}."
        )
    losing = [
        name for name in report.best.get("loss", []) if not answering or name != answering[0].policy
    ]
    if losing:
        words.append(
            f"{_listed(losing)} {'lose' if len(losing) > 1 else 'loses'} least information."
        )
    for line in met:
        if line.untrue:
            words.append(
                f"In {line.policy} {share(line.untrue)} of the rows have values that are not true."
            )
        if line.suppressed_share and line.suppressed_share >= 0.01:
            words.append(f"{line.policy} leaves out {share(line.suppressed_share)} of the rows.")
    if (
        met
        and len({(policy.k, *sorted(policy.promises.items())) for policy in report.policies}) > 1
    ):
        words.append("The promises differ: what promises more may cost more.")
    return " ".join(words)
