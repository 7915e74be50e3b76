"""Who is left out where rows are suppressed, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape

from anonsql.features.documents import LeftOutValue
from anonsql.presentation.tables import lines, percent

_SHOWN = 6
"""Values that a terminal lists."""
WORTH_SHOWING = 0.99
"""The released share from which on a loss is in the JSON document alone."""


def show(console: Console, losses: Sequence[LeftOutValue], k: int) -> None:
    """Print the values that lost the greatest shares of their rows, the greatest first."""
    shown = [loss for loss in losses if loss.share < WORTH_SHOWING][:_SHOWN]
    if not shown:
        return
    table = lines("left out", "value", "rows", "released", "share", right=(2, 3, 4))
    for value in shown:
        limit = "" if value.at_least is None else "up to "
        counts = (f"{value.rows:,}", f"{limit}{value.released:,}", percent(value.share))
        table.add_row(escape(value.column), escape(name_of(value, k)), *counts)
    console.print(table)
    more = len(losses) - len(shown)
    if more:
        console.print(f"{more:,} more in the JSON document (left_out).")
    console.print()


def name_of(loss: LeftOutValue, k: int) -> str:
    """Return what a value is called; those of few rows have no name."""
    if loss.rare:
        values = "value" if loss.values == 1 else "values"
        return f"{loss.values:,} {values} with fewer than {k} rows"
    return "NULL" if loss.value is None else loss.value
