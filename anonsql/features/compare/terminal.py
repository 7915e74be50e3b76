"""The summary of ``compare`` on a terminal: the policies by the error of queries."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from anonsql.features.compare.document import CompareLine, CompareReport
from anonsql.features.measure.usefulness.summary import shown_of
from anonsql.presentation.tables import share

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


def compared(console: Console, report: CompareReport) -> None:
    """Print the figures, and what they mean for a choice."""
    print_figures(console, report)
    if closing := in_words(report):
        console.print(f"\n{escape(closing)}", highlight=False)


def print_figures(console: Console, report: CompareReport) -> None:
    """Print the table, what is not met or comparable, and what the figures mean."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 1, 0))
    table.add_column("policy\nmethod\npromise", overflow="fold", ratio=1)
    for heading, below in _HEADINGS:
        table.add_column(f"{heading} \n{below} ", justify="right", no_wrap=True)
    shared = set.intersection(*(set(_promises(line)) for line in report.policies))
    for policy in sorted(report.policies, key=_by_error):
        best = {measure for measure, names in report.best.items() if policy.policy in names}
        table.add_row(_named(policy, shared), *_cells(policy, best))
    wide = Console(width=_WIDTH, file=console.file)
    wide.print(table)
    if report.best:
        for heading, meaning in _MEANING:
            wide.print(f"{heading}: {meaning}.", highlight=False)
        console.print()
    for reason, names in unmet(report.policies):
        console.print(f"[bold red]{escape(', '.join(names))}[/]: {escape(reason)}", highlight=False)
    for name, note in [
        *((line.policy, note) for line in report.policies for note in line.notes),
        *(("", note) for note in report.notes),
    ]:
        console.print(
            escape(f"{name}: {note}." if name else f"{note[0].upper()}{note[1:]}."),
            highlight=False,
        )
    _print_basis(console, report, shared)
    _print_analyses(console, report)
    _print_means(console, report)


def unmet(policies: Sequence[CompareLine]) -> list[tuple[str, list[str]]]:
    """Return why policies are not met, with the names of those of one reason."""
    names: dict[str, list[str]] = {}
    for line in policies:
        if line.reason is not None:
            names.setdefault(f"{line.status}: {line.reason}", []).append(line.policy)
    return list(names.items())


def _by_error(line: CompareLine) -> tuple[bool, float]:
    return line.status != "met", _median(line)


def _median(line: CompareLine) -> float:
    return math.inf if line.median_error is None else line.median_error


def _promises(line: CompareLine) -> list[str]:
    return [f"k={line.k}", *(f"{location} {stated}" for location, stated in line.promises.items())]


def _named(line: CompareLine, shared: set[str]) -> str:
    """Return a policy's name, and the method and promises that name and ``shared`` do not say."""
    said = {*line.policy.split(), *shared}
    details = [f"{line.method} {line.settings}".rstrip(), *_promises(line)]
    further = [escape(text) for text in details if text not in said]
    return "\n".join([f"[bold]{escape(line.policy)}[/]", *further])


def _cells(line: CompareLine, best: set[str]) -> list[str]:
    """Return a policy's row; behind every value is a mark or a space."""
    seconds = f"{line.seconds:,.1f} "
    if line.status != "met":
        return [f"{line.status} ", *["- "] * (len(_HEADINGS) - 2), seconds]
    ninetieth = line.error.ninetieth if line.error is not None else None
    memory = "-" if line.peak_memory is None else f"{line.peak_memory / 2**20:,.0f} MB"
    cells = [
        [(share(line.median_error), "error"), (share(ninetieth), "")],
        [(_number(line.loss), "loss"), (_number(line.gcp), "gcp")],
        [(share(line.suppressed_share), ""), (share(line.untrue), "")],
        [("yes" if line.uniform else "no", "")],
        [(share(line.risk), "")],
        [(seconds.strip(), ""), (memory, "")],
    ]
    return [
        "\n".join(text + ("*" if measure in best else " ") for text, measure in cell)
        for cell in cells
    ]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _print_basis(console: Console, report: CompareReport, promises: set[str]) -> None:
    rows = f"{report.records:,} rows of " if report.records is not None else ""
    queries = (
        f" Errors are those of {report.queries:,} random COUNT queries over"
        f" {', '.join(report.columns)}."
        if report.queries
        else ""
    )
    marked = " * is the best of a column." if report.best else ""
    shared = f" All promise {', '.join(sorted(promises))}." if promises else ""
    text = (
        f"{rows}{report.source.table} ({report.source.database}); nothing was"
        f" published.{shared}{queries}{marked}"
    )
    console.print(escape(text), highlight=False)


def _print_analyses(console: Console, report: CompareReport) -> None:
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


def _print_means(console: Console, report: CompareReport) -> None:
    console.print()
    met = [line for line in sorted(report.policies, key=_by_error) if line.means is not None]
    for line in met:
        console.print(
            f"[bold]{escape(line.policy)}[/]: {escape(line.means or '')}", highlight=False
        )
    front = [line.policy for line in met if line.front]
    if front and len(met) > 1:
        text = f"No other is as good in every respect: {_listed(front)}."
        console.print(escape(text), highlight=False)


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
    first_names = {line.policy for line in answering[:1]}
    if losing := [name for name in report.best.get("loss", []) if name not in first_names]:
        verb = "lose" if len(losing) > 1 else "loses"
        words.append(f"{_listed(losing)} {verb} least information.")
    for line in met:
        if line.untrue:
            words.append(
                f"In {line.policy} {share(line.untrue)} of the rows have values that are not true."
            )
        if line.suppressed_share and line.suppressed_share >= 0.01:
            words.append(f"{line.policy} leaves out {share(line.suppressed_share)} of the rows.")
    promised = {(policy.k, *sorted(policy.promises.items())) for policy in report.policies}
    if met and len(promised) > 1:
        words.append("The promises differ: what promises more may cost more.")
    return " ".join(words)
