"""What ``query`` says of its answers."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext

from anonsql.features.query.document import QueryReport
from anonsql.presentation.numbers import Number
from anonsql.presentation.tree import Figures, Part, Section, Sentence

Value = str | int | float | bool | None


def describe(report: QueryReport) -> list[Part]:
    """Return each aggregate's estimate and bounds, or standard error, by group where there are
    groups; or rows."""
    if report.rows is not None:
        names = list(report.rows[0]) if report.rows else []
        table = Figures(names, [[_word(row[name]) for name in names] for row in report.rows])
    else:
        table = _estimated(report) if report.draws is not None else _bounded(report)
    about = []
    if report.hidden is not None:
        about = [f"{report.released:,} published cells, protected by {report.method}"]
    elif not report.suppressed:  # otherwise a note says so
        about = [f"the {report.released:,} rows released by {report.method}"]
    released = [Section("", [Sentence(f"Answers are about {text}.")]) for text in about]
    return [table, *released, *map(Sentence, report.notes)]


def _estimated(report: QueryReport) -> Figures:
    groups = list(report.answers[0].group or ()) if report.answers else []
    rows = [
        [
            *(_word((answer.group or {})[name]) for name in groups),
            answer.aggregate,
            _estimate(answer.estimate),
            _number(answer.standard_error),
            Number(f"{answer.draws} of {report.draws}"),
            answer.bounds,
        ]
        for answer in report.answers
    ]
    headings = ("", "estimate", "spread of draws", "draws", "the answer is")
    return Figures([*groups, *headings], rows)


def _bounded(report: QueryReport) -> Figures:
    expected = any(line.expected_lower is not None for line in report.answers)
    having = any(line.having is not None for line in report.answers)
    groups = list(report.answers[0].group or ()) if report.answers else []
    rows = []
    for answer in report.answers:
        between = (
            f"{_number(answer.expected_lower)} … {_number(answer.expected_upper)}"
            if answer.expected_lower is not None
            else ""
        )
        rows.append(
            [
                *(_word((answer.group or {})[name]) for name in groups),
                answer.aggregate,
                _number(answer.estimate),
                _number(answer.lower, up=False),
                _number(answer.upper, up=True),
                answer.bounds,
                *([answer.having or ""] if having else []),
                *([Number(between)] if expected else []),
            ]
        )
    headings = ["", "estimate", "lower", "upper", "the bounds are"]
    more = [*(["HAVING is"] if having else []), *(["expected"] if expected else [])]
    return Figures([*groups, *headings, *more], rows)


def _estimate(value: Value) -> Number:
    if value is None or isinstance(value, bool):
        return Number("NULL" if value is None else value)
    return _number(value)


def _word(value: Value) -> str:
    """Return a value by which rows are grouped."""
    return "NULL" if value is None else str(value)


def _number(value: int | float | str | None, *, up: bool | None = None) -> Number:
    """Return a number in few digits, a bound rounded up or down."""
    if value is None or isinstance(value, str):
        return Number(value or "unknown")
    if isinstance(value, int) or value.is_integer():
        return Number(f"{int(value):,}")
    exact = Decimal(repr(value))
    places = 2 if abs(exact) >= 1 else 5 - exact.adjusted()
    way = ROUND_HALF_EVEN if up is None else ROUND_CEILING if up else ROUND_FLOOR
    with localcontext(prec=400):
        rounded = exact.quantize(Decimal(1).scaleb(-places), way)
    return Number(f"{rounded:,.2f}" if places == 2 else f"{float(rounded):,.6g}")
