"""The summary of ``attack`` on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from anonsql.features.attack.document import Attack, AttackReport
from anonsql.features.attack.words import of_together
from anonsql.presentation.tables import lines, percent
from anonsql.system.numbers import counted

_CONTROL = {
    "left out": "the control guesses without the target's own row, or by each column by itself",
    "table": "the control guesses about rows that were not released",
}


def attack(console: Console, report: AttackReport) -> None:
    """Print what a release gives away to who attacks it."""
    console.print(
        f"{report.rows:,} released rows in {report.classes:,} classes by {report.method},"
        f" k={report.k}: by the sizes of classes alone, a guess is right with a probability of"
        f" {percent(report.by_classes)}."
    )
    if report.below_k:
        console.print(
            f"{counted(report.below_k, 'row is', 'rows are')} in classes of fewer than k."
        )
    for text in report.order:
        console.print(escape(text))
    table = lines("attack", "by", "guesses", "right", "control", "risk", right=(2, 3, 4, 5))
    for one in report.attacks:
        mark = " !" if one.beyond else ""
        rates = (
            "" if rate is None else percent(rate) for rate in (one.attack.rate, one.control.rate)
        )
        table.add_row(
            one.kind, escape(one.by), f"{one.attack.guesses:,}", *rates, f"{_risk(one)}{mark}"
        )
    console.print(table)
    console.print(
        f"Risk is (right - control) / (1 - control); {_CONTROL[report.control]}. Intervals hold"
        f" with {percent(report.confidence)}."
    )
    for one in report.attacks:
        if one.beyond:
            console.print(f"! {one.kind} by {escape(one.by)}: {escape(one.means)}")
    for left in report.not_attacked:
        console.print(f"{left.kind} was not tried: {escape(left.why)}.")
    if report.together is not None:
        console.print(escape(of_together(report.together)))
    for text in report.together_short:
        console.print(f"! {escape(text)}.")
    found = "more than" if report.beyond else "no more than"
    console.print(f"Attackers find {found} the promise and the sizes of classes allow.")
    console.print(escape(report.to_do))


def _risk(one: Attack) -> str:
    if one.risk is None or one.lower is None or one.upper is None:
        return ""
    return f"{percent(one.risk)} ({percent(one.lower)} to {percent(one.upper)})"
