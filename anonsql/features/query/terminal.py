"""The answers of ``query`` on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext

from rich.console import Console
from rich.markup import escape

from anonsql.features.query.document import QueryReport
from anonsql.presentation.tables import lines

Value = str | int | float | bool | None


def answered(console: Console, report: QueryReport) -> None:
    """Print each aggregate's estimate and bounds, or standard error, by group where there are
    groups; or rows."""
    if report.rows is not None:
        _rows(console, report.rows)
    elif report.draws is not None:
        _estimated(console, report)
    else:
        _bounded(console, report)
    if report.hidden is not None:
        text = f"Answers are about {report.released:,} published cells, protected by"
        console.print(f"\n{text} {escape(report.method)}.")
    elif not report.suppressed:  # otherwise a note says so
        text = f"Answers are about the {report.released:,} rows released by {escape(report.method)}"
        console.print(f"\n{text}.")
    for note in report.notes:
        console.print(escape(note), highlight=False)


def _rows(console: Console, rows: Sequence[Mapping[str, Value]]) -> None:
    """Print rows of a draw."""
    names = list(rows[0]) if rows else []
    table = lines(*map(escape, names))
    for row in rows:
        table.add_row(*(escape(_word(row[name])) for name in names))
    console.print(table)


def _estimated(console: Console, report: QueryReport) -> None:
    """Print estimates from completed draws with their standard errors."""
    groups = list(report.answers[0].group or ()) if report.answers else []
    titles = ("", "estimate", "standard error", "draws", "the answer is")
    table = lines(*map(escape, groups), *titles, right=tuple(len(groups) + n for n in (1, 2, 3)))
    for answer in report.answers:
        error = answer.standard_error
        table.add_row(
            *(escape(_word((answer.group or {})[name])) for name in groups),
            escape(answer.aggregate),
            f"[bold]{escape(_estimate(answer.estimate))}[/]",
            "unknown" if error is None else _number(error),
            f"{answer.draws} of {report.draws}",
            answer.bounds,
        )
    console.print(table)


def _bounded(console: Console, report: QueryReport) -> None:
    expected = any(line.expected_lower is not None for line in report.answers)
    having = any(line.having is not None for line in report.answers)
    groups = list(report.answers[0].group or ()) if report.answers else []
    table = lines(
        *map(escape, groups),
        "",
        "estimate",
        "lower",
        "upper",
        "the bounds are",
        *(["HAVING is"] if having else []),
        *(["expected"] if expected else []),
        right=tuple(len(groups) + result for result in (1, 2, 3, 5 + having)),
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
            *([answer.having or ""] if having else []),
            *([between] if expected else []),
        )
    console.print(table)


def _estimate(value: Value) -> str:
    """Return an estimate, which may be no number."""
    return str(value) if isinstance(value, bool) else "NULL" if value is None else _number(value)


def _word(value: Value) -> str:
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
