"""The summaries of ``measure`` and ``query`` on a terminal."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext

from rich.console import Console
from rich.markup import escape

from anonsql.features import left_out
from anonsql.features.measure.document import BoundsError, MeasureReport, QueryReport
from anonsql.features.run.several_tables_document import RelationalMeasureReport
from anonsql.presentation.tables import lines, percent


def measured(console: Console, report: MeasureReport | RelationalMeasureReport) -> None:
    """Print how much of its source's information a release keeps; of several tables, each."""
    if isinstance(report, RelationalMeasureReport):
        for name, table in report.tables.items():
            console.print(f"\n[bold]{escape(name)}[/]")
            measured(console, table)
        return
    console.print(
        f"{report.released:,} of {report.records:,} rows released by {escape(report.method)},"
        f" k={report.k}."
    )
    columns = lines("column", "lost", *(["withheld"] if report.withheld else []), right=(1, 2))
    for name, penalty in report.penalties.items():
        columns.add_row(
            escape(name),
            f"{penalty:.4f}",
            *([f"{report.withheld.get(name, 0):,}"] if report.withheld else []),
        )
    columns.add_row("[bold]all (GCP)[/]", f"[bold]{report.gcp:.4f}[/]")
    console.print(columns)
    if report.discernibility is not None:
        ncp = "" if report.ncp is None else f", NCP {report.ncp:,.1f}"
        console.print(
            "Withheld cells lose nothing here: they lie in buckets. Groups: C_DM"
            f" {report.discernibility:,}{ncp}."
        )
    left_out.show(console, report.left_out, report.k)
    _errors(console, report)
    if report.bounds is not None:
        _bounds(console, report.bounds, report.error.empty)


def _errors(console: Console, report: MeasureReport) -> None:
    """Print how far estimates are from the source's answers."""
    error, kind = (
        report.error,
        "COUNT" if report.aggregate.startswith("COUNT") else report.aggregate,
    )
    queries = (
        f"{report.queries:,} {'random ' if report.workload == 'random' else ''}{escape(kind)}"
        " queries"
    )
    if error.mean is None or error.median is None or error.ninetieth is None:
        console.print(f"\nThe release leaves no estimate of the answers of {queries}.")
        return
    console.print(
        f"\nError of {queries}: median [bold]{percent(error.median)}[/], mean"
        f" {percent(error.mean)}, 90 % at most {percent(error.ninetieth)} (of the"
        f" answer, or of {report.sanity_bound:g} where that is more)."
    )


def _bounds(console: Console, found: BoundsError, empty: int) -> None:
    """Print how far apart the bounds of answers are."""
    for name, spread in (("expected", found.expected), ("guaranteed", found.guaranteed)):
        if spread is not None:
            console.print(
                f"Between the {name} bounds: median [bold]{percent(spread.median)}[/] of the"
                " answer,"
                f" mean {percent(spread.mean)}, 90 % at most {percent(spread.ninetieth)}."
            )
    console.print(f"{empty:,} queries whose answer is 0 are left out.")
    if found.unanswered:
        console.print(
            f"{found.unanswered:,} are left without an estimate: labels like * stand for values of"
            " unknown number where the column's hierarchy does not name them one by one (taxonomy,"
            " order, file)."
        )


def answered(console: Console, report: QueryReport) -> None:
    """Print each aggregate's estimate and bounds, by group where there are groups."""
    expected = any(line.expected_lower is not None for line in report.answers)
    groups = list(report.answers[0].group or ()) if report.answers else []
    table = lines(
        *groups,
        "",
        "estimate",
        "lower",
        "upper",
        "the bounds are",
        *(["expected"] if expected else []),
        right=tuple(len(groups) + place for place in (1, 2, 3, 5)),
    )
    for answer in report.answers:
        numbers = [
            _number(answer.estimate),
            _number(answer.lower, up=False),
            _number(answer.upper, up=True),
        ]
        between = (
            f"{_number(answer.expected_lower)} … {_number(answer.expected_upper)}"
            if answer.expected_lower is not None
            else ""
        )
        table.add_row(
            *(escape(_word(answer.group[name])) for name in groups if answer.group is not None),
            escape(answer.aggregate),
            f"[bold]{numbers[0]}[/]",
            *numbers[1:],
            answer.bounds,
            *([between] if expected else []),
        )
    console.print(table)
    if not report.suppressed:  # otherwise a note says so
        text = f"Answers are about the {report.released:,} rows released by {escape(report.method)}"
        console.print(f"\n{text}.")
    for note in report.notes:
        console.print(escape(note), highlight=False)


def _word(value: str | int | float | bool | None) -> str:
    """Return a value by which rows are grouped."""
    return "NULL" if value is None else str(value)


def _number(value: int | float | str | None, *, up: bool | None = None) -> str:
    """Return a number in few digits, a bound rounded up or down."""
    if value is None or isinstance(value, str):
        return value or "unknown"
    if isinstance(value, int) or value.is_integer():
        return f"{int(value):,}"
    exact = Decimal(repr(value))
    places = 2 if abs(exact) >= 1 else 5 - exact.adjusted()
    way = ROUND_HALF_EVEN if up is None else ROUND_CEILING if up else ROUND_FLOOR
    with localcontext(prec=400):
        rounded = exact.quantize(Decimal(1).scaleb(-places), way)
    return f"{rounded:,.2f}" if places == 2 else f"{float(rounded):,.6g}"
