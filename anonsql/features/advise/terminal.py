"""The summary of ``advise`` on a terminal, in 80 columns: the choices, which of them are not
beaten, what each means for the table, and the one that is recommended."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from anonsql.features.advise.document import AdviceLine, AdviceReport, Change
from anonsql.features.advise.ranking import COUNTS, Ranking, ranking_of
from anonsql.presentation.tables import statement

_WIDTH = 80
_HEADINGS = ("loss", "error", "90 %", "left out", "untrue", "risk", "seconds")
AS_IT_IS = "the policy as it is"


def advised(console: Console, report: AdviceReport) -> None:
    """Print the choices and the advice."""
    if report.interrupted:
        _say(console, "Interrupted: what follows is of the choices that were done.")
    ranking = _ranking(report)
    met = sorted(
        (policy for policy in report.policies if policy.status == "met"),
        key=lambda policy: (policy.k, ranking.of(policy)),
    )
    if met:
        _print_figures(console, met, ranking)
        _say(console, _basis(report))
        console.print()
    for name, reason in unmet(report.policies):
        _say(console, f"{name}: {reason}")
    for note in report.notes:
        _say(console, f"{note[0].upper()}{note[1:]}.")
    for line in met:
        _say(console, f"{line.policy}: {line.means} {_standing(line)}".rstrip(), line.policy)
    if report.recommended is not None:
        advice = report.recommended
        console.print()
        _say(console, f"Recommended: {advice.policy}. {advice.reason}", "Recommended:")
        for text in advice.alternatives:
            _say(console, text)
        _print_change(console, advice.take)


def _ranking(report: AdviceReport) -> Ranking:
    if report.ranked_by == COUNTS.by:
        return COUNTS
    targets = [
        line.usefulness.target.target
        for line in report.policies
        if line.usefulness is not None and line.usefulness.target is not None
    ]
    return ranking_of(report.purpose, next(iter(targets), None))


def _print_figures(console: Console, met: Sequence[AdviceLine], ranking: Ranking) -> None:
    """Print the table of figures; ``*`` marks what no other choice beats."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    table.add_column("choice", overflow="fold", ratio=1)
    other = ranking.heading if ranking is not COUNTS else None
    for heading in filter(None, (other, *_HEADINGS)):
        table.add_column(heading, justify="right", no_wrap=True)
    for line in met:
        shown = [ranking.number(ranking.of(line))] if other else []
        name = f"{escape(line.policy)}{' *' if line.front else ''}"
        table.add_row(name, *shown, *figures(line))
    Console(width=_WIDTH, file=console.file).print(table)


def figures(line: AdviceLine) -> list[str]:
    """Return the figures of a choice that is met, as the table shows them."""
    return [
        "-" if line.loss is None else f"{line.loss:.4f}",
        _share(line.error.median if line.error else None),
        _share(line.error.ninetieth if line.error else None),
        _share(line.suppressed_share),
        _share(line.untrue),
        _share(line.risk),
        f"{line.seconds:,.1f}",
    ]


def as_it_is_done(line: AdviceLine, standing: str) -> str:
    """Return what is shown when a choice is done, in 80 columns, with how far the choices are."""
    text = f"{line.policy}: {line.status}"
    if line.status == "met":
        shown = dict(zip(_HEADINGS, figures(line), strict=True))
        text = f"{line.policy}: loss {shown['loss']}, error {shown['error']}, risk {shown['risk']}"
    if line.seconds:
        text += f", {line.seconds:,.1f} s"
    return textwrap.fill(f"{text} ({standing})", _WIDTH, subsequent_indent="  ")


def unmet(lines: Sequence[AdviceLine]) -> list[tuple[str, str]]:
    """Return the choices that are not met, those of one reason together, with that reason. A method
    none of whose choices is met for the same reason is named once."""
    names: dict[str, dict[str, list[str]]] = {}
    for line in lines:
        if line.reason is not None:
            of_reason = names.setdefault(f"{line.status}: {line.reason}", {})
            of_reason.setdefault(line.method, []).append(line.policy)
    tried = [line.method for line in lines]
    return [
        (
            ", ".join(
                method if len(choices) == tried.count(method) else ", ".join(choices)
                for method, choices in of_reason.items()
            ),
            reason,
        )
        for reason, of_reason in names.items()
    ]


def _basis(report: AdviceReport) -> str:
    """Return which source and queries the figures are of."""
    rows = f"{report.records:,} rows of " if report.records is not None else ""
    return (
        f"{rows}{report.source.table}; nothing was published. For {report.purpose}, ranked by"
        f" {report.ranked_by}. Errors: median, and what nine of ten"
        f" of {report.queries:,} random COUNT queries do not exceed. * no other choice is as good"
        " in that, loss, risk and truth and better in one."
    )


def _standing(line: AdviceLine) -> str:
    """Return which choice beats one, and how many more do."""
    if not line.beaten_by:
        return ""
    same = [name for name in line.beaten_by if name.endswith(f" k={line.k}")]
    first = (same or line.beaten_by)[0]
    others = len(line.beaten_by) - 1
    more = f" and {others} more" if others else ""
    return f"Beaten by {first}{more}."


def _print_change(console: Console, change: Change) -> None:
    """Print the lines of the policy that a choice needs."""
    lines = change.lines()
    if not lines:
        _say(console, f"To take it: {AS_IT_IS}.")
        return
    rest = "; leave what else `privacy` says" if change.k is not None else ""
    _say(console, f"To take it, write into the policy{rest}:")
    for line in lines:
        console.print(escape(statement(line)), highlight=False, soft_wrap=True)


def _say(console: Console, text: str, heading: str = "") -> None:
    """Print a paragraph, with its first words in bold."""
    rest = text.removeprefix(heading)
    bold = f"[bold]{escape(heading)}[/]" if heading and rest != text else ""
    width = min(console.width, _WIDTH)
    console.print(
        f"{bold}{escape(rest if bold else text)}",
        highlight=False,
        width=width,
    )


def _share(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.1%}" if value < 10 else ">1000%"
