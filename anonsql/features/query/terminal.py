"""The answers of ``query`` on a terminal."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext

from rich.console import Console
from rich.markup import escape

from anonsql.features.query.document import QueryReport
from anonsql.presentation.tables import lines


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
        right=tuple(len(groups) + result for result in (1, 2, 3, 5)),
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
