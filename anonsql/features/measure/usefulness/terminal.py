"""What analyses find in a completed release, on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from anonsql.features.measure.usefulness.document import Analyses, AttributeRisk
from anonsql.features.measure.usefulness.summary import GUESSED, sentences
from anonsql.presentation.tables import lines, percent


def analysed(console: Console, found: Analyses) -> None:
    """Print what analyses find: the figures in words, then the risks of columns."""
    draws = "1 draw" if found.draws == 1 else f"{found.draws} draws"
    console.print(f"[bold]Analyses of the completed table[/] ({draws}), beside the source's:")
    for line in sentences(found):
        console.print(escape(line), highlight=False)
    if found.attributes:
        _print_attributes(console, found.attributes)


def _print_attributes(console: Console, risks: list[AttributeRisk]) -> None:
    """Print how often columns are guessed rightly by the others."""
    table = lines("guessed rightly", "usual", "held out", "release", "source", right=(1, 2, 3, 4))
    for risk in risks:
        shares = (risk.usual, risk.held_out, risk.release, risk.source)
        table.add_row(escape(risk.column), *map(percent, shares))
    console.print(table)
    console.print(GUESSED, highlight=False)
